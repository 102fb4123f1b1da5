//! The command line as typed.

mod recorded;
mod tidy;

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ColorChoice, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use surefoot_base::pddl::Numbers;
use surefoot_learn::{OnBadData, SetAsideLimit};

pub use recorded::RecordedArguments;
pub use tidy::{all_options, command_line};

use crate::dials::{Dials, SafeDials};
use surefoot_io::tolerance::Tolerance;
use surefoot_lab::generate::GENERATORS;
use surefoot_lab::planner::{PLANNERS, PlannerPlaces, names};

/// Learns safe PDDL action models from recorded executions.
#[derive(Parser)]
#[command(
    name = "surefoot",
    version,
    about,
    max_term_width = 100,
    arg_required_else_help = true,
    after_help = EXIT_CODES,
)]
pub struct CommandLine {
    /// When to use colour: on terminals unless NO_COLOR is set, always, or never
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value_t,
        hide_possible_values = true,
        display_order = 1000
    )]
    pub color: ColorChoice,
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 yes (valid, done), 1 no (invalid plan, failed step, \
rejected model, unsolved), 2 wrong input, 3 limit reached, 128 + N ended by signal N (130: \
Ctrl-C). \
Results go to standard output, everything else to standard error. A file called - is standard \
input or output. With --format json an \
error is one JSON object on standard error.";

/// How a command speaks.
#[derive(Args)]
pub struct Speech {
    /// How to print the result, and errors
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Print only the result: no summary, notes or progress; errors and warnings remain
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Subcommand)]
pub enum Command {
    /// Show what surefoot does: generate problems and traces, learn a model, plan with it, write a
    /// report
    Demo(Demo),
    /// Read a log (CSV, TSV, JSON lines) and write it as a domain with problems and trajectories
    Import(Import),
    /// Learn action models from trajectories, or from a log
    Learn(Box<Learn>),
    /// Estimate what share of the steps in new traces the learned model would allow
    Assess(Box<Assess>),
    /// Merge the states of learners that learned from different traces
    Merge(Merge),
    /// Say why a learned model allows an action in a state, or why it does not
    Explain(Box<Explain>),
    /// Find parameters that a domain lacks or does not need, and numbers that look rounded or noisy
    Lint(Lint),
    /// Verify a learned model and its certificate against the trajectories, independently of the
    /// learner
    Check(Check),
    /// Write the problem for a model learned with --error: with initial errors, and margins in its
    /// goals
    Problem(ProblemArguments),
    /// Run a plan, and say that it is valid, or which step fails first and why
    Validate(Validate),
    /// Find a plan, with surefoot's planner or with others
    Plan(Box<PlanArguments>),
    /// Simulate a plan, and write its trajectory
    Trace(TraceArguments),
    /// Test a learned model on new records, without knowing the true rules: whether it allows what
    /// worked, and refuses what failed
    Score(ScoreArguments),
    /// Compare a learned domain with the true one, by the metrics of the paper
    Evaluate(Box<Evaluate>),
    /// Run an experiment over domains, algorithms, settings, trace counts and folds
    Experiment(ExperimentArguments),
    /// Show the results of an experiment as a page with tables and figures
    Report(ReportArguments),
    /// Count the actions, predicates and functions of domains, as in the paper's table of domains
    Inspect(Inspect),
    /// Generate problems of a built-in domain, with plans and traces if asked
    Generate(Generate),
    /// Print a completion script for a shell
    Completions(Completions),
    /// Print the manual page, or write one for each command
    Manual(Manual),
}

#[derive(Args)]
pub struct Demo {
    /// The built-in domain
    #[arg(long, value_name = "NAME", default_value = "farmland", value_parser = built_in_domains())]
    pub domain: String,
    /// Where to write everything, in a folder for this domain and seed
    #[arg(
        short,
        long,
        value_name = "FOLDER",
        value_hint = ValueHint::DirPath,
        default_value = "surefoot-demo",
    )]
    pub output: PathBuf,
    /// The seed of the problems; another seed gives other problems
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Print only the place of the report
    #[arg(short, long)]
    pub quiet: bool,
    /// How to print the story and errors; as JSON, only the places of the files
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// A domain and a problem of it.
#[derive(Args)]
pub struct TaskArguments {
    /// The domain file
    #[arg(short, long, value_name = "DOMAIN")]
    pub domain: PathBuf,
    /// The problem file
    #[arg(short, long, value_name = "PROBLEM")]
    pub problem: PathBuf,
    /// The certificate of a learned domain. If the facets exceeded the budget, it has the whole
    /// region, which then decides
    #[arg(short, long, value_name = "C.json")]
    pub certificate: Option<PathBuf>,
    #[command(flatten)]
    pub numbers: NumberPolicy,
}

