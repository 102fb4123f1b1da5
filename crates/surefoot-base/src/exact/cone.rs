//! The facets of a pointed cone spanned by integer rows: Quickhull with exact signs.
//!
//! A polytope is the cross-section of the cone over it (points `(1, x)`), and rays are generators
//! `(0, r)` like any other, so one algorithm without cases serves both. It keeps the boundary as a
//! complex of simplices and adds one generator at a time.
//!
//! *Degeneracy needs no care.* A simplex counts as visible from `p` only when `p` is **strictly**
//! above its plane. This is what a generic `p`, moved towards the inside by an amount large against
//! all earlier moves, would see: the visible simplices are a connected ball, and its horizon joined
//! to `p` closes the boundary again. No new simplex is flat, since `p` is strictly above a plane
//! through the horizon ridge. Simplices of one facet end up coplanar, and are gathered at the end.
//!
//! *New planes are cheap.* Let `R` be a horizon ridge between a visible simplex with plane `h` and
//! its neighbour with plane `k` and opposite vertex `w`. The plane through `R` and `p` is
//! `(h(p)·k - k(p)·h) / -h(w)`. The division is exact when planes are the vectors of minors (a
//! Grassmann–Plücker relation), so a plane costs O(d) and stays within Hadamard's bound.
//!
//! *Floats only hint.* A plane is also kept as doubles with a bound on the error of evaluating
//! them; a value within that bound of zero is computed again with integers.

use std::cmp::Ordering;

use dashu_int::IBig;

use super::basis::Basis;
use super::integer::{Entry, Integer};
use crate::invariant::Invariant;

/// Of simplices that share a ridge.
const MUTUAL: &str = "a neighbour of a simplex has that simplex as a neighbour";

/// Distinct generators in the order in which ties are broken, exactly and as doubles.
pub(super) struct ConeGenerators<E> {
    dimension: usize,
    entries: Vec<E>,
    /// Column `j` scaled by `2^-exponents[j]`, which brings all magnitudes to at most one.
    doubles: Vec<f64>,
    /// The generators column by column, for passes over all of them.
    columns: Vec<f64>,
    exponents: Vec<i64>,
}

impl<E: Entry> ConeGenerators<E> {
    /// Reads rows of `dimension` entries each.
    pub(super) fn new(dimension: usize, entries: Vec<E>) -> Self {
        let mut exponents = vec![0; dimension];
        for row in entries.chunks_exact(dimension.max(1)) {
            for (exponent, entry) in exponents.iter_mut().zip(row) {
                *exponent = entry.bits().max(*exponent);
            }
        }
        let doubles: Vec<f64> = entries
            .chunks_exact(dimension.max(1))
            .flat_map(|row| scaled(row, &exponents))
            .collect();
        let columns = (0..dimension)
            .flat_map(|j| doubles.iter().skip(j).step_by(dimension).copied())
            .collect();
        ConeGenerators { dimension, entries, doubles, columns, exponents }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len() / self.dimension.max(1)
    }

    pub(super) fn row(&self, generator: usize) -> &[E] {
        &self.entries[generator * self.dimension..(generator + 1) * self.dimension]
    }

    pub(super) fn double(&self, generator: usize) -> &[f64] {
        &self.doubles[generator * self.dimension..(generator + 1) * self.dimension]
    }

    /// Any row as doubles, with the columns scaled as those of the generators.
    pub(super) fn scale(&self, row: &[E]) -> Vec<f64> {
        scaled(row, &self.exponents).collect()
    }

    /// About the value of a functional on each generator, in doubles.
    pub(super) fn values(&self, functional: &[f64], values: &mut Vec<f64>) {
        values.clear();
        values.resize(self.len(), 0.0);
        for (factor, column) in functional.iter().zip(self.columns.chunks_exact(self.len().max(1)))
        {
            values.iter_mut().zip(column).for_each(|(value, entry)| *value += factor * entry);
        }
    }

