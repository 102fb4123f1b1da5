//! Whether a list of inequalities is the whole boundary of a convex body that is given by
//! generators.
//!
//! The body is the cone of homogeneous rows: `(1, x)` for a point, `(0, r)` for a ray. A *facet* is
//! the set of generators on which a valid inequality is tight, when their rank is one less than
//! that of the body. Facets that are found in this way are facets; the question is whether one is
//! missing. The facets of a body that contains no line are connected through ridges, and each ridge
//! lies on exactly two facets, so none is missing when every ridge of every listed facet lies on a
//! second listed facet. The intersection of two facets, if its rank is two less than the body's, is
//! a ridge of both; whether a facet's ridges are all found is the same question, one dimension
//! lower: where each body has its facets in the list, the boundary is closed.
//!
//! *Lines.* Where rays and their opposites are among the generators, the body contains lines; let L
//! be their span. The body is then as wide as its shadow along L, and so is what inequalities
//! describe that are zero on L: it suffices to look at the shadow. If the inequalities are all of
//! the boundary, the lines are where all of them are zero, so exactly the rays on which all are
//! tight must be in L. That is what is asked for. All other generators are then strictly inside
//! some inequality, so the shadow contains no line.

use std::collections::{HashMap, HashSet};

use super::linear::{NumberRow, RowSpan, Scaled, direction, is_zero, narrow};
use surefoot_base::exact::Rational;

/// A set of generators, ascending.
type GeneratorSet = Vec<u32>;

/// What is wrong with a boundary.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Flaw {
    /// An inequality (by index) does not hold for a generator: for a point, or for a ray.
    Violated(usize, NumberRow),
    /// A facet adjacent to this one (by index) is missing, or there is no facet at all.
    Open(Option<usize>),
    /// It would take too long to say.
    TooLarge,
}

/// More products of inequalities and generators than this are not computed, and more pairs of
/// facets not compared.
const MAX_PRODUCTS: usize = 5_000_000_000;
const MAX_PAIRS: usize = 300_000_000;

/// Whether the inequalities (`row · generator ≤ 0`) hold for all generators, and describe nothing
/// in their span beyond their cone. There is at least one point; rays are not zero.
pub(super) fn encloses(
    points: &[NumberRow],
    rays: &[NumberRow],
    inequalities: &[NumberRow],
) -> Result<(), Flaw> {
    // Nothing encloses no points.
    let Some(width) = points.first().map(Vec::len) else { return Err(Flaw::Open(None)) };
    if inequalities.len().saturating_add(1).saturating_mul(points.len() + rays.len()) > MAX_PRODUCTS
    {
        return Err(Flaw::TooLarge);
    }
    let rows: Vec<Scaled> = inequalities.iter().map(|row| Scaled::new(row)).collect();
    let mut level: Vec<NumberRow> = Vec::new();
    let mut others: Vec<&NumberRow> = Vec::new();
    for ray in rays {
        let scaled = Scaled::new(ray);
        let signs: Vec<i32> = rows.iter().map(|row| row.product_sign(&scaled)).collect();
        if let Some(index) = signs.iter().position(|&sign| sign > 0) {
            return Err(Flaw::Violated(index, ray.clone()));
        }
        if signs.iter().all(|&sign| sign == 0) { level.push(ray.clone()) } else { others.push(ray) }
    }
    let lines = lines(width, level)?;
    if lines.rank() == 0 {
        let generators: Vec<NumberRow> = points.iter().chain(others).cloned().collect();
        return closed(&generators, &inequalities.iter().collect::<Vec<_>>()).map(drop);
    }
    let kept: Vec<usize> = (0..width).filter(|column| !lines.has_pivot(*column)).collect();
    let points: HashSet<NumberRow> =
        points.iter().map(|point| shadow(point, &lines, &kept)).collect();
    let rays: HashSet<NumberRow> =
        others.into_iter().map(|ray| direction(&shadow(ray, &lines, &kept))).collect();
    let mut generators: Vec<NumberRow> = points.into_iter().chain(rays).collect();
    generators.sort_unstable();
    // They are zero on the lines, so their product with what is left of a generator is their
    // product with it.
    let inequalities: Vec<NumberRow> = inequalities.iter().map(|row| narrow(row, &kept)).collect();
    closed(&generators, &inequalities.iter().collect::<Vec<_>>()).map(drop)
}

