//! Parts as a user declares them, or as they were found, read against a domain.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::contradiction::{LinearTest, joint_state};
use super::found::{FindParts, FoundPart, FoundParts};
use super::{ActionPart, DomainParts};
use crate::model::{
    ActionId, Comparison, Condition, Domain, Expression, Lifted, LiftedFunction, Names, Term,
};
use crate::pddl::{Diagnostic, ReadError, Source, Writer, read_condition};

/// By action: its parts.
pub type PartsMap = BTreeMap<String, DeclaredParts>;

/// The parts of one action. Tests are PDDL over its parameters.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum DeclaredParts {
    /// They are to be found in the records.
    ToFind(FindParts),
    /// One cut: the states in which a test holds, and those in which its negation does. Of a
    /// conjunction: the states in which all its tests hold, and for each test those in which it is
    /// the first that does not.
    Cut(String),
    /// Several cuts: every combination of their sides.
    Cuts(Vec<String>),
    /// Each part with all its tests. There may be states in no part.
    Listed(Vec<Vec<String>>),
    /// They were found in records. No user writes this; certificates and headers do.
    Found(FoundParts),
}

impl DeclaredParts {
    /// The tests of each part, as they are written; of cuts, the cuts.
    pub fn listed(&self) -> Vec<String> {
        match self {
            DeclaredParts::ToFind(_) => Vec::new(),
            DeclaredParts::Found(found) => {
                found.found.iter().map(|part| part.tests.join(" ")).collect()
            }
            DeclaredParts::Cut(cut) => vec![cut.clone()],
            DeclaredParts::Cuts(cuts) => cuts.clone(),
            DeclaredParts::Listed(parts) => parts.iter().map(|tests| tests.join(" ")).collect(),
        }
    }

    /// What is assumed of an action with these parts.
    pub fn sentence(&self, action: &str) -> String {
        if let DeclaredParts::Found(found) = self {
            return found.sentence(action);
        }
        let listed: Vec<String> = (self.listed().iter().enumerate())
            .map(|(place, tests)| format!("{action}--{} where {tests}", place + 1))
            .collect();
        format!(
            "The parts of {action} were declared, not found: {}. Within each part, {action} is an \
             action as described here; the parts may differ. Outside all parts, nothing is \
             assumed about {action}.",
            listed.join("; ")
        )
    }
}

/// Why declared parts mean nothing for a domain.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct PartsError(pub String);

/// The most parts of one action.
pub const MAX_PARTS: usize = 64;

type Result<T> = std::result::Result<T, PartsError>;

impl DomainParts {
    /// The parts that a user declares, in the ids of a domain. Products of functions have at most
    /// `degree` factors, which repeat only with `squares`.
    ///
    /// # Errors
    /// The domain does not have such an action, a test is none that the action can have, or the
    /// parts are not disjoint.
    pub fn read(
        domain: &Domain,
        declared: &PartsMap,
        (degree, squares): (u32, bool),
    ) -> Result<DomainParts> {
        let mut parts = DomainParts::default();
        for (name, declared) in declared {
            if let DeclaredParts::ToFind(_) = declared {
                return Err(PartsError(format!(
                    "{name}: parts can be found only where a model is learned from all records at \
                     once; declare them here"
                )));
            }
            let Some(action) = domain.actions.find(name).map(ActionId::from) else {
                return Err(PartsError(format!("the domain has no action {name}")));
            };
            let reader = TestReader { domain, action, degree, squares };
            let name = domain.action_name(action).to_owned();
            let read = reader.parts(declared)?;
            if parts.actions.insert(action, (name.clone(), read)).is_some() {
                return Err(PartsError(format!("{name} stands there twice")));
            }
            if let DeclaredParts::Found(found) = declared {
                parts.found.insert(action, found.clone());
            }
        }
        parts.check_names(domain)?;
        Ok(parts)
    }