    /// Writes a plane as doubles, then their error bound, then the reciprocal of its length.
    ///
    /// With `a_j` the coefficients and `b_j` the coordinates, both scaled by powers of two such
    /// that magnitudes are at most 1 and some `|a_j|` is at least 1/2, doubles are off by a
    /// relative 2^-52 each, and a sum of `d` products by a further `d · 2^-53 (1 + O(2^-50))` times
    /// `Σ |a_j|`. Numbers too small for doubles add less than `d · 2^-890`. All of it is below
    /// `(d + 8) · 2^-52 · Σ |a_j|`.
    pub(super) fn shadow<T: Integer>(&self, normal: &[T], plane: &mut [f64]) {
        let parts = normal.iter().zip(&self.exponents);
        let top = parts
            .clone()
            .filter(|(value, _)| value.signum() != 0)
            .map(|(value, e)| value.bits() + e)
            .max()
            .unwrap_or(0);
        let (mut sum, mut square) = (0.0, 0.0);
        for (j, (value, exponent)) in parts.enumerate() {
            let value = value.scaled(exponent - top);
            plane[j] = value;
            sum += value.abs();
            square += if j == 0 { 0.0 } else { value * value };
        }
        plane[self.dimension] = (self.dimension as f64 + 8.0) * f64::EPSILON * sum;
        plane[self.dimension + 1] = if square > 0.0 { 1.0 / square.sqrt() } else { 1.0 };
    }

    /// About how far `generator` is above a plane, when it is strictly above. `plane` is what
    /// `shadow` made of `normal`.
    #[inline]
    pub(super) fn height<T: Integer<Entry = E>>(
        &self,
        plane: &[f64],
        normal: &[T],
        generator: usize,
    ) -> Option<f64> {
        let dimension = self.dimension;
        let (plane, rest) = plane.split_at(dimension);
        let (error, reciprocal) = (rest[0], rest[1]);
        let value = dot(plane, self.double(generator));
        if value > error {
            Some(value * reciprocal)
        } else if value < -error {
            None
        } else {
            // Also where the value is not a number.
            let exact = T::dot(normal, self.row(generator));
            (exact.signum() > 0).then(|| value.max(f64::MIN_POSITIVE) * reciprocal)
        }
    }

    /// As many independent generators as there are columns, far apart: each adds the most to the
    /// volume spanned before.
    ///
    /// `None` when there are not that many. Doubles propose, the exact determinant decides.
    pub(super) fn spread<T: Integer<Entry = E>>(
        &self,
        prefer: impl Fn(usize) -> bool,
    ) -> Option<(Vec<usize>, Basis<T>)> {
        let dimension = self.dimension;
        let mut rest = self.doubles.clone();
        let mut chosen: Vec<usize> = Vec::with_capacity(dimension);
        while chosen.len() < dimension {
            // The last of equals would be chosen; reversing makes it the first.
            let left =
                rest.chunks_exact(dimension).enumerate().rev().filter(|(i, _)| !chosen.contains(i));
            let ranked = left.map(|(i, row)| {
                let size = dot(row, row);
                (i, Rank { preferred: prefer(i) && size > 1e-9, size })
            });
            let (best, Rank { size: norm, .. }) = ranked.max_by(|(_, a), (_, b)| a.compare(b))?;
            let direction: Vec<f64> = rest[best * dimension..(best + 1) * dimension].to_vec();
            chosen.push(best);
            if norm > 0.0 {
                for row in rest.chunks_exact_mut(dimension) {
                    let share = dot(row, &direction) / norm;
                    row.iter_mut().zip(&direction).for_each(|(a, b)| *a -= share * b);
                }
            }
        }
        if let Some(basis) = Basis::new(chosen.iter().map(|&i| self.row(i))) {
            return Some((chosen, basis));
        }
        self.first_independent()
    }

