//! A learned action in words: `x(f1) is at least 1`, `adj(f1, f2) is true`, `x(f2) grows by 1`.

use surefoot_base::exact::{Constraint, Rational};
use surefoot_base::ids::IdVec;
use surefoot_base::model::{ActionId, LiftedAtom, LiftedFunction, Term};
use surefoot_base::pddl::Writer;
use surefoot_learn::{
    ActiveColumn, BooleanEffect, ColumnId, EqualityId, LearnedAction, Learner, LiftedAtomId,
    LiftedFunctionId, NumericForm, Vocabulary,
};

/// Says things about one action.
pub struct ActionWords<'a> {
    learner: &'a Learner,
    id: ActionId,
    vocabulary: &'a Vocabulary,
}

impl<'a> ActionWords<'a> {
    pub fn new(learner: &'a Learner, id: ActionId) -> Self {
        ActionWords { learner, id, vocabulary: learner.vocabulary(id) }
    }

    fn writer(&self) -> Writer<'a> {
        let domain = self.learner.domain();
        Writer::new(domain, &domain.signature.constants)
            .with_parameters(&domain.action(self.id).parameters)
    }

    fn term(&self, term: Term) -> String {
        let domain = self.learner.domain();
        match term {
            Term::Variable(slot) => {
                domain.action(self.id).parameters[slot as usize].name.to_string()
            }
            Term::Object(object) => domain.signature.constants.name(object).to_owned(),
        }
    }

    /// A predicate or function with its arguments: `x(f1, f2)`.
    fn applied(&self, name: &str, terms: &[Term]) -> String {
        let arguments: Vec<String> = terms.iter().map(|&term| self.term(term)).collect();
        if arguments.is_empty() {
            name.to_owned()
        } else {
            format!("{name}({})", arguments.join(", "))
        }
    }

    fn atom(&self, index: LiftedAtomId) -> String {
        let LiftedAtom { symbol, terms } = &self.vocabulary.atoms[index];
        self.applied(self.learner.domain().signature.predicates.name(symbol.index()), terms)
    }

    fn function(&self, index: LiftedFunctionId) -> String {
        let LiftedFunction { symbol, terms } = &self.vocabulary.functions[index];
        self.applied(self.learner.domain().signature.functions.name(symbol.index()), terms)
    }

    /// A column: functions, multiplied.
    pub fn column(&self, column: ColumnId) -> String {
        let factors =
            self.vocabulary.columns[column].0.iter().map(|&function| self.function(function));
        factors.collect::<Vec<_>>().join(" · ")
    }

    /// Two objects that may be one.
    fn pair(&self, index: EqualityId) -> String {
        let (one, other) = self.vocabulary.equalities[index];
        format!("{} and {}", self.term(one), self.term(other))
    }

    fn columns(&self, action: &LearnedAction) -> IdVec<ActiveColumn, String> {
        action.numeric.columns.iter().map(|&column| self.column(column)).collect()
    }

    /// What must be true or false, and which objects must be the same or different.
    pub fn atoms(&self, action: &LearnedAction) -> Vec<String> {
        let model = &action.boolean;
        let mut words: Vec<String> =
            model.positive.iter().map(|&index| format!("{} is true", self.atom(index))).collect();
        words.extend(model.negative.iter().map(|&index| format!("{} is false", self.atom(index))));
        words.extend(
            model.equal.iter().map(|&index| format!("{} are the same object", self.pair(index))),
        );
        words.extend(
            model
                .different
                .iter()
                .map(|&index| format!("{} are different objects", self.pair(index))),
        );
        let guards = model.guards.iter().chain(&action.numeric.guards);
        words.extend(guards.map(|guard| {
            format!("where several arguments are one object: {}", self.writer().condition(guard))
        }));
        words
    }

    /// At most so many of the conditions on numbers.
    pub fn numbers(&self, action: &LearnedAction, most: usize) -> Vec<String> {
        let names = self.columns(action);
        let region = &action.numeric.region;
        let equations =
            region.equations().iter().map(|constraint| linear(&names, constraint, true));
        let inequalities =
            region.set.inequalities().map(|constraint| linear(&names, constraint, false));
        equations.chain(inequalities).take(most).collect()
    }

    pub fn effects(&self, action: &LearnedAction) -> Vec<String> {
        let names = self.columns(action);
        let mut words = Vec::new();
        for (index, effect) in action.boolean.effects.pairs() {
            match effect {
                BooleanEffect::None => {}
                BooleanEffect::Add => words.push(format!("{} becomes true", self.atom(index))),
                BooleanEffect::Delete => words.push(format!("{} becomes false", self.atom(index))),
            }
        }
        for (index, form) in action.numeric.effects.pairs() {
            let function = self.function(index);
            match form {
                NumericForm::Unchanged => {}
                NumericForm::Assign(value) => {
                    words.push(format!(
                        "{function} becomes {}",
                        sum(&names, &value.terms, &value.constant)
                    ));
                }
                NumericForm::Scale(factor) => {
                    words.push(format!("{function} is multiplied by {factor}"))
                }
                NumericForm::Change(change) => {
                    let falls = change.terms.iter().all(|(_, value)| value.signum() < 0)
                        && change.constant.signum() <= 0;
                    let (verb, sign) =
                        if falls { ("falls", -&Rational::ONE) } else { ("grows", Rational::ONE) };
                    let terms: Vec<(ActiveColumn, Rational)> = change
                        .terms
                        .iter()
                        .map(|(column, value)| (*column, &sign * value))
                        .collect();
                    words.push(format!(
                        "{function} {verb} by {}",
                        sum(&names, &terms, &(&sign * &change.constant))
                    ));
                }
            }
        }
        words
    }
}

