//! Actions, domains and problems.

use super::expression::{Condition, Effect, Expression, Variable};
use super::ids::ActionId;
use super::signature::{Names, Objects, Signature};
use super::state::{GroundAction, GroundAtom, GroundFunction, State, Universe};
use crate::exact::Rational;

/// A lifted action, and (with [`Domain::actions`]) its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Action {
    /// Its parameters; they take the slots `0..parameters.len()`.
    pub parameters: Vec<Variable>,
    /// When it may be applied.
    pub precondition: Condition,
    /// What taking the action changes.
    pub effect: Effect,
}

impl Action {
    /// An action of which only the parameters are known: it can never be taken.
    pub fn left_out(parameters: Vec<Variable>) -> Self {
        Action { parameters, precondition: Condition::FALSE, effect: Effect::NONE }
    }

    /// Whether nothing is known of it, so that it can never be taken.
    pub fn is_left_out(&self) -> bool {
        self.precondition == Condition::FALSE
    }
}

/// A planning domain: the vocabulary and the actions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Domain {
    /// The name in `(define (domain NAME)`.
    pub name: Box<str>,
    /// The declared requirements, with their colon, as written.
    pub requirements: Vec<Box<str>>,
    /// Types, constants, predicates, functions.
    pub signature: Signature,
    /// The actions, by name and id.
    pub actions: Names<Action>,
}

impl Domain {
    /// The declaration of an action.
    pub fn action(&self, id: ActionId) -> &Action {
        self.actions.value(id.index())
    }

    /// An action's name, as declared.
    pub fn action_name(&self, id: ActionId) -> &str {
        self.actions.name(id.index())
    }

    /// The domain without the actions that can never be taken, and with only the requirements that
    /// it uses.
    pub fn of_known_actions(&self) -> Domain {
        let mut domain =
            Domain { actions: Names::default(), requirements: Vec::new(), ..self.clone() };
        for (name, action) in self.actions.iter().filter(|(_, action)| !action.is_left_out()) {
            let _ = domain.actions.insert(name, action.clone());
        }
        domain.requirements = domain.used_requirements();
        domain
    }

    /// This vocabulary with other bodies of actions. An action without a body stays, with its id,
    /// and can never be taken.
    pub fn with_bodies<'b>(&self, body: impl Fn(ActionId) -> Option<&'b Action>) -> Domain {
        let mut domain =
            Domain { actions: Names::default(), requirements: Vec::new(), ..self.clone() };
        for id in self.action_ids() {
            let action = body(id)
                .cloned()
                .unwrap_or_else(|| Action::left_out(self.action(id).parameters.clone()));
            let _ = domain.actions.insert(self.action_name(id), action);
        }
        domain.requirements = domain.used_requirements();
        domain
    }

    /// The action of a name, unless nothing is known of it.
    pub fn known_action(&self, name: &str) -> Option<ActionId> {
        self.actions.find(name).map(ActionId::from).filter(|id| !self.action(*id).is_left_out())
    }

    /// All actions, in declaration order.
    pub fn action_ids(&self) -> impl Iterator<Item = ActionId> + use<> {
        (0..self.actions.len()).map(ActionId::from)
    }

    /// The requirements that the domain makes use of, in PDDL's order.
    pub fn used_requirements(&self) -> Vec<Box<str>> {
        let mut used = Features::default();
        for (_, action) in self.actions.iter().filter(|(_, action)| !action.is_left_out()) {
            used.condition(&action.precondition);
            used.effect(&action.effect);
        }
        let typed = self.signature.types.ids().count() > 1;
        let functions = !self.signature.functions.is_empty();
        let flags = [
            (":strips", !typed && !functions),
            (":typing", typed),
            (":negative-preconditions", used.negative),
            (":disjunctive-preconditions", used.disjunctive),
            (":equality", used.equality),
            (":existential-preconditions", used.existential),
            (":universal-preconditions", used.universal),
            (":conditional-effects", used.conditional),
            (":numeric-fluents", functions),
        ];
        flags.into_iter().filter(|(_, on)| *on).map(|(name, _)| name.into()).collect()
    }

    /// Whether the objects are as many as the action's parameters, and of their types; `Err` with
    /// the first parameter that its object does not fit, or with the number of parameters when the
    /// numbers differ.
    pub fn check_arguments(&self, action: &GroundAction, objects: &Objects) -> Result<(), usize> {
        let parameters = &self.action(action.symbol).parameters;
        if parameters.len() != action.arguments.len() {
            return Err(parameters.len());
        }
        let types = &self.signature.types;
        let mut pairs = parameters.iter().zip(&action.arguments);
        match pairs.position(|(parameter, &object)| {
            !parameter.types.admits(types, objects.type_of(object))
        }) {
            Some(misfit) => Err(misfit),
            None => Ok(()),
        }
    }
}

