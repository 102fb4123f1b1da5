//! The body of an action, taken apart: what of it can be outside the class of models, or contradict
//! what a user assumes.

use std::collections::BTreeSet;

use crate::exact::Rational;
use crate::model::{
    Action, ActionId, Comparison, Condition, Domain, Effect, Expression, LiftedAtom,
    LiftedFunction, NumericOperator, Polynomial, Symbol, Term,
};
use crate::pddl::Writer;

/// A comparison: the polynomial is at least, above or equal to zero; `None` where it is no
/// polynomial.
pub struct Form {
    pub polynomial: Option<Polynomial>,
    pub equation: bool,
    /// Whether it is a conjunct of the precondition.
    pub conjunct: bool,
}

/// All changes of one function.
struct FunctionChange {
    target: LiftedFunction,
    kind: ChangeKind,
    /// What is assigned, added, or multiplied with; `None` where that is no polynomial.
    value: Option<Polynomial>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ChangeKind {
    Assign,
    Add,
    Scale,
}

/// The products that an effect reads, or why it is none of the class.
pub type Reads = Result<Vec<Vec<LiftedFunction>>, String>;

/// An action with a body, taken apart.
pub struct ActionBody<'a> {
    domain: &'a Domain,
    /// The name of the action.
    pub name: &'a str,
    /// The action with its body.
    pub action: &'a Action,
    writer: Writer<'a>,
    /// What makes its precondition no conjunction.
    pub no_conjunction: BTreeSet<&'static str>,
    /// What makes its effects conditional.
    pub conditional: BTreeSet<&'static str>,
    /// Atoms and functions that are not those of the class.
    pub misused: BTreeSet<String>,
    /// The comparisons of its precondition, wherever they stand.
    pub conditions: Vec<Form>,
    changes: Vec<FunctionChange>,
}

impl<'a> ActionBody<'a> {
    /// Takes the body of an action apart.
    pub fn of(domain: &'a Domain, id: ActionId) -> Self {
        let action = domain.action(id);
        let mut body = ActionBody {
            domain,
            name: domain.action_name(id),
            action,
            writer: Writer::new(domain, &domain.signature.constants)
                .with_parameters(&action.parameters),
            no_conjunction: BTreeSet::new(),
            conditional: BTreeSet::new(),
            misused: BTreeSet::new(),
            conditions: Vec::new(),
            changes: Vec::new(),
        };
        body.condition(&action.precondition, true, true);
        body.effect(&action.effect);
        body
    }

    fn condition(&mut self, condition: &Condition, wanted: bool, conjunct: bool) {
        match (condition, wanted) {
            (Condition::And(parts), true) | (Condition::Or(parts), false) => {
                parts.iter().for_each(|part| self.condition(part, wanted, conjunct));
            }
            (Condition::Or(parts), true) | (Condition::And(parts), false) => {
                let several = parts.len() != 1;
                if conjunct && several {
                    self.no_conjunction.insert("its precondition has a disjunction");
                }
                parts.iter().for_each(|part| self.condition(part, wanted, conjunct && !several));
            }
            (Condition::Not(inner), _) => self.condition(inner, !wanted, conjunct),
            (Condition::Imply(both), _) => {
                if conjunct {
                    self.no_conjunction.insert("its precondition has an implication");
                }
                self.condition(&both[0], !wanted, false);
                self.condition(&both[1], wanted, false);
            }
            (Condition::ForAll(_, inner) | Condition::Exists(_, inner), _) => {
                if conjunct {
                    self.no_conjunction.insert("its precondition has a quantifier");
                }
                self.condition(inner, wanted, false);
            }
            (Condition::Atom(atom), _) => self.atom(atom),
            (Condition::Same(..), _) => {}
            (Condition::Compare(comparison, sides), _) => {
                self.comparison(*comparison, sides, wanted, conjunct)
            }
            (Condition::Within(_), _) => self.condition(&condition.expanded(), wanted, conjunct),
        }
    }

    fn comparison(
        &mut self,
        comparison: Comparison,
        sides: &[Expression; 2],
        wanted: bool,
        conjunct: bool,
    ) {
        sides.iter().for_each(|side| self.expression(side));
        let equation = comparison == Comparison::Equal;
        if equation && !wanted && conjunct {
            self.no_conjunction.insert("its precondition says that two numbers differ");
        }
        let less = matches!(comparison, Comparison::Less | Comparison::LessOrEqual);
        let (more, less) =
            if less == wanted { (&sides[1], &sides[0]) } else { (&sides[0], &sides[1]) };
        let polynomial = || Polynomial::of(more)?.minus(Polynomial::of(less)?);
        self.conditions.push(Form {
            polynomial: polynomial(),
            equation,
            conjunct: conjunct && (wanted || !equation),
        });
    }

    /// Notes the functions that an expression reads.
    fn expression(&mut self, expression: &Expression) {
        match expression {
            Expression::Number(_) | Expression::TotalTime => {}
            Expression::Function(function) => self.function(function),
            Expression::Sum(parts) | Expression::Product(parts) => {
                parts.iter().for_each(|part| self.expression(part))
            }
            Expression::Difference(sides) | Expression::Quotient(sides) => {
                sides.iter().for_each(|side| self.expression(side))
            }
            Expression::Negation(inner) => self.expression(inner),
        }
    }

    fn atom(&mut self, atom: &LiftedAtom) {
        let predicates = &self.domain.signature.predicates;
        self.used(
            predicates.value(atom.symbol.index()),
            &atom.terms,
            predicates.name(atom.symbol.index()),
        );
    }

    fn function(&mut self, function: &LiftedFunction) {
        let functions = &self.domain.signature.functions;
        self.used(
            functions.value(function.symbol.index()),
            &function.terms,
            functions.name(function.symbol.index()),
        );
    }

