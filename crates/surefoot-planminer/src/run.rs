//! All of PlanMiner, from traces to actions, with what came of it on the way.

use std::collections::BTreeMap;

use super::column::{Amount, ColumnWriter, NumericQuantity, TableColumn};
use super::completion::{ColumnChange, changing, complete};
use super::conclusion::{Concluded, Deed, conclude};
use super::draws::Draws;
use super::labels::{degrees, labels};
use super::observed::{SeenStep, SeenTrace};
use super::pools::{LabelCondition, Pools};
use super::repairs::Repairs;
use super::rules::learn_rules;
use super::tables::{ActionTables, ObservationTable, ObservedValue, tables};
use super::trapezoid::Trapezoid;
use super::types::HeaderTypes;
use super::work::{Stop, Work};
use surefoot_base::model::{ActionId, Domain, TypeId};

/// How often the last step of a rule is repeated where it is bounded.
const REPEATS: usize = 100;

/// Finds the expression for the change of a numeric column.
pub(super) type FindAmount<'f> =
    dyn FnMut(ActionId, &ActionTables, usize) -> Result<Amount, Stop> + 'f;

/// What a run is made with.
pub(super) struct MinerInputs<'a> {
    pub(super) domain: &'a Domain,
    /// In their order, which matters.
    pub(super) traces: &'a [&'a SeenTrace],
    pub(super) repairs: Repairs,
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// With a file that can be read.
    Complete,
    /// In a crash, at this action, for this reason.
    Crash(ActionId, Crash),
    /// With a file that no reader accepts, because of this action.
    Unreadable(ActionId),
    /// The original would be killed after the paper's ten minutes: searches for changes take all of
    /// them.
    TimeLimit,
    /// The original would be killed then, too: a search for rules does not end.
    Endless,
    /// The deadline that was given has passed.
    Deadline,
}

/// Why the original crashes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Crash {
    /// An action has no parameters.
    Parameterless,
    /// No rule was found for a table.
    Ruleless,
    /// A number fits no label: the program exits.
    Unlabelled,
}

/// What came of a run.
#[derive(Clone, Debug)]
pub(super) struct MinerRun {
    pub(super) types: HeaderTypes,
    /// By action, in byte order of names: all tables are made before the first rule.
    pub(super) tables: Vec<ActionTables>,
    /// As far as the run went.
    pub(super) actions: Vec<ActionRun>,
    pub(super) end: End,
}

/// What came of an action.
#[derive(Clone, Debug)]
pub(super) struct ActionRun {
    pub(super) action: ActionId,
    pub(super) numeric: ObservationTable,
    /// Of the numeric table.
    pub(super) labels: Vec<Vec<Trapezoid>>,
    pub(super) pools: Pools,
    /// Nothing where the run ended in a crash here.
    pub(super) concluded: Option<Concluded>,
}

/// Runs PlanMiner on the tables of all actions, until it ends or a limit stops it.
pub(super) fn run(
    inputs: &MinerInputs<'_>,
    find_amount: &mut FindAmount<'_>,
    work: &mut Work,
) -> MinerRun {
    let types = HeaderTypes::derive(inputs.domain, inputs.traces);
    let mut run = MinerRun { types, tables: Vec::new(), actions: Vec::new(), end: End::Complete };
    let stopped = match run.prepare(inputs, find_amount) {
        Ok(prepared) => run.learn(inputs, prepared, work).map_err(|stop| (stop, End::Endless)),
        Err(stop) => Err((stop, End::TimeLimit)),
    };
    match stopped {
        Ok(()) => {}
        Err((Stop::Limit, end)) => run.end = end,
        Err((Stop::Deadline, _)) => run.end = End::Deadline,
    }
    run
}

/// An action's tables, ready for rules.
struct PreparedTables {
    action: ActionId,
    numeric: ObservationTable,
}

