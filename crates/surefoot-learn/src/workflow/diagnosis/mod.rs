//! Says why no model of the class explains an action: what its steps look like, as values and in
//! words.
//!
//! The verdict is that some steps contradict all models; a person needs the cause. So if nothing
//! explains the steps of an action, the causes that occur in practice are tried, from the most
//! specific to the least:
//!
//! 1. the steps that change something fit without those that change nothing at all: the latter are
//!    attempts that failed, logged as if they had worked;
//! 2. a product of two functions explains a change exactly: the class is too small;
//! 3. one condition on the state before a step separates the unusual steps from the others: a cap,
//!    or an effect that depends on a condition; or every step ends at the smaller, or the larger,
//!    of an affine map and a limit;
//! 4. the unusual steps are few: recording errors;
//! 5. with numbers rounded to some number of decimals, everything is explained exactly: the noise
//!    of floating point;
//! 6. an affine map fits nearly: noise, or computing in floating point; then the message names the
//!    smallest `--error` that explains the steps;
//! 7. two steps start in the same state and end differently: chance, or something that is not
//!    recorded.
//!
//! Each claim is checked against the rows before it is made. A condition is named only if it holds
//! before each of the steps and before no other, and a limit only if every step ends where the
//! limit says. A row with unknown values counts for each claim that needs only its known values,
//! and a claim says how many rows these are. A claim that is called *exact* was tried over the
//! rationals on every examined step; floating point is used only where the words say "about".
//! Nothing here decides about a model. Rows are examined in the order of their content, so neither
//! the order of the traces nor the number of threads matters.

mod attempts;
mod exact;
mod fit;
mod least;
mod limit;
mod own_rule;
mod residual;
mod rows;
mod split;
mod subject;
mod suggestion;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

pub(super) use attempts::failure_diagnoses;
pub use attempts::{FailedGroup, FailureDiagnosis, FailureSign};
pub use fit::{AffineFit, FLOATING, NOISE};
pub(super) use own_rule::follow_a_rule;
pub(super) use rows::{ActionRows, Collector};
pub use split::{Relation, Split};
pub(super) use subject::ActionObservations;
pub use suggestion::{Drift, NoSuggestion, Suggestion};
pub(super) use suggestion::{Proposal, suggestion};

use surefoot_base::model::ActionId;
use surefoot_base::pddl::{Numbers, Writer};

use self::exact::ExactExplanation;
use self::limit::{Limited, limit_of};
use self::subject::{Beginning, RowSubset, Subject, changes, subjects};
use super::bad_data::SetAsideLimit;
use crate::conclude::Settings;
use crate::evidence::Class;
use crate::evidence::Learner;

/// What the steps of an action look like that no model of the class explains. As text, it is a
/// paragraph for people.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Diagnosis {
    /// The name of the action.
    pub action: String,
    /// The functions and atoms that change in a way nothing explains, in the action's parameters.
    /// None: the step as a whole.
    pub about: Vec<String>,
    /// How many steps the action has.
    pub steps: usize,
    /// How many of them were examined; numbers and claims are about these.
    pub looked_at: usize,
    /// How many of these do not fit the others.
    pub odd: usize,
    /// How many steps were not examined, because a value in them is unknown.
    pub unknown: usize,
    /// Where the first of them are, by file and line.
    pub places: Vec<StepPlace>,
    /// Two steps that start in states which the action cannot distinguish, and end in states which
    /// it can.
    pub twins: Option<[StepPlace; 2]>,
    /// Whether the option that it names was tried, together with those of the action's other
    /// diagnoses, and no record refutes the model.
    pub tried: bool,
    /// The cause that explains it.
    #[serde(flatten)]
    pub cause: Cause,
}

/// Where a step was recorded.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct StepPlace {
    /// The name of the file.
    pub file: String,
    /// The line, from 1; 0: the file as a whole.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
}

impl StepPlace {
    /// What places are sorted by: numbers in names count as numbers, so that `t9` comes before
    /// `t10`.
    fn key(&self) -> (Vec<(&str, usize)>, usize, usize) {
        let mut parts = Vec::new();
        let mut rest = &*self.file;
        while !rest.is_empty() {
            let digits = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
            let (words, after) = rest.split_at(digits);
            let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
            parts.push((words, after[..end].parse().unwrap_or(usize::MAX)));
            rest = &after[end..];
        }
        (parts, self.line, self.column)
    }
}

