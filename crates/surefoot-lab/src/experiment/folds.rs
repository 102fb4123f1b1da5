//! Cross-validation: which problems are for learning and which for testing.

use surefoot_base::random::Random;

/// One split. Indices are those of the problems.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fold {
    /// What is learned from, in the order in which more is given.
    pub train: Vec<usize>,
    /// What is tested on, ascending.
    pub test: Vec<usize>,
}

/// Splits problems into folds: every problem is tested on in exactly one, and learned from in all
/// others. Each fold gives its traces in an order of its own, so that folds with few traces are
/// independent.
pub fn split(problems: usize, folds: usize, seed: u64, domain: &str) -> Vec<Fold> {
    let mut order: Vec<usize> = (0..problems).collect();
    Random::for_part(seed, &format!("folds of {domain}")).shuffle(&mut order);
    let mut split = Vec::with_capacity(folds);
    for fold in 0..folds {
        let (mut test, mut train) = (Vec::new(), Vec::new());
        for (place, &problem) in order.iter().enumerate() {
            let part = if place % folds == fold { &mut test } else { &mut train };
            part.push(problem);
        }
        Random::for_part(seed, &format!("fold {fold} of {domain}")).shuffle(&mut train);
        test.sort_unstable();
        split.push(Fold { train, test });
    }
    split
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_is_tested_on_once_and_never_learned_from_in_that_fold() {
        for problems in [7, 10, 101] {
            let folds = split(problems, 5, 3, "d");
            let mut tested: Vec<usize> = folds.iter().flat_map(|fold| fold.test.clone()).collect();
            tested.sort_unstable();
            assert_eq!(tested, (0..problems).collect::<Vec<_>>());
            for fold in &folds {
                assert_eq!(fold.train.len() + fold.test.len(), problems);
                assert!(fold.train.iter().all(|index| !fold.test.contains(index)));
            }
        }
        assert_eq!(split(100, 5, 1, "d")[0].test.len(), 20);
        assert_eq!(split(50, 5, 1, "d"), split(50, 5, 1, "d"));
        assert_ne!(split(50, 5, 1, "d"), split(50, 5, 2, "d"));
    }
}