#[derive(Args)]
pub struct NumberPolicy {
    /// Round the numbers of the initial state to N decimals; without it, they are exactly what is
    /// written
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub decimals: Option<u32>,
}

impl NumberPolicy {
    pub fn numbers(&self) -> Numbers {
        self.decimals.map_or(Numbers::Exact, Numbers::Decimals)
    }
}

#[derive(Args)]
pub struct Import {
    /// Logs: CSV, TSV, JSON lines, also compressed; `-`: standard input
    #[arg(value_name = "LOG", required = true)]
    pub logs: Vec<PathBuf>,
    /// A TOML file that says what the columns mean
    #[arg(long, value_name = "MAP.toml")]
    pub map: Option<PathBuf>,
    /// Guess what the columns mean, and write a map with the reason of each guess, and the domain
    /// of this map
    #[arg(long, conflicts_with = "map")]
    pub guess: bool,
    /// Where to write the domain, and a problem and a trajectory for each episode; without it, only
    /// a summary is printed. With --guess: where to write map.toml and domain.pddl; without it,
    /// they are printed
    #[arg(short, long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub output: Option<PathBuf>,
    /// How to print the summary
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Print no summary
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Args)]
pub struct Learn {
    #[command(flatten)]
    pub recorded: RecordedArguments<false>,
    /// Where to write the learned domain; without it, to standard output. A name that ends in
    /// .surefoot gets all that belongs to the model: PDDL, certificate, state, options
    #[arg(short, long, value_name = "LEARNED")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub dials: Dials<true>,
    /// What to do about steps that no model of the class explains
    #[arg(long, default_value = "stop", value_parser = on_bad_data(), value_name = "CHOICE")]
    pub on_bad_data: OnBadData,
    /// With quarantine: the largest share of an action's steps that may be set aside. If more steps
    /// contradict the others, the class of models is wrong, not the records
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = SetAsideLimit::default().share,
        value_parser = share,
    )]
    pub set_aside_share: f64,
    /// With quarantine: up to N steps of an action may be set aside, whatever their share
    #[arg(long, value_name = "N", default_value_t = SetAsideLimit::default().steps)]
    pub set_aside_steps: usize,
    /// Where to write the learner's state, which `--resume` continues and `merge` joins
    #[arg(long = "save-state", value_name = "STATE")]
    pub state: Option<PathBuf>,
    /// Continue to learn from this state, or from the state in a .surefoot file
    #[arg(long, value_name = "STATE")]
    pub resume: Option<PathBuf>,
    /// Where to write the certificate, which `surefoot check` verifies
    #[arg(long, value_name = "C.json")]
    pub certificate: Option<PathBuf>,
    /// Write sums and products with two operands each, `(+ (+ a b) c)`, for programs that cannot
    /// read more
    #[arg(long)]
    pub binary: bool,
    /// How to print the summary
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Print no summary and no progress
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Args)]
pub struct Assess {
    #[command(flatten)]
    pub recorded: RecordedArguments<true>,
    /// The confidence of each bound, in percent
    #[arg(long, value_name = "PERCENT", default_value = "95", value_parser = percent)]
    pub confidence: f64,
    /// The share of the steps of new traces that the model should allow, in percent
    #[arg(long, value_name = "PERCENT", default_value = "90", value_parser = percent)]
    pub share: f64,
    #[command(flatten)]
    pub dials: SafeDials,
    /// What to do about steps that no model of the class explains. If any is left out, no bound on
    /// what the model allows is proved
    #[arg(long, value_name = "CHOICE", default_value = "stop", value_parser = on_bad_data())]
    pub on_bad_data: OnBadData,
    /// With quarantine: the largest share of an action's steps that may be set aside
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = SetAsideLimit::default().share,
        value_parser = share,
    )]
    pub set_aside_share: f64,
    /// With quarantine: up to N steps of an action may be set aside, whatever their share
    #[arg(long, value_name = "N", default_value_t = SetAsideLimit::default().steps)]
    pub set_aside_steps: usize,
    /// How to print the assessment
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Print only the assessment, without progress
    #[arg(short, long)]
    pub quiet: bool,
}

