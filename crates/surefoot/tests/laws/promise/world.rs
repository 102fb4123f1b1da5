//! The oracle's domains and their meaning: PDDL 2.1 level 2 over exact numbers. Values that are not
//! defined make the conditions and effects that read them inapplicable (strong Kleene logic);
//! deletes come before adds; increases of one function add up, scalings multiply, assignments must
//! agree, and every other mixture is a conflict, which makes the step inapplicable.

use std::fmt::Write;

use super::number::{Rat, TooLarge};

/// The types one place admits; several are an `either`. Type 0 is `object`.
pub type TypeSet = Vec<usize>;

#[derive(Clone, Debug, Default)]
pub struct World {
    /// Names and parents; the first is `object`.
    pub types: Vec<(String, usize)>,
    /// Constants first, then the problem's objects: names and types.
    pub objects: Vec<(String, usize)>,
    pub constants: usize,
    pub predicates: Vec<Symbol>,
    pub functions: Vec<Symbol>,
    pub actions: Vec<Action>,
}

#[derive(Clone, Debug)]
pub struct Symbol {
    pub name: String,
    pub places: Vec<TypeSet>,
}

#[derive(Clone, Debug)]
pub struct Action {
    pub name: String,
    pub parameters: Vec<TypeSet>,
    pub condition: Condition,
    pub effects: Vec<Effect>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Term {
    Parameter(usize),
    Object(usize),
}

/// A predicate or function with arguments.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Applied {
    pub symbol: usize,
    pub terms: Vec<Term>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Condition {
    And(Vec<Condition>),
    Or(Vec<Condition>),
    Not(Box<Condition>),
    Atom(Applied),
    Same(Term, Term),
    Compare(Comparison, Expression, Expression),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    Less,
    AtMost,
    Equal,
    AtLeast,
    More,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expression {
    Number(Rat),
    Function(Applied),
    Sum(Vec<Expression>),
    Product(Vec<Expression>),
    Difference(Box<[Expression; 2]>),
    Negation(Box<Expression>),
    Quotient(Box<[Expression; 2]>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operator {
    Assign,
    Increase,
    Decrease,
    ScaleUp,
    ScaleDown,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    Add(Applied),
    Delete(Applied),
    Change(Operator, Applied, Expression),
}

/// By ground atom and ground function, numbered by [`World::atom_index`] and
/// [`World::function_index`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    pub atoms: Vec<bool>,
    pub values: Vec<Option<Rat>>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Call {
    pub action: usize,
    pub arguments: Vec<usize>,
}

enum Fault {
    Undefined,
    TooLarge,
}

impl From<TooLarge> for Fault {
    fn from(_: TooLarge) -> Self {
        Fault::TooLarge
    }
}

impl World {
    pub fn is_subtype(&self, mut sub: usize, of: usize) -> bool {
        loop {
            if sub == of || of == 0 {
                return true;
            }
            if sub == 0 {
                return false;
            }
            sub = self.types[sub].1;
        }
    }

    pub fn admits(&self, set: &[usize], of: usize) -> bool {
        set.iter().any(|&one| self.is_subtype(of, one))
    }

    /// Whether everything that belongs to `inner` belongs to `outer`.
    pub fn contains(&self, outer: &[usize], inner: &[usize]) -> bool {
        inner.iter().all(|&of| self.admits(outer, of))
    }

    /// Whether some type belongs to both.
    pub fn meet(&self, one: &[usize], other: &[usize]) -> bool {
        (0..self.types.len()).any(|of| self.admits(one, of) && self.admits(other, of))
    }

    fn width(&self, symbols: &[Symbol]) -> usize {
        symbols.iter().map(|symbol| self.objects.len().pow(symbol.places.len() as u32)).sum()
    }

    fn index(
        &self,
        symbols: &[Symbol],
        symbol: usize,
        arguments: impl Iterator<Item = usize>,
    ) -> usize {
        let before = self.width(&symbols[..symbol]);
        before + arguments.fold(0, |index, argument| index * self.objects.len() + argument)
    }

    pub fn atom_index(&self, atom: &Applied, arguments: &[usize]) -> usize {
        self.index(
            &self.predicates,
            atom.symbol,
            atom.terms.iter().map(|term| ground(*term, arguments)),
        )
    }

    pub fn function_index(&self, function: &Applied, arguments: &[usize]) -> usize {
        self.index(
            &self.functions,
            function.symbol,
            function.terms.iter().map(|term| ground(*term, arguments)),
        )
    }

    /// All well typed tuples of objects.
    pub fn tuples(&self, places: &[TypeSet]) -> Vec<Vec<usize>> {
        places.iter().fold(vec![Vec::new()], |tuples, place| {
            let fitting: Vec<usize> = (0..self.objects.len())
                .filter(|&object| self.admits(place, self.objects[object].1))
                .collect();
            tuples
                .iter()
                .flat_map(|tuple| fitting.iter().map(|&object| [&tuple[..], &[object]].concat()))
                .collect()
        })
    }

    /// The numbers of the well typed ground atoms.
    pub fn atoms(&self) -> Vec<usize> {
        self.grounded(&self.predicates)
    }

    /// The numbers of the well typed ground functions.
    pub fn values(&self) -> Vec<usize> {
        self.grounded(&self.functions)
    }

    fn grounded(&self, symbols: &[Symbol]) -> Vec<usize> {
        let of = |symbol: usize| {
            self.tuples(&symbols[symbol].places).into_iter().map(move |tuple| (symbol, tuple))
        };
        (0..symbols.len())
            .flat_map(of)
            .map(|(symbol, tuple)| self.index(symbols, symbol, tuple.into_iter()))
            .collect()
    }

    /// The state in which nothing is true, and nothing has a value.
    pub fn empty_state(&self) -> State {
        State {
            atoms: vec![false; self.width(&self.predicates)],
            values: vec![None; self.width(&self.functions)],
        }
    }

    pub fn calls(&self) -> Vec<Call> {
        let calls = |action: usize| {
            let tuples = self.tuples(&self.actions[action].parameters).into_iter();
            tuples.map(move |arguments| Call { action, arguments })
        };
        (0..self.actions.len()).flat_map(calls).collect()
    }

    /// The applications of symbols to parameters of an action and constants that the class allows:
    /// well typed for every binding, no parameter twice.
    pub fn applications(&self, symbols: &[Symbol], parameters: &[TypeSet]) -> Vec<Applied> {
        let mut all = Vec::new();
        for (symbol, Symbol { places, .. }) in symbols.iter().enumerate() {
            let tuples = places.iter().fold(vec![Vec::new()], |tuples: Vec<Vec<Term>>, place| {
                let fitting = (0..parameters.len())
                    .filter(|&slot| self.contains(place, &parameters[slot]))
                    .map(Term::Parameter);
                let constants = (0..self.constants)
                    .filter(|&one| self.admits(place, self.objects[one].1))
                    .map(Term::Object);
                let terms: Vec<Term> = fitting.chain(constants).collect();
                let repeats = |tuple: &[Term], term: &Term| {
                    matches!(term, Term::Parameter(_)) && tuple.contains(term)
                };
                tuples
                    .iter()
                    .flat_map(|tuple| {
                        terms
                            .iter()
                            .filter(|term| !repeats(tuple, term))
                            .map(|&term| [&tuple[..], &[term]].concat())
                    })
                    .collect()
            });
            all.extend(tuples.into_iter().map(|terms| Applied { symbol, terms }));
        }
        all
    }

    fn value(
        &self,
        expression: &Expression,
        arguments: &[usize],
        state: &State,
    ) -> Result<Rat, Fault> {
        let of = |part: &Expression| self.value(part, arguments, state);
        Ok(match expression {
            Expression::Number(number) => *number,
            Expression::Function(function) => {
                state.values[self.function_index(function, arguments)].ok_or(Fault::Undefined)?
            }
            Expression::Sum(parts) => parts
                .iter()
                .try_fold(Rat::ZERO, |sum, part| Ok::<_, Fault>(sum.plus(of(part)?)?))?,
            Expression::Product(parts) => parts
                .iter()
                .try_fold(Rat::ONE, |product, part| Ok::<_, Fault>(product.times(of(part)?)?))?,
            Expression::Difference(both) => of(&both[0])?.minus(of(&both[1])?)?,
            Expression::Negation(inner) => of(inner)?.negated(),
            Expression::Quotient(both) => {
                of(&both[0])?.over(of(&both[1])?)?.ok_or(Fault::Undefined)?
            }
        })
    }

    /// `None`: neither true nor false, since something has no value.
    fn truth(
        &self,
        condition: &Condition,
        arguments: &[usize],
        state: &State,
    ) -> Result<Option<bool>, TooLarge> {
        // The first part that decides, else "unknown" if one is.
        let decide = |parts: &[Condition], decisive: bool| {
            let mut unknown = false;
            for part in parts {
                match self.truth(part, arguments, state)? {
                    Some(truth) if truth == decisive => return Ok(Some(decisive)),
                    None => unknown = true,
                    _ => {}
                }
            }
            Ok(if unknown { None } else { Some(!decisive) })
        };
        match condition {
            Condition::And(parts) => decide(parts, false),
            Condition::Or(parts) => decide(parts, true),
            Condition::Not(inner) => Ok(self.truth(inner, arguments, state)?.map(|truth| !truth)),
            Condition::Atom(atom) => Ok(Some(state.atoms[self.atom_index(atom, arguments)])),
            Condition::Same(one, other) => {
                Ok(Some(ground(*one, arguments) == ground(*other, arguments)))
            }
            Condition::Compare(comparison, left, right) => {
                let sides = self
                    .value(left, arguments, state)
                    .and_then(|left| Ok((left, self.value(right, arguments, state)?)));
                let order = match sides {
                    Ok((left, right)) => left.compare(right)?,
                    Err(Fault::Undefined) => return Ok(None),
                    Err(Fault::TooLarge) => return Err(TooLarge),
                };
                Ok(Some(match comparison {
                    Comparison::Less => order.is_lt(),
                    Comparison::AtMost => order.is_le(),
                    Comparison::Equal => order.is_eq(),
                    Comparison::AtLeast => order.is_ge(),
                    Comparison::More => order.is_gt(),
                }))
            }
        }
    }

    /// How far a comparison is from being broken, the larger the nearer; `None` for anything else,
    /// and where something has no value.
    pub fn strain(&self, condition: &Condition, arguments: &[usize], state: &State) -> Option<Rat> {
        let Condition::Compare(comparison, left, right) = condition else { return None };
        let side = |side| self.value(side, arguments, state).ok();
        let gap = side(left)?.minus(side(right)?).ok()?;
        Some(match comparison {
            Comparison::Less | Comparison::AtMost => gap,
            Comparison::AtLeast | Comparison::More => gap.negated(),
            Comparison::Equal => Rat { num: gap.num.abs(), ..gap },
        })
    }

    /// Whether a condition holds.
    pub fn holds(
        &self,
        condition: &Condition,
        arguments: &[usize],
        state: &State,
    ) -> Result<bool, TooLarge> {
        Ok(self.truth(condition, arguments, state)? == Some(true))
    }

    /// The state after a step with well typed arguments; `None` where it cannot be taken.
    pub fn successor(
        &self,
        action: &Action,
        arguments: &[usize],
        state: &State,
    ) -> Result<Option<State>, TooLarge> {
        if !self.holds(&action.condition, arguments, state)? {
            return Ok(None);
        }
        let mut after = state.clone();
        let mut changes: Vec<(usize, Kind, Rat)> = Vec::new();
        for effect in &action.effects {
            match effect {
                Effect::Delete(atom) => after.atoms[self.atom_index(atom, arguments)] = false,
                Effect::Add(_) => {}
                Effect::Change(operator, target, value) => {
                    let value = match self.value(value, arguments, state) {
                        Ok(value) => value,
                        Err(Fault::Undefined) => return Ok(None),
                        Err(Fault::TooLarge) => return Err(TooLarge),
                    };
                    let (kind, value) = match operator {
                        Operator::Assign => (Kind::Assign, value),
                        Operator::Increase => (Kind::Add, value),
                        Operator::Decrease => (Kind::Add, value.negated()),
                        Operator::ScaleUp => (Kind::Scale, value),
                        Operator::ScaleDown => match Rat::ONE.over(value)? {
                            Some(value) => (Kind::Scale, value),
                            None => return Ok(None),
                        },
                    };
                    let target = self.function_index(target, arguments);
                    match changes.iter_mut().find(|change| change.0 == target) {
                        None => changes.push((target, kind, value)),
                        Some((_, earlier, _)) if *earlier != kind => return Ok(None),
                        Some((_, Kind::Assign, earlier)) if *earlier != value => return Ok(None),
                        Some((_, Kind::Assign, _)) => {}
                        Some((_, Kind::Add, sum)) => *sum = sum.plus(value)?,
                        Some((_, Kind::Scale, product)) => *product = product.times(value)?,
                    }
                }
            }
        }
        for effect in &action.effects {
            if let Effect::Add(atom) = effect {
                after.atoms[self.atom_index(atom, arguments)] = true;
            }
        }
        for (target, kind, value) in changes {
            after.values[target] = match (kind, state.values[target]) {
                (Kind::Assign, _) => Some(value),
                (_, None) => return Ok(None),
                (Kind::Add, Some(old)) => Some(old.plus(value)?),
                (Kind::Scale, Some(old)) => Some(old.times(value)?),
            };
        }
        Ok(Some(after))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Assign,
    Add,
    Scale,
}

pub fn ground(term: Term, arguments: &[usize]) -> usize {
    match term {
        Term::Parameter(slot) => arguments[slot],
        Term::Object(object) => object,
    }
}

impl Action {
    /// The conjuncts of its condition.
    pub fn conjuncts(&self) -> &[Condition] {
        match &self.condition {
            Condition::And(parts) => parts,
            single => std::slice::from_ref(single),
        }
    }

    /// What is left of it for those who look at atoms alone.
    pub fn without_numbers(&self) -> Action {
        let parts = self
            .conjuncts()
            .iter()
            .filter(|part| !matches!(part, Condition::Compare(..)))
            .cloned()
            .collect();
        let effects = self
            .effects
            .iter()
            .filter(|effect| !matches!(effect, Effect::Change(..)))
            .cloned()
            .collect();
        Action { condition: Condition::And(parts), effects, ..self.clone() }
    }
}

// Text.

impl World {
    fn type_set(&self, set: &[usize]) -> String {
        let names: Vec<&str> = set.iter().map(|&one| &*self.types[one].0).collect();
        if names.len() == 1 { names[0].to_owned() } else { format!("(either {})", names.join(" ")) }
    }

    fn typed(&self, places: &[TypeSet]) -> String {
        let one = |(slot, set): (usize, &TypeSet)| format!(" ?p{slot} - {}", self.type_set(set));
        places.iter().enumerate().map(one).collect()
    }

    fn term(&self, term: Term) -> String {
        match term {
            Term::Parameter(slot) => format!("?p{slot}"),
            Term::Object(object) => self.objects[object].0.clone(),
        }
    }

    pub fn function(&self, function: &Applied) -> String {
        self.applied(&self.functions, function)
    }

    fn applied(&self, symbols: &[Symbol], applied: &Applied) -> String {
        let terms: String =
            applied.terms.iter().map(|&term| format!(" {}", self.term(term))).collect();
        format!("({}{terms})", symbols[applied.symbol].name)
    }

    pub fn expression(&self, expression: &Expression) -> String {
        let list = |head: &str, parts: &[Expression]| {
            let parts: String =
                parts.iter().map(|part| format!(" {}", self.expression(part))).collect();
            format!("({head}{parts})")
        };
        match expression {
            Expression::Number(number) => number.written(),
            Expression::Function(function) => self.function(function),
            Expression::Sum(parts) if parts.is_empty() => "0".into(),
            Expression::Sum(parts) if parts.len() == 1 => self.expression(&parts[0]),
            Expression::Sum(parts) => list("+", parts),
            Expression::Product(parts) if parts.len() == 1 => self.expression(&parts[0]),
            Expression::Product(parts) => list("*", parts),
            Expression::Difference(both) => list("-", &both[..]),
            Expression::Negation(inner) => list("-", std::slice::from_ref(inner)),
            Expression::Quotient(both) => list("/", &both[..]),
        }
    }

    pub fn condition(&self, condition: &Condition) -> String {
        let list = |head: &str, parts: &[Condition]| {
            let parts: String =
                parts.iter().map(|part| format!(" {}", self.condition(part))).collect();
            format!("({head}{parts})")
        };
        match condition {
            Condition::And(parts) => list("and", parts),
            Condition::Or(parts) => list("or", parts),
            Condition::Not(inner) => list("not", std::slice::from_ref(inner)),
            Condition::Atom(atom) => self.applied(&self.predicates, atom),
            Condition::Same(one, other) => format!("(= {} {})", self.term(*one), self.term(*other)),
            Condition::Compare(comparison, left, right) => {
                let symbol = match comparison {
                    Comparison::Less => "<",
                    Comparison::AtMost => "<=",
                    Comparison::Equal => "=",
                    Comparison::AtLeast => ">=",
                    Comparison::More => ">",
                };
                format!("({symbol} {} {})", self.expression(left), self.expression(right))
            }
        }
    }

    pub fn effect(&self, effect: &Effect) -> String {
        match effect {
            Effect::Add(atom) => self.applied(&self.predicates, atom),
            Effect::Delete(atom) => format!("(not {})", self.applied(&self.predicates, atom)),
            Effect::Change(operator, target, value) => {
                let operator = match operator {
                    Operator::Assign => "assign",
                    Operator::Increase => "increase",
                    Operator::Decrease => "decrease",
                    Operator::ScaleUp => "scale-up",
                    Operator::ScaleDown => "scale-down",
                };
                format!("({operator} {} {})", self.function(target), self.expression(value))
            }
        }
    }

    /// The domain as text; without bodies it names what there is, and no more.
    pub fn domain(&self, actions: &[Action], bodies: bool) -> String {
        let mut text = "(define (domain d)\n".to_owned();
        let types: String = self
            .types
            .iter()
            .skip(1)
            .map(|(name, parent)| format!(" {name} - {}", self.types[*parent].0))
            .collect();
        if !types.is_empty() {
            let _ = writeln!(text, "  (:types{types})");
        }
        if self.constants > 0 {
            let _ = writeln!(text, "  (:constants{})", self.listed(0..self.constants));
        }
        for (keyword, symbols) in
            [(":predicates", &self.predicates), (":functions", &self.functions)]
        {
            if !symbols.is_empty() {
                let one =
                    |symbol: &Symbol| format!(" ({}{})", symbol.name, self.typed(&symbol.places));
                let _ =
                    writeln!(text, "  ({keyword}{})", symbols.iter().map(one).collect::<String>());
            }
        }
        for action in actions {
            let _ = write!(
                text,
                "  (:action {}\n    :parameters ({})",
                action.name,
                self.typed(&action.parameters).trim()
            );
            if bodies {
                let effects: String = action
                    .effects
                    .iter()
                    .map(|effect| format!(" {}", self.effect(effect)))
                    .collect();
                let _ = write!(
                    text,
                    "\n    :precondition {}\n    :effect (and{effects})",
                    self.condition(&action.condition)
                );
            }
            text += ")\n";
        }
        text + ")\n"
    }

    fn listed(&self, range: std::ops::Range<usize>) -> String {
        range
            .map(|object| {
                format!(" {} - {}", self.objects[object].0, self.types[self.objects[object].1].0)
            })
            .collect()
    }

    pub fn problem(&self) -> String {
        let objects = self.listed(self.constants..self.objects.len());
        format!(
            "(define (problem p) (:domain d)\n  (:objects{objects})\n  (:init)\n  (:goal (and)))\n"
        )
    }

    /// The ground function of that number, as PDDL.
    pub fn ground_function(&self, at: usize) -> Option<String> {
        let of = |(symbol, function): (usize, &Symbol)| {
            let tuples = self.tuples(&function.places).into_iter();
            tuples.map(move |tuple| {
                (self.index(&self.functions, symbol, tuple.iter().copied()), symbol, tuple)
            })
        };
        let (_, symbol, tuple) =
            self.functions.iter().enumerate().flat_map(of).find(|(index, ..)| *index == at)?;
        Some(
            self.function(&Applied {
                symbol,
                terms: tuple.into_iter().map(Term::Object).collect(),
            }),
        )
    }

    pub fn call(&self, call: &Call) -> String {
        let arguments: String =
            call.arguments.iter().map(|&object| format!(" {}", self.objects[object].0)).collect();
        format!("({}{arguments})", self.actions[call.action].name)
    }

    pub fn facts(&self, state: &State) -> String {
        self.facts_told(state, &mut || true)
    }

    /// The facts of a state of which the record does not tell every one: `told` says of each
    /// whether it does.
    pub fn facts_told(&self, state: &State, told: &mut dyn FnMut() -> bool) -> String {
        let mut text = String::new();
        let named = |symbol: &Symbol, tuple: &[usize]| {
            let arguments: String =
                tuple.iter().map(|&object| format!(" {}", self.objects[object].0)).collect();
            format!("({}{arguments})", symbol.name)
        };
        for (symbol, predicate) in self.predicates.iter().enumerate() {
            for tuple in self.tuples(&predicate.places) {
                if !told() {
                    let _ = write!(text, " (unknown {})", named(predicate, &tuple));
                } else if state.atoms[self.index(&self.predicates, symbol, tuple.iter().copied())] {
                    let _ = write!(text, " {}", named(predicate, &tuple));
                }
            }
        }
        for (symbol, function) in self.functions.iter().enumerate() {
            for tuple in self.tuples(&function.places) {
                if !told() {
                    let _ = write!(text, " (unknown {})", named(function, &tuple));
                } else if let Some(value) =
                    state.values[self.index(&self.functions, symbol, tuple.iter().copied())]
                {
                    let _ = write!(text, " (= {} {})", named(function, &tuple), value.written());
                }
            }
        }
        text
    }

    pub fn trajectory(&self, states: &[State], calls: &[Call]) -> String {
        self.trajectory_told(states, calls, &mut || true)
    }

    /// The same where not everything is told.
    pub fn trajectory_told(
        &self,
        states: &[State],
        calls: &[Call],
        told: &mut dyn FnMut() -> bool,
    ) -> String {
        let mut text = format!("((:init{})\n", self.facts_told(&states[0], told));
        for (call, state) in calls.iter().zip(&states[1..]) {
            let _ = writeln!(
                text,
                "(operator: {})\n(:state{})",
                self.call(call),
                self.facts_told(state, told)
            );
        }
        text + ")\n"
    }
}
