//! The assumptions of a learned model: one value, chosen by the user, stored with the model, and
//! worded once.
//!
//! Every promise is relative to a class of models. [`Assumptions`] is that class with its dials, in
//! names and texts rather than ids, so that it can be written to a certificate and read back. The
//! header of a model and the verdict of the checker (`surefoot-check`) both print
//! [`Assumptions::in_words`]. If the given domain shows that the class does not fit, both print
//! [`misfits`].

mod body;
mod error;
mod misfit;
mod repair;
mod spec;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

pub use body::ActionBody;
pub use error::{ErrorBound, ErrorMap, short_number};
pub use misfit::{Misfit, misfits};
pub use repair::Repair;
pub use spec::{
    DIALS, Declared, Dial, DialError, DialGroup, FactDeclarations, MonotoneMap, RelevantMap, Spec,
    Takes, Unchanged,
};

use crate::model::Domain;
use crate::pddl::visible;

/// The sentence about recorded steps that changed nothing.
const UNCHANGED_FAILED: &str = "A recorded step that changed nothing is a failed attempt if the \
                                effects of its action would have changed something there: all \
                                effects that explain the steps that did change something. \
                                Otherwise, it counts neither as worked nor as failed.";

/// How the sentence about a declared fact begins. Trajectories, states and certificates keep
/// sentences and nothing else about them, so this beginning is part of their formats.
const DECLARED: &str = "Declared, not learned: ";

/// Whether a sentence says that the changes of a fact were declared, not recorded.
pub fn is_of_declared(sentence: &str) -> bool {
    sentence.starts_with(DECLARED)
}

/// Marks sentences that are true of one log, read in one go. A digest of the facts that this log
/// mentions follows, so the sentences of two logs are equal only if both mention the same facts.
/// Part of the formats of trajectories, states and certificates, as the beginning above is.
pub const OF_ONE_LOG: &str = " The facts that they mention have the digest ";

/// The sentences that are true of one log.
pub fn of_one_log<'s>(
    sentences: impl IntoIterator<Item = &'s String>,
) -> impl Iterator<Item = &'s str> {
    sentences.into_iter().map(String::as_str).filter(|sentence| sentence.contains(OF_ONE_LOG))
}

/// Which actions are learned from how much evidence.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// Every observed action, from its first observation on.
    #[default]
    NsamStar,
    /// Every action with at least one more distinct observed vector than it has functions.
    Nsam,
    /// Every action with at least one more affinely independent observed vector than it has
    /// functions, as the paper's Algorithm 1 asks.
    NsamLiteral,
    /// Every observed action, by its Boolean part alone; numbers are not modelled.
    Sam,
}

impl Algorithm {
    /// All of them, the usual one first.
    pub const ALL: [Algorithm; 4] =
        [Algorithm::NsamStar, Algorithm::Nsam, Algorithm::NsamLiteral, Algorithm::Sam];

    /// Its name on the command line, in configurations and in certificates.
    pub const fn name(self) -> &'static str {
        match self {
            Algorithm::NsamStar => "nsam-star",
            Algorithm::Nsam => "nsam",
            Algorithm::NsamLiteral => "nsam-literal",
            Algorithm::Sam => "sam",
        }
    }

    /// The algorithm of a name.
    pub fn find(name: &str) -> Option<Algorithm> {
        Algorithm::ALL.into_iter().find(|algorithm| algorithm.name() == name)
    }

    /// What it learns, for help.
    pub const fn about(self) -> &'static str {
        match self {
            Algorithm::NsamStar => "N-SAM*: every observed action",
            Algorithm::Nsam => "N-SAM: actions with more distinct observed vectors than functions",
            Algorithm::NsamLiteral => {
                "N-SAM, literal: actions with more affinely independent observed vectors than \
                 functions"
            }
            Algorithm::Sam => "SAM: the Boolean part alone",
        }
    }

    /// The paper's name of it.
    pub const fn title(self) -> &'static str {
        match self {
            Algorithm::NsamStar => "N-SAM*",
            Algorithm::Nsam => "N-SAM",
            Algorithm::NsamLiteral => "N-SAM, literal",
            Algorithm::Sam => "SAM",
        }
    }
}

/// Which way a function, or a product of functions, may move without leaving the real precondition.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Monotone {
    /// More of the function never makes an action inapplicable.
    More,
    /// Less of the function never makes an action inapplicable.
    Less,
    /// It does not matter.
    Any,
}

impl Monotone {
    /// The directions along which the real precondition is closed.
    pub fn signs(self) -> &'static [i64] {
        match self {
            Monotone::More => &[1],
            Monotone::Less => &[-1],
            Monotone::Any => &[1, -1],
        }
    }
}