/// Why no model explains the observations.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Cause {
    /// Without the odd steps, which change nothing at all, some model explains all others.
    Unchanged {
        /// The condition that distinguishes them from the others, if one does.
        condition: Option<Split>,
    },
    /// Steps fall into pieces with different outcomes.
    Pieces {
        /// The outcomes, and how often each was observed, the most frequent first.
        pieces: Vec<Piece>,
        /// The condition that distinguishes the odd steps from all others, if one does.
        condition: Option<Split>,
        /// The number at which the function ends in all odd steps, if it is the largest or the
        /// smallest that was ever observed after a step.
        cap: Option<String>,
        /// Whether that number is the least, not the most.
        floor: bool,
        /// Whether the odd steps change nothing at all.
        unchanged: bool,
    },
    /// Every step ends where a change says, or at a limit. The odd steps are those that end at the
    /// limit.
    Limit {
        /// Which way the function changes elsewhere.
        way: Way,
        /// How far the function changes, in words.
        by: String,
        /// The limit: a number or a function.
        limit: String,
        /// Whether it is the most that the function gets; otherwise, the least.
        cap: bool,
    },
    /// Exactly explained by an affine map of the columns and these besides.
    Product {
        /// What the map reads besides the columns of the class.
        products: Vec<String>,
        /// Whether one of them is a square, which takes `--squares`.
        squares: bool,
        /// The number of decimals to which numbers have to be rounded first.
        decimals: Option<u32>,
        /// How many steps, which change nothing at all, are left out.
        except: usize,
    },
    /// Exactly explained by an affine map once numbers are rounded, all of which are nearly such
    /// decimals.
    Rounding {
        /// The number of decimals.
        decimals: u32,
        /// How many steps, which change nothing at all, are left out.
        except: usize,
    },
    /// Nearly explained by an affine map, computed in floating point.
    Inexact {
        /// The largest distance between an observation and the map.
        within: f64,
        /// How many steps are farther away, and are not counted.
        except: usize,
        /// The distance between the smallest and the largest observed value of the function.
        spread: f64,
        /// What the map reads besides the columns of the class, if it makes much of a difference.
        product: Option<String>,
        /// Whether floating point arithmetic explains the distance.
        floating: bool,
    },
    /// The odd steps are few, and some model explains all others.
    Outliers,
    /// The same, and two or more of the odd steps follow a rule of their own.
    OwnRule,
    /// Steps begin alike and end differently.
    Chance,
    /// None of these causes.
    Unexplained,
}

impl Cause {
    /// Sets the options that it names; whether it names any.
    pub(super) fn set_options(&self, class: &mut Class, settings: &mut Settings) -> bool {
        match self {
            Cause::Product { squares, decimals, except, .. } => {
                if let Some(decimals) = decimals {
                    round_to(&mut class.numbers, *decimals);
                }
                class.degree.degree = class.degree.degree.max(2);
                class.degree.squares |= squares;
                // Columns have other numbers there.
                settings.monotone.clear();
                settings.unchanged_failed |= *except > 0;
            }
            Cause::Rounding { decimals, except } => {
                round_to(&mut class.numbers, *decimals);
                settings.unchanged_failed |= *except > 0;
            }
            Cause::Unchanged { .. } | Cause::Pieces { unchanged: true, .. } => {
                settings.unchanged_failed = true
            }
            _ => return false,
        }
        true
    }

    /// Whether an affine map explains the steps nearly, but not exactly.
    pub(super) fn is_inexact(&self) -> bool {
        matches!(self, Cause::Inexact { .. })
    }

    /// Whether all steps are as far from an affine map as computing in floating point explains.
    fn is_floating(&self) -> bool {
        matches!(self, Cause::Inexact { floating: true, except: 0, .. })
    }

