//! Functions that others determine: exact affine combinations in every recorded state.
//!
//! Functions of the same kinds of objects are examined together: in each state, each object gives
//! one vector of their values, and the affine hull of all vectors has an equation for each
//! dependence. A function without objects is also compared with the sum of another one over all
//! objects.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{Finding, View};
use surefoot_base::exact::{Echelon, Rational, Row};
use surefoot_base::model::{Arguments, Domain, FunctionId, Ground, State, TypeId};

/// A function that is a sum of others in all recorded states.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Sum {
    /// The name of the function.
    pub function: String,
    /// What it always is.
    pub is: String,
    /// The number of different vectors; the sum holds in all of them.
    pub vectors: usize,
}

/// Distinct vectors are counted up to this many.
const COUNTED: usize = 200;

struct Group {
    functions: Vec<FunctionId>,
    hull: Echelon,
    vectors: BTreeSet<Row>,
}

impl Group {
    /// Whether the vectors span the whole space, so that no equation is left.
    fn is_full(&self) -> bool {
        self.hull.rank() == self.hull.columns()
    }
}

/// A function without objects, and one that it may be the total of.
struct Total {
    total: FunctionId,
    of: FunctionId,
    values: BTreeSet<Rational>,
    /// The most objects that were added up.
    added: usize,
}

/// The functions of a domain, as their values are met.
pub(super) struct Sums<'a> {
    domain: &'a Domain,
    groups: BTreeMap<Vec<Vec<TypeId>>, Group>,
    totals: Vec<Total>,
    last: Option<State>,
}

impl<'a> Sums<'a> {
    pub fn new(domain: &'a Domain) -> Self {
        let mut groups: BTreeMap<Vec<Vec<TypeId>>, Group> = BTreeMap::new();
        let functions: Vec<FunctionId> =
            (0..domain.signature.functions.len()).map(FunctionId::from).collect();
        for &function in &functions {
            let parameters = &domain.signature.function(function).parameters;
            let kinds =
                parameters.iter().map(|parameter| parameter.types.types().to_vec()).collect();
            let group = groups.entry(kinds).or_insert_with(|| Group {
                functions: Vec::new(),
                hull: Echelon::new(1),
                vectors: BTreeSet::new(),
            });
            group.functions.push(function);
        }
        groups.retain(|_, group| group.functions.len() > 1);
        groups.values_mut().for_each(|group| group.hull = Echelon::new(1 + group.functions.len()));
        let (without, with): (Vec<FunctionId>, Vec<FunctionId>) = functions
            .iter()
            .partition(|&&function| domain.signature.function(function).parameters.is_empty());
        let mut totals = Vec::new();
        for &total in &without {
            totals.extend(with.iter().map(|&of| Total {
                total,
                of,
                values: BTreeSet::new(),
                added: 0,
            }));
        }
        Sums { domain, groups, totals, last: None }
    }

    /// A new trace begins.
    pub fn start(&mut self) {
        self.last = None;
    }

    /// Takes in a state.
    pub fn look(&mut self, view: View<'_>) {
        if self.totals.is_empty() && self.groups.values().all(Group::is_full) {
            return;
        }
        let changed: BTreeSet<Arguments> = match &self.last {
            Some(last) => last
                .differing_values(view.state)
                .map(|id| view.universe.ground_function(id).arguments.clone())
                .collect(),
            None => view
                .state
                .values()
                .map(|(id, _)| view.universe.ground_function(id).arguments.clone())
                .collect(),
        };
        if changed.is_empty() && self.last.is_some() {
            return;
        }
        self.last = Some(view.state.clone());
        for group in self.groups.values_mut().filter(|group| !group.is_full()) {
            for arguments in &changed {
                let vector: Option<Vec<Rational>> = group
                    .functions
                    .iter()
                    .map(|&function| value(view, function, arguments.clone()))
                    .collect();
                let Some(vector) = vector else { continue };
                let row = Row::point(&vector);
                group.hull.insert(&row);
                if group.vectors.len() < COUNTED {
                    group.vectors.insert(row);
                }
            }
        }
        self.totals.retain_mut(|candidate| {
            let Some(total) = value(view, candidate.total, Arguments::new()) else { return true };
            let (mut sum, mut added) = (Rational::ZERO, 0);
            for (id, value) in view.state.values() {
                if view.universe.ground_function(id).symbol == candidate.of {
                    sum += value;
                    added += 1;
                }
            }
            candidate.added = candidate.added.max(added);
            if candidate.values.len() < COUNTED {
                candidate.values.insert(total.clone());
            }
            sum == total
        });
    }

