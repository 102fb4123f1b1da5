//! What a certificate assumes beyond what its reader agreed to, and whether the header of its model
//! says the same: its sentences to people, and its stamp to programs.

use std::collections::{BTreeMap, BTreeSet};

use super::checker::ModelChecker;
use super::{Obligation, RejectionReason};
use surefoot_base::assumptions::{Assumptions, DIALS, Spec};
use surefoot_base::certificate::{
    ActionRecord, Certificate, SUCCESSORS, read_number, successors_in_words,
};
use surefoot_base::exact::Rational;
use surefoot_base::model::{ActionId, Domain};
use surefoot_base::pddl::visible;
use surefoot_base::stamp::{MARK, Stamp};

/// The sentences of [`Assumptions::in_words`] that are neither part of the paper's class nor among
/// those agreed to. SAM assumes more than this class: that no condition reads a number. White space around sentences does not matter, nor do
/// the marks of a comment or of a list before them.
pub fn excess(assumptions: &Assumptions, agreed: &[String]) -> Vec<String> {
    let plain = Assumptions::default().in_words();
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

impl ModelChecker<'_> {
    /// Where the header of a model, the comments before its first parenthesis, says something else
    /// than its certificate and the trajectories that were read: a reader of the model sees the
    /// header alone. Its promise, its assumptions and how far successors may be off are those of
    /// the certificate, no more and no less. Its numbers of steps are those of the trajectories.
    ///
    /// `model` is the text of the model. All trajectories must have been read before.
    pub fn header_differences(&self, model: &str) -> Vec<RejectionReason> {
        let mut wrong = head_differences(model, self.certificate);
        let lines = header(model);
        let expected = self.counts.in_words(self.given, &self.domain, |part| {
            self.actions.get(part.index()).is_some_and(Option::is_some)
        });
        let counts = lines.iter().map(|line| sentence(line)).filter(|line| is_count(line));
        let other =
            counts.filter(|line| !expected.iter().any(|one| one.eq_ignore_ascii_case(line)));
        let what = |line: &str| {
            format!("the header of the model counts steps otherwise than the trajectories: {line}")
        };
        wrong.extend(other.map(|line| assumption(what(line))));
        wrong
    }
}

/// How many recorded steps there are in each part of an action, and in none of its parts. Steps
/// that say nothing, because they changed nothing, do not count.
#[derive(Default)]
pub(super) struct StepCounts {
    /// By action that is checked, where it stands for a part.
    parts: BTreeMap<ActionId, usize>,
    /// By action of the given domain that has parts.
    outside: BTreeMap<ActionId, usize>,
}

impl StepCounts {
    /// Counts a step of an action that has parts.
    pub(super) fn add(&mut self, given: ActionId, part: Option<ActionId>) {
        let count = match part {
            Some(part) => self.parts.entry(part).or_default(),
            None => self.outside.entry(given).or_default(),
        };
        *count += 1;
    }

    /// The lines that the header of a model has about them.
    fn in_words(
        &self,
        given: &Domain,
        domain: &Domain,
        is_learned: impl Fn(ActionId) -> bool,
    ) -> Vec<String> {
        let counted = |steps: usize| match steps {
            1 => "1 step".to_owned(),
            _ => format!("{steps} steps"),
        };
        let learned = self.parts.iter().filter(|(part, _)| is_learned(**part));
        let learned = learned.map(|(part, &steps)| {
            format!("{LEARNED}{} from {}.", domain.action_name(*part), counted(steps))
        });
        let outside = self.outside.iter().map(|(action, &steps)| {
            let (name, steps) = (given.action_name(*action), counted(steps));
            format!("{OUTSIDE}{name}: {steps}; nothing was learned from them.")
        });
        learned.chain(outside).collect()
    }
}

/// What stands before the number of steps in a part.
const LEARNED: &str = "Learned: ";

/// What stands before the number of steps in no part.
const OUTSIDE: &str = "Outside all parts of ";

/// Whether a line of a header counts steps.
fn is_count(line: &str) -> bool {
    line.starts_with(LEARNED) || line.starts_with(OUTSIDE)
}

/// The comments before the first parenthesis of a model, a line each.
fn header(model: &str) -> Vec<&str> {
    let lines = model.lines().map(str::trim);
    lines.take_while(|line| line.is_empty() || line.starts_with(';')).collect()
}

fn assumption(what: String) -> RejectionReason {
    RejectionReason { action: None, kind: Obligation::Assumption, what }
}