/// What is left of a generator along lines, over the columns where these have no pivot.
fn shadow(row: &NumberRow, lines: &RowSpan, kept: &[usize]) -> NumberRow {
    narrow(&lines.rest(row), kept)
}

/// The span of the rays whose opposites are among them, beyond what the span has already; all of
/// them must lie in it.
fn lines(width: usize, mut rays: Vec<NumberRow>) -> Result<RowSpan, Flaw> {
    let mut lines = RowSpan::new(width);
    while !rays.is_empty() {
        let known: HashSet<NumberRow> = rays.iter().map(|ray| direction(ray)).collect();
        let paired: Vec<&NumberRow> =
            known.iter().filter(|ray| known.contains(&opposite(ray))).collect();
        if paired.is_empty() {
            return Err(Flaw::Open(None));
        }
        for ray in paired {
            lines.insert(ray);
        }
        rays = known.iter().map(|ray| lines.rest(ray)).filter(|ray| !is_zero(ray)).collect();
    }
    Ok(lines)
}

fn opposite(ray: &NumberRow) -> NumberRow {
    ray.iter().map(|value| -value).collect()
}

/// The inequalities (`row · generator ≤ 0`) that are facets, by index; or what is wrong with them.
/// No line lies in the cone.
fn closed(generators: &[NumberRow], inequalities: &[&NumberRow]) -> Result<Vec<usize>, Flaw> {
    let Some(width) = generators.first().map(Vec::len) else { return Err(Flaw::Open(None)) };
    let rank = RowSpan::of(width, generators).rank();
    let scaled: Vec<Scaled> = generators.iter().map(|row| Scaled::new(row)).collect();
    // What holds for every cone over points: rays are where the first coordinate is zero.
    let mut infinity = vec![Rational::ZERO; width];
    infinity.iter_mut().take(1).for_each(|first| *first = Rational::integer(-1));
    let rows: Vec<&Vec<Rational>> = inequalities.iter().copied().chain([&infinity]).collect();
    let mut tight: Vec<GeneratorSet> = Vec::with_capacity(rows.len());
    for (index, row) in rows.iter().enumerate() {
        let row = Scaled::new(row);
        let mut on = GeneratorSet::new();
        for (generator, other) in scaled.iter().enumerate() {
            match row.product_sign(other) {
                1 => return Err(Flaw::Violated(index, generators[generator].clone())),
                0 => on.push(generator as u32),
                _ => {}
            }
        }
        tight.push(on);
    }
    let extreme = extreme(generators.len(), &tight);
    let mut faces: Vec<GeneratorSet> = Vec::new();
    let mut numbers: HashMap<GeneratorSet, usize> = HashMap::new();
    let mut facets: Vec<usize> = Vec::new();
    for (index, on) in tight.iter().enumerate() {
        let face: GeneratorSet =
            on.iter().copied().filter(|&generator| extreme[generator as usize]).collect();
        if face.len() + 1 < rank || face.is_empty() || rank_of(generators, &face) + 1 != rank {
            continue;
        }
        if index < inequalities.len() {
            facets.push(index);
        }
        numbers.entry(face.clone()).or_insert_with(|| {
            faces.push(face);
            index
        });
    }
    let body: GeneratorSet =
        (0..generators.len() as u32).filter(|&generator| extreme[generator as usize]).collect();
    let mut lattice = Lattice { generators, complete: HashMap::new(), pairs: 0 };
    match lattice.is_closed(&body, &faces, rank) {
        Ok(()) => Ok(facets),
        Err(_) if lattice.pairs > MAX_PAIRS => Err(Flaw::TooLarge),
        Err(face) => Err(Flaw::Open(
            face.and_then(|face| numbers.get(&face).copied())
                .filter(|index| *index < inequalities.len()),
        )),
    }
}

