//! The file that the original writes, byte for byte: what shows that a run is the same. Models are
//! made without it.

use std::collections::BTreeMap;

use super::column::{Amount, ColumnWriter, NumericQuantity, TableColumn};
use super::conclusion::{Deed, Need, RightSide, six_decimals};
use super::observed::{SymbolId, TypedApplication};
use super::run::{End, MinerRun};
use super::tables::ActionTables;
use surefoot_base::model::{Comparison, TypeId};

/// Writes what came of a run. The file grows action by action: where the original crashes, it ends
/// there; where it is killed before it has written anything, there is none.
pub(super) fn text(run: &MinerRun, words: ColumnWriter<'_>, name: &str) -> Option<String> {
    if matches!(run.end, End::TimeLimit | End::Endless | End::Deadline) {
        return None;
    }
    let mut text = format!("(define (domain {})\n", name.to_ascii_lowercase());
    text += if run.types.types.is_empty() {
        "\t(:requirements :strips)\n"
    } else {
        "\t(:requirements :strips :typing)\n"
    };
    text += &types(words);
    let (predicates, functions) = symbols(run);
    text += &declarations("predicates", &predicates, words);
    text += &declarations("functions", &functions, words);
    for action in &run.actions {
        text += &format!("\t(:action {}\n", words.action(action.action));
        match &action.concluded {
            Some(concluded) => {
                let parameters = run.types.of_action(action.action);
                text += &format!("\t\t:parameters ({})\n", typed(parameters, words));
                let needs =
                    concluded.needs.iter().filter_map(|need| self::need(need, words)).collect();
                text += &section("precondition", concluded.needs.is_empty(), needs);
                let deeds =
                    concluded.deeds.iter().filter_map(|deed| self::deed(deed, words)).collect();
                text += &section("effect", concluded.deeds.is_empty(), deeds);
                text += "\t)\n";
            }
            None => return Some(text),
        }
    }
    Some(text + ")")
}

fn types(words: ColumnWriter<'_>) -> String {
    let header = words.types;
    let name = |of: TypeId| header.name(of).to_ascii_lowercase();
    let mut children = BTreeMap::<(bool, String), Vec<String>>::new();
    for &of in &header.types {
        let parent = header.parent(of);
        let key = (parent.is_none(), parent.map_or("object".to_owned(), name));
        children.entry(key).or_default().push(name(of));
    }
    format!(
        "\t(:types\n{}\t)\n",
        children
            .iter()
            .map(|((_, parent), children): (&(bool, String), &Vec<String>)| {
                format!("\t\t{} - {parent}\n", children.join(" "))
            })
            .collect::<String>()
    )
}

/// What is a column of some action, in order of first appearance.
fn symbols(run: &MinerRun) -> (Vec<SymbolId>, Vec<SymbolId>) {
    let (mut predicates, mut functions) = (Vec::new(), Vec::new());
    for lifted in run.tables.iter().flat_map(|tables| tables.mentioned()) {
        let known = match lifted.symbol {
            SymbolId::Predicate(_) => &mut predicates,
            SymbolId::Function(_) => &mut functions,
        };
        if !known.contains(&lifted.symbol) {
            known.push(lifted.symbol);
        }
    }
    (predicates, functions)
}

impl ActionTables {
    /// What has a column, facts first.
    fn mentioned(&self) -> impl Iterator<Item = &TypedApplication> {
        let facts = self.logical.columns.iter().filter_map(|(column, _)| match column {
            TableColumn::Fact(fact) => Some(fact),
            _ => None,
        });
        let functions = self.numeric.iter().filter_map(|(quantity, _)| match quantity {
            NumericQuantity::Function(function) => Some(function),
            NumericQuantity::Clock => None,
        });
        facts.chain(functions)
    }
}

fn declarations(word: &str, symbols: &[SymbolId], words: ColumnWriter<'_>) -> String {
    format!(
        "\t(:{word}\n{}\t)\n",
        symbols
            .iter()
            .map(|&symbol| {
                let name = words.symbol(symbol).to_ascii_lowercase();
                let parameters = typed(words.types.of_symbol(symbol), words);
                let gap = if parameters.is_empty() { "" } else { " " };
                format!("\t\t({name}{gap}{parameters})\n")
            })
            .collect::<String>()
    )
}

fn typed(types: &[TypeId], words: ColumnWriter<'_>) -> String {
    types
        .iter()
        .enumerate()
        .map(|(index, of): (usize, &TypeId)| {
            format!("?param_{index} - {}", words.types.name(*of).to_ascii_lowercase())
        })
        .collect::<Vec<_>>()
        .join(" ")
}

fn section(word: &str, is_empty: bool, lines: Vec<String>) -> String {
    if is_empty {
        return format!("\t\t:{word}\n\t\t\t( )\n");
    }
    let lines: String = lines.iter().map(|line| format!("\t\t\t\t{line}\n")).collect();
    format!("\t\t:{word}\n\t\t\t(and\n{lines}\t\t\t)\n")
}

fn need(need: &Need, words: ColumnWriter<'_>) -> Option<String> {
    match need {
        Need::Fact(fact, true) => Some(format!("{} ", atom(fact, words))),
        Need::Fact(_, false) | Need::Compare(_, NumericQuantity::Clock, _) => None,
        Need::Compare(sign, NumericQuantity::Function(left), side) => {
            let sign = if *sign == Comparison::Equal { "==" } else { sign.symbol() };
            let side = match side {
                RightSide::Amount(right) => amount(right, words),
                RightSide::Number(number) => six_decimals(*number),
            };
            Some(format!("({sign} {} {side} )", atom(left, words)))
        }
    }
}

fn deed(deed: &Deed, words: ColumnWriter<'_>) -> Option<String> {
    match deed {
        Deed::Fact(fact, true) => Some(format!("{} ", atom(fact, words))),
        Deed::Fact(fact, false) => Some(format!("( not {}  )", atom(fact, words))),
        Deed::Change { quantity: NumericQuantity::Clock, .. } => None,
        Deed::Change { quantity: NumericQuantity::Function(function), grows, amount: size } => {
            let verb = if *grows { "increase" } else { "decrease" };
            Some(format!("( {verb} {} {}  )", atom(function, words), amount(size, words)))
        }
        Deed::Assign(NumericQuantity::Clock, value) => Some(format!("( assign ( {value} )")),
        Deed::Assign(NumericQuantity::Function(function), value) => {
            Some(format!("( assign {} {value} )", atom(function, words)))
        }
    }
}

fn atom(lifted: &TypedApplication, words: ColumnWriter<'_>) -> String {
    let mut text = format!("( {} ", words.symbol(lifted.symbol).to_ascii_lowercase());
    lifted.arguments.iter().for_each(|(parameter, _)| text += &format!("?param_{parameter} "));
    text + ")"
}

fn amount(amount: &Amount, words: ColumnWriter<'_>) -> String {
    match amount {
        Amount::Constant(number) => number.to_string(),
        Amount::Function(function) => atom(function, words),
        Amount::Operation(operator, sides) => {
            format!(
                "( {} {} {} )",
                operator.sign(),
                self::amount(&sides[0], words),
                self::amount(&sides[1], words)
            )
        }
    }
}