/// What `header_differences` finds without a look at trajectories.
fn head_differences(model: &str, certificate: &Certificate) -> Vec<RejectionReason> {
    let Certificate { assumptions, actions, .. } = certificate;
    let lines = header(model);
    let mut wrong = Vec::new();
    let before_items = lines.iter().take_while(|line| !is_item(line)).map(|line| sentence(line));
    if before_items.last() != Some(assumptions.heading()) {
        wrong.push(format!(
            "the header of the model does not promise what its certificate proves: {}",
            assumptions.heading()
        ));
    }
    let stated: Vec<&str> = lines
        .iter()
        .skip_while(|line| !is_item(line))
        .take_while(|line| is_item(line))
        .map(|line| sentence(line))
        .collect();
    let assumed = assumptions.in_words();
    let assumed: Vec<&str> = assumed.iter().map(|words| sentence(words)).collect();
    let lacking = assumed.iter().filter(|words| !stated.contains(words));
    wrong.extend(lacking.map(|words| {
        format!(
            "the header of the model does not state an assumption of the certificate: \
                 {words}"
        )
    }));
    let beyond = stated.iter().filter(|words| !assumed.contains(words));
    wrong.extend(beyond.map(|words| {
        format!(
            "the header of the model states an assumption that the certificate does not have: \
                 {words}"
        )
    }));
    wrong.extend(other_lines(&lines, certificate));
    let successors = lines.iter().map(|line| sentence(line));
    wrong.extend(successor_differences(successors.collect(), actions));
    wrong.into_iter().map(assumption).collect()
}

/// What stands before lines about the successors of inexact actions.
const ADDED_ERRORS: &str = "Errors that one step adds to those before it (the error-of functions \
                            hold both):";

/// What stands before a list of what contradicts the assumptions.
const VOID: &str = "THE PROMISE IS VOID, because actions of the given domain contradict these \
                    assumptions:";

/// The lines of a header outside its list that are none of those a model has there: a promise or an
/// excuse of another author.
fn other_lines(lines: &[&str], certificate: &Certificate) -> Vec<String> {
    let heading = certificate.assumptions.heading();
    let title = certificate.assumptions.spec.algorithm.title();
    let learned_by = format!("Learned by surefoot {} with {title}.", certificate.surefoot);
    let is_left_out = |line: &str| {
        let rest = line.strip_prefix("Left out: ");
        let name = rest.and_then(|rest| rest.split_once(" (")).map(|(name, _)| name);
        name.is_some_and(|name| {
            line.ends_with(").")
                && !line.contains(". ")
                && !certificate.actions.keys().any(|known| known.eq_ignore_ascii_case(name))
        })
    };
    let is_kept_within = |line: &str| {
        let name = line.split(' ').next().unwrap_or(line);
        let function = line
            .strip_prefix(name)
            .and_then(|rest| rest.strip_prefix(KEPT_WITHIN))
            .and_then(|rest| rest.strip_suffix(" is not known well enough."));
        let is_inexact = |(known, record): (&String, &ActionRecord)| {
            known.eq_ignore_ascii_case(name)
                && record.effects.iter().any(|effect| Some(&*effect.function) == function)
        };
        certificate.actions.iter().any(is_inexact)
    };
    let is_known = |line: &str| {
        line.is_empty()
            || line == heading
            || line == learned_by
            || line.starts_with(SUCCESSORS)
            || line == ADDED_ERRORS
            || is_kept_within(line)
            || line == VOID
            || is_count(line)
            || is_left_out(line)
    };
    let mut others: Vec<&str> = Vec::new();
    // What contradicts the assumptions is the only other list, and has a heading of its own.
    let (mut lists, mut in_list) = (0, false);
    for line in lines {
        let words = sentence(line);
        if is_item(line) {
            lists += usize::from(!in_list);
            in_list = true;
            if lists > 1 {
                others.push(words);
            }
            continue;
        }
        in_list = words == VOID && lists > 0;
        // A stamp that `Stamp::of_model` does not read is none.
        let is_stamp = line.starts_with(MARK.trim_end());
        if !(is_stamp || is_known(words)) || visible(words) != words {
            others.push(words);
        }
    }
    let what = |line: &str| {
        format!(
            "the header of the model has a line that learning does not write, so nobody verifies \
             it: {line}"
        )
    };
    others.into_iter().map(what).collect()
}

/// What stands between the name of an inexact action that keeps to the recorded range and the
/// function to blame.
const KEPT_WITHIN: &str = " is allowed only in the recorded range, whatever the assumptions on \
                           arity and monotonicity would allow: outside it, the effect on ";