/// A recorded step that is taken for a recording error and left out.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetAside {
    /// The digest of its trajectory.
    pub trace: String,
    /// Its number in it, from 0.
    pub step: usize,
    /// Where it is and what is odd about it, for people.
    pub what: String,
}

/// The class of models for which a learned model is safe, in addition to what every learned model
/// assumes.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Assumptions {
    /// The dials. The names of actions are in lower case here, and functions and products as they
    /// are written.
    pub spec: Spec,
    /// The steps that are taken for recording errors.
    pub set_aside: BTreeSet<SetAside>,
    /// Records that may be wrong: they contradict others, and their actions were left out.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub doubtful: BTreeSet<SetAside>,
    /// The actions that were left out since their records contradict each other, where the states
    /// of these records are taken to be right.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub trusted: BTreeSet<String>,
    /// By digest of the trajectory: recorded steps that changed nothing and are read as failed
    /// attempts.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub read_as_failed: BTreeMap<String, BTreeSet<usize>>,
    /// By action, in lower case: the values of its inputs, as PDDL. They follow from the domain.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, Vec<String>>,
}

/// What `forbidden` assumes in addition to the assumptions of a model.
pub const FAILS_ONLY: &str = "A step fails only because its precondition does not hold.";

/// What a sentence is about.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum About {
    /// What was recorded, and how.
    Records,
    /// The form of preconditions.
    Conjunctions,
    /// The form of effects.
    Unconditional,
    /// What conditions and effects mention.
    Mentions,
    /// The form of numeric conditions and effects.
    Numbers,
    /// Numbers that whoever acts chooses before a step.
    Inputs,
    /// The parts of the states in each of which an action behaves in one way.
    Parts(String),
    /// The relevant functions of an action.
    Relevant(String),
    /// How exact recorded numbers are.
    Decimals,
    /// How far recorded numbers are from the true ones.
    Error,
    /// How many decimals the coefficients of effects have.
    EffectDecimals,
    /// How many functions a condition mentions.
    Arity,
    /// How many functions an effect reads.
    EffectArity,
    /// What may grow or shrink without harm to an action.
    Mark(String, String),
    /// That preconditions have no negative atoms.
    PositivePreconditions,
    /// A fact whose changes were declared, not recorded.
    Declared(String),
    /// How the records were made from a log.
    Reading,
    /// A step that is taken for a recording error.
    SetAside,
    /// Steps that are read as failed attempts.
    Unchanged,
}

/// An assumption in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sentence {
    /// What it is about.
    pub about: About,
    /// The sentence, on one line, without control characters.
    pub words: String,
}

impl Assumptions {
    /// The inputs of a domain, by action.
    pub fn inputs_of(domain: &Domain) -> BTreeMap<String, Vec<String>> {
        let of = |id| (domain.action_name(id).to_ascii_lowercase(), domain.inputs_of(id));
        domain.action_ids().map(of).filter(|(_, values)| !values.is_empty()).collect()
    }