    /// The first generators that are independent, by exact elimination: slower, for when doubles
    /// were deceived.
    fn first_independent<T: Integer<Entry = E>>(&self) -> Option<(Vec<usize>, Basis<T>)> {
        let mut span = super::Echelon::new(self.dimension);
        let mut chosen: Vec<usize> = Vec::with_capacity(self.dimension);
        for i in 0..self.len() {
            let row = self.row(i).iter().map(|entry| T::from_entry(entry).to_big()).collect();
            if span.insert(&super::Row::from_integers(row)) {
                chosen.push(i);
            }
        }
        let basis = Basis::new(chosen.iter().map(|&i| self.row(i)))?;
        (chosen.len() == self.dimension).then_some((chosen, basis))
    }
}

/// A row as doubles, column `j` scaled by `2^-exponents[j]`.
fn scaled<E: Entry>(row: &[E], exponents: &[i64]) -> impl Iterator<Item = f64> {
    row.iter().zip(exponents).map(|(entry, &exponent)| entry.scaled(-exponent))
}

/// The scalar product in doubles; of the longer vector what is beyond the other is left out.
#[inline]
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// What decides which generator is taken next: one that is preferred, then the one farthest out.
struct Rank {
    preferred: bool,
    size: f64,
}

impl Rank {
    #[inline]
    fn compare(&self, other: &Rank) -> Ordering {
        self.preferred.cmp(&other.preferred).then(self.size.total_cmp(&other.size))
    }
}

/// What an insertion may cost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    /// Simplices of the boundary at any time.
    pub(super) simplices: usize,
    /// Multiplications of machine numbers, about, all in all.
    pub(super) work: u64,
    /// How many of them a new simplex counts for.
    pub(super) creation: u64,
}

/// A facet of the cone.
pub(super) struct Face {
    /// A linear functional, zero on the facet and negative on the other generators; not reduced.
    pub(super) normal: Vec<IBig>,
    /// The extreme generators on the facet, ascending.
    pub(super) on: Vec<usize>,
}

/// The facets and the extreme generators of a cone.
#[derive(Default)]
pub(super) struct Boundary {
    pub(super) faces: Vec<Face>,
    pub(super) extreme: Vec<usize>,
}

/// The insertion was not made, because the limit would have been passed.
pub(super) struct Beyond {
    /// The simplices that the boundary would have had.
    pub(super) simplices: usize,
}

const NOBODY: u32 = u32::MAX;

/// The boundary of the hull of the generators inserted so far, as simplices with neighbours.
///
/// Simplices are numbered; their vertices are *labels*, the order of insertion, which ascend within
/// each simplex.
pub(super) struct Complex<'a, T: Integer> {
    generators: &'a ConeGenerators<T::Entry>,
    limit: Limit,
    work: u64,
    /// The generator of each label, and a random-looking word for it.
    labels: Vec<u32>,
    words: Vec<u64>,
    /// `dimension - 1` a simplex.
    vertices: Vec<u32>,
    /// The simplex on the other side of the ridge opposite to each vertex.
    neighbours: Vec<u32>,
    /// `dimension` a simplex: the exact plane, negative inside.
    normals: Vec<T>,
    /// `dimension + 2` a simplex: the plane as doubles, its error bound, the reciprocal of its
    /// length.
    planes: Vec<f64>,
    /// ConeGenerators strictly above the simplex that wait to be inserted, the farthest first; each
    /// waits at one simplex.
    outside: Vec<Vec<u32>>,
    /// How far the first of them is.
    reach: Vec<f64>,
    /// The last search that met the simplex: odd when it was visible. `NOBODY` marks a simplex that
    /// is no more.
    seen: Vec<u32>,
    search: u32,
    free: Vec<u32>,
    alive: usize,
    visible: Vec<u32>,
    horizon: Vec<(u32, u32)>,
    table: Vec<(u64, u32, u32)>,
    fresh: Vec<u32>,
}

