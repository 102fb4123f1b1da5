//! What a map takes for granted, in sentences for the head of a model: a log does not say these things, and where one of them is false,
//! so may be what was learned.

use std::collections::BTreeSet;

use surefoot::pddl::visible;

use crate::map::{Empty, Meaning, Report};

impl Meaning {
    /// All that whoever learns from the log takes for granted, a sentence each: what is declared, and how the log is read.
    pub fn assumed(&self) -> BTreeSet<String> {
        let declared = self.declarations.iter().map(|(fact, declared)| declared.sentence(fact));
        declared.chain(self.reading()).map(|words| visible(words.trim()).into_owned()).collect()
    }

    /// What is assumed where the log is read so.
    pub fn reading(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        for (column, words) in self.status.iter().flat_map(|status| &status.chance) {
            let words = words.join(" or ");
            sentences.push(format!(
                "What fails with {} = {words} fails by chance: such rows count neither way, and what this model allows may fail so, too.",
                column.name
            ));
        }
        let mut names: Vec<String> = self.names.iter().map(|(word, meant)| format!("{word} is {meant}")).collect();
        if !names.is_empty() {
            names.sort_unstable();
            sentences.push(format!("Words of the log stand for others: {}.", names.join(", ")));
        }
        let signature = &self.domain.signature;
        let functions = signature.functions.iter().zip(&self.complete_functions).filter(|(_, complete)| **complete);
        let predicates = signature.predicates.iter().zip(&self.predicates).filter(|(_, role)| role.complete);
        let complete: Vec<&str> = functions.map(|((name, _), _)| name).chain(predicates.map(|((name, _), _)| name)).collect();
        if !complete.is_empty() {
            sentences.push(format!("Of {} there is nothing but what the log tells.", complete.join(", ")));
        }
        let reports = || self.before.iter().chain(&self.after);
        let unchanged: Vec<String> = columns(reports(), Empty::Unchanged);
        if !unchanged.is_empty() {
            sentences.push(format!("Where a cell of {} is empty, nothing changed there.", unchanged.join(", ")));
        }
        let none: Vec<String> = columns(reports(), Empty::None);
        if !none.is_empty() {
            sentences.push(format!("Where a cell of {} is empty, there is no such thing.", none.join(", ")));
        }
        if reports().next().is_some() {
            sentences
                .push("What a row does not report is as rows before it reported: an action changes nothing else.".to_owned());
        }
        if self.values.as_ref().is_some_and(|values| values.all_changes) {
            sentences.push("Between two readings of an attribute it did not change.".to_owned());
        }
        sentences
    }
}

fn columns<'r>(reports: impl Iterator<Item = &'r Report>, empty: Empty) -> Vec<String> {
    reports.filter(|report| report.empty == empty).map(|report| report.column.written()).collect()
}
