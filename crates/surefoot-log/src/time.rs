//! Which of two times is earlier.

use std::cmp::Ordering;

use surefoot::pddl::Numbers;

/// Compares times: as numbers where both are, and else as text, which is the order of ISO 8601.
pub(crate) fn compare(one: &str, other: &str) -> Ordering {
    match (one.parse::<i64>(), other.parse::<i64>()) {
        (Ok(one), Ok(other)) => one.cmp(&other),
        _ => match (Numbers::Exact.read(one), Numbers::Exact.read(other)) {
            (Ok(one), Ok(other)) => one.cmp(&other),
            _ => one.cmp(other),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_dates() {
        assert_eq!(compare("9", "10"), Ordering::Less);
        assert_eq!(compare("9.5", "10"), Ordering::Less);
        assert_eq!(compare("2025-03-01T06:00:00", "2025-03-01T06:00:16"), Ordering::Less);
        assert_eq!(compare("1e3", "999"), Ordering::Greater);
    }
}