/// A share between 0 and 1, typed in percent.
fn percent(word: &str) -> Result<f64, String> {
    let percent: Option<f64> = word.trim_end_matches('%').trim_end().parse().ok();
    match percent {
        Some(share) if share > 0.0 && share < 1.0 => {
            let meant = (share * 100.0 * 1e9).round() / 1e9;
            Err(format!("{word} is less than one percent; did you mean {meant}?"))
        }
        Some(percent) if percent > 0.0 && percent < 100.0 => Ok(percent / 100.0),
        _ => Err("expected a number of percent above 0 and below 100".into()),
    }
}

#[derive(Args)]
pub struct Merge {
    /// States, as `learn --save-state` writes them
    #[arg(value_name = "STATE", required = true)]
    pub states: Vec<PathBuf>,
    /// Where to write the merged state
    #[arg(short, long, value_name = "STATE")]
    pub output: PathBuf,
    /// What to do if no model of the class explains all steps that the states hold
    #[arg(long, value_enum, default_value_t, value_name = "CHOICE")]
    pub on_bad_data: OnMergedBadData,
    #[command(flatten)]
    pub speech: Speech,
}

/// What becomes of actions that joined states contradict each other about.
#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum OnMergedBadData {
    /// Report it, and write nothing
    #[default]
    Stop,
    /// Merge the states anyway; models leave such actions out
    SkipAction,
}

fn on_bad_tests() -> impl TypedValueParser<Value = OnBadData> {
    let choices = [
        PossibleValue::new("stop").help("Report them, and measure nothing"),
        PossibleValue::new("quarantine")
            .help("Up to two steps of an action, or one in twenty, count as recording errors"),
    ];
    PossibleValuesParser::new(choices)
        .try_map(|word| OnBadData::find(&word).ok_or("no such choice"))
}

fn on_bad_data() -> impl TypedValueParser<Value = OnBadData> {
    let choices = OnBadData::ALL.map(|(_, name, about)| PossibleValue::new(name).help(about));
    PossibleValuesParser::new(choices)
        .try_map(|word| OnBadData::find(&word).ok_or("no such choice"))
}

fn positive(word: &str) -> Result<usize, String> {
    word.parse()
        .ok()
        .filter(|&number| number > 0)
        .ok_or_else(|| "expected a whole number above zero".into())
}

#[derive(Args)]
pub struct Check {
    #[command(flatten)]
    pub recorded: RecordedArguments<true>,
    /// The learned domain, or all that belongs to it in one .surefoot file
    #[arg(short, long, value_name = "LEARNED")]
    pub model: PathBuf,
    /// Its certificate, as `learn --certificate` wrote it. A .surefoot file has its own. Only
    /// models marked NOT SAFE have none; they are rejected
    #[arg(short, long, value_name = "C.json")]
    pub certificate: Option<PathBuf>,
    /// The assumptions that you accept, one sentence a line (the header of a model will do), or
    /// `none` for nothing beyond the paper's class. A certificate that assumes more is rejected
    #[arg(long, value_name = "FILE|none")]
    pub assume: Option<PathBuf>,
    /// How to print the verdict
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Print only the verdict, without progress and notes
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Args)]
pub struct ProblemArguments {
    /// The learned domain, or all that belongs to it in one .surefoot file
    #[arg(short = 'm', long = "model", value_name = "LEARNED")]
    pub domain: PathBuf,
    /// The problem, with numbers without errors
    #[arg(short, long, value_name = "PROBLEM")]
    pub problem: PathBuf,
    /// How far initial values may be from the true ones: a number for all functions that have
    /// errors, or a map by function; without it, the errors in the header of the model
    #[arg(long, value_name = "E|ERRORS.json", allow_negative_numbers = true)]
    pub error: Option<String>,
    /// Where to write the problem; without it, to standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Where to write the model with an action for each part of an action (charge--1, charge--2),
    /// for planners that read neither `or` nor `when`
    #[arg(long, value_name = "DOMAIN")]
    pub one_action_per_part: Option<PathBuf>,
    /// Write sums and products with two operands each, `(+ (+ a b) c)`, for programs that cannot
    /// read more
    #[arg(long)]
    pub binary: bool,
    #[command(flatten)]
    pub speech: Speech,
}