    /// Whether the class of models is too small for it, and nothing is said against the records.
    pub fn blames_class(&self) -> bool {
        match self {
            Cause::Pieces { unchanged, .. } => !unchanged,
            Cause::Product { decimals, except, .. } => decimals.is_none() && *except == 0,
            Cause::Unexplained | Cause::Limit { .. } | Cause::OwnRule => true,
            Cause::Unchanged { .. }
            | Cause::Rounding { .. }
            | Cause::Inexact { .. }
            | Cause::Outliers
            | Cause::Chance => false,
        }
    }
}

/// Rounds numbers to this many decimals, unless they are rounded to fewer.
fn round_to(numbers: &mut Numbers, decimals: u32) {
    let known = if let Numbers::Decimals(known) = *numbers { known } else { decimals };
    *numbers = Numbers::Decimals(known.min(decimals));
}

/// Which way a function changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// The function always increases.
    Grows,
    /// The function always decreases.
    Falls,
    /// The function changes in both directions.
    Changes,
}

/// One of several outcomes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Piece {
    /// What happens, in words.
    pub outcome: String,
    /// In how many steps.
    pub steps: usize,
}

/// A diagnosis before it is known where its steps are: these are numbers of rows.
pub(super) struct Draft {
    about: Vec<Subject>,
    /// The rows that claims are about, ascending.
    counted: Vec<usize>,
    odd: Vec<usize>,
    twins: Option<[usize; 2]>,
    cause: Cause,
}

/// At most this many places are named.
const PLACES: usize = 3;

/// At most this many places are looked up.
const LOOKED_UP: usize = 1000;

/// What may explain why no model fits the steps of an action. SAM does not look at `numbers`.
pub(super) fn drafts(
    learner: &Learner,
    action: ActionId,
    rows: &ActionRows,
    limit: SetAsideLimit,
    numbers: bool,
) -> Vec<Draft> {
    let seen = ActionObservations { learner, action, rows: &rows.observations };
    let found = subjects(&seen, numbers);
    if found.is_empty() {
        let counted = (0..seen.rows.len()).collect();
        return vec![Draft {
            about: Vec::new(),
            counted,
            odd: Vec::new(),
            twins: None,
            cause: Cause::Unexplained,
        }];
    }
    let unchanged: Vec<usize> =
        (0..seen.rows.len()).filter(|&row| changes(&seen.rows[row]) == Some(false)).collect();
    if subject::fits_without(&seen, &unchanged, numbers) {
        return vec![draft_of_unchanged(&seen, &found, unchanged)];
    }
    let functions: Vec<_> = found.iter().filter_map(|(subject, _)| subject.function()).collect();
    let mut exact = exact::explanations(&seen, &functions);
    // A few failed attempts among steps whose numbers have another defect.
    if exact.len() < functions.len()
        && !unchanged.is_empty()
        && limit.admits(unchanged.len(), seen.rows.len())
    {
        let others = subject::without(&seen, &unchanged);
        for (function, found) in
            exact::explanations(&ActionObservations { rows: &others, ..seen }, &functions)
        {
            exact.entry(function).or_insert(ExactExplanation { except: unchanged.len(), ..found });
        }
    }
    let mut drafts: Vec<Draft> = Vec::new();
    let mut few: Option<Draft> = None;
    for (subject, odd) in found {
        let explanation = subject.function().and_then(|function| exact.get(&function));
        let draft = draft_of(&seen, subject, &odd, explanation, limit);
        match (&draft.cause, drafts.iter_mut().find(|known| draft.repeats(known))) {
            (_, Some(known)) => known.join(draft),
            (Cause::Outliers, None) => match &mut few {
                Some(few) => few.join(draft),
                None => few = Some(draft),
            },
            (_, None) => drafts.push(draft),
        }
    }
    drafts.extend(few);
    drafts
}

