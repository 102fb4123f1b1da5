//! Laws of hulls and of membership, against a naive oracle: all facets from all subsets of
//! generators, in rational numbers.
#![allow(clippy::needless_range_loop)]

use std::collections::BTreeSet;

use proptest::prelude::*;
use surefoot_base::exact::{
    Budget, Constraint, Echelon, Generators, Membership, PointPosition, Polyhedron, Rational, Row,
    hull, inner, vertices,
};

type Vector = Vec<Rational>;

const PLENTY: Budget =
    Budget { facets: 100_000, simplices: 100_000, work: 1_000_000_000, memory: 1 << 30 };

/// Reduced row echelon form over the rationals, and its pivot columns.
fn reduce(mut rows: Vec<Vector>) -> (Vec<Vector>, Vec<usize>) {
    let (mut pivots, columns) = (Vec::new(), rows.first().map_or(0, Vec::len));
    for column in 0..columns {
        let rank = pivots.len();
        let Some(found) = (rank..rows.len()).find(|&i| !rows[i][column].is_zero()) else {
            continue;
        };
        rows.swap(rank, found);
        let inverse = rows[rank][column].recip().unwrap();
        rows[rank].iter_mut().for_each(|value| *value = &*value * &inverse);
        for i in (0..rows.len()).filter(|&i| i != rank) {
            let factor = rows[i][column].clone();
            for j in 0..columns {
                rows[i][j] = &rows[i][j] - &(&factor * &rows[rank][j]);
            }
        }
        pivots.push(column);
    }
    rows.truncate(pivots.len());
    (rows, pivots)
}

fn dot(a: &[Rational], b: &[Rational]) -> Rational {
    a.iter().zip(b).fold(Rational::ZERO, |sum, (a, b)| &sum + &(a * b))
}

fn homogeneous(points: &[Vector], rays: &[Vector]) -> Vec<Vector> {
    let with = |first: Rational| move |v: &Vector| [vec![first.clone()], v.clone()].concat();
    points.iter().map(with(Rational::ONE)).chain(rays.iter().map(with(Rational::ZERO))).collect()
}

fn subsets(count: usize, size: usize) -> Vec<Vec<usize>> {
    (0..1usize << count)
        .filter(|mask| mask.count_ones() as usize == size)
        .map(|mask| (0..count).filter(|i| mask >> i & 1 == 1).collect())
        .collect()
}

/// All facets, as constraints over the pivot columns of the span.
fn naive_facets(points: &[Vector], rays: &[Vector]) -> BTreeSet<Constraint> {
    let mut generators = homogeneous(points, rays);
    generators.sort();
    generators.dedup();
    let columns = generators[0].len();
    let (_, active) = reduce(generators.clone());
    let small: Vec<Vector> =
        generators.iter().map(|g| active.iter().map(|&j| g[j].clone()).collect()).collect();
    let mut facets = BTreeSet::new();
    for subset in subsets(small.len(), active.len() - 1) {
        let (rows, pivots) = reduce(subset.iter().map(|&i| small[i].clone()).collect());
        if pivots.len() + 1 != active.len() {
            continue;
        }
        let free = (0..active.len()).find(|j| !pivots.contains(j)).unwrap();
        let mut normal = vec![Rational::ZERO; active.len()];
        normal[free] = Rational::ONE;
        rows.iter().zip(&pivots).for_each(|(row, &pivot)| normal[pivot] = -&row[free]);
        let signs: BTreeSet<i32> = small.iter().map(|g| dot(&normal, g).signum()).collect();
        if signs.contains(&1) && signs.contains(&-1) || signs.iter().all(|&sign| sign == 0) {
            continue;
        }
        let mut full = vec![Rational::ZERO; columns];
        active.iter().zip(&normal).for_each(|(&j, value)| {
            full[j] = if signs.contains(&1) { -value } else { value.clone() }
        });
        if full[1..].iter().any(|value| !value.is_zero()) {
            facets.insert(Constraint::homogeneous(Row::direction(&full)));
        }
    }
    facets
}

fn spanning(hull: &Polyhedron) -> &Generators {
    hull.generators().unwrap()
}

fn vertices_of(hull: &Polyhedron) -> Vec<usize> {
    spanning(hull).vertices()
}

fn constraints(hull: &Polyhedron) -> Vec<Constraint> {
    hull.inequalities().cloned().collect()
}

fn rational(num: i64, den: i64) -> Rational {
    Rational::new(num, den).unwrap()
}