    /// The parts as a certificate and a header have them: by action in lower case, every part with
    /// all its tests.
    pub fn declared(&self, domain: &Domain) -> PartsMap {
        let texts = |action: ActionId, part: &ActionPart| -> Vec<String> {
            let constants = &domain.signature.constants;
            let parameters = &domain.action(action).parameters;
            let mut writer = Writer::new(domain, constants).with_parameters(parameters);
            part.tests.iter().map(|test| writer.condition(test)).collect()
        };
        let listed = |(&action, (name, parts)): (&ActionId, &(String, Vec<ActionPart>))| {
            let tests: Vec<Vec<String>> = parts.iter().map(|part| texts(action, part)).collect();
            let parts = match self.found.get(&action) {
                None => DeclaredParts::Listed(tests),
                Some(found) => {
                    let mut found = found.clone();
                    found.found.iter_mut().zip(tests).for_each(|(part, tests)| part.tests = tests);
                    DeclaredParts::Found(found)
                }
            };
            (name.to_ascii_lowercase(), parts)
        };
        self.actions.iter().map(listed).collect()
    }

    /// Whether every action of the learned domain has a name of its own.
    fn check_names(&self, domain: &Domain) -> Result<()> {
        // Actions with parts of their own count, too: whatever names one means it.
        let mut taken: Names<()> = Names::default();
        for id in domain.action_ids() {
            let _ = taken.insert(domain.action_name(id), ());
        }
        for (name, parts) in self.actions.values() {
            for part in parts {
                if taken.insert(&part.name, ()).is_err() {
                    return Err(PartsError(format!(
                        "a part of {name} is called {}, and the domain has an action of that \
                         name: rename it",
                        part.name
                    )));
                }
            }
        }
        Ok(())
    }
}

/// Reads the tests of one action.
struct TestReader<'d> {
    domain: &'d Domain,
    action: ActionId,
    degree: u32,
    squares: bool,
}

