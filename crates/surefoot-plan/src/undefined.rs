//! Functions that never have a value: none at the start, and no action assigns one. Reading such a
//! function is a [fault](surefoot_base::model::semantics::Fault), so what always reads it can never
//! hold or happen.

use rustc_hash::FxHashSet;

use surefoot_base::model::{
    Action, Condition, Domain, Effect, FunctionId, GroundFunction, LiftedFunction, NumericOperator,
    ObjectId, Problem,
};

/// Which functions of a task can have a value.
pub(super) struct Definedness<'a> {
    /// Those that some action may assign.
    assigned: FxHashSet<FunctionId>,
    /// Those with a value for some objects.
    valued: FxHashSet<FunctionId>,
    values: FxHashSet<&'a GroundFunction>,
}

impl<'a> Definedness<'a> {
    pub fn of(domain: &Domain, problem: &'a Problem) -> Self {
        let mut assigned = FxHashSet::default();
        domain
            .action_ids()
            .for_each(|id| collect_assigned(&domain.action(id).effect, &mut assigned));
        let values: FxHashSet<_> = problem.values.iter().map(|(function, _)| function).collect();
        Definedness {
            assigned,
            valued: values.iter().map(|function| function.symbol).collect(),
            values,
        }
    }

    /// The functions that an action always reads and that never have a value, whatever its
    /// arguments are.
    pub fn never_for(&self, action: &Action) -> Vec<LiftedFunction> {
        let symbol = |function: &LiftedFunction| function.symbol;
        read_by_action(action)
            .into_iter()
            .filter(|function| {
                !self.assigned.contains(&symbol(function))
                    && !self.valued.contains(&symbol(function))
            })
            .collect()
    }

    /// The functions that an action always reads with these arguments and that never have a value.
    pub fn never_with(&self, action: &Action, arguments: &[ObjectId]) -> Vec<GroundFunction> {
        self.never(read_by_action(action), arguments)
    }

    /// The functions that a goal always reads and that never have a value.
    pub fn never_in(&self, goal: &Condition) -> Vec<GroundFunction> {
        let mut read = Vec::new();
        read_by_condition(goal, &mut read);
        self.never(read, &[])
    }

    fn never(&self, read: Vec<LiftedFunction>, environment: &[ObjectId]) -> Vec<GroundFunction> {
        let mut found: Vec<GroundFunction> = Vec::new();
        for function in read {
            let function = function.ground(environment);
            let never =
                !self.assigned.contains(&function.symbol) && !self.values.contains(&function);
            if never && !found.contains(&function) {
                found.push(function);
            }
        }
        found
    }
}

/// The functions of a goal that never have a value, of those without which it cannot hold: then
/// there is no plan.
pub fn undefined_in_goal(domain: &Domain, problem: &Problem) -> Vec<GroundFunction> {
    Definedness::of(domain, problem).never_in(&problem.goal)
}

fn collect_assigned(effect: &Effect, found: &mut FxHashSet<FunctionId>) {
    match effect {
        Effect::And(parts) => parts.iter().for_each(|part| collect_assigned(part, found)),
        Effect::When(_, inner) | Effect::ForAll(_, inner) => collect_assigned(inner, found),
        Effect::Numeric(numeric) if numeric.operator == NumericOperator::Assign => {
            found.insert(numeric.target.symbol);
        }
        Effect::Numeric(_) | Effect::Add(_) | Effect::Delete(_) => {}
    }
}

/// The functions without whose values an action cannot be taken: read by a conjunct of its
/// precondition, by the right-hand side of an unconditional effect, or changed by such an effect
/// without being assigned. Each once.
fn read_by_action(action: &Action) -> Vec<LiftedFunction> {
    let mut read = Vec::new();
    read_by_condition(&action.precondition, &mut read);
    read_by_effect(&action.effect, &mut read);
    let mut told = FxHashSet::default();
    read.retain(|function| told.insert(function.clone()));
    read
}

fn read_by_condition(condition: &Condition, read: &mut Vec<LiftedFunction>) {
    match condition {
        Condition::And(parts) => parts.iter().for_each(|part| read_by_condition(part, read)),
        Condition::Compare(_, sides) => {
            sides.iter().for_each(|side| {
                side.for_each_function(&mut |function| read.push(function.clone()))
            });
        }
        Condition::Within(region) => read.extend(region.read().flatten().cloned()),
        // What else there is may be settled by another of its parts.
        _ => {}
    }
}

fn read_by_effect(effect: &Effect, read: &mut Vec<LiftedFunction>) {
    match effect {
        Effect::And(parts) => parts.iter().for_each(|part| read_by_effect(part, read)),
        Effect::Numeric(numeric) => {
            numeric.value.for_each_function(&mut |function| read.push(function.clone()));
            if numeric.operator != NumericOperator::Assign {
                read.push(numeric.target.clone());
            }
        }
        _ => {}
    }
}