/// Without these rows, which change nothing at all, some model explains the others.
fn draft_of_unchanged(
    seen: &ActionObservations<'_>,
    found: &[(Subject, Vec<usize>)],
    unchanged: Vec<usize>,
) -> Draft {
    let function = found.iter().find_map(|(subject, _)| subject.function());
    let twins = found.iter().find_map(|(subject, _)| seen.twins(*subject));
    let about = found.iter().map(|(subject, _)| *subject).collect();
    if let ([_], Some(function)) = (found, function) {
        let rows = RowSubset::of(seen, |row| changes(row).is_some() && row.is_known(function));
        let (here, odd) = (rows.seen(seen), rows.own(&unchanged));
        let written = seen.written(Subject::Function(function));
        if let Some(condition) =
            here.split(&odd, Some(function)).filter(|split| split.is_about(&written))
        {
            let cause = here.pieces(Subject::Function(function), &odd, Some(condition));
            return Draft { about, counted: rows.places, odd: unchanged, twins, cause };
        }
    }
    let rows = RowSubset::of(seen, |row| changes(row).is_some());
    let condition = rows.seen(seen).split(&rows.own(&unchanged), function);
    Draft {
        about,
        counted: rows.places,
        odd: unchanged,
        twins,
        cause: Cause::Unchanged { condition },
    }
}

/// What may explain the changes of one subject, which some rows contradict.
fn draft_of(
    seen: &ActionObservations<'_>,
    subject: Subject,
    odd: &[usize],
    explanation: Option<&ExactExplanation>,
    limit: SetAsideLimit,
) -> Draft {
    let twins = seen.twins(subject);
    let function = subject.function();
    let (shown, read) = (seen.showing(subject), seen.showing_read(subject));
    let (by_outcome, by_map) = (shown.seen(seen), read.seen(seen));
    let (rows, here, odd, condition) = match by_outcome.split_by_outcome(subject) {
        Some((odd, split)) => (&shown, by_outcome, odd, Some(split)),
        None => {
            let odd = read.own(odd);
            let split =
                by_map.is_by_outcome(subject, &odd).then(|| by_map.split(&odd, function)).flatten();
            (&read, by_map, odd, split)
        }
    };
    let bound = function.and_then(|function| limit_of(&by_outcome, function));
    let nearly = function.and_then(|function| residual::inexact(&by_map, function));
    let limited = bound.filter(|_| {
        condition.is_none() || !here.has_few_outcomes(subject) || !here.is_limited(subject, &odd)
    });
    let is_few = limit.admits(odd.len(), here.rows.len());
    let draft = match (explanation, limited, nearly) {
        (
            Some(found @ ExactExplanation { decimals: None, together: false, except: 0, .. }),
            _,
            _,
        ) => Draft::new(subject, rows, &odd, seen.product(found)).about_map(seen),
        // The tails of floating point are no cap, and nothing else that decides.
        (Some(ExactExplanation { decimals: Some(decimals), products, except: 0, .. }), ..)
            if products.is_empty() =>
        {
            let cause = Cause::Rounding { decimals: *decimals, except: 0 };
            Draft::new(subject, rows, &odd, cause).about_map(seen)
        }
        // Steps computed in floating point are all a little off: which of them happen to fit each
        // other says nothing.
        (None, _, Some(nearly)) if nearly.is_floating() => {
            Draft::new(subject, &read, &read.own(&rows.placed(&odd)), nearly)
        }
        (_, Some(Limited { cause, rows, reached }), _) => {
            Draft { counted: shown.placed(&rows), ..Draft::new(subject, &shown, &reached, cause) }
        }
        _ if condition.is_some() => {
            Draft::new(subject, rows, &odd, here.pieces(subject, &odd, condition))
        }
        _ if is_few && here.has_twin(subject, &odd) == Some(Beginning::Known) => {
            Draft::new(subject, rows, &odd, Cause::Chance)
        }
        // What is unknown before them may decide.
        _ if is_few && here.has_twin(subject, &odd) == Some(Beginning::Unknown) => {
            Draft::new(subject, rows, &odd, Cause::Unexplained)
        }
        _ if is_few
            && follow_a_rule(
                seen,
                &rows.placed(&odd).into_iter().collect(),
                &BTreeSet::new(),
                true,
            ) =>
        {
            Draft::new(subject, rows, &odd, Cause::OwnRule)
        }
        _ if is_few => Draft::new(subject, rows, &odd, Cause::Outliers),
        (Some(found), ..) if !found.products.is_empty() => {
            Draft::new(subject, rows, &odd, seen.product(found)).about_map(seen)
        }
        (Some(ExactExplanation { decimals: Some(decimals), except, .. }), ..) => {
            let cause = Cause::Rounding { decimals: *decimals, except: *except };
            Draft::new(subject, rows, &odd, cause).about_map(seen)
        }
        (_, _, Some(nearly)) => Draft::new(subject, rows, &odd, nearly),
        _ if twins.is_some() => Draft::new(subject, rows, &odd, Cause::Chance),
        _ => match by_outcome.less_frequent(subject) {
            Some(odd) => Draft::new(subject, &shown, &odd, by_outcome.pieces(subject, &odd, None)),
            None => Draft::new(subject, rows, &odd, Cause::Unexplained),
        },
    };
    Draft { twins, ..draft }
}