#[derive(Args)]
pub struct Validate {
    #[command(flatten)]
    pub task: TaskArguments,
    /// The plan: one (action object ...) a line, with or without times, or the output of Metric-FF
    #[arg(value_name = "PLAN")]
    pub plan: PathBuf,
    /// By how much a numeric comparison may be missed (the paper uses 0.1); without it, comparisons
    /// are exact
    #[arg(
        long,
        value_name = "T",
        value_parser = Tolerance::read,
        default_value = "0",
        hide_default_value = true,
    )]
    pub tolerance: Tolerance,
    /// How to print the verdict
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Print only the verdict, without notes
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Args)]
pub struct Explain {
    #[command(flatten)]
    pub task: TaskArguments,
    /// Explain the state after this plan, not the initial one
    #[arg(long, value_name = "PLAN")]
    pub after: Option<PathBuf>,
    /// The evidence of the model, as `learn --save-state` wrote it
    #[arg(long, value_name = "STATE")]
    pub state: Option<PathBuf>,
    /// The trajectories that the model was learned from, or folders of them; with --map, logs. With
    /// them, the nearest recorded step is named with its place
    #[arg(long, value_name = "TRACE_OR_FOLDER", value_hint = ValueHint::AnyPath)]
    pub traces: Vec<PathBuf>,
    /// A TOML file that says what the columns of the logs mean
    #[arg(long, value_name = "MAP.toml", requires = "traces", conflicts_with = "problems")]
    pub map: Option<PathBuf>,
    /// The folder with the problem of each trajectory (same stem), if it is not beside it
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath, requires = "traces")]
    pub problems: Option<PathBuf>,
    #[command(flatten)]
    pub dials: Dials<false>,
    /// Print everything, not only five lines: every violated condition, the nearest vector, how to
    /// answer a question with yes
    #[arg(long)]
    pub all: bool,
    /// How to print the explanation
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// The action, such as '(drive truck1 a b)'
    #[arg(value_name = "ACTION")]
    pub action: String,
    /// Print only the explanation, without notes
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Args)]
pub struct Lint {
    #[command(flatten)]
    pub recorded: RecordedArguments<true>,
    #[command(flatten)]
    pub numbers: NumberPolicy,
    /// How to print the findings
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Print only findings: nothing if there are none
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Args)]
pub struct PlanArguments {
    #[command(flatten)]
    pub task: TaskArguments,
    /// Where to write the plan; without it, to standard output
    #[arg(short, long, value_name = "PLAN")]
    pub output: Option<PathBuf>,
    /// Print only the plan
    #[arg(short, long)]
    pub quiet: bool,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    #[command(flatten)]
    pub planners: PlannerArguments,
    /// Give the planner an action for each part of an action (charge--1, charge--2), if it reads
    /// neither `or` nor `when`. The plan has the real actions
    #[arg(long)]
    pub one_action_per_part: bool,
    /// Run the planners at once; the first plan wins, and the others are stopped
    #[arg(long)]
    pub race: bool,
    /// Stop after this many seconds, all planners taken together
    #[arg(long, value_name = "S", default_value = "300", value_parser = seconds)]
    pub time_limit: Duration,
    /// The most memory of each planner, in MB
    #[arg(
        long,
        value_name = "MB",
        default_value_t = 4096,
        value_parser = clap::value_parser!(u64).range(1..=1 << 30),
    )]
    pub memory_limit: u64,
}

/// Which planners, where they are, and how our own one searches.
#[derive(Args)]
#[command(next_help_heading = "Planners")]
pub struct PlannerArguments {
    #[arg(
        long = "planner",
        value_name = "NAMES_OR_COMMAND",
        default_value = "builtin",
        help = planners_help(),
    )]
    pub planners: Vec<String>,
    #[command(flatten)]
    pub places: PlannerPlaces,
    /// builtin: improve the plan by its metric, or its length, until the time is up or no plan is
    /// better
    #[arg(long)]
    pub minimize: bool,
    /// builtin: the seed that breaks ties; the same seed gives the same plan
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// builtin: the number of cores to use
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = positive)]
    pub threads: usize,
}

fn planners_help() -> String {
    format!(
        "{}, several with commas between them, or a command such as 'my-planner {{domain}} \
         {{problem}} {{plan}}'. The planners run in turn, each with a share of the time. May be \
         given more than once; a command, with its commas, is one planner",
        names(PLANNERS)
    )
}