impl TestReader<'_> {
    fn error(&self, message: impl AsRef<str>) -> PartsError {
        let name = self.domain.action_name(self.action);
        PartsError(format!("{name}: {}", message.as_ref()))
    }

    fn parts(&self, declared: &DeclaredParts) -> Result<Vec<ActionPart>> {
        let tests = match declared {
            DeclaredParts::Cut(cut) => self.combined(std::slice::from_ref(cut))?,
            DeclaredParts::Cuts(cuts) => self.combined(cuts)?,
            DeclaredParts::Listed(parts) => {
                let read = |texts: &Vec<String>| self.tests(texts);
                parts.iter().map(read).collect::<Result<Vec<_>>>()?
            }
            DeclaredParts::Found(found) => {
                if !found.found.iter().all(FoundPart::stands) {
                    return Err(self.error("the counts of found parts contradict themselves"));
                }
                found.tests().iter().map(|texts| self.tests(texts)).collect::<Result<Vec<_>>>()?
            }
            DeclaredParts::ToFind(_) => Vec::new(),
        };
        if tests.is_empty() {
            return Err(self.error("no part is declared"));
        }
        if tests.len() > MAX_PARTS {
            let message =
                format!("there are {} parts, and at most {MAX_PARTS} are read", tests.len());
            return Err(self.error(message));
        }
        for (place, part) in tests.iter().enumerate() {
            if part.is_empty() {
                let message = format!("part {} has no test", place + 1);
                return Err(self.error(message));
            }
            if joint_state(&part.iter().collect::<Vec<_>>()).is_err() {
                let message = format!("no state is in part {}: {}", place + 1, self.text(part));
                return Err(self.error(message));
            }
            for (earlier, other) in tests[..place].iter().enumerate() {
                self.check_disjoint((earlier, other), (place, part))?;
            }
        }
        let name = self.domain.action_name(self.action);
        let part = |(place, tests): (usize, Vec<Condition>)| ActionPart {
            name: format!("{name}--{}", place + 1),
            tests,
        };
        Ok(tests.into_iter().enumerate().map(part).collect())
    }

    fn check_disjoint(
        &self,
        (first, one): (usize, &[Condition]),
        (second, other): (usize, &[Condition]),
    ) -> Result<()> {
        let all: Vec<&Condition> = one.iter().chain(other).collect();
        let Ok(point) = joint_state(&all) else { return Ok(()) };
        let mut message = format!(
            "parts {} and {} overlap: {} and {} hold together",
            first + 1,
            second + 1,
            self.text(one),
            self.text(other)
        );
        let plain = point.iter().all(|(factors, _)| factors.len() == 1);
        if plain && !point.is_empty() {
            let writer = self.writer();
            let value = |(factors, value): &(Vec<LiftedFunction>, _)| {
                let functions: Vec<String> =
                    factors.iter().map(|function| writer.function(function)).collect();
                format!("{} = {value}", functions.concat())
            };
            let values: Vec<String> = point.iter().map(value).collect();
            message += &format!(", for example where {}", values.join(", "));
        } else {
            message += ", as far as can be told: give one of them the negation of a test of the \
                        other";
        }
        Err(self.error(message))
    }

    /// Every combination of the sides of some cuts that any state is in.
    fn combined(&self, cuts: &[String]) -> Result<Vec<Vec<Condition>>> {
        if cuts.is_empty() {
            return Ok(Vec::new());
        }
        if cuts.len() > MAX_PARTS.ilog2() as usize {
            let message = format!("there are {} cuts, and so too many parts", cuts.len());
            return Err(self.error(message));
        }
        let mut combined: Vec<Vec<Condition>> = vec![Vec::new()];
        for cut in cuts {
            let sides = self.sides(cut)?;
            let with = |part: &Vec<Condition>, side: &[Condition]| {
                let mut part = part.clone();
                for test in side {
                    if !part.contains(test) {
                        part.push(test.clone());
                    }
                }
                part
            };
            combined = combined
                .iter()
                .flat_map(|part| sides.iter().map(move |side| with(part, side)))
                .filter(|part| joint_state(&part.iter().collect::<Vec<_>>()).is_ok())
                .collect();
            if combined.len() > MAX_PARTS {
                let message = format!("these cuts make more than {MAX_PARTS} parts");
                return Err(self.error(message));
            }
        }
        Ok(combined)
    }

    /// The sides of a cut: where all its tests hold; and, by test, where it is the first that does
    /// not hold.
    fn sides(&self, cut: &String) -> Result<Vec<Vec<Condition>>> {
        let tests = self.tests(std::slice::from_ref(cut))?;
        if tests.is_empty() {
            return Err(self.error(format!("{cut} has no test")));
        }
        let mut sides = vec![tests.clone()];
        for (place, test) in tests.iter().enumerate().rev() {
            let Some(negation) = negated(test) else {
                let message = format!(
                    "{cut} cannot be a cut, since numbers that differ lie on two sides: list the \
                     parts below, at and above"
                );
                return Err(self.error(message));
            };
            sides.push(tests[..place].iter().cloned().chain([negation]).collect());
        }
        Ok(sides)
    }

    /// The tests of a part, each once.
    fn tests(&self, texts: &[String]) -> Result<Vec<Condition>> {
        let mut tests = Vec::new();
        for text in texts {
            let condition = read_condition(&Source::new("parts", text), self.domain, self.action)
                .map_err(|error| self.error(format!("{text}: {}", in_short(&error))))?;
            for test in self.flat(&condition, text)? {
                if !tests.contains(&test) {
                    tests.push(test);
                }
            }
        }
        Ok(tests)
    }

    /// The conjuncts of a condition, if each is a test.
    fn flat(&self, condition: &Condition, text: &str) -> Result<Vec<Condition>> {
        match condition {
            Condition::And(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.extend(self.flat(part, text)?);
                }
                Ok(all)
            }
            Condition::Not(inner) => {
                let tests = self.flat(inner, text)?;
                let [test] = &tests[..] else {
                    let message =
                        format!("{text}: the negation of several tests is no test: list the parts");
                    return Err(self.error(message));
                };
                let Some(negation) = negated(test) else {
                    let message = format!(
                        "{text}: numbers that differ lie on two sides: list the part below and \
                         the part above"
                    );
                    return Err(self.error(message));
                };
                Ok(vec![negation])
            }
            Condition::Atom(atom) => {
                self.check_terms(atom, text)?;
                Ok(vec![condition.clone()])
            }
            Condition::Same(left, right) => {
                let slots = self.domain.input_slots(self.action);
                let is_input = |term: &Term| match term {
                    Term::Variable(slot) => slots.get(*slot as usize) == Some(&true),
                    Term::Object(_) => false,
                };
                if is_input(left) || is_input(right) {
                    let message = format!("{text}: chosen numbers are compared by their values");
                    return Err(self.error(message));
                }
                if left == right || !has_variable(&[*left, *right]) {
                    let message = format!("{text} is the same in all states");
                    return Err(self.error(message));
                }
                Ok(vec![condition.clone()])
            }
            Condition::Compare(_, sides) => {
                self.check_comparison(condition, sides, text)?;
                Ok(vec![condition.clone()])
            }
            Condition::Or(_)
            | Condition::Imply(_)
            | Condition::ForAll(..)
            | Condition::Exists(..)
            | Condition::Within(_) => {
                let message = format!(
                    "{text}: a test is a literal, an equality of parameters or a linear \
                     comparison; several tests of one part stand in a list"
                );
                Err(self.error(message))
            }
        }
    }

    fn check_comparison(
        &self,
        test: &Condition,
        sides: &[Expression; 2],
        text: &str,
    ) -> Result<()> {
        let Some(form) = LinearTest::of(test) else {
            return Err(self.error(format!("{text} is no linear comparison")));
        };
        let mut read: Vec<&LiftedFunction> = Vec::new();
        sides.iter().for_each(|side| side.for_each_function(&mut |function| read.push(function)));
        for function in &read {
            self.check_terms(function, text)?;
        }
        let reads = |function: &LiftedFunction| {
            form.columns().any(|(factors, _)| factors.contains(function))
        };
        if !read.iter().all(|function| reads(function)) {
            return Err(self.error(format!(
                "{text} mentions a function that it does not depend on: leave it out"
            )));
        }
        if form.columns().next().is_none() {
            return Err(self.error(format!("{text} is the same in all states")));
        }
        let is_column = |factors: &Vec<LiftedFunction>| {
            let distinct = factors.windows(2).all(|pair| pair[0] != pair[1]);
            factors.len() <= self.degree as usize && (distinct || self.squares)
        };
        if !form.columns().all(|(factors, _)| is_column(factors)) {
            return Err(self.error(format!(
                "{text} multiplies functions, and numeric conditions do not at this degree"
            )));
        }
        Ok(())
    }

    /// No model of the class mentions a parameter twice in one atom or function.
    fn check_terms<S>(&self, lifted: &Lifted<S>, text: &str) -> Result<()> {
        let repeated = lifted.terms.iter().enumerate().any(|(place, term)| {
            matches!(term, Term::Variable(_)) && lifted.terms[..place].contains(term)
        });
        match repeated {
            true => Err(self.error(format!(
                "{text} has a parameter twice in one place, which no condition of an action has"
            ))),
            false => Ok(()),
        }
    }

    fn writer(&self) -> Writer<'_> {
        let parameters = &self.domain.action(self.action).parameters;
        Writer::new(self.domain, &self.domain.signature.constants).with_parameters(parameters)
    }

    fn text(&self, tests: &[Condition]) -> String {
        let mut writer = self.writer();
        let texts: Vec<String> = tests.iter().map(|test| writer.condition(test)).collect();
        texts.join(" ")
    }
}

fn has_variable(terms: &[Term]) -> bool {
    terms.iter().any(|term| matches!(term, Term::Variable(_)))
}

/// The test that holds where another does not, as far as both have a value.
pub(super) fn negated(test: &Condition) -> Option<Condition> {
    match test {
        Condition::Not(inner) => Some((**inner).clone()),
        Condition::Compare(comparison, sides) => {
            let opposite = match comparison {
                Comparison::Less => Comparison::GreaterOrEqual,
                Comparison::LessOrEqual => Comparison::Greater,
                Comparison::GreaterOrEqual => Comparison::Less,
                Comparison::Greater => Comparison::LessOrEqual,
                Comparison::Equal => return None,
            };
            Some(Condition::Compare(opposite, sides.clone()))
        }
        other => Some(Condition::Not(Box::new(other.clone()))),
    }
}

/// The first thing that is wrong with a short text, on one line.
fn in_short(error: &ReadError) -> String {
    match error.diagnostics.first() {
        Some(Diagnostic { message, help: Some(help), .. }) => format!("{message} ({help})"),
        Some(Diagnostic { message, .. }) => message.clone(),
        None => error.to_string(),
    }
}