impl<'a, T: Integer> Complex<'a, T> {
    /// The boundary of the simplicial cone over `basis`, with all other generators waiting outside
    /// or dropped as inside.
    pub(super) fn new(
        generators: &'a ConeGenerators<T::Entry>,
        chosen: &[usize],
        basis: &Basis<T>,
        limit: Limit,
    ) -> Result<Self, Beyond> {
        let dimension = generators.dimension;
        let mut complex = Complex {
            generators,
            limit,
            work: 0,
            labels: Vec::new(),
            words: Vec::new(),
            vertices: Vec::new(),
            neighbours: Vec::new(),
            normals: Vec::new(),
            planes: Vec::new(),
            outside: Vec::new(),
            reach: Vec::new(),
            seen: Vec::new(),
            search: 0,
            free: Vec::new(),
            alive: 0,
            visible: Vec::new(),
            horizon: Vec::new(),
            table: Vec::new(),
            fresh: Vec::new(),
        };
        if dimension > limit.simplices {
            return Err(Beyond { simplices: dimension });
        }
        for &generator in chosen {
            complex.label(generator as u32);
        }
        let positive = basis.determinant().signum() > 0;
        for omitted in 0..dimension {
            let simplex = complex.allocate();
            let others = (0..dimension as u32).filter(|&label| label != omitted as u32);
            for (slot, other) in others.enumerate() {
                complex.vertices[simplex as usize * (dimension - 1) + slot] = other;
                complex.neighbours[simplex as usize * (dimension - 1) + slot] = other;
            }
            let functional = basis.functional(omitted).iter();
            let normal: Vec<T> = functional
                .map(|value| if positive { value.neg() } else { value.clone() })
                .collect();
            complex.set_plane(simplex, normal);
            complex.fresh.push(simplex);
        }
        let mut waiting: Vec<u32> =
            (0..generators.len() as u32).filter(|&i| !chosen.contains(&(i as usize))).collect();
        complex.distribute(&mut waiting);
        Ok(complex)
    }

    /// Inserts all generators that are outside, in Quickhull's order.
    pub(super) fn complete(&mut self) -> Result<(), Beyond> {
        let mut pending: Vec<u32> = std::mem::take(&mut self.fresh);
        while let Some(simplex) = pending.pop() {
            if self.seen[simplex as usize] == NOBODY || self.outside[simplex as usize].is_empty() {
                continue;
            }
            self.insert(simplex)?;
            pending
                .extend(self.fresh.iter().filter(|&&new| !self.outside[new as usize].is_empty()));
        }
        Ok(())
    }

    /// Inserts generators while the limit allows, always the one farthest outside (preferred ones
    /// first), and says which generators stay outside.
    ///
    /// A generator that would pass the limit is left out, and others are tried, `patience` times in
    /// all.
    pub(super) fn grow(
        &mut self,
        prefer: impl Fn(usize) -> bool,
        mut patience: usize,
    ) -> Vec<usize> {
        let mut left_out: Vec<u32> = Vec::new();
        loop {
            let waiting = (0..self.seen.len())
                .filter(|&s| self.seen[s] != NOBODY && !self.outside[s].is_empty());
            let ranked = waiting.map(|s| {
                (s, Rank { preferred: prefer(self.outside[s][0] as usize), size: self.reach[s] })
            });
            let best = ranked.max_by(|(_, a), (_, b)| a.compare(b)).filter(|_| patience > 0);
            let Some((best, _)) = best else { break };
            if self.insert(best as u32).is_err() {
                patience -= 1;
                left_out.push(self.outside[best].swap_remove(0));
                self.find_farthest(best as u32);
            }
        }
        let waiting = (0..self.seen.len())
            .filter(|&s| self.seen[s] != NOBODY)
            .flat_map(|s| self.outside[s].iter().copied());
        let mut uncovered: Vec<usize> = waiting.map(|generator| generator as usize).collect();
        let simplices: Vec<u32> =
            (0..self.seen.len() as u32).filter(|&s| self.seen[s as usize] != NOBODY).collect();
        for generator in left_out {
            if simplices.iter().any(|&simplex| self.height(simplex, generator).is_some()) {
                uncovered.push(generator as usize);
            }
        }
        uncovered.sort_unstable();
        uncovered
    }

