//! What a certificate assumes beyond what its reader agreed to.

use crate::assumptions::{Assumptions, Spec};

/// The sentences of [`Assumptions::in_words`] that are neither part of the paper's class (for the same algorithm) nor among those agreed
/// to. White space around sentences does not matter, nor do the marks of a comment or of a list before them.
pub fn excess(assumptions: &Assumptions, agreed: &[String]) -> Vec<String> {
    let spec = Spec { algorithm: assumptions.spec.algorithm, ..Spec::default() };
    let plain = Assumptions { spec, ..Assumptions::default() }.in_words();
    let agreed: Vec<&str> = agreed.iter().map(|line| sentence(line)).collect();
    assumptions.in_words().into_iter().filter(|words| !plain.contains(words) && !agreed.contains(&sentence(words))).collect()
}

/// A line without the marks of a comment or of a list.
fn sentence(line: &str) -> &str {
    line.trim().trim_start_matches(';').trim_start().trim_start_matches('-').trim()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assumptions::Algorithm;

    #[test]
    fn what_is_beyond_the_paper_must_be_agreed_to() {
        let assuming = |spec: Spec| Assumptions { spec, ..Assumptions::default() };
        let plain = assuming(Spec { algorithm: Algorithm::Nsam, ..Spec::default() });
        assert_eq!(excess(&plain, &[]), [""; 0]);
        let products = Spec { degree: 2, arity: Some(2), positive_preconditions: true, ..plain.spec };
        let single = assuming(Spec { arity: Some(1), ..products.clone() });
        let products = assuming(products);
        let found = excess(&products, &[]);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].contains("products of at most 2"));
        let agreed = [format!(";  - {}", found[0]), format!("- {} ", found[1])];
        assert_eq!(excess(&products, &agreed), [found[2].clone()]);
        assert_eq!(excess(&single, &found).len(), 1, "another arity is another assumption");
    }
}
