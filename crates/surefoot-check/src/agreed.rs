//! What a certificate assumes beyond what its reader agreed to, and whether the header of its model
//! says the same: its sentences to people, and its stamp to programs.

use super::{Obligation, RejectionReason};
use surefoot_base::assumptions::{Assumptions, DIALS, Spec};
use surefoot_base::stamp::Stamp;

/// The sentences of [`Assumptions::in_words`] that are neither part of the paper's class (for the
/// same algorithm) nor among those agreed to. White space around sentences does not matter, nor do
/// the marks of a comment or of a list before them.
pub fn excess(assumptions: &Assumptions, agreed: &[String]) -> Vec<String> {
    let spec = Spec::default().with(|spec| spec.algorithm = assumptions.spec.algorithm);
    let plain = Assumptions { spec, ..Assumptions::default() }.in_words();
    let agreed: Vec<&str> = agreed.iter().map(|line| sentence(line)).collect();
    assumptions
        .in_words()
        .into_iter()
        .filter(|words| !plain.contains(words) && !agreed.contains(&sentence(words)))
        .collect()
}

/// Whether a line of a head is an item of its list of assumptions.
fn is_item(line: &str) -> bool {
    line.trim_start_matches(';').trim_start().starts_with('-')
}

/// Where the head of a model, the comments before its first parenthesis, states other assumptions
/// than its certificate: a reader of the model sees the head alone.
pub fn head_differences(model: &str, assumptions: &Assumptions) -> Vec<RejectionReason> {
    let head =
        model.lines().map(str::trim).take_while(|line| line.is_empty() || line.starts_with(';'));
    let stated: Vec<&str> = head
        .skip_while(|line| !is_item(line))
        .take_while(|line| is_item(line))
        .map(sentence)
        .collect();
    let assumed = assumptions.in_words();
    let assumed: Vec<&str> = assumed.iter().map(|words| sentence(words)).collect();
    let lacking = assumed.iter().filter(|words| !stated.contains(words));
    let lacking = lacking.map(|words| {
        format!(
            "the header of the model does not state an assumption of the certificate: \
                 {words}"
        )
    });
    let beyond = stated.iter().filter(|words| !assumed.contains(words));
    let beyond = beyond.map(|words| {
        format!(
            "the header of the model states an assumption that the certificate does not have: \
             {words}"
        )
    });
    lacking
        .chain(beyond)
        .map(|what| RejectionReason { action: None, kind: Obligation::Assumption, what })
        .collect()
}

/// Where the stamp of a model says something else than its certificate: programs that use the model
/// read the stamp alone. A model without a stamp is read as one of the paper's class.
pub fn stamp_differences(stamp: Option<&Stamp>, assumptions: &Assumptions) -> Vec<RejectionReason> {
    let reason =
        |what: String| RejectionReason { action: None, kind: Obligation::Assumption, what };
    let plain = Stamp::safe(&Spec::default());
    let Some(stated) = stamp.unwrap_or(&plain).spec() else {
        return vec![reason("the stamp of the model says that it is not safe".to_owned())];
    };
    let says = match stamp {
        Some(_) => "the stamp of the model says",
        None => "the model has no stamp, which means",
    };
    // How records were read is said in sentences alone.
    let assumed = assumptions.spec.clone().with(|spec| spec.reading = Default::default());
    let dials = DIALS.iter().map(|dial| (dial.name, stated.get(dial), assumed.get(dial)));
    dials
        .filter(|(_, stated, assumed)| stated != assumed)
        .map(|(name, stated, assumed)| {
            reason(format!("{says} {name} = {stated}, but its certificate {name} = {assumed}"))
        })
        .collect()
}

/// A line without the marks of a comment or of a list.
fn sentence(line: &str) -> &str {
    line.trim().trim_start_matches(';').trim_start().trim_start_matches('-').trim()
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_base::assumptions::Algorithm;

    #[test]
    fn the_head_of_a_model_states_what_its_certificate_assumes_no_more_and_no_less() {
        let assumptions = Assumptions {
            spec: Spec::default().with(|spec| spec.arity = Some(1)),
            ..Assumptions::default()
        };
        let sentences = assumptions.in_words();
        let head = |sentences: &[String]| {
            let items: String = sentences.iter().map(|words| format!(";  - {words}\n")).collect();
            format!(
                "; Learned.\n; Safe, if:\n{items}; Left out: go (never observed).\n;  - no item of \
                 the list\n\n(define (domain d))"
            )
        };
        assert_eq!(head_differences(&head(&sentences), &assumptions), []);
        for (place, words) in sentences.iter().enumerate() {
            let mut cut = sentences.clone();
            cut.remove(place);
            let found = head_differences(&head(&cut), &assumptions);
            assert!(matches!(&found[..], [only] if only.what.ends_with(words)), "{found:?}");
        }
        let mut more = sentences.clone();
        more.push("It never rains.".to_owned());
        let found = head_differences(&head(&more), &assumptions);
        assert!(
            matches!(&found[..], [only] if only.what.ends_with("does not have: It never rains.")),
            "{found:?}"
        );
        assert_eq!(head_differences("(define (domain d))", &assumptions).len(), sentences.len());
    }

    #[test]
    fn the_stamp_of_a_model_says_what_its_certificate_assumes_no_more_and_no_less() {
        let assuming = |spec: Spec| Assumptions { spec, ..Assumptions::default() };
        let plain = assuming(Spec::default());
        let turned = assuming(Spec::default().with(|spec| {
            spec.arity = Some(1);
            spec.decimals = Some(6);
        }));
        let stamp = |assumptions: &Assumptions| Stamp::safe(&assumptions.spec);
        assert_eq!(stamp_differences(Some(&stamp(&turned)), &turned), []);
        assert_eq!(stamp_differences(Some(&stamp(&plain)), &plain), []);
        assert_eq!(stamp_differences(None, &plain), []);
        for (stated, assumed) in [(&plain, &turned), (&turned, &plain)] {
            let found = stamp_differences(Some(&stamp(stated)), assumed);
            assert!(matches!(&found[..], [decimals, arity]
                if arity.what.contains("arity = ") && decimals.what.contains("decimals = ")));
        }
        assert_eq!(stamp_differences(None, &turned).len(), 2);
        let not_safe = Stamp::NotSafe("It may fail.".to_owned());
        assert_eq!(stamp_differences(Some(&not_safe), &plain).len(), 1);
        let reading =
            Spec::default().with(|spec| spec.reading = ["Nothing was.".to_owned()].into());
        assert_eq!(stamp_differences(Some(&stamp(&plain)), &assuming(reading)), []);
    }

    #[test]
    fn what_is_beyond_the_paper_must_be_agreed_to() {
        let assuming = |spec: Spec| Assumptions { spec, ..Assumptions::default() };
        let plain = assuming(Spec::default().with(|spec| spec.algorithm = Algorithm::Nsam));
        assert_eq!(excess(&plain, &[]), [""; 0]);
        let products = plain.spec.with(|spec| {
            spec.degree = 2;
            spec.arity = Some(2);
            spec.positive_preconditions = true;
        });
        let single = assuming(products.clone().with(|spec| spec.arity = Some(1)));
        let products = assuming(products);
        let found = excess(&products, &[]);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].contains("products of at most 2"));
        let agreed = [format!(";  - {}", found[0]), format!("- {} ", found[1])];
        assert_eq!(excess(&products, &agreed), [found[2].clone()]);
        assert_eq!(excess(&single, &found).len(), 1, "another arity is another assumption");
    }
}