    fn label(&mut self, generator: u32) -> u32 {
        let label = self.labels.len() as u32;
        self.labels.push(generator);
        // Sums of these words tell ridges apart in a table; equal sums are compared vertex by
        // vertex.
        let mut word = u64::from(label).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        self.words.push(word ^ (word >> 31));
        label
    }

    fn allocate(&mut self) -> u32 {
        self.alive += 1;
        if let Some(simplex) = self.free.pop() {
            self.seen[simplex as usize] = 0;
            return simplex;
        }
        let (simplex, dimension) = (self.seen.len() as u32, self.generators.dimension);
        self.vertices.resize(self.vertices.len() + dimension - 1, NOBODY);
        self.neighbours.resize(self.neighbours.len() + dimension - 1, NOBODY);
        self.normals.resize(self.normals.len() + dimension, T::zero());
        self.planes.resize(self.planes.len() + dimension + 2, 0.0);
        self.outside.push(Vec::new());
        self.reach.push(0.0);
        self.seen.push(0);
        simplex
    }

    fn of(&self, simplex: u32) -> std::ops::Range<usize> {
        let size = self.generators.dimension - 1;
        simplex as usize * size..(simplex as usize + 1) * size
    }

    fn normal(&self, simplex: u32) -> &[T] {
        let size = self.generators.dimension;
        &self.normals[simplex as usize * size..(simplex as usize + 1) * size]
    }

    fn set_plane(&mut self, simplex: u32, normal: Vec<T>) {
        let dimension = self.generators.dimension;
        self.generators.shadow(
            &normal,
            &mut self.planes[simplex as usize * (dimension + 2)..][..dimension + 2],
        );
        for (to, from) in self.normals[simplex as usize * dimension..].iter_mut().zip(normal) {
            *to = from;
        }
    }

    /// About how far `generator` is above the simplex, when it is strictly above.
    #[inline]
    fn height(&self, simplex: u32, generator: u32) -> Option<f64> {
        let size = self.generators.dimension + 2;
        let plane = &self.planes[simplex as usize * size..(simplex as usize + 1) * size];
        self.generators.height(plane, self.normal(simplex), generator as usize)
    }

    /// Inserts the farthest generator that waits at `start`, or leaves all as it was when that
    /// would pass the limit.
    fn insert(&mut self, start: u32) -> Result<(), Beyond> {
        let generator = self.outside[start as usize][0];
        self.look(start, generator);
        let simplices = self.alive - self.visible.len() + self.horizon.len();
        if simplices > self.limit.simplices || self.work > self.limit.work {
            return Err(Beyond { simplices });
        }
        self.cover_horizon(generator);
        self.link_fresh();
        let mut waiting = Vec::new();
        for at in 0..self.visible.len() {
            let simplex = self.visible[at];
            waiting.append(&mut self.outside[simplex as usize]);
            self.seen[simplex as usize] = NOBODY;
        }
        waiting.retain(|&other| other != generator);
        self.alive -= self.visible.len();
        self.free.append(&mut self.visible);
        self.distribute(&mut waiting);
        Ok(())
    }