    pub fn findings(&self) -> Vec<Finding> {
        let mut findings: Vec<Finding> =
            self.groups.values().flat_map(|group| self.of_group(group)).collect();
        for total in self.totals.iter().filter(|total| total.values.len() > 2 && total.added > 1) {
            let functions = &self.domain.signature.functions;
            findings.push(Finding::Sum(Sum {
                function: format!("({})", functions.name(total.total.index())),
                is: format!("the sum of {} over all objects", functions.name(total.of.index())),
                vectors: total.values.len(),
            }));
        }
        findings
    }

    fn of_group(&self, group: &Group) -> Vec<Finding> {
        let rows = group.hull.rows();
        // A function that is always the same is a combination of nothing.
        let varying: Vec<usize> = (1..=group.functions.len())
            .filter(|&place| {
                Echelon::span(2, rows.iter().map(|row| picked(row, &[0, place]))).rank() > 1
            })
            .collect();
        let places: Vec<usize> = std::iter::once(0).chain(varying.iter().copied()).collect();
        let hull = Echelon::span(places.len(), rows.iter().map(|row| picked(row, &places)));
        // Few vectors lie on some line or plane by chance.
        if group.vectors.len() < 2 * hull.rank() + 3 {
            return Vec::new();
        }
        let names: Vec<String> =
            varying.iter().map(|&place| self.written(group.functions[place - 1])).collect();
        let vectors = group.vectors.len();
        hull.null_space()
            .iter()
            .filter_map(|equation| solve(equation, &names))
            .map(|(function, is)| Finding::Sum(Sum { function, is, vectors }))
            .collect()
    }

    fn written(&self, function: FunctionId) -> String {
        let mut text = format!("({}", self.domain.signature.functions.name(function.index()));
        for place in 0..self.domain.signature.function(function).parameters.len() {
            // The names of parameters differ from function to function; those of one group go by
            // their place.
            text += &format!(
                " ?{}",
                ["x", "y", "z"].get(place).map_or_else(|| format!("x{place}"), ToString::to_string)
            );
        }
        text + ")"
    }
}

/// The last function of an equation, and what it is by the others. The functions with these names
/// follow the constant.
fn solve(equation: &Row, names: &[String]) -> Option<(String, String)> {
    let target = (1..equation.len()).rev().find(|&place| equation.signum(place) != 0)?;
    let divisor = -&equation.entry(target);
    let others = (1..target).filter(|&place| equation.signum(place) != 0);
    let mut terms: Vec<String> = Vec::new();
    for place in others {
        let coefficient = equation.entry(place).checked_div(&divisor)?;
        let name = &names[place - 1];
        terms.push(if coefficient == Rational::ONE {
            name.clone()
        } else {
            format!("(* {coefficient} {name})")
        });
    }
    let constant = equation.entry(0).checked_div(&divisor)?;
    if !constant.is_zero() {
        terms.push(constant.to_string());
    }
    let is =
        if let [only] = &terms[..] { only.clone() } else { format!("(+ {})", terms.join(" ")) };
    Some((names[target - 1].clone(), is))
}

/// The value of a function of objects in a state.
fn value(view: View<'_>, symbol: FunctionId, arguments: Arguments) -> Option<Rational> {
    let id = view.universe.find_value(&Ground { symbol, arguments })?;
    view.state.value(id).cloned()
}

/// Some entries of a row.
fn picked(row: &Row, places: &[usize]) -> Row {
    Row::from_integers(places.iter().map(|&place| row.integer(place)).collect())
}