    /// Notes an atom or function whose arguments are not those of the class. Variables of
    /// quantifiers are another matter.
    fn used(&mut self, symbol: &Symbol, terms: &[Term], name: &str) {
        let parameter = |term: &Term| match term {
            Term::Variable(slot) => self.action.parameters.get(*slot as usize),
            Term::Object(_) => None,
        };
        let types = &self.domain.signature.types;
        let mut found = Vec::new();
        for (place, term) in terms.iter().enumerate() {
            let Some(given) = parameter(term) else { continue };
            if symbol
                .parameters
                .get(place)
                .is_some_and(|declared| !declared.types.contains(types, &given.types))
            {
                found.push(format!(
                    "?{} of {} is not of its type for every binding",
                    given.name, name
                ));
            }
            if terms[..place].contains(term) {
                found.push(format!("?{} stands twice in {}", given.name, name));
            }
        }
        self.misused.extend(found);
    }

    fn effect(&mut self, effect: &'a Effect) {
        match effect {
            Effect::And(parts) => parts.iter().for_each(|part| self.effect(part)),
            Effect::Add(atom) | Effect::Delete(atom) => self.atom(atom),
            Effect::Numeric(numeric) => {
                self.function(&numeric.target);
                self.expression(&numeric.value);
                let value = Polynomial::of(&numeric.value);
                let (kind, value) = match numeric.operator {
                    NumericOperator::Assign => (ChangeKind::Assign, value),
                    NumericOperator::Increase => (ChangeKind::Add, value),
                    NumericOperator::Decrease => (
                        ChangeKind::Add,
                        value.and_then(|value| Polynomial::default().minus(value)),
                    ),
                    NumericOperator::ScaleUp => (ChangeKind::Scale, value),
                    NumericOperator::ScaleDown => {
                        let one = Expression::Number(Rational::ONE);
                        (
                            ChangeKind::Scale,
                            Polynomial::of(&Expression::Quotient(Box::new([
                                one,
                                numeric.value.clone(),
                            ]))),
                        )
                    }
                };
                self.changes.push(FunctionChange { target: numeric.target.clone(), kind, value });
            }
            Effect::When(condition, inner) => {
                self.conditional.insert("it has a conditional effect");
                // What the condition mentions counts as mentioned; that it is there at all is said.
                let before = self.conditions.len();
                self.condition(condition, true, false);
                self.conditions.truncate(before);
                self.effect(inner);
            }
            Effect::ForAll(_, inner) => {
                self.conditional.insert("it has an effect on all objects");
                self.effect(inner);
            }
        }
    }

    /// Functions as they are written; those of quantified variables by their name alone.
    pub fn names<'f>(
        &self,
        functions: impl IntoIterator<Item = &'f LiftedFunction>,
    ) -> Vec<String> {
        let parameters = self.action.parameters.len();
        let quantified =
            |term: &Term| matches!(term, Term::Variable(slot) if *slot as usize >= parameters);
        let name = |function: &LiftedFunction| match function.terms.iter().any(quantified) {
            true => format!("({})", self.domain.signature.functions.name(function.symbol.index())),
            false => self.writer.function(function),
        };
        functions.into_iter().map(name).collect()
    }

    /// Several functions, with commas between them.
    pub fn listed<'f>(&self, functions: impl IntoIterator<Item = &'f LiftedFunction>) -> String {
        self.names(functions).join(", ")
    }

    /// What each change adds up to: by target, what is read (as products), and why it is none of
    /// the class.
    pub fn effects(&self) -> Vec<(&LiftedFunction, Reads)> {
        let mut targets: Vec<&LiftedFunction> =
            self.changes.iter().map(|change| &change.target).collect();
        targets.sort();
        targets.dedup();
        targets.into_iter().map(|target| (target, self.effect_on(target))).collect()
    }

    fn effect_on(&self, target: &LiftedFunction) -> Reads {
        let mine: Vec<&FunctionChange> =
            self.changes.iter().filter(|change| change.target == *target).collect();
        let Some((first, rest)) = mine.split_first() else { return Ok(Vec::new()) };
        let unfit = || "a numeric effect is no polynomial".to_owned();
        let mut total = first.value.clone().ok_or_else(unfit)?;
        for change in rest {
            let value = change.value.as_ref().ok_or_else(unfit)?;
            let together = match (first.kind, change.kind) {
                (ChangeKind::Assign, ChangeKind::Assign) if *value == total => Some(total),
                (ChangeKind::Add, ChangeKind::Add) => {
                    Polynomial::default().minus(value.clone()).and_then(|value| total.minus(value))
                }
                (ChangeKind::Scale, ChangeKind::Scale)
                    if value.mentioned.is_empty() && total.mentioned.is_empty() =>
                {
                    Some(total)
                }
                _ => {
                    return Err(format!(
                        "{} is changed in more than one way",
                        self.listed([target])
                    ));
                }
            };
            total = together.ok_or_else(unfit)?;
        }
        if first.kind != ChangeKind::Scale {
            return Ok(total.columns().map(|(factors, _)| factors.clone()).collect());
        }
        // Scaled by a number, or by what only an assignment of a product says, too; which it is not
        // where two scalings may meet.
        let alone =
            self.changes.iter().filter(|change| change.target.symbol == target.symbol).count()
                == mine.len();
        if !total.mentioned.is_empty() && !alone {
            return Err(format!("{} is scaled by functions", self.listed([target])));
        }
        let times = |factors: &Vec<LiftedFunction>| {
            let mut factors = [&factors[..], std::slice::from_ref(target)].concat();
            factors.sort_unstable();
            factors
        };
        Ok(total.terms.keys().map(times).collect())
    }
}