    /// Finds the simplices visible from `generator`, and the ridges between them and the others.
    fn look(&mut self, start: u32, generator: u32) {
        self.search += 2;
        let (unseen, visible) = (self.search, self.search + 1);
        self.visible.clear();
        self.horizon.clear();
        self.visible.push(start);
        self.seen[start as usize] = visible;
        let mut next = 0;
        while next < self.visible.len() {
            let simplex = self.visible[next];
            next += 1;
            for (slot, at) in self.of(simplex).enumerate() {
                let neighbour = self.neighbours[at];
                let state = self.seen[neighbour as usize];
                if state == visible {
                    continue;
                }
                if state != unseen {
                    self.work += self.generators.dimension as u64;
                    if self.height(neighbour, generator).is_some() {
                        self.seen[neighbour as usize] = visible;
                        self.visible.push(neighbour);
                        continue;
                    }
                    self.seen[neighbour as usize] = unseen;
                }
                self.horizon.push((simplex, slot as u32));
            }
        }
    }

    /// Makes a simplex of each horizon ridge and the generator.
    fn cover_horizon(&mut self, generator: u32) {
        let label = self.label(generator);
        let row = self.generators.row(generator as usize);
        self.fresh.clear();
        let mut below: Option<(u32, T)> = None;
        for at in 0..self.horizon.len() {
            let (inner, slot) = self.horizon[at];
            let outer = self.neighbours[self.of(inner).start + slot as usize];
            let inner_value = match below.take() {
                Some((simplex, value)) if simplex == inner => value,
                _ => T::dot(self.normal(inner), row),
            };
            let back = self.of(outer).position(|i| self.neighbours[i] == inner).invariant(MUTUAL);
            let opposite = self.labels[self.vertices[self.of(outer).start + back] as usize];
            let outer_value = T::dot(self.normal(outer), row).neg();
            let divisor =
                T::dot(self.normal(inner), self.generators.row(opposite as usize)).neg().divisor();
            let pair = self.normal(inner).iter().zip(self.normal(outer));
            let normal =
                pair.map(|(h, k)| T::combine(&inner_value, k, &outer_value, h, &divisor)).collect();
            below = Some((inner, inner_value));

            let fresh = self.allocate();
            let (ridge, target) = (self.of(inner), self.of(fresh));
            let mut to = target.start;
            for (position, from) in ridge.enumerate() {
                if position != slot as usize {
                    self.vertices[to] = self.vertices[from];
                    to += 1;
                }
            }
            self.vertices[target.end - 1] = label;
            self.neighbours[target.end - 1] = outer;
            let link = self.of(outer).start + back;
            self.neighbours[link] = fresh;
            self.set_plane(fresh, normal);
            self.fresh.push(fresh);
        }
        self.work =
            self.work.saturating_add(self.limit.creation.saturating_mul(self.fresh.len() as u64));
    }

    /// Joins the new simplices to one another: two share the ridge that is left when a vertex of
    /// each is taken away.
    fn link_fresh(&mut self) {
        let shared = self.generators.dimension.saturating_sub(2);
        let size = (self.fresh.len() * shared).next_power_of_two().max(2);
        self.table.clear();
        self.table.resize(size, (0, NOBODY, 0));
        for at in 0..self.fresh.len() {
            let simplex = self.fresh[at];
            let start = self.of(simplex).start;
            let sum = (start..start + shared)
                .fold(0u64, |sum, i| sum.wrapping_add(self.words[self.vertices[i] as usize]));
            for slot in 0..shared {
                let key = sum.wrapping_sub(self.words[self.vertices[start + slot] as usize]);
                let mut cell = key as usize & (size - 1);
                loop {
                    let (other_key, other, other_slot) = self.table[cell];
                    if other == NOBODY {
                        self.table[cell] = (key, simplex, slot as u32);
                        break;
                    }
                    if other_key == key
                        && self.same_ridge(simplex, slot, other, other_slot as usize)
                    {
                        let other_start = self.of(other).start;
                        self.neighbours[start + slot] = other;
                        self.neighbours[other_start + other_slot as usize] = simplex;
                        break;
                    }
                    cell = (cell + 1) & (size - 1);
                }
            }
        }
    }

