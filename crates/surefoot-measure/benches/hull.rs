//! Speed of the exact geometry on synthetic data like that of numeric planning domains: decimals,
//! few values a column.
#![allow(clippy::unwrap_used, missing_docs)]

use divan::Bencher;
use surefoot_base::exact::{Budget, Echelon, Membership, Rational, Row, hull, inner, vertices};

fn main() {
    divan::main();
}

/// Points around a sphere with three decimals; every fourth well inside. The same on every machine.
fn cloud(columns: usize, count: usize) -> Vec<Vec<Rational>> {
    let mut state = 0x2545_F491_4F6C_DD1Du64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % 2001) as f64 / 1000.0 - 1.0
    };
    let mut points = Vec::with_capacity(count);
    while points.len() < count {
        let x: Vec<f64> = (0..columns).map(|_| next()).collect();
        let norm = x.iter().map(|v| v * v).sum::<f64>().sqrt();
        if norm > 0.1 {
            let radius = if points.len() % 4 == 3 { 30_000.0 } else { 100_000.0 } / norm;
            points.push(
                x.iter()
                    .map(|v| Rational::new((v * radius).round() as i64, 1000).unwrap())
                    .collect(),
            );
        }
    }
    points
}

#[divan::bench(
    args = [(2, 2000), (3, 1000), (4, 400), (5, 200), (6, 100), (7, 60), (8, 40)],
    sample_count = 10
)]
fn facets(bencher: Bencher, (columns, count): (usize, usize)) {
    let points = cloud(columns, count);
    bencher.bench(|| hull(&points, &[], Budget::default()));
}

#[divan::bench(sample_count = 10)]
fn facets_with_rays(bencher: Bencher) {
    let points = cloud(4, 400);
    let rays: Vec<Vec<Rational>> =
        (0..2).map(|i| (0..4).map(|j| Rational::integer(i64::from(i == j))).collect()).collect();
    bencher.bench(|| hull(&points, &rays, Budget::default()));
}

#[divan::bench(sample_count = 10)]
fn facets_of_a_grid(bencher: Bencher) {
    let value = |n: i64, j: u32| Rational::integer(n / 5i64.pow(j) % 5);
    let points: Vec<Vec<Rational>> =
        (0..625).map(|n| (0..4).map(|j| value(n, j)).collect()).collect();
    bencher.bench(|| hull(&points, &[], Budget::default()));
}

#[divan::bench(args = [8, 54], sample_count = 10)]
fn inner_of_a_thousand_facets(bencher: Bencher, columns: usize) {
    let points = cloud(columns, 500);
    bencher.bench(|| inner(&points, &[], Budget::facets(1000)));
}

#[divan::bench(args = [(3, 1000), (8, 1000), (54, 500)], sample_count = 10)]
fn membership(bencher: Bencher, (columns, count): (usize, usize)) {
    let points = cloud(columns, count);
    let set = Membership::new(&points[1..], &[]);
    bencher.bench(|| set.decide(&points[0]));
}

#[divan::bench(sample_count = 10)]
fn redundancy_removal(bencher: Bencher) {
    let points = cloud(5, 400);
    bencher.bench(|| vertices(&points));
}

/// A row that is already in the subspace: the common case, once a transition.
#[divan::bench(args = [4, 8, 54])]
fn contained_row(bencher: Bencher, columns: usize) {
    let double = |x: &Vec<Rational>| {
        Row::point(&[x.clone(), x.iter().map(|v| v + &Rational::ONE).collect()].concat())
    };
    let points = cloud(columns, 2 * columns + 10);
    let mut span = Echelon::new(2 * columns + 1);
    points.iter().for_each(|x| {
        span.insert(&double(x));
    });
    let joint: Vec<Rational> =
        [points[0].clone(), points[0].iter().map(|v| v + &Rational::ONE).collect()].concat();
    bencher.bench_local(|| span.insert(&Row::point(&joint)));
}