impl MinerRun {
    /// Makes the table of each action from the traces.
    fn prepare(
        &mut self,
        inputs: &MinerInputs<'_>,
        find_amount: &mut FindAmount<'_>,
    ) -> Result<Vec<PreparedTables>, Stop> {
        let mut steps = BTreeMap::<(String, ActionId), Vec<&SeenStep>>::new();
        let words = ColumnWriter { domain: inputs.domain, types: &self.types };
        for step in inputs.traces.iter().flat_map(|trace| &trace.steps) {
            steps.entry((words.action(step.action), step.action)).or_default().push(step);
        }
        let mut all = Vec::new();
        for ((_, action), steps) in steps {
            let tables = tables(&steps, !inputs.repairs.no_clock);
            let mut changes = Vec::new();
            for column in changing(&tables) {
                changes
                    .push(ColumnChange { column, amount: find_amount(action, &tables, column)? });
            }
            let numeric = complete(&tables, &changes, inputs.repairs.own_change);
            all.push(PreparedTables { action, numeric });
            self.tables.push(tables);
        }
        Ok(all)
    }

    /// Learns the rules of all actions, one after the other, and concludes.
    fn learn(
        &mut self,
        inputs: &MinerInputs<'_>,
        prepared: Vec<PreparedTables>,
        work: &mut Work,
    ) -> Result<(), Stop> {
        let mut draws = Draws::seeded(1);
        let mut unreadable = None;
        for (PreparedTables { action, numeric }, tables) in prepared.into_iter().zip(&self.tables) {
            let header = self.types.of_action(action);
            let mut learned = ActionRun {
                action,
                numeric,
                labels: Vec::new(),
                pools: Pools::default(),
                concluded: None,
            };
            let crash = learned.learn(tables, header, inputs.repairs, &mut draws, work)?;
            let crash = crash
                .or((header.is_empty() && !inputs.repairs.zero_arity)
                    .then_some(Crash::Parameterless));
            if let Some(crash) = crash {
                self.actions.push(learned);
                self.end = End::Crash(action, crash);
                return Ok(());
            }
            let words = ColumnWriter { domain: inputs.domain, types: &self.types };
            let static_facts = if inputs.repairs.static_facts {
                static_facts(&tables.logical, header)
            } else {
                Vec::new()
            };
            let concluded = conclude(&learned.pools, &static_facts, words);
            if concluded
                .deeds
                .iter()
                .any(|deed| matches!(deed, Deed::Assign(NumericQuantity::Clock, _)))
            {
                unreadable = unreadable.or(Some(action));
            }
            learned.concluded = Some(concluded);
            self.actions.push(learned);
        }
        self.end = unreadable.map_or(End::Complete, End::Unreadable);
        Ok(())
    }
}

impl ActionRun {
    /// Learns the rules of both tables.
    fn learn(
        &mut self,
        tables: &ActionTables,
        header: &[TypeId],
        repairs: Repairs,
        draws: &mut Draws,
        work: &mut Work,
    ) -> Result<Option<Crash>, Stop> {
        for (table, is_numeric) in [(&tables.logical, false), (&self.numeric, true)] {
            if table.columns.is_empty() {
                continue;
            }
            let labels: Vec<_> =
                table.columns.iter().map(|(column, cells)| labels(column, cells, draws)).collect();
            let Some(degrees) = degrees(table, &labels, tables.steps) else {
                return Ok(Some(Crash::Unlabelled));
            };
            let rules = learn_rules(&degrees, repairs.bounded.then_some(REPEATS), draws, work)?;
            if rules.is_empty() && !repairs.bounded {
                return Ok(Some(Crash::Ruleless));
            }
            self.pools.add(&rules, table, &labels, header);
            if is_numeric {
                self.labels = labels;
            }
        }
        Ok(None)
    }
}

/// The facts that have one and the same value in all rows, with the types of the header.
fn static_facts(table: &ObservationTable, header: &[TypeId]) -> Vec<LabelCondition> {
    let mut merged: Vec<(TableColumn, Vec<ObservedValue>)> = Vec::new();
    for (column, cells) in &table.columns {
        let column = column.with_types(header);
        match merged.iter_mut().find(|(known, _)| *known == column) {
            Some((_, known)) => {
                known.iter_mut().zip(cells).for_each(|(known, cell)| *known = known.or(*cell))
            }
            None => merged.push((column, cells.clone())),
        }
    }
    let constants = merged.into_iter().filter_map(|(column, cells)| {
        let value = cells.first().copied().flatten()?;
        cells
            .iter()
            .all(|cell| *cell == Some(value))
            .then_some(LabelCondition { column, value: value as i64 })
    });
    constants.collect()
}