    fn same_ridge(&self, a: u32, a_slot: usize, b: u32, b_slot: usize) -> bool {
        self.ridge(a, a_slot).eq(self.ridge(b, b_slot))
    }

    /// The vertices of a simplex but for the one at `slot`.
    #[inline]
    fn ridge(&self, simplex: u32, slot: usize) -> impl Iterator<Item = &u32> {
        let own = &self.vertices[self.of(simplex)];
        own[..slot].iter().chain(&own[slot + 1..])
    }

    /// Lets each generator wait at a new simplex that it is strictly above; one that is above none
    /// is inside, for good.
    ///
    /// It suffices to look at new simplices: were a generator above only old ones, then the path
    /// from the visible simplex it waited at to such an old one, over simplices it is above,
    /// crosses the horizon, and the new plane at that ridge, a positive combination of the two
    /// planes that meet there, has it above.
    fn distribute(&mut self, waiting: &mut Vec<u32>) {
        let count = self.fresh.len();
        let mut first = 0;
        for generator in waiting.drain(..) {
            for turn in 0..count {
                let at = if first + turn < count { first + turn } else { first + turn - count };
                let simplex = self.fresh[at];
                self.work += self.generators.dimension as u64;
                if let Some(height) = self.height(simplex, generator) {
                    let outside = &mut self.outside[simplex as usize];
                    outside.push(generator);
                    if outside.len() == 1 || height > self.reach[simplex as usize] {
                        let last = outside.len() - 1;
                        outside.swap(0, last);
                        self.reach[simplex as usize] = height;
                    }
                    first = at;
                    break;
                }
            }
        }
    }

    fn find_farthest(&mut self, simplex: u32) {
        let heights = self.outside[simplex as usize]
            .iter()
            .map(|&other| self.height(simplex, other).unwrap_or(0.0));
        if let Some((at, height)) =
            heights.enumerate().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
        {
            self.outside[simplex as usize].swap(0, at);
            self.reach[simplex as usize] = height;
        }
    }

    /// How many simplices the boundary has.
    pub(super) fn simplices(&self) -> usize {
        self.alive
    }

    /// Whether every ridge lies on exactly two simplices and no simplex sees the vertex across one
    /// of its ridges: the boundary is closed and convex, so no facet is missing.
    pub(super) fn is_closed(&self) -> bool {
        (0..self.seen.len() as u32).filter(|&s| self.seen[s as usize] != NOBODY).all(|simplex| {
            self.of(simplex).enumerate().all(|(slot, at)| {
                let other = self.neighbours[at];
                let alive = self.seen.get(other as usize).is_some_and(|&seen| seen != NOBODY);
                let back = if alive {
                    self.of(other).position(|i| self.neighbours[i] == simplex)
                } else {
                    None
                };
                back.is_some_and(|back| {
                    let across = self.labels[self.vertices[self.of(other).start + back] as usize];
                    self.same_ridge(simplex, slot, other, back)
                        && self.height(simplex, across).is_none()
                })
            })
        })
    }

    /// Gathers coplanar simplices into facets.
    pub(super) fn boundary(&self) -> Boundary {
        let mut group = vec![NOBODY; self.seen.len()];
        let mut faces: Vec<(u32, Vec<u32>)> = Vec::new();
        let mut queue = Vec::new();
        for simplex in (0..self.seen.len() as u32).filter(|&s| self.seen[s as usize] != NOBODY) {
            if group[simplex as usize] != NOBODY {
                continue;
            }
            let (name, mut on) = (faces.len() as u32, Vec::new());
            group[simplex as usize] = name;
            queue.push(simplex);
            while let Some(member) = queue.pop() {
                on.extend_from_slice(&self.vertices[self.of(member)]);
                for at in self.of(member) {
                    let other = self.neighbours[at];
                    if group[other as usize] == NOBODY && self.coplanar(simplex, member, other) {
                        group[other as usize] = name;
                        queue.push(other);
                    }
                }
            }
            on.sort_unstable();
            on.dedup();
            faces.push((simplex, on));
        }
        let extreme = self.extreme(&faces);
        let faces = faces.into_iter().map(|(simplex, on)| Face {
            normal: self.normal(simplex).iter().map(T::to_big).collect(),
            on: self.extreme_generators(on.into_iter(), &extreme),
        });
        Boundary {
            faces: faces.collect(),
            extreme: self.extreme_generators(0..self.labels.len() as u32, &extreme),
        }
    }