fn coverage_help() -> String {
    let names = names(PLANNERS);
    format!(
        "Also solve the problems with the learned domain: {names}, several with + between them \
         to run one after the other, or a command with {{domain}} and {{problem}} in it"
    )
}

#[derive(Args)]
pub struct TraceArguments {
    #[command(flatten)]
    pub task: TaskArguments,
    /// The plan
    #[arg(value_name = "PLAN")]
    pub plan: PathBuf,
    /// Where to write the trajectory; without it, to standard output
    #[arg(short, long, value_name = "TRACE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub speech: Speech,
}

#[derive(Args)]
pub struct Evaluate {
    /// The real domain
    #[arg(long, value_name = "DOMAIN")]
    pub truth: PathBuf,
    /// The learned domain, or all that belongs to it in one .surefoot file
    #[arg(short = 'm', long = "model", value_name = "LEARNED")]
    pub learned: PathBuf,
    /// The certificate of the learned domain. If the facets exceeded the budget, the whole region
    /// is measured, not the part in PDDL
    #[arg(short, long, value_name = "CERTIFICATE")]
    pub certificate: Option<PathBuf>,
    /// The evidence of the model, as `learn --save-state` wrote it. If attempts failed, the figures
    /// then say how often a step is allowed, forbidden or unknown
    #[arg(long, value_name = "STATE", requires = "certificate")]
    pub state: Option<PathBuf>,
    /// A folder of test problems: files that end in .pddl, other than domain.pddl
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub problems: PathBuf,
    /// A folder of test trajectories, whose steps are compared too
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub traces: Option<PathBuf>,
    /// What to do if the real domain does not replay the recorded steps of --traces, or of
    /// trajectories beside the problems
    #[arg(long, default_value = "stop", value_parser = on_bad_tests(), value_name = "CHOICE")]
    pub on_bad_data: OnBadData,
    /// The number of random walks from each problem
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub walks: usize,
    /// The number of steps of a walk
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub steps: usize,
    /// The share of a walk's steps that the real domain does not allow, from 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.25, value_parser = share)]
    pub inapplicable: f64,
    /// The seed of the walks
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub seed: u64,
    #[arg(long, value_name = "PLANNER", help = coverage_help())]
    pub planner: Option<String>,
    /// The time of each planner for each problem, in seconds
    #[arg(long, value_name = "S", default_value = "60", value_parser = seconds)]
    pub time_limit: Duration,
    /// Round recorded numbers to N decimals; without it, they are exactly what is written
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub decimals: Option<u32>,
    /// By how much a numeric comparison may be missed, in both domains and by ENHSP (the paper uses
    /// 0.1); without it, comparisons are exact
    #[arg(
        long,
        value_name = "T",
        value_parser = Tolerance::read,
        default_value = "0",
        hide_default_value = true,
    )]
    pub tolerance: Tolerance,
    /// How to print the figures
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Print only the figures, without notes and progress
    #[arg(short, long)]
    pub quiet: bool,
}

fn share(word: &str) -> Result<f64, String> {
    word.parse()
        .ok()
        .filter(|share| (0.0..=1.0).contains(share))
        .ok_or_else(|| "expected a number from 0 to 1".into())
}