fn term(name: &str, coefficient: &Rational) -> String {
    if *coefficient == Rational::ONE { name.to_owned() } else { format!("{coefficient} · {name}") }
}

/// Terms and a constant, with signs between them.
fn sum(
    names: &IdVec<ActiveColumn, String>,
    terms: &[(ActiveColumn, Rational)],
    constant: &Rational,
) -> String {
    let mut text = String::new();
    let constant = (terms.is_empty() || !constant.is_zero())
        .then(|| (constant.signum() < 0, constant.abs().to_string()));
    let terms = terms
        .iter()
        .map(|(column, value)| (value.signum() < 0, term(&names[*column], &value.abs())));
    for (negative, word) in terms.chain(constant) {
        text += match (text.is_empty(), negative) {
            (true, true) => "−",
            (true, false) => "",
            (false, true) => " − ",
            (false, false) => " + ",
        };
        text += &word;
    }
    text
}

/// A condition with only plus signs: what is subtracted stands on the other side.
fn linear(names: &IdVec<ActiveColumn, String>, constraint: &Constraint, equation: bool) -> String {
    let coefficients = names.ids().zip(constraint.coefficients());
    let terms: Vec<(ActiveColumn, Rational)> =
        coefficients.filter(|(_, coefficient)| !coefficient.is_zero()).collect();
    let bound = constraint.bound();
    if let [(column, coefficient)] = &terms[..] {
        let value = bound.checked_div(coefficient).unwrap_or(Rational::ZERO);
        let relation = match (equation, coefficient.signum() > 0) {
            (true, _) => "is",
            (false, true) => "is at most",
            (false, false) => "is at least",
        };
        return format!("{} {relation} {value}", names[*column]);
    }
    let (positive, negative): (Vec<_>, Vec<_>) =
        terms.into_iter().partition(|(_, coefficient)| coefficient.signum() > 0);
    let negative: Vec<(ActiveColumn, Rational)> =
        negative.into_iter().map(|(column, value)| (column, value.abs())).collect();
    let zero = Rational::ZERO;
    let (left, right) = if bound.signum() < 0 { (bound.abs(), zero) } else { (zero, bound) };
    let (less, more) = (sum(names, &positive, &left), sum(names, &negative, &right));
    match (equation, positive.is_empty()) {
        (true, true) => format!("{more} = {less}"),
        (true, false) => format!("{less} = {more}"),
        (false, true) => format!("{more} ≥ {less}"),
        (false, false) => format!("{less} ≤ {more}"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use surefoot_base::exact::Row;
    use surefoot_base::pddl::{Source, read_domain};
    use surefoot_learn::Class;

    #[test]
    fn conditions_read_as_a_person_would_write_them() {
        let names = vec!["x(a)".to_owned(), "y".to_owned()].into();
        let constraint = |bound: i64, x: i64, y: i64| {
            let row = [-bound, x, y].map(|value| Rational::integer(value).numerator());
            Constraint::homogeneous(Row::from_integers(row.to_vec()))
        };
        let said = |bound, x, y, equation| linear(&names, &constraint(bound, x, y), equation);
        assert_eq!(said(-1, -1, 0, false), "x(a) is at least 1");
        assert_eq!(said(3, 2, 0, false), "x(a) is at most 1.5");
        assert_eq!(said(3, 1, 0, true), "x(a) is 3");
        assert_eq!(said(4, 1, -2, false), "x(a) ≤ 2 · y + 4");
        assert_eq!(said(-4, 1, -2, false), "x(a) + 4 ≤ 2 · y");
        assert_eq!(said(-3, -1, -1, false), "x(a) + y ≥ 3");
        assert_eq!(said(0, 1, -1, true), "x(a) = y");
    }

    #[test]
    fn what_is_applied_is_written_as_people_do() {
        let text = "(define (domain d) (:requirements :typing) (:types place) (:constants depot - \
            place) \
            (:predicates (at ?a ?b - place)) (:functions (cost) (way ?a ?b - place)) (:action go \
            :parameters (?a - place)))";
        let domain = read_domain(&Source::new("domain", text)).unwrap();
        let learner = Learner::new(&domain, Class::default()).unwrap();
        let words = ActionWords::new(&learner, ActionId(0));
        let functions: Vec<String> =
            words.vocabulary.functions.ids().map(|id| words.function(id)).collect();
        assert!(
            functions.contains(&"cost".into()) && functions.contains(&"way(a, depot)".into()),
            "{functions:?}"
        );
        let atoms: Vec<String> = words.vocabulary.atoms.ids().map(|id| words.atom(id)).collect();
        assert!(atoms.contains(&"at(depot, a)".into()), "{atoms:?}");
    }
}