/// The generators worth looking at: those tight in as many inequalities as can be, one of each
/// kind. Which are taken decides only what can be proven, since any subset of the generators spans
/// a part of the body.
fn extreme(count: usize, tight: &[GeneratorSet]) -> Vec<bool> {
    let mut on: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (index, face) in tight.iter().enumerate() {
        face.iter().for_each(|&generator| on[generator as usize].push(index as u32));
    }
    let mut order: Vec<usize> = (0..count).filter(|&generator| !on[generator].is_empty()).collect();
    order.sort_by_key(|&generator| std::cmp::Reverse(on[generator].len()));
    let mut kept: Vec<Vec<usize>> = vec![Vec::new(); tight.len()];
    let mut extreme = vec![false; count];
    for generator in order {
        let mine = &on[generator];
        let fewest = mine.iter().map(|&index| &kept[index as usize]).min_by_key(|list| list.len());
        if fewest.is_some_and(|list| list.iter().any(|&other| is_subset(mine, &on[other]))) {
            continue;
        }
        extreme[generator] = true;
        mine.iter().for_each(|&index| kept[index as usize].push(generator));
    }
    extreme
}

fn is_subset(one: &[u32], other: &[u32]) -> bool {
    let mut rest = other.iter();
    one.iter().all(|wanted| rest.any(|found| found == wanted))
}

fn rank_of(generators: &[NumberRow], face: &[u32]) -> usize {
    let Some(&first) = face.first() else { return 0 };
    RowSpan::of(
        generators[first as usize].len(),
        face.iter().map(|&generator| &generators[generator as usize]),
    )
    .rank()
}

struct Lattice<'g> {
    generators: &'g [NumberRow],
    /// Bodies whose facets are all known: how many these are.
    complete: HashMap<GeneratorSet, usize>,
    /// How many pairs of facets were compared.
    pairs: usize,
}

impl Lattice<'_> {
    /// Whether `facets`, which are different facets of `body`, are all of them; if not, `Err` with
    /// one that has a missing neighbour.
    fn is_closed(
        &mut self,
        body: &GeneratorSet,
        facets: &[GeneratorSet],
        rank: usize,
    ) -> Result<(), Option<GeneratorSet>> {
        let expected = match rank {
            0 | 1 => Some(facets.len()),
            2 => Some(2),
            // A simplex has as many facets as vertices.
            _ if body.len() == rank => Some(rank),
            _ => self.complete.get(body).copied(),
        };
        if let Some(expected) = expected {
            return if facets.len() == expected { Ok(()) } else { Err(facets.first().cloned()) };
        }
        if facets.is_empty() {
            return Err(None);
        }
        let mut beside: HashMap<u32, Vec<usize>> = HashMap::new();
        for (index, facet) in facets.iter().enumerate() {
            facet.iter().for_each(|&generator| beside.entry(generator).or_default().push(index));
        }
        let mut shared = vec![0usize; facets.len()];
        for (index, facet) in facets.iter().enumerate() {
            let mut touched: Vec<usize> = Vec::new();
            for other in facet.iter().filter_map(|generator| beside.get(generator)).flatten() {
                if shared[*other] == 0 {
                    touched.push(*other);
                }
                shared[*other] += 1;
            }
            self.pairs += touched.len();
            if self.pairs > MAX_PAIRS {
                return Err(None);
            }
            let mut ridges: Vec<GeneratorSet> = (touched.iter())
                .filter(|&&other| other != index && shared[other] + 2 >= rank)
                .map(|&other| common(facet, &facets[other]))
                .collect();
            touched.iter().for_each(|&other| shared[other] = 0);
            ridges.sort_unstable();
            ridges.dedup();
            // The generators of a simplex are independent, and so are those of its faces.
            let simplex = facet.len() + 1 == rank;
            ridges.retain(|ridge| {
                if simplex {
                    ridge.len() + 2 == rank
                } else {
                    rank_of(self.generators, ridge) + 2 == rank
                }
            });
            self.is_closed(facet, &ridges, rank - 1).map_err(|_| Some(facet.clone()))?;
        }
        self.complete.insert(body.clone(), facets.len());
        Ok(())
    }
}