    /// The generators of the labels that are extreme, ascending.
    fn extreme_generators(
        &self,
        labels: impl Iterator<Item = u32>,
        extreme: &[bool],
    ) -> Vec<usize> {
        let kept = labels.map(|label| label as usize).filter(|&label| extreme[label]);
        let mut generators: Vec<usize> = kept.map(|label| self.labels[label] as usize).collect();
        generators.sort_unstable();
        generators
    }

    /// Whether `other`, a neighbour of `member`, lies in the plane of `simplex`, as `member` does.
    fn coplanar(&self, simplex: u32, member: u32, other: u32) -> bool {
        let dimension = self.generators.dimension;
        let back = self.of(other).find(|&i| self.neighbours[i] == member).invariant(MUTUAL);
        let generator = self.labels[self.vertices[back] as usize] as usize;
        let plane = &self.planes
            [simplex as usize * (dimension + 2)..(simplex as usize + 1) * (dimension + 2)];
        let value = dot(plane, self.generators.double(generator));
        let clear = value.abs() > plane[dimension];
        !clear && T::dot(self.normal(simplex), self.generators.row(generator)).signum() == 0
    }

    /// Which labels are extreme: those that alone lie on all the facets they lie on.
    fn extreme(&self, faces: &[(u32, Vec<u32>)]) -> Vec<bool> {
        let mut common: Vec<Option<Vec<u32>>> = vec![None; self.labels.len()];
        for (_, on) in faces {
            for &label in on {
                match &mut common[label as usize] {
                    Some(shared) if shared.len() == 1 => {}
                    Some(shared) => shared.retain(|other| on.binary_search(other).is_ok()),
                    unset => *unset = Some(on.clone()),
                }
            }
        }
        common
            .iter()
            .map(|shared| shared.as_ref().is_some_and(|shared| shared.len() == 1))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Normals of any size against rows chosen to lie on their plane or next to it: the filter
        /// is never wrong.
        #[test]
        fn the_float_filter_decides_as_integers_do(
            normal in prop::collection::vec((any::<i128>(), 0u32..120, 0usize..2000), 3),
            row in prop::collection::vec((any::<i128>(), 0u32..120, 0usize..2000), 3),
            wide in any::<bool>(),
            nudge in -2i64..3,
        ) {
            let value = |&(x, right, left): &(i128, u32, usize)| {
                IBig::from(x >> right) << if wide { left } else { 0 }
            };
            let normal: Vec<IBig> = normal.iter().map(value).collect();
            let mut row: Vec<IBig> = row.iter().map(value).collect();
            // Scaled by the last coefficient, the last entry can be chosen to cancel the others
            // exactly.
            row.iter_mut().for_each(|entry| *entry *= &normal[2]);
            if normal[2] != IBig::ZERO {
                row[2] = -(&normal[0] * &row[0] + &normal[1] * &row[1]) / &normal[2];
            }
            let rows =
                [row.clone(), row.iter().map(|entry| entry + IBig::from(nudge)).collect()].concat();
            let cone = ConeGenerators::new(3, rows.clone());
            let mut plane = [0.0; 5];
            cone.shadow(&normal, &mut plane);
            for (i, row) in rows.chunks_exact(3).enumerate() {
                prop_assert_eq!(
                    cone.height(&plane, &normal, i).is_some(),
                    IBig::dot(&normal, row) > IBig::ZERO
                );
            }
        }
    }
}