/// Coordinates of one kind: lattice points (many coincidences), decimals, or huge and tiny numbers
/// together.
fn coordinate(kind: u8) -> BoxedStrategy<Rational> {
    match kind {
        0 => (-1i64..2).prop_map(|n| rational(n, 1)).boxed(),
        1 => (-6i64..7).prop_map(|n| rational(n, 1)).boxed(),
        2 => (-99_999i64..99_999).prop_map(|n| rational(n, 1000)).boxed(),
        _ => (-3i64..4, 0u32..4)
            .prop_map(|(n, size)| match size {
                0 => rational(n, 1_000_000_007),
                1 => rational(n, 3),
                2 => rational(n * 1_000_000_007, 1),
                _ => &rational(n * i64::pow(10, 17), 1) * &rational(i64::pow(10, 17), 7),
            })
            .boxed(),
    }
}

/// Points and rays in 1 to 4 columns; some with columns that depend on others, some with a point in
/// the middle of two.
fn generators() -> impl Strategy<Value = (Vec<Vector>, Vec<Vector>)> {
    (1usize..5, 0u8..4, 0usize..4, any::<bool>()).prop_flat_map(
        |(columns, kind, rays, dependent)| {
            let point = prop::collection::vec(coordinate(kind), columns);
            let ray = prop::collection::vec((-1i64..2).prop_map(|n| rational(n, 1)), columns);
            let most = if kind == 1 { 9 } else { 7 };
            (
                prop::collection::vec(point, 1..most),
                prop::collection::vec(ray, 0..=rays.saturating_sub(1)),
            )
                .prop_map(move |(mut points, mut rays)| {
                    let middle: Vector = points[0]
                        .iter()
                        .zip(points.last().unwrap())
                        .map(|(a, b)| &(a + b) * &rational(1, 2))
                        .collect();
                    points.push(middle);
                    if dependent && columns > 1 {
                        for (point, shift) in
                            points.iter_mut().map(|p| (p, 1)).chain(rays.iter_mut().map(|r| (r, 0)))
                        {
                            point[columns - 1] =
                                &(&point[0] * &rational(2, 3)) + &rational(shift, 1);
                        }
                    }
                    (points, rays)
                })
        },
    )
}

/// Points in and around the set: combinations of two generators, and small steps away from them.
fn queries(points: &[Vector], rays: &[Vector]) -> Vec<Vector> {
    let mut queries: Vec<Vector> = points.to_vec();
    for (i, a) in points.iter().enumerate().take(4) {
        let b = &points[points.len() - 1 - i];
        for factor in [rational(1, 3), rational(5, 4)] {
            queries.push(
                a.iter()
                    .zip(b)
                    .map(|(a, b)| &(a * &factor) + &(b * &(&Rational::ONE - &factor)))
                    .collect(),
            );
        }
        for column in 0..a.len() {
            let mut near = a.clone();
            near[column] += &rational(if i % 2 == 0 { 1 } else { -1 }, 1000);
            queries.push(near);
        }
        queries
            .extend(rays.iter().map(|ray| a.iter().zip(ray).map(|(a, r)| &(a + r) + r).collect()));
    }
    queries
}