#[derive(Args)]
pub struct ExperimentArguments {
    /// The configuration
    #[arg(value_name = "CONFIG.toml")]
    pub config: PathBuf,
    /// Where to write the results; a run that was stopped continues there
    #[arg(short, long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub output: PathBuf,
    /// The folder that has the folders of traces, if they are not beside the configuration
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub traces_root: Option<PathBuf>,
    /// Print the number of cells and how long they would take, and stop
    #[arg(long)]
    pub dry_run: bool,
    /// The number of cells to work on at once; without it, one for each core
    #[arg(long, value_name = "N", value_parser = positive)]
    pub jobs: Option<usize>,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
    /// How to print the summary, and errors
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Args)]
pub struct ReportArguments {
    /// The folder that `surefoot experiment` wrote
    #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    /// Where to write the page; without it, FOLDER/report.html. Tables and figures go into a folder
    /// of the same stem beside it. With -, only the page is printed
    #[arg(short, long, value_name = "PAGE.html")]
    pub output: Option<PathBuf>,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
    /// How to print what was written, and errors
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Args)]
pub struct ScoreArguments {
    /// Trajectories, or folders of them; with --map, logs: CSV, TSV, JSON lines, also compressed,
    /// `-` for standard input
    #[arg(value_name = "TRACE_OR_FOLDER", required = true)]
    pub records: Vec<PathBuf>,
    /// The learned domain, or all that belongs to it in one .surefoot file
    #[arg(short, long, value_name = "LEARNED")]
    pub model: PathBuf,
    /// The domain of the trajectories, if the learned one lacks some of their actions
    #[arg(short, long, value_name = "DOMAIN")]
    pub domain: Option<PathBuf>,
    /// A TOML file that says what the columns of a log mean; with it, the records are logs
    #[arg(long, value_name = "MAP.toml", conflicts_with_all = ["domain", "problems"])]
    pub map: Option<PathBuf>,
    /// The folder with the problem of each trajectory (same stem), if it is not beside it
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub problems: Option<PathBuf>,
    /// Round recorded numbers to N decimals; without it, as the stamp of the model says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub decimals: Option<u32>,
    /// Read recorded steps as failed attempts if they changed nothing although the effects of their
    /// action change something; without it, as the stamp of the model says
    #[arg(long, value_name = "HOW", value_parser = ["failed"])]
    pub unchanged: Option<String>,
    #[command(flatten)]
    pub speech: Speech,
}

#[derive(Args)]
pub struct Inspect {
    /// Domain files, or names of built-in domains
    #[arg(value_name = "DOMAIN", required = true)]
    pub domains: Vec<PathBuf>,
    /// Also count, in brackets, what a map of relevant functions leaves; built-in domains have
    /// their own map
    #[arg(long, value_name = "RELEVANT.json")]
    pub relevant: Option<PathBuf>,
    /// Count products of functions up to this degree
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=1000),
    )]
    pub degree: u32,
    /// How to print the table
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Print only the table, without notes
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Args)]
pub struct Generate {
    /// A built-in domain
    #[arg(
        value_name = "DOMAIN",
        required_unless_present = "list",
        value_parser = built_in_domains(),
    )]
    pub domain: Option<String>,
    /// List the domains, or the sizes of DOMAIN
    #[arg(long)]
    pub list: bool,
    /// The folder for domain.pddl and the problems
    #[arg(
        short,
        long,
        value_name = "FOLDER",
        value_hint = ValueHint::DirPath,
        required_unless_present = "list",
    )]
    pub output: Option<PathBuf>,
    /// The number of problems; a larger number keeps the first ones as they are
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10,
        value_parser = clap::value_parser!(u64).range(1..=1_000_000),
    )]
    pub count: u64,
    /// The seed of the problems; another seed gives other problems
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// A size of DOMAIN, or the range to draw it from for each problem, such as trucks=3 or
    /// trucks=3..30
    #[arg(long = "size", value_name = "NAME=RANGE")]
    pub sizes: Vec<String>,
    /// Multiply the usual number of everything that can be counted by K
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = positive)]
    pub scale: usize,
    /// Also write plans that solve the problems (.solution)
    #[arg(long)]
    pub plans: bool,
    /// Also write the trajectories of these plans (.trajectory)
    #[arg(long)]
    pub traces: bool,
    /// Overwrite files with other content
    #[arg(long)]
    pub force: bool,
    /// Print no summary
    #[arg(short, long)]
    pub quiet: bool,
    /// How to print the summary, or the list, and errors
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

fn built_in_domains() -> PossibleValuesParser {
    PossibleValuesParser::new(GENERATORS.iter().map(|generator| generator.name))
}

#[derive(Args)]
pub struct Completions {
    /// The shell
    pub shell: Shell,
    #[command(flatten)]
    pub speech: Speech,
}

#[derive(Args)]
pub struct Manual {
    /// Write surefoot.1 and a page for each command into this folder; without it, surefoot.1 goes
    /// to standard output
    #[arg(short, long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub speech: Speech,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Text,
    /// For machines
    Json,
}

fn seconds(word: &str) -> Result<Duration, String> {
    let seconds: Option<f64> = word.parse().ok().filter(|&seconds| seconds > 0.0);
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    // Deadlines are instants, and have an end.
    duration
        .filter(|duration| duration.as_secs() < 1 << 32)
        .ok_or_else(|| "expected a number of seconds above zero".into())
}