    /// What the header of a model promises, if the sentences of [`Assumptions::in_words`] are true.
    pub fn heading(&self) -> &'static str {
        match self.spec.error.is_empty() {
            true => {
                "Every plan made with this domain can be executed in the real world, and does what \
                 it says, if:"
            }
            false => {
                "Numbers of this domain are known only within errors: plan for the problem that \
                 `surefoot problem` writes, with initial errors and with margins in its goal. \
                 From every true state within the initial errors, every such plan can be executed \
                 in the real world and reaches the goal, and no number is further off than its \
                 error-of function says, if:"
            }
        }
    }

    /// What must be true of the real world for the promise to hold, one sentence a line. No line
    /// contains a control character.
    pub fn in_words(&self) -> Vec<String> {
        self.sentences().into_iter().map(|sentence| sentence.words).collect()
    }

    /// Each assumption as a sentence, with the part of the model that it is about.
    pub fn sentences(&self) -> Vec<Sentence> {
        let all = self.class().into_iter().chain(self.beyond_the_paper());
        all.map(|(about, words)| Sentence { about, words: visible(&words).into_owned() }).collect()
    }

    /// Whether a product of functions is among those that the degree admits.
    pub fn within_degree<T: PartialEq>(&self, factors: &[T]) -> bool {
        let distinct = (1..factors.len()).all(|place| !factors[..place].contains(&factors[place]));
        factors.len() <= self.spec.degree as usize && (self.spec.squares || distinct)
    }

    /// What every model of this algorithm assumes: the paper's class, with what the paper leaves
    /// unsaid.
    fn class(&self) -> Vec<(About, String)> {
        let products = self.spec.relevant.values().flatten().any(|listed| listed.starts_with("(*"));
        let listed = if products { " in functions and in the products listed below" } else { "" };
        let numbers = match (self.spec.algorithm, self.spec.degree) {
            (Algorithm::Sam, _) => {
                "SAM learns atoms only: the promise is about atoms, and holds if no real \
                 precondition reads a number."
                    .to_owned()
            }
            (_, 1) => format!(
                "Numeric conditions are linear{listed}, and each function is changed by at most \
                 one effect of an action: an increase, a decrease or an assignment of a linear \
                 formula, or a scaling by a number."
            ),
            (_, degree) => {
                let which = if self.spec.squares {
                    "functions, which may repeat"
                } else {
                    "different functions"
                };
                format!(
                    "Numeric conditions are linear in products of at most {degree} {which}, and \
                     each function is changed by at most one effect of an action: an increase, a \
                     decrease or an assignment of an expression that is linear in such products, \
                     or a scaling by \
                     a number."
                )
            }
        };
        let class = [
            (
                About::Records,
                "Recorded states are complete, except for values that they mark as unknown. Every \
                 step recorded as a success succeeded, except those that another line here names. \
                 Actions are deterministic.",
            ),
            (
                About::Conjunctions,
                "Preconditions are conjunctions of literals and of numeric comparisons (=, <, <=, \
                 >, >=), without negated numeric \
                 equations.",
            ),
            (
                About::Unconditional,
                "Effects are unconditional: an action adds and deletes the same atoms, and changes \
                 the same functions, whenever it \
                 is taken.",
            ),
            (
                About::Mentions,
                "Conditions and effects mention only constants and the parameters of their \
                 action. Each argument has a type that the domain declares for its position. No \
                 atom or function has the same parameter twice.",
            ),
            (About::Numbers, &numbers),
        ];
        class.into_iter().map(|(about, words)| (about, words.to_owned())).collect()
    }

    /// The assumptions in addition to the class of the paper, all of which the user asked for. SAM
    /// assumes nothing about numbers.
    fn beyond_the_paper(&self) -> Vec<(About, String)> {
        let parts = self.spec.parts.iter();
        let mut sentences: Vec<(About, String)> = parts
            .map(|(action, parts)| (About::Parts(action.clone()), parts.sentence(action)))
            .collect();
        if self.spec.algorithm != Algorithm::Sam {
            sentences.extend(self.about_numbers());
        }
        sentences.extend(self.about_inputs().into_iter().map(|words| (About::Inputs, words)));
        if self.spec.positive_preconditions {
            sentences.push((
                About::PositivePreconditions,
                "Preconditions have no negative atoms.".to_owned(),
            ));
        }
        if self.spec.unchanged == Some(Unchanged::Failed) {
            sentences.push((About::Unchanged, UNCHANGED_FAILED.to_owned()));
        }
        let declared = self
            .spec
            .declared
            .iter()
            .map(|(fact, declared)| (About::Declared(fact.clone()), declared.sentence(fact)));
        let reading = self.spec.reading.iter().map(|words| (About::Reading, words.clone()));
        // A record may bring the very sentence that the user or the domain says, too.
        let mut told: BTreeSet<String> =
            sentences.iter().map(|(_, words)| visible(words).into_owned()).collect();
        sentences.extend(declared.chain(reading).filter(|(_, words)| told.insert(words.clone())));
        let aside = self.set_aside.iter().map(|step| {
            let what = &step.what;
            format!(
                "Set aside, on the assumption that it was recorded wrongly: {what} If it is \
                     right, something that is not recorded decides."
            )
        });
        let doubtful = self.doubtful.iter().map(|record| {
            format!("Perhaps recorded wrongly, so its action was left out: {}", record.what)
        });
        let trusted = self.trusted.iter().map(|action| {
            format!(
                "{action} was left out, since its records contradict each other. The states in \
                 which these records begin and end are assumed to be recorded correctly, and \
                 other actions are learned from them."
            )
        });
        let words = aside.chain(doubtful).chain(trusted);
        sentences.extend(words.map(|words| (About::SetAside, words)));
        if !(self.set_aside.is_empty() && self.doubtful.is_empty()) {
            let words = "A recording error may spoil further states of its trajectory. Nothing \
                         was learned from records that begin or end in such a state.";
            sentences.push((About::SetAside, words.to_owned()));
        }
        sentences
    }

    /// What it means that some parameters are numbers.
    pub fn about_inputs(&self) -> Vec<String> {
        if self.inputs.is_empty() {
            return Vec::new();
        }
        let chosen = self.inputs.iter().flat_map(|(action, values)| {
            values.iter().map(move |value| {
                format!(
                    "Whoever acts chooses {value} of {action} before the step; it is not an \
                     outcome of the step."
                )
            })
        });
        let between = "Actions read chosen numbers only as numbers: a number between two numbers \
                       that worked works, too. (This is false of codes and tariffs: they are \
                       objects, not inputs.)";
        chosen.chain([between.to_owned()]).collect()
    }

    fn about_numbers(&self) -> Vec<(About, String)> {
        let mut sentences = Vec::new();
        for (action, listed) in &self.spec.relevant {
            let products = match (self.spec.degree, listed.len()) {
                (1, _) | (_, 0) => String::new(),
                (degree, _) => format!(", and products of at most {degree} of these functions"),
            };
            let listed = if listed.is_empty() { "no number".to_owned() } else { listed.join(", ") };
            let words = format!(
                "The conditions and effects of {action} read only {listed}{products} (a scaling \
                 reads the function that it scales). It changes no other function, except those \
                 that change in a step that surefoot learned from."
            );
            sentences.push((About::Relevant(action.clone()), words));
        }
        if let Some(places) = self.spec.decimals {
            let words = format!(
                "Recorded numbers were rounded to {places} decimals; the rounded numbers are \
                 exact."
            );
            sentences.push((About::Decimals, words));
        }
        sentences.extend(
            error::sentences(&self.spec.error).into_iter().map(|words| (About::Error, words)),
        );
        if !self.spec.error.is_empty() && !self.spec.relevant.is_empty() {
            let words = "An action that has such a list, and may mention an inexact function, \
                         changes only functions of its list.";
            sentences.push((About::Error, words.to_owned()));
        }
        if let Some(places) = self.spec.effect_decimals {
            let places =
                if places == 1 { "1 decimal".to_owned() } else { format!("{places} decimals") };
            let words = format!(
                "Each real numeric effect sets a function to a constant plus multiples of values \
                 before the step. The constant and the factors have at most {places} each. (To \
                 divide by 4 is to multiply by 0.25.)"
            );
            sentences.push((About::EffectDecimals, words));
        }
        if let Some(arity) = self.spec.arity {
            let words = format!(
                "Each numeric condition of a real precondition mentions at most {}.",
                functions(arity)
            );
            sentences.push((About::Arity, words));
        }
        if let Some(arity) = self.spec.effect_arity {
            let words = format!(
                "The right-hand side of each real numeric effect reads at most {}; a scaling reads \
                 the function it scales.",
                functions(arity)
            );
            sentences.push((About::EffectArity, words));
        }
        for (action, marks) in &self.spec.monotone {
            let has_parts = self.spec.parts.keys().any(|parted| {
                action == parted || action.strip_prefix(&format!("{parted}--")).is_some()
            });
            let everywhere = match has_parts {
                true => {
                    " This is about the action of each part in all states, also outside its part."
                }
                false => "",
            };
            for (column, mark) in marks {
                let words = match mark {
                    Monotone::More => {
                        format!("More of {column} never makes {action} inapplicable.")
                    }
                    Monotone::Less => {
                        format!("Less of {column} never makes {action} inapplicable.")
                    }
                    Monotone::Any => {
                        format!(
                            "Whether {action} is applicable does not depend on {column}, nor on \
                             whether {column} has a value."
                        )
                    }
                };
                let words = words + everywhere;
                sentences.push((About::Mark(action.clone(), column.clone()), words));
            }
        }
        sentences
    }
}

impl Declared {
    /// What is assumed of a fact that is declared so.
    pub fn sentence(&self, fact: &str) -> String {
        let name = fact.trim_start_matches('(').split([' ', ')']).next().unwrap_or(fact);
        format!(
            "{DECLARED}{fact} {}. No other change of {name} happens, unless it is declared, too.",
            self.in_words()
        )
    }

    /// `is made true by pick and false by place`
    fn in_words(&self) -> String {
        let by = |actions: &[String]| actions.join(" and ").to_ascii_lowercase();
        match (&self.from[..], &self.until[..]) {
            ([], []) => "is changed by no action".to_owned(),
            (from, []) => format!("is made true by {}", by(from)),
            ([], until) => format!("is made false by {}", by(until)),
            (from, until) => format!("is made true by {} and false by {}", by(from), by(until)),
        }
    }
}

fn functions(arity: usize) -> String {
    if arity == 1 { "1 function".into() } else { format!("{arity} functions") }
}