/// Where the lines of a header say of successors something else than the bounds of a certificate.
fn successor_differences(
    lines: Vec<&str>,
    actions: &BTreeMap<String, ActionRecord>,
) -> Vec<String> {
    let mut expected: BTreeMap<String, String> = BTreeMap::new();
    for (name, record) in actions {
        let bounds: Option<Vec<(String, Rational)>> = record
            .effects
            .iter()
            .map(|effect| Some((effect.function.clone(), read_number(&effect.bound)?)))
            .collect();
        // A bound that is no number is rejected with the effect that it is of.
        let Some(bounds) = bounds else { continue };
        expected.insert(name.to_ascii_lowercase(), successors_in_words(name, &bounds));
    }
    let mut wrong = Vec::new();
    let mut stated = BTreeSet::new();
    for line in lines {
        let Some(rest) = line.strip_prefix(SUCCESSORS) else { continue };
        let name = rest.split(':').next().unwrap_or(rest).to_ascii_lowercase();
        let is_true = expected.get(&name).is_some_and(|words| words.eq_ignore_ascii_case(line));
        if !is_true {
            wrong.push(format!(
                "the header of the model says of successors what its certificate does not prove: \
                 {line}"
            ));
        }
        stated.insert(name);
    }
    let silent = |name: &&String| {
        let record = actions.iter().find(|(of, _)| of.eq_ignore_ascii_case(name));
        record.is_some_and(|(_, record)| !record.effects.is_empty()) && !stated.contains(*name)
    };
    wrong.extend(expected.keys().filter(silent).map(|name| {
        format!("the header of the model does not say how far the successors of {name} may be off")
    }));
    wrong
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
    use surefoot_base::certificate::{EffectRecord, FORMAT_WITH_ERRORS};

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
                "; Learned by surefoot 1.0 with N-SAM*.\n; {}\n{items}; {VOID}\n;  - no item of the \
                 list.\n; Left out: go (never observed).\n\n(define (domain d))",
                assumptions.heading()
            )
        };
        let certificate = certificate(&assumptions);
        let head_differences = |model: &str| head_differences(model, &certificate);
        assert_eq!(head_differences(&head(&sentences)), []);
        for (place, words) in sentences.iter().enumerate() {
            let mut cut = sentences.clone();
            cut.remove(place);
            let found = head_differences(&head(&cut));
            assert!(matches!(&found[..], [only] if only.what.ends_with(words)), "{found:?}");
        }
        let mut more = sentences.clone();
        more.push("It never rains.".to_owned());
        let found = head_differences(&head(&more));
        assert!(
            matches!(&found[..], [only] if only.what.ends_with("does not have: It never rains.")),
            "{found:?}"
        );
        assert_eq!(head_differences("(define (domain d))").len(), 1 + sentences.len());
        let promises_more = head(&sentences).replace("Every plan", "Every plan and every wish");
        let found = head_differences(&promises_more);
        assert!(found.iter().any(|one| one.what.contains("does not promise")), "{found:?}");
        // Nobody verifies what else stands there.
        let excused =
            head(&sentences).replace("; Left out", "; All of it was verified.\n; Left out");
        assert!(matches!(&head_differences(&excused)[..],
            [only] if only.what.ends_with("nobody verifies it: All of it was verified.")));
        for (honest, forged) in [
            ("with N-SAM*.", "with SAM."),
            ("surefoot 1.0", "surefoot 2.0"),
            (
                "; Left out",
                ";  - All of it was verified.\n; Left out: fly (x).\n;  - All.\n; Left out",
            ),
            ("(never observed).", "(never observed).\n;  - All of it was verified."),
            ("; Left out", ";; surefoot-model {\"format\":1}\n; Left out"),
            (
                "; Left out",
                "; go is allowed only in the recorded range, and there it is certain; \
                            this is not known well enough.\n; Left out",
            ),
        ] {
            let forged = head(&sentences).replacen(honest, forged, 1);
            let found = head_differences(&forged);
            assert!(found.iter().any(|one| one.what.contains("nobody verifies it")), "{forged}");
        }
    }

    fn certificate(assumptions: &Assumptions) -> Certificate {
        Certificate {
            format: FORMAT_WITH_ERRORS,
            surefoot: "1.0".to_owned(),
            vocabulary: String::new(),
            model: String::new(),
            traces: Default::default(),
            assumptions: assumptions.clone(),
            actions: Default::default(),
            disjoint: Default::default(),
            forbidden_if: None,
            failures: Default::default(),
        }
    }

    #[test]
    fn the_header_says_how_far_successors_may_be_off_as_the_certificate_does() {
        let bound = |bound: &str| EffectRecord {
            function: "(x ?r)".to_owned(),
            constant: "0".to_owned(),
            coefficients: Vec::new(),
            residual: "0".to_owned(),
            bound: bound.to_owned(),
            observations: Vec::new(),
            equations: Vec::new(),
            stages: Vec::new(),
        };
        let of = |effects: &[EffectRecord]| {
            let record = ActionRecord { effects: effects.to_vec(), ..ActionRecord::default() };
            BTreeMap::from([("go".to_owned(), record)])
        };
        let wrong = |lines: &[&str], effects: &[EffectRecord]| {
            successor_differences(lines.to_vec(), &of(effects)).len()
        };
        let within = "Successors of Go: (x ?r) within 0.25.";
        assert_eq!(wrong(&[within, "Left out: fly (never observed)."], &[bound("1/4")]), 0);
        assert_eq!(wrong(&["Successors of go: exact."], &[bound("0")]), 0);
        assert_eq!(wrong(&[], &[]), 0);
        for lines in
            [&["Successors of go: exact."][..], &[], &[within, "Successors of fly: exact."]]
        {
            assert_eq!(wrong(lines, &[bound("1/4")]), 1, "{lines:?}");
        }
        assert_eq!(wrong(&[within], &[bound("1/2")]), 1);
        assert_eq!(wrong(&[within], &[]), 1);
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
        // Who agreed to the paper's class did not agree that no condition reads a number.
        let atoms = assuming(Spec::default().with(|spec| spec.algorithm = Algorithm::Sam));
        let found = excess(&atoms, &[]);
        assert!(found[0].contains("no real precondition reads a number"), "{found:?}");
    }
}
