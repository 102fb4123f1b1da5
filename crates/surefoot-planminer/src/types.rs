//! The types of the header, derived from the types of objects alone: where several types meet at
//! one position, a type above them is made up.

use std::collections::BTreeMap;

use super::observed::{SeenTrace, SymbolId};
use surefoot_base::model::{ActionId, Domain, TypeId};

/// A type met at a position, in order of first appearance.
type Positions = Vec<(usize, TypeId)>;

/// The derived hierarchy. Types that were made up have ids after those of the domain.
#[derive(Clone, Debug, Default)]
pub(super) struct HeaderTypes {
    /// In the order of the header.
    pub(super) types: Vec<TypeId>,
    /// In upper case, as the original reads them.
    names: BTreeMap<TypeId, String>,
    parents: BTreeMap<TypeId, TypeId>,
    /// By action, the type of each parameter.
    actions: BTreeMap<ActionId, Vec<TypeId>>,
    #[cfg(test)]
    symbols: BTreeMap<SymbolId, Vec<TypeId>>,
}

impl HeaderTypes {
    pub(super) fn derive(domain: &Domain, traces: &[&SeenTrace]) -> HeaderTypes {
        let (actions, symbols) = positions(traces);
        let mut by_name: Vec<&Positions> = Vec::new();
        by_name.extend(in_byte_order(&actions, |action| domain.action_name(action)));
        by_name.extend(in_byte_order(&symbols, |symbol| symbol_name(domain, symbol)));
        let mut header = HeaderTypes::default();
        for &(_, of) in by_name.iter().copied().flatten() {
            if !header.types.contains(&of) {
                header.types.push(of);
                header.names.insert(of, domain.signature.types.name(of).to_ascii_uppercase());
            }
        }
        header.resolve(conflicts(&by_name), domain.signature.types.ids().count());
        header.actions =
            actions.iter().map(|(&action, met)| (action, header.at_positions(met))).collect();
        #[cfg(test)]
        {
            header.symbols =
                symbols.iter().map(|(&symbol, met)| (symbol, header.at_positions(met))).collect();
        }
        header
    }

    /// The domain's own types, none of them met.
    #[cfg(test)]
    pub(super) fn of_domain(domain: &Domain) -> HeaderTypes {
        let types = &domain.signature.types;
        let names = types.ids().map(|of| (of, types.name(of).to_ascii_uppercase())).collect();
        HeaderTypes { names, ..HeaderTypes::default() }
    }

    /// Makes up types above those that met; conflicts of types made up join the list.
    fn resolve(&mut self, mut conflicts: Vec<(TypeId, TypeId)>, first_new: usize) {
        let mut made_up = 0;
        let mut number = 0;
        while let Some(&(one, other)) = conflicts.get(number) {
            match (self.parents.get(&one).copied(), self.parents.get(&other).copied()) {
                (None, None) => {
                    let parent = TypeId::from(first_new + made_up);
                    made_up += 1;
                    self.types.push(parent);
                    self.names.insert(parent, format!("PARENTTYPE{number}"));
                    self.parents.extend([(one, parent), (other, parent)]);
                }
                (Some(above_one), Some(above_other)) if above_one != above_other => {
                    conflicts.push((above_one, above_other))
                }
                (Some(_), Some(_)) => {}
                (Some(parent), None) => drop(self.parents.insert(other, parent)),
                (None, Some(parent)) => drop(self.parents.insert(one, parent)),
            }
            number += 1;
        }
    }

    /// The type of each position: the first one met there, or what is above it and the last other
    /// one.
    fn at_positions(&self, met: &Positions) -> Vec<TypeId> {
        let count = met.iter().map(|(position, _)| position + 1).max().unwrap_or(0);
        (0..count)
            .map(|wanted| {
                let mut here =
                    met.iter().filter(|(position, _)| *position == wanted).map(|&(_, of)| of);
                let first = here.next().unwrap_or(TypeId::OBJECT);
                here.next_back().map_or(first, |last| self.above_both(first, last))
            })
            .collect()
    }

    fn above_both(&self, one: TypeId, other: TypeId) -> TypeId {
        let others: Vec<TypeId> = self.line(other).collect();
        self.line(one).find(|above| others.contains(above)).unwrap_or(TypeId::OBJECT)
    }

    /// A type, and all above it.
    fn line(&self, of: TypeId) -> impl Iterator<Item = TypeId> {
        // No type is above itself; the bound only makes that plain.
        std::iter::successors(Some(of), |of| self.parents.get(of).copied())
            .take(self.types.len() + 1)
    }

    /// The name of a type, in upper case.
    pub(super) fn name(&self, of: TypeId) -> &str {
        self.names.get(&of).map_or("OBJECT", |name| name)
    }

    #[cfg(test)]
    pub(super) fn parent(&self, of: TypeId) -> Option<TypeId> {
        self.parents.get(&of).copied()
    }

    /// The types of an action's parameters.
    pub(super) fn of_action(&self, action: ActionId) -> &[TypeId] {
        self.actions.get(&action).map_or(&[], |types| types)
    }

    /// The types of a predicate's or function's positions.
    #[cfg(test)]
    pub(super) fn of_symbol(&self, symbol: SymbolId) -> &[TypeId] {
        self.symbols.get(&symbol).map_or(&[], |types| types)
    }
}

pub(super) fn symbol_name(domain: &Domain, symbol: SymbolId) -> &str {
    match symbol {
        SymbolId::Predicate(id) => domain.signature.predicates.name(id.index()),
        SymbolId::Function(id) => domain.signature.functions.name(id.index()),
    }
}

/// Which types each action, and each predicate and function, was seen with.
fn positions(
    traces: &[&SeenTrace],
) -> (BTreeMap<ActionId, Positions>, BTreeMap<SymbolId, Positions>) {
    let mut actions = BTreeMap::<ActionId, Positions>::new();
    let mut symbols = BTreeMap::<SymbolId, Positions>::new();
    for trace in traces {
        for step in &trace.steps {
            let met = actions.entry(step.action).or_default();
            step.types.iter().copied().enumerate().for_each(|pair| add(met, pair));
        }
        for found in &trace.uses {
            add(symbols.entry(found.symbol).or_default(), (found.position, found.of));
        }
    }
    (actions, symbols)
}

fn add(met: &mut Positions, pair: (usize, TypeId)) {
    if !met.contains(&pair) {
        met.push(pair);
    }
}

/// Values by the byte order of names in upper case.
fn in_byte_order<'a, K: Copy + Ord, V>(
    table: &'a BTreeMap<K, V>,
    name: impl Fn(K) -> &'a str,
) -> Vec<&'a V> {
    let mut named: Vec<(String, &V)> =
        table.iter().map(|(&key, value)| (name(key).to_ascii_uppercase(), value)).collect();
    named.sort_by(|(left, _), (right, _)| left.cmp(right));
    named.into_iter().map(|(_, value)| value).collect()
}

/// Different types at one position, repeats kept.
fn conflicts(all: &[&Positions]) -> Vec<(TypeId, TypeId)> {
    let mut conflicts = Vec::new();
    for met in all {
        for (index, &(position, of)) in met.iter().enumerate() {
            let later =
                met[index + 1..].iter().filter(|&&(place, other)| place == position && other != of);
            conflicts.extend(later.map(|&(_, other)| (of, other)));
        }
    }
    conflicts
}