/// What is in both, ascending.
fn common(one: &GeneratorSet, other: &GeneratorSet) -> GeneratorSet {
    one.iter().copied().filter(|generator| other.binary_search(generator).is_ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_base::exact::{Budget, hull};

    fn rows(points: &[NumberRow], rays: &[NumberRow]) -> Vec<NumberRow> {
        let row = |first: i64, vector: &Vec<Rational>| {
            [Rational::integer(first)].into_iter().chain(vector.iter().cloned()).collect()
        };
        points.iter().map(|point| row(1, point)).chain(rays.iter().map(|ray| row(0, ray))).collect()
    }

    /// The hull's own facets are accepted, and without any one of them none are.
    fn law(points: &[NumberRow], rays: &[NumberRow]) {
        let hull = hull(points, rays, Budget::facets(10_000)).unwrap();
        let entries = |facet: &surefoot_base::exact::Facet| -> Vec<Rational> {
            let row = facet.constraint.row();
            (0..row.len()).map(|index| row.entry(index)).collect()
        };
        let facets: Vec<NumberRow> = hull.facets().iter().map(entries).collect();
        let generators = rows(points, rays);
        let all: Vec<&Vec<Rational>> = facets.iter().collect();
        assert_eq!(closed(&generators, &all), Ok((0..all.len()).collect()));
        for missing in 0..all.len() {
            let some: Vec<_> =
                (0..all.len()).filter(|index| *index != missing).map(|index| all[index]).collect();
            assert!(
                matches!(closed(&generators, &some), Err(Flaw::Open(_))),
                "without facet {missing} of {}",
                all.len()
            );
            let mut loose = facets.clone();
            loose[missing][0] = &loose[missing][0] - &Rational::ONE;
            assert!(
                closed(&generators, &loose.iter().collect::<Vec<_>>()).is_err(),
                "loose facet {missing}"
            );
        }
    }

    /// The law for rays whose opposites are among them.
    fn law_with_lines(points: &[NumberRow], rays: &[NumberRow]) {
        let hull = hull(points, rays, Budget::facets(10_000)).unwrap();
        let entries = |facet: &surefoot_base::exact::Facet| -> NumberRow {
            let row = facet.constraint.row();
            (0..row.len()).map(|index| row.entry(index)).collect()
        };
        let facets: Vec<NumberRow> = hull.facets().iter().map(entries).collect();
        let (points, rays) = (rows(points, &[]), rows(&[], rays));
        assert_eq!(encloses(&points, &rays, &facets), Ok(()), "{points:?} {rays:?} {facets:?}");
        for missing in 0..facets.len() {
            let mut some = facets.clone();
            some.remove(missing);
            assert!(
                encloses(&points, &rays, &some).is_err(),
                "without facet {missing} of {}",
                facets.len()
            );
            let mut loose = facets.clone();
            loose[missing][0] = &loose[missing][0] - &Rational::ONE;
            assert!(encloses(&points, &rays, &loose).is_err(), "loose facet {missing}");
        }
    }

    fn integers(rows: &[&[i64]]) -> Vec<NumberRow> {
        rows.iter().map(|row| row.iter().map(|&value| Rational::integer(value)).collect()).collect()
    }

    #[test]
    fn small_bodies() {
        law(&integers(&[&[3]]), &[]);
        law(&integers(&[&[3], &[5], &[4]]), &[]);
        law(&integers(&[&[3], &[5]]), &integers(&[&[1]]));
        law(&integers(&[&[0, 0], &[4, 0], &[0, 4], &[2, 2], &[1, 1], &[4, 4]]), &[]);
        law(&integers(&[&[0, 0, 1], &[4, 0, 1], &[0, 4, 1]]), &[]);
        law(&integers(&[&[0, 0], &[4, 1], &[1, 4]]), &integers(&[&[1, 0]]));
        law(&integers(&[&[0, 0], &[4, 1], &[1, 4]]), &integers(&[&[1, 0], &[0, -1]]));
    }

    #[test]
    fn lines_are_divided_out() {
        // A column that does not matter, alone and together with one that does.
        law_with_lines(&integers(&[&[3]]), &integers(&[&[1], &[-1]]));
        law_with_lines(&integers(&[&[0, 0], &[4, 1], &[1, 4]]), &integers(&[&[1, 0], &[-1, 0]]));
        law_with_lines(
            &integers(&[&[0, 0], &[4, 1], &[1, 4]]),
            &integers(&[&[1, 0], &[-1, 0], &[0, 1]]),
        );
        law_with_lines(
            &integers(&[&[0, 0], &[4, 1], &[1, 4]]),
            &integers(&[&[1, 0], &[-1, 0], &[0, 1], &[0, -1]]),
        );
        // Moving f moves f·g as well: a line that is no column's own, and with two values of g a
        // plane.
        let points = integers(&[&[0, 2, 0], &[1, 2, 2], &[3, 5, 15], &[2, 5, 10]]);
        law_with_lines(&points[..2], &integers(&[&[1, 0, 2], &[-1, 0, -2]]));
        law_with_lines(&points, &integers(&[&[1, 0, 2], &[-1, 0, -2], &[1, 0, 5], &[-1, 0, -5]]));
        // Opposite only along what is a line already.
        law_with_lines(&points, &integers(&[&[0, 0, 1], &[0, 0, -1], &[1, 0, 2], &[-1, 0, -5]]));
    }

    #[test]
    fn a_ray_without_its_opposite_is_no_line() {
        // x ≥ 0 is open upwards; to pass it off as a line would let -1 in.
        let (points, rays) = (rows(&integers(&[&[0], &[2]]), &[]), rows(&[], &integers(&[&[1]])));
        assert_eq!(encloses(&points, &rays, &[]), Err(Flaw::Open(None)));
        let rays = rows(&[], &integers(&[&[1], &[-1]]));
        assert_eq!(encloses(&points, &rays, &[]), Ok(()));
        let half = integers(&[&[0, -1]]);
        assert!(matches!(encloses(&points, &rays, &half), Err(Flaw::Violated(0, _))));
    }

    #[test]
    fn cubes_and_what_is_degenerate() {
        for dimension in 2..=5u32 {
            let corner = |bits: u32| {
                (0..dimension)
                    .map(|at| Rational::integer(i64::from(bits >> at & 1)))
                    .collect::<Vec<_>>()
            };
            let mut points: Vec<NumberRow> = (0..1 << dimension).map(corner).collect();
            law(&points, &[]);
            points.push(vec![Rational::new(1, 2).unwrap(); dimension as usize]);
            points.push(
                (0..dimension)
                    .map(|at| if at == 0 { Rational::ZERO } else { Rational::new(1, 2).unwrap() })
                    .collect(),
            );
            law(&points, &[]);
            let up: Vec<Rational> =
                (0..dimension).map(|at| Rational::integer(i64::from(at == 0))).collect();
            law(&points, &[up]);
        }
        // An octahedron, and a pyramid over a square.
        law(
            &integers(&[&[1, 0, 0], &[-1, 0, 0], &[0, 1, 0], &[0, -1, 0], &[0, 0, 1], &[0, 0, -1]]),
            &[],
        );
        law(&integers(&[&[1, 1, 0], &[-1, 1, 0], &[1, -1, 0], &[-1, -1, 0], &[0, 0, 1]]), &[]);
    }

    proptest::proptest! {
        #[test]
        fn random_bodies(
            points in proptest::collection::vec(proptest::collection::vec(-3i64..4, 3), 1..12),
            signs in proptest::collection::vec(-1i64..2, 3),
        ) {
            let points: Vec<NumberRow> =
                points.iter().map(|p| p.iter().map(|&v| Rational::integer(v)).collect()).collect();
            let ray = |(at, &sign): (usize, &i64)| {
                (0..3)
                    .map(|i| Rational::integer(if i == at { sign } else { 0 }))
                    .collect::<Vec<_>>()
            };
            let rays: Vec<_> =
                signs.iter().enumerate().filter(|(_, sign)| **sign != 0).map(ray).collect();
            law(&points, &rays);
            law(&points, &[]);
            let mut lines = rays.clone();
            lines.extend(
                rays.iter()
                    .take(1)
                    .map(|ray| ray.iter().map(|value| -value).collect::<NumberRow>()),
            );
            law_with_lines(&points, &lines);
        }
    }
}
