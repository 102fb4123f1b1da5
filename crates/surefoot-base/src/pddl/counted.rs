//! Functions that a task only counts up, such as a total cost: where a problem gives them no value,
//! they start at 0.
//!
//! Strictly, a function without a value cannot be increased, so that no action that increases it
//! could ever be taken. Published problems leave such values out all the same, and planners take 0
//! for them. That is harmless exactly where nothing reads the function: no precondition, no
//! condition of an effect, no goal, and no right-hand side. Then its value decides no step and no
//! other value; only the metric may tell it. A function that is read anywhere stays undefined,
//! whatever its name. So does the error of another function: a goal with margins would read it, and
//! 0 would say that the other is exact.

use rustc_hash::FxHashSet;

use crate::exact::Rational;
use crate::model::{
    Arguments, Condition, Domain, Effect, ErrorFunctions, Expression, FunctionId, Ground,
    GroundFunction, NumericOperator, Problem, Symbol,
};

/// More values than this are not made up: a function of many parameters has one for every
/// combination of objects.
const MAX_VALUES: usize = 100_000;

/// A function that is only increased, and that a problem gives no value.
pub(super) struct Counted {
    /// As it is written, with variables for its arguments.
    written: String,
    /// Whether it starts at 0 now. It does not where it would have more than [`MAX_VALUES`] values.
    starts_at_zero: bool,
}

impl Counted {
    pub fn message(&self) -> String {
        let why = format!(
            "`{}` has no initial value; it is only increased, and nothing reads it",
            self.written
        );
        match self.starts_at_zero {
            true => format!("{why}: it starts at 0"),
            false => format!("{why}, but it has more than {MAX_VALUES} values: it stays undefined"),
        }
    }

    pub fn help(&self) -> String {
        format!("`(= {} 0)` in :init says so", self.written)
    }
}

/// Gives 0 to every function that is only increased, that nothing reads, and that has no value at
/// all.
pub(super) fn start_at_zero(domain: &Domain, problem: &mut Problem) -> Vec<Counted> {
    let has_value: FxHashSet<FunctionId> =
        problem.values.iter().map(|(function, _)| function.symbol).collect();
    let mut found = Vec::new();
    let errors = ErrorFunctions::of(&domain.signature);
    let counted = only_increased(domain, &problem.goal).into_iter();
    for function in
        counted.filter(|function| !has_value.contains(function) && !errors.is_error(*function))
    {
        let instances = instances(domain, problem, function);
        found.push(Counted {
            written: written(domain, function),
            starts_at_zero: instances.is_some(),
        });
        problem
            .values
            .extend(instances.into_iter().flatten().map(|instance| (instance, Rational::ZERO)));
    }
    found
}

fn written(domain: &Domain, function: FunctionId) -> String {
    let functions = &domain.signature.functions;
    let variables = functions
        .value(function.index())
        .parameters
        .iter()
        .map(|parameter| format!(" ?{}", parameter.name));
    format!("({}{})", functions.name(function.index()), variables.collect::<String>())
}

/// All values that a function has among the objects of a problem, unless they are too many.
fn instances(
    domain: &Domain,
    problem: &Problem,
    function: FunctionId,
) -> Option<Vec<GroundFunction>> {
    let Symbol { parameters } = domain.signature.functions.value(function.index());
    let mut found = vec![Ground { symbol: function, arguments: Arguments::default() }];
    for parameter in parameters {
        let objects: Vec<_> =
            problem.objects.of(&domain.signature.types, &parameter.types).collect();
        if found.len().saturating_mul(objects.len()) > MAX_VALUES {
            return None;
        }
        found = (found.iter())
            .flat_map(|known| {
                objects.iter().map(|&object| {
                    let mut longer = known.clone();
                    longer.arguments.push(object);
                    longer
                })
            })
            .collect();
    }
    Some(found)
}

/// The functions that some action increases, that no action changes otherwise, and that nothing
/// reads.
fn only_increased(domain: &Domain, goal: &Condition) -> Vec<FunctionId> {
    let mut uses = FunctionUses::default();
    uses.condition(goal);
    for id in domain.action_ids() {
        let action = domain.action(id);
        uses.condition(&action.precondition);
        uses.effect(&action.effect);
    }
    let mut found: Vec<FunctionId> = uses.increased.difference(&uses.otherwise).copied().collect();
    found.sort_unstable();
    found
}

#[derive(Default)]
struct FunctionUses {
    increased: FxHashSet<FunctionId>,
    /// Read, or changed in another way.
    otherwise: FxHashSet<FunctionId>,
}

impl FunctionUses {
    fn condition(&mut self, condition: &Condition) {
        match condition {
            Condition::And(parts) | Condition::Or(parts) => {
                parts.iter().for_each(|part| self.condition(part))
            }
            Condition::Not(inner) | Condition::ForAll(_, inner) | Condition::Exists(_, inner) => {
                self.condition(inner)
            }
            Condition::Imply(both) => both.iter().for_each(|part| self.condition(part)),
            Condition::Compare(_, sides) => sides.iter().for_each(|side| self.expression(side)),
            Condition::Within(region) => {
                self.otherwise
                    .extend(region.columns.iter().flatten().map(|function| function.symbol));
            }
            Condition::Atom(_) | Condition::Same(..) => {}
        }
    }

    fn effect(&mut self, effect: &Effect) {
        match effect {
            Effect::And(parts) => parts.iter().for_each(|part| self.effect(part)),
            Effect::When(condition, inner) => {
                self.condition(condition);
                self.effect(inner);
            }
            Effect::ForAll(_, inner) => self.effect(inner),
            Effect::Numeric(numeric) => {
                let changes = match numeric.operator {
                    NumericOperator::Increase => &mut self.increased,
                    _ => &mut self.otherwise,
                };
                changes.insert(numeric.target.symbol);
                self.expression(&numeric.value);
            }
            Effect::Add(_) | Effect::Delete(_) => {}
        }
    }

    fn expression(&mut self, expression: &Expression) {
        expression.for_each_function(&mut |function| {
            self.otherwise.insert(function.symbol);
        });
    }
}