/// Which parts of PDDL formulas make use of.
#[derive(Default)]
struct Features {
    negative: bool,
    disjunctive: bool,
    equality: bool,
    existential: bool,
    universal: bool,
    conditional: bool,
}

impl Features {
    fn condition(&mut self, condition: &Condition) {
        match condition {
            Condition::And(parts) => parts.iter().for_each(|part| self.condition(part)),
            Condition::Or(parts) => {
                self.disjunctive = true;
                parts.iter().for_each(|part| self.condition(part));
            }
            Condition::Not(inner) => {
                self.negative = true;
                self.condition(inner);
            }
            Condition::Imply(both) => {
                self.disjunctive = true;
                both.iter().for_each(|part| self.condition(part));
            }
            Condition::ForAll(_, inner) => {
                self.universal = true;
                self.condition(inner);
            }
            Condition::Exists(_, inner) => {
                self.existential = true;
                self.condition(inner);
            }
            Condition::Same(..) => self.equality = true,
            Condition::Atom(_) | Condition::Compare(..) | Condition::Within(_) => {}
        }
    }

    fn effect(&mut self, effect: &Effect) {
        match effect {
            Effect::And(parts) => parts.iter().for_each(|part| self.effect(part)),
            Effect::When(condition, inner) => {
                self.conditional = true;
                self.condition(condition);
                self.effect(inner);
            }
            Effect::ForAll(_, inner) => {
                self.universal = true;
                self.conditional = true;
                self.effect(inner);
            }
            Effect::Add(_) | Effect::Delete(_) | Effect::Numeric(_) => {}
        }
    }
}

/// Whether a metric is to be small or large.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Less is better.
    Minimize,
    /// More is better.
    Maximize,
}

/// The quality of a plan: an expression over its last state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Metric {
    /// Which way is better.
    pub direction: Direction,
    /// The quantity to minimize or maximize.
    pub expression: Expression,
}

/// A planning problem: objects, an initial state, a goal and a metric.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The name in `(define (problem NAME)`.
    pub name: Box<str>,
    /// The domain's name in `(:domain NAME)`.
    pub domain_name: Box<str>,
    /// The domain's constants, followed by the problem's own objects.
    pub objects: Objects,
    /// The atoms true at the start, as listed.
    pub atoms: Vec<GroundAtom>,
    /// The function values at the start, as listed; what is not listed is undefined.
    pub values: Vec<(GroundFunction, Rational)>,
    /// What a plan must reach.
    pub goal: Condition,
    /// How plans are judged, where the problem says.
    pub metric: Option<Metric>,
}

impl Problem {
    /// The state before the first step; its atoms and functions are numbered in `universe`.
    pub fn initial_state(&self, universe: &mut Universe) -> State {
        let mut state = State::default();
        for atom in &self.atoms {
            state.insert(universe.atom(atom));
        }
        for (function, value) in &self.values {
            state.set_value(universe.value(function), value.clone());
        }
        state
    }
}
