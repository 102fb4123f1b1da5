//! The chosen numbers of a log: a problem lists them, so that a planner can choose among them.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use rustc_hash::FxHashSet;
use surefoot_base::exact::Rational;
use surefoot_base::model::{
    Ground, GroundAtom, GroundFunction, ObjectId, Objects, Problem, TypeId,
};
use surefoot_base::pddl::{Diagnostic, Numbers};

use crate::bind::TableBinding;
use crate::map::{ActionRule, Meaning, Parameter};
use crate::names::name_of_chosen;
use crate::table::{TableRow, number};

/// The chosen numbers that rows name.
#[derive(Default)]
pub(crate) struct RecordedNumbers {
    by_type: IndexMap<TypeId, BTreeSet<Rational>>,
    /// The columns with a number in some row of an action that has the input.
    columns: FxHashSet<Box<str>>,
}

impl RecordedNumbers {
    /// Looks at a row.
    pub fn row(&mut self, meaning: &Meaning, bound: &TableBinding, row: &TableRow) {
        if meaning.inputs.is_empty() {
            return;
        }
        let word = meaning.names.of(row.cell(bound.action));
        let Some((rule, _, ActionRule::Attempt(_, sources))) = meaning.actions.get_full(&*word)
        else {
            return;
        };
        for (source, place) in sources.iter().zip(&bound.parameters[rule]) {
            if let (Parameter::Input(column, of), Some(place)) = (source, place.input())
                && let Ok(value) = number(Numbers::Exact, row.cell(place).text())
            {
                self.by_type.entry(*of).or_default().insert(value);
                if !self.columns.contains(&*column.name) {
                    self.columns.insert(column.name.as_str().into());
                }
            }
        }
    }

    /// Each input has a number in some row.
    ///
    /// # Errors
    /// Names one that has none.
    pub fn all_met(&self, meaning: &Meaning) -> Result<(), Diagnostic> {
        let without =
            meaning.inputs.iter().find(|input| !self.columns.contains(&*input.column.name));
        let Some(input) = without else { return Ok(()) };
        let (name, column) = (&input.name, &input.column.name);
        let message = format!(
            "no row of an action with the input `{name}` has a number in the column `{column}`"
        );
        let help = "where its cells are words, list the column under `objects`";
        Err(meaning.error(input.column.span, message).help(help))
    }

    /// Gives a problem its objects, with the numbers that a planner may choose in place of those of
    /// its episode.
    ///
    /// # Errors
    /// An object has the name of such a number.
    pub fn offer(
        &self,
        meaning: &Meaning,
        problem: &mut Problem,
        objects: Objects,
    ) -> Result<(), String> {
        let (Some(value), false) = (meaning.value_of_inputs, meaning.inputs.is_empty()) else {
            problem.objects = objects;
            return Ok(());
        };
        let is_input = |of: TypeId| meaning.inputs.iter().any(|input| input.of == of);
        let mut kept = Objects::default();
        let mut places: Vec<Option<ObjectId>> = Vec::new();
        for id in objects.ids() {
            let of = objects.type_of(id);
            places.push(match is_input(of) {
                true => None,
                false => kept.insert(objects.name(id), of).ok(),
            });
        }
        let moved = |object: &ObjectId| places.get(object.index()).copied().flatten();
        let atoms = problem.atoms.drain(..).filter_map(|atom: GroundAtom| {
            let arguments = atom.arguments.iter().map(moved).collect::<Option<_>>()?;
            Some(Ground { symbol: atom.symbol, arguments })
        });
        problem.atoms = atoms.collect();
        let values =
            problem.values.drain(..).filter_map(|(function, value): (GroundFunction, _)| {
                let arguments = function.arguments.iter().map(moved).collect::<Option<_>>()?;
                Some((Ground { symbol: function.symbol, arguments }, value))
            });
        problem.values = values.collect();
        let mut done = FxHashSet::default();
        for input in meaning.inputs.iter().filter(|input| done.insert(input.of)) {
            let said = meaning.choices.iter().find(|choices| choices.of == input.of);
            let recorded = self.by_type.get(&input.of);
            let numbers = said.map(|choices| &choices.numbers).or(recorded);
            for number in numbers.into_iter().flatten() {
                let name = name_of_chosen(&input.type_name, number);
                let object = kept.insert(&name, input.of).map_err(|taken| {
                    let other = meaning.domain.signature.types.name(kept.type_of(taken));
                    format!(
                        "the number {number} would be called `{name}` in PDDL, like an object of \
                         type {other}: put {other} under `qualified`"
                    )
                })?;
                let arguments = std::iter::once(object).collect();
                problem.values.push((Ground { symbol: value, arguments }, number.clone()));
            }
        }
        problem.objects = kept;
        Ok(())
    }
}
