//! What the body of an action amounts to within a part: conditions that the tests decide are left
//! out, and so are effects that cannot happen there.

use super::contradiction::contradiction;
use super::declared::negated;
use super::{ActionPart, DomainParts};
use crate::model::{Action, ActionId, Condition, Domain, Effect};

impl DomainParts {
    /// The bodies of an action of the given domain within each of its parts, as domains that differ
    /// in this action alone. Of an action without parts, the domain itself.
    pub fn bodies_within(&self, given: &Domain, action: ActionId) -> Vec<Domain> {
        let within = |part: &ActionPart| {
            let mut domain = given.clone();
            *domain.actions.value_mut(action.index()) = part.within(given.action(action));
            domain
        };
        match self.of(action) {
            [] => vec![given.clone()],
            parts => parts.iter().map(within).collect(),
        }
    }
}

impl ActionPart {
    /// An action as it behaves in the states of this part.
    fn within(&self, action: &Action) -> Action {
        Action {
            parameters: action.parameters.clone(),
            precondition: self.condition(&action.precondition),
            effect: self.effect(&action.effect),
        }
    }

    fn condition(&self, condition: &Condition) -> Condition {
        match condition {
            Condition::And(inner) => self.all(inner),
            Condition::Or(inner) => self.any(inner.iter().map(|one| self.condition(one)).collect()),
            Condition::Imply(both) => {
                let premise = Condition::Not(Box::new(both[0].clone()));
                self.any(vec![self.condition(&premise), self.condition(&both[1])])
            }
            Condition::Not(inner) => match self.condition(inner) {
                decided if decided == Condition::TRUE => Condition::FALSE,
                decided if decided == Condition::FALSE => Condition::TRUE,
                other => Condition::Not(Box::new(other)),
            },
            Condition::Atom(_) | Condition::Same(..) | Condition::Compare(..) => {
                self.literal(condition)
            }
            other => other.clone(),
        }
    }

    /// A condition that the tests may decide.
    fn literal(&self, condition: &Condition) -> Condition {
        let never_with = |other: &Condition| {
            let all: Vec<&Condition> = self.tests.iter().chain([other]).collect();
            contradiction(&all).is_some()
        };
        if never_with(condition) {
            return Condition::FALSE;
        }
        match negated(condition) {
            Some(negation) if never_with(&negation) => Condition::TRUE,
            _ => condition.clone(),
        }
    }

    fn all(&self, conditions: &[Condition]) -> Condition {
        let mut kept: Vec<Condition> = conditions.iter().map(|one| self.condition(one)).collect();
        kept.retain(|one| *one != Condition::TRUE);
        if kept.contains(&Condition::FALSE) { Condition::FALSE } else { Condition::And(kept) }
    }

    fn any(&self, mut kept: Vec<Condition>) -> Condition {
        kept.retain(|one| *one != Condition::FALSE);
        if kept.contains(&Condition::TRUE) {
            return Condition::TRUE;
        }
        if kept.len() == 1 { kept.remove(0) } else { Condition::Or(kept) }
    }

    fn effect(&self, effect: &Effect) -> Effect {
        match effect {
            Effect::And(parts) => Effect::And(parts.iter().map(|part| self.effect(part)).collect()),
            Effect::When(condition, inner) => match self.condition(condition) {
                decided if decided == Condition::TRUE => self.effect(inner),
                decided if decided == Condition::FALSE => Effect::NONE,
                open => Effect::When(open, Box::new(self.effect(inner))),
            },
            other => other.clone(),
        }
    }
}