fn check_position(set: &Membership, points: &[Vector], rays: &[Vector], x: &[Rational]) -> bool {
    match set.decide(x) {
        PointPosition::Inside { points: weights, rays: lengths } => {
            assert!(weights.iter().chain(&lengths).all(|(_, weight)| weight.signum() > 0));
            assert_eq!(
                weights.iter().fold(Rational::ZERO, |sum, (_, weight)| &sum + weight),
                Rational::ONE
            );
            let terms = || {
                weights
                    .iter()
                    .map(|(i, w)| (&points[*i], w))
                    .chain(lengths.iter().map(|(i, w)| (&rays[*i], w)))
            };
            for (column, value) in x.iter().enumerate() {
                assert_eq!(
                    terms().fold(Rational::ZERO, |sum, (v, w)| &sum + &(&v[column] * w)),
                    *value
                );
            }
            true
        }
        PointPosition::Outside(constraint) => {
            assert!(points.iter().all(|point| constraint.compare(point).is_le()));
            assert!(rays.iter().all(|ray| constraint.compare_row(&Row::ray(ray)).is_le()));
            assert!(constraint.compare(x).is_gt());
            false
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn facets_are_those_of_the_naive_oracle((points, rays) in generators()) {
        let hull = hull(&points, &rays, PLENTY).unwrap();
        prop_assert_eq!(
            constraints(&hull),
            naive_facets(&points, &rays).into_iter().collect::<Vec<_>>()
        );
        let (_, active) = reduce(homogeneous(&points, &rays));
        prop_assert_eq!(hull.dimension(), Some(active.len() - 1));
        prop_assert_eq!(hull.equations().len(), points[0].len() + 1 - active.len());
        prop_assert!(points.iter().all(|point| hull.contains(point)));
        prop_assert!(rays.iter().all(|ray| hull.satisfied_by(&Row::ray(ray))));
        for facet in hull.facets() {
            // The generators named lie on the facet, and with the lines they span it.
            let mut span = Echelon::new(points[0].len() + 1);
            spanning(&hull).lines.iter().for_each(|line| { span.insert(line); });
            let spanning = facet.span.clone().unwrap();
            let named = spanning
                .points
                .iter()
                .map(|&i| Row::point(&points[i]))
                .chain(spanning.rays.iter().map(|&i| Row::ray(&rays[i])));
            for row in named {
                prop_assert!(facet.constraint.compare_row(&row).is_eq());
                span.insert(&row);
            }
            prop_assert_eq!(span.rank(), active.len() - 1);
        }
    }

    #[test]
    fn order_and_repetition_do_not_matter((points, rays) in generators(), turn in 0usize..9) {
        let mut others = [points.clone(), points[..points.len() / 2].to_vec()].concat();
        others.rotate_left(turn % points.len());
        others.reverse();
        let mut other_rays: Vec<Vector> = rays
            .iter()
            .cloned()
            .chain(rays.iter().map(|r| r.iter().map(|v| v + v).collect()))
            .collect();
        other_rays.reverse();
        let (one, two) =
            (hull(&points, &rays, PLENTY).unwrap(), hull(&others, &other_rays, PLENTY).unwrap());
        prop_assert_eq!(constraints(&one), constraints(&two));
        prop_assert_eq!(
            (one.equations(), one.dimension(), &spanning(&one).lines),
            (two.equations(), two.dimension(), &spanning(&two).lines)
        );
        let named = |hull: &Polyhedron, points: &[Vector]| {
            vertices_of(hull).iter().map(|&i| points[i].clone()).collect::<BTreeSet<_>>()
        };
        if spanning(&one).lines.is_empty() {
            prop_assert_eq!(named(&one, &points), named(&two, &others));
            prop_assert_eq!(spanning(&one).rays.len(), spanning(&two).rays.len());
            // The extreme generators alone give the same set.
            let chosen: Vec<Vector> =
                vertices_of(&one).iter().map(|&i| points[i].clone()).collect();
            let directions: Vec<Vector> =
                spanning(&one).rays.iter().map(|(i, _)| rays[*i].clone()).collect();
            prop_assert_eq!(
                constraints(&hull(&chosen, &directions, PLENTY).unwrap()),
                constraints(&one)
            );
            for left_out in 0..chosen.len() {
                let mut fewer = chosen.clone();
                let removed = fewer.remove(left_out);
                prop_assert!(!Membership::new(&fewer, &directions).contains(&removed));
            }
        }
    }

    #[test]
    fn membership_agrees_with_the_facets_and_proves_itself((points, rays) in generators()) {
        let hull = hull(&points, &rays, PLENTY).unwrap();
        let set = Membership::new(&points, &rays);
        for x in queries(&points, &rays) {
            prop_assert_eq!(check_position(&set, &points, &rays, &x), hull.contains(&x), "{:?}", x);
        }
    }

    #[test]
    fn vertices_need_no_facets((points, _) in generators()) {
        prop_assert_eq!(vertices(&points), vertices_of(&hull(&points, &[], PLENTY).unwrap()));
    }

    #[test]
    fn an_inner_hull_is_inside_and_within_its_budget(
        (points, rays) in generators(),
        facets in 0usize..12,
    ) {
        let part = inner(&points, &rays, Budget::facets(facets));
        prop_assert!(part.hull.facets().len() <= facets);
        prop_assert!(!part.hull.is_empty());
        for (i, point) in points.iter().enumerate() {
            prop_assert_eq!(part.hull.contains(point), !part.uncovered_points.contains(&i));
        }
        for (i, ray) in rays.iter().enumerate() {
            prop_assert_eq!(
                part.hull.satisfied_by(&Row::ray(ray)),
                !part.uncovered_rays.contains(&i)
            );
        }
        // It is the hull of the generators it names, with the lines of the whole set.
        let chosen: Vec<Vector> =
            vertices_of(&part.hull).iter().map(|&i| points[i].clone()).collect();
        let lines =
            spanning(&part.hull).lines.iter().flat_map(|line| [line.clone(), line.negated()]);
        let lines = lines.map(|line| (1..line.len()).map(|j| line.entry(j)).collect());
        let directions: Vec<Vector> =
            spanning(&part.hull).rays.iter().map(|(i, _)| rays[*i].clone()).chain(lines).collect();
        prop_assert_eq!(
            naive_facets(&chosen, &directions).into_iter().collect::<Vec<_>>(),
            constraints(&part.hull)
        );
    }
}

fn grid(side: i64, columns: u32) -> Vec<Vector> {
    let count = side.pow(columns);
    (0..count)
        .map(|n| (0..columns).map(|j| rational(n / side.pow(j) % side, 1)).collect())
        .collect()
}

#[test]
fn a_grid_is_a_box() {
    for columns in 1..=5 {
        let points = grid(if columns == 5 { 2 } else { 3 }, columns);
        let cube = hull(&points, &[], PLENTY).unwrap();
        assert_eq!(cube.facets().len(), 2 * columns as usize);
        assert_eq!(vertices_of(&cube).len(), 1 << columns);
        assert!(
            cube.facets()
                .iter()
                .all(|facet| facet.span.as_ref().unwrap().points.len() == 1 << (columns - 1))
        );
        assert_eq!(vertices(&points), vertices_of(&cube));
    }
}

#[test]
fn nothing_a_point_and_a_line() {
    let nothing = hull(&[], &[vec![Rational::ONE]], PLENTY).unwrap();
    assert!(nothing.is_empty() && !nothing.contains(&[Rational::ZERO]));
    assert!(!Membership::new(&[], &[]).contains(&[Rational::ZERO]));
    assert!(vertices(&[]).is_empty());
    assert!(inner(&[], &[], PLENTY).hull.is_empty());

    let point = vec![rational(1, 2), rational(-3, 1)];
    let single = hull(&[point.clone(), point.clone()], &[], PLENTY).unwrap();
    assert_eq!(
        (single.dimension(), single.equations().len(), single.facets().len()),
        (Some(0), 2, 0)
    );
    assert_eq!(vertices_of(&single), [0]);
    assert!(single.contains(&point) && !single.contains(&[Rational::ZERO, Rational::ZERO]));

    let (up, down) = (vec![Rational::ZERO, Rational::ONE], vec![Rational::ZERO, rational(-2, 1)]);
    let line = hull(std::slice::from_ref(&point), &[up, down], PLENTY).unwrap();
    assert_eq!(
        (
            line.dimension(),
            line.equations().len(),
            line.facets().len(),
            spanning(&line).lines.len()
        ),
        (Some(1), 1, 0, 1)
    );
    assert!(line.contains(&[rational(1, 2), rational(1_000_000, 1)]));

    let no_columns = hull(&[vec![]], &[], PLENTY).unwrap();
    assert_eq!((no_columns.dimension(), no_columns.contains(&[])), (Some(0), true));
}

#[test]
fn a_thin_triangle_keeps_its_slanted_sides() {
    let points = [[0, 0], [100_000, 1], [0, 5]].map(|p| p.map(|n| rational(n, 1)).to_vec());
    let triangle = hull(&points, &[], PLENTY).unwrap();
    let written: Vec<String> =
        triangle.facets().iter().map(|facet| format!("{:?}", facet.constraint)).collect();
    assert_eq!(written, ["(1, 25000) · x ~ 125000", "(-1, 0) · x ~ 0", "(1, -100000) · x ~ 0"]);
}

#[test]
fn more_of_a_function_never_hurts() {
    // Fuel at least the distance, seen at two distances, with "more fuel never hurts" as a ray.
    let points = [[3, 3], [8, 7]].map(|p| p.map(|n| rational(n, 1)).to_vec());
    let wedge = hull(&points, &[vec![Rational::ONE, Rational::ZERO]], PLENTY).unwrap();
    assert_eq!(wedge.dimension(), Some(2));
    assert_eq!(
        (vertices_of(&wedge), spanning(&wedge).rays.clone()),
        (vec![0, 1], vec![(0, vec![Rational::ONE, Rational::ZERO])])
    );
    assert!(
        wedge.contains(&[rational(100, 1), rational(5, 1)])
            && !wedge.contains(&[rational(2, 1), rational(5, 1)])
    );
}

#[test]
fn a_hull_over_budget_says_so() {
    let points: Vec<Vector> =
        (0..40i64).map(|t| (1..=6).map(|power| rational(t.pow(power), 1)).collect()).collect();
    let refused = hull(&points, &[], Budget::facets(100)).unwrap_err();
    assert!(refused.facets > 100);
    let part = inner(&points, &[], Budget::facets(100));
    assert!(part.hull.facets().len() <= 100 && part.hull.facets().len() > 7);
    assert_eq!(vertices_of(&part.hull).len() + part.uncovered_points.len(), 40);
    // The cyclic polytope C(12, 6) has 112 facets (upper bound theorem).
    assert_eq!(hull(&points[..12], &[], PLENTY).unwrap().facets().len(), 112);
}