/// All rows of both, ascending.
fn union(one: &[usize], other: Vec<usize>) -> Vec<usize> {
    one.iter().copied().chain(other).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Of steps that are the same as a row, the first, whatever the order in which they were read.
fn first_place(
    rows: &ActionRows,
    row: usize,
    places: &BTreeMap<usize, StepPlace>,
) -> Option<StepPlace> {
    rows.alike(row).filter_map(|row| places.get(&row)).min_by_key(|place| place.key()).cloned()
}

impl Draft {
    /// A cause that is claimed of some rows, with the odd ones among them.
    fn new(subject: Subject, rows: &RowSubset<'_>, odd: &[usize], cause: Cause) -> Self {
        Draft {
            about: vec![subject],
            counted: rows.places.clone(),
            odd: rows.placed(odd),
            twins: None,
            cause,
        }
    }

    /// Claims about a map are about the rows in which the change is the function's own.
    fn about_map(mut self, seen: &ActionObservations<'_>) -> Self {
        let function = self.about.first().and_then(|subject| subject.function());
        let table = function.and_then(|function| exact::ChangeTable::of(seen, function));
        if let Some(table) = table {
            self.counted = table.rows;
        }
        self
    }

    /// Whether it says what another draft says. What is to be done about all numbers alike is said
    /// once.
    fn repeats(&self, known: &Draft) -> bool {
        matches!(self.cause, Cause::Rounding { .. })
            && (&known.cause, &known.counted) == (&self.cause, &self.counted)
    }

    /// Says the same of the subject of another draft.
    fn join(&mut self, other: Draft) {
        self.about.extend(other.about);
        self.counted = union(&self.counted, other.counted);
        self.odd = union(&self.odd, other.odd);
        self.twins = self.twins.or(other.twins);
    }

    /// The rows whose places are to be named.
    pub fn wanted<'a>(&'a self, rows: &'a ActionRows) -> impl Iterator<Item = usize> + 'a {
        let twins =
            self.twins.into_iter().flatten().flat_map(|row| rows.alike(row).take(LOOKED_UP));
        self.odd.iter().take(LOOKED_UP).copied().chain(twins)
    }

    /// The diagnosis, once it is known where rows are.
    pub fn placed(
        self,
        learner: &Learner,
        action: ActionId,
        rows: &ActionRows,
        places: &BTreeMap<usize, StepPlace>,
    ) -> Diagnosis {
        let seen = ActionObservations { learner, action, rows: &rows.observations };
        let unknown = (0..rows.observations.len())
            .filter(|row| self.counted.binary_search(row).is_err())
            .filter(|&row| !rows.observations[row].is_complete())
            .count();
        let mut found: Vec<StepPlace> =
            self.odd.iter().filter_map(|row| places.get(row).cloned()).collect();
        found.sort_by(|one, other| one.key().cmp(&other.key()));
        found.truncate(PLACES);
        let twins = self.twins.and_then(|[one, other]| {
            let mut pair = [first_place(rows, one, places)?, first_place(rows, other, places)?];
            pair.sort_by(|one, other| one.key().cmp(&other.key()));
            Some(pair)
        });
        Diagnosis {
            action: learner.domain().action_name(action).to_owned(),
            about: self.about.iter().map(|subject| seen.written(*subject)).collect(),
            steps: rows.total,
            looked_at: self.counted.len(),
            unknown,
            odd: self.odd.len(),
            places: found,
            twins,
            tried: false,
            cause: self.cause,
        }
    }
}

/// Writes what is in an action's parameters.
fn writer(learner: &Learner, action: ActionId) -> Writer<'_> {
    let domain = learner.domain();
    Writer::new(domain, &domain.signature.constants)
        .with_parameters(&domain.action(action).parameters)
}
