//! The results in words and in a few numbers. Everything said here is computed from the summary.

use surefoot_analysis::evaluate::Metric;

use super::numbers::{percent, shown};
use super::results::{Figure, Results};
use super::views::{algorithm, heading, is_safe};
use crate::experiment::config::DomainConfig;
use crate::experiment::measure::{FailedPart, Standing};
use surefoot_io::output::{count, shown_path};

/// A number to begin with.
pub struct Tile {
    pub number: String,
    pub name: String,
    pub note: String,
}

pub fn title(results: &Results) -> String {
    if results.config.title.is_empty() {
        "An experiment".into()
    } else {
        results.config.title.clone()
    }
}

/// The first sentence of the page: what the experiment ran.
pub fn lead(results: &Results) -> String {
    let config = &results.config;
    let with_results = results.algorithms().into_iter().filter(|word| results.summary.has(word));
    let names: Vec<String> = with_results.map(algorithm).collect();
    let tolerance = &config.test.tolerance;
    let missed =
        if tolerance.is_zero() { String::new() } else { format!(" {}.", tolerance.in_words()) };
    format!(
        "{} learned action models of {} from {} recorded executions, with {}, in {} folds (seed \
         {}).{missed}",
        if names.is_empty() { "No learner".into() } else { listed(&names) },
        count(config.domains.len(), "domain"),
        range(&config.traces),
        count(config.settings.len(), "setting"),
        config.folds,
        config.seed
    )
}

/// `a`, `a and b`, `a, b and c`.
pub fn listed(names: &[String]) -> String {
    match names {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => names.concat(),
    }
}

fn range(numbers: &[usize]) -> String {
    match (numbers.iter().min(), numbers.iter().max()) {
        (Some(low), Some(high)) if low < high => format!("{low} to {high}"),
        (Some(only), _) => only.to_string(),
        _ => "no".into(),
    }
}

/// Figures of a metric where the learner was told the truth, with the most traces of each domain,
/// setting and algorithm.
fn converged(results: &Results, metric: Metric) -> Vec<&Figure> {
    let last = results.lines().filter_map(|line| results.summary.last(line, metric));
    last.filter(|figure| figure.standing == Standing::Holds).collect()
}

fn extremes<'a>(figures: &[&'a Figure]) -> Option<(&'a Figure, &'a Figure)> {
    let least = figures.iter().min_by(|one, other| one.mean.total_cmp(&other.mean))?;
    let most = figures.iter().max_by(|one, other| one.mean.total_cmp(&other.mean))?;
    Some((least, most))
}

fn mean(figures: &[&Figure]) -> f64 {
    figures.iter().map(|figure| figure.mean).sum::<f64>() / figures.len().max(1) as f64
}

/// The average of what a metric came to, as it is shown.
fn converged_mean(results: &Results, metric: Metric) -> String {
    shown(mean(&converged(results, metric)))
}

/// Every mean of a metric under assumptions that hold, whatever the number of traces.
fn everywhere(results: &Results, metric: Metric) -> Vec<&Figure> {
    results.summary.of(metric).filter(|figure| figure.standing == Standing::Holds).collect()
}

/// Whose numbers are told first: those of learners that promise something. Said where there are
/// others, too.
fn whose(results: &Results) -> &'static str {
    if results.algorithms().into_iter().all(is_safe) { "" } else { " of the safe learners" }
}

pub fn tiles(results: &Results) -> Vec<Tile> {
    let mut tiles = Vec::new();
    let whose = whose(results);
    if let Some((least, _)) = extremes(&everywhere(results, Metric::SemanticPrecision)) {
        tiles.push(Tile {
            number: shown(least.mean),
            name: format!("precision{whose}, at worst"),
            note: "what a model allows really works".into(),
        });
    }
    for (metric, name, note) in [
        (Metric::SemanticRecall, "recall", "of what works is allowed"),
        (Metric::Coverage, "coverage", "of test problems are solved"),
    ] {
        let figures = converged(results, metric);
        if !figures.is_empty() {
            let (name, note) =
                (format!("{name}{whose}, on average"), format!("{note}, with the most traces"));
            tiles.push(Tile { number: shown(mean(&figures)), name, note });
        }
    }
    if let Some((_, most)) = extremes(&everywhere(results, Metric::SquaredError)) {
        tiles.push(Tile {
            number: shown(most.mean),
            name: format!("error of effects{whose}, at worst"),
            note: "mean squared, where both models act".into(),
        });
    }
    tiles
}

/// The paragraphs that sum up the results.
pub fn paragraphs(results: &Results) -> Vec<String> {
    let mut paragraphs = Vec::new();
    let whose = whose(results);
    paragraphs.extend(safety(results));
    let recall = converged(results, Metric::SemanticRecall);
    if let Some((least, most)) = extremes(&recall) {
        let mut words =
            format!("Recall{whose} with the most traces is {} on average", shown(mean(&recall)));
        if least.mean < most.mean {
            words += &format!(
                ", from {} ({}) to {} ({})",
                shown(least.mean),
                whereabouts(results, least),
                shown(most.mean),
                whereabouts(results, most)
            );
        }
        words += ". ";
        words += &format!(
            "Of what really works, {} is refused for atoms, {} for numbers, {} for both, and {} \
             because the action was not learned.",
            converged_mean(results, Metric::LostBoolean),
            converged_mean(results, Metric::LostNumeric),
            converged_mean(results, Metric::LostBoth),
            converged_mean(results, Metric::LostUnlearned)
        );
        paragraphs.push(words);
    }
    let coverage = converged(results, Metric::Coverage);
    if let Some((least, most)) = extremes(&coverage) {
        let planners = results
            .config
            .planning
            .as_ref()
            .map(|planning| planning.planners.join(", "))
            .unwrap_or_default();
        let limit = results.config.planning.as_ref().map_or(0.0, |planning| planning.time_limit);
        let mut words = format!(
            "Coverage{whose} with the most traces is {} on average (planner {planners}, {limit} s \
             a problem)",
            shown(mean(&coverage))
        );
        if least.mean < most.mean {
            words += &format!(
                ", from {} ({}) to {} ({})",
                shown(least.mean),
                whereabouts(results, least),
                shown(most.mean),
                whereabouts(results, most)
            );
        }
        paragraphs.push(words + ".");
    }
    paragraphs.extend(unsafe_learners(results));
    let refuted = results
        .assumptions
        .iter()
        .filter(|row| row.standing == Standing::Refuted && is_safe(&row.algorithm))
        .count();
    let undecided =
        results.assumptions.iter().filter(|row| row.standing == Standing::Undecided).count();
    if refuted > 0 {
        paragraphs.push(format!(
            "{} of a domain, a setting and an algorithm assumed something that is not true there; \
             they are marked “refuted”, and not part of \
             the numbers above.",
            count(refuted, "combination")
        ));
    }
    if undecided > 0 {
        paragraphs.push(format!(
            "Of {} it is not decided whether what is assumed is true; they are marked “undecided”, \
             and not part of the numbers above, either.",
            count(undecided, "combination")
        ));
    }
    paragraphs.push(measured(results).into());
    let (failed, without_coverage) =
        (results.failed(FailedPart::All), results.failed(FailedPart::Coverage));
    if failed > 0 {
        paragraphs.push(format!("{} failed; see the end of this page.", count(failed, "cell")));
    }
    if without_coverage > 0 {
        paragraphs.push(format!(
            "Of {} the coverage was not measured, since a planner could not be called; all else \
             was. See the end of this page.",
            count(without_coverage, "cell")
        ));
    }
    paragraphs
}

/// Whether safe learners keep their promise in the tests. It is one about exact comparisons: with a
/// tolerance it may fail.
fn safety(results: &Results) -> Option<String> {
    let precision = everywhere(results, Metric::SemanticPrecision);
    let (least, _) = extremes(&precision)?;
    let tolerance = &results.config.test.tolerance;
    let place = format!(
        "{} ({}, {}, {} traces)",
        named(results, least),
        least.setting,
        algorithm(&least.algorithm),
        least.traces
    );
    Some(match (least.mean >= 1.0, tolerance.is_zero()) {
        (true, exact) => {
            let one = if exact {
                "exactly 1".to_owned()
            } else {
                format!("1 with comparisons within {tolerance}")
            };
            format!(
                "Safety: wherever what a safe learner was told is true of the real domain, \
                 precision is {one}, in all {} means over folds: \
                 in the tests, no model of a safe learner allowed a step that the real world \
                 refuses.",
                precision.len()
            )
        }
        (false, true) => format!(
            "Precision is below 1 although what the learner was told is true: {} in {}. A safe \
             learner must not do that; please look at \
             this case.",
            shown(least.mean),
            place
        ),
        (false, false) => format!(
            "Precision is {} in {}: with a tolerance that is possible; safety is a statement about \
             exact comparisons.",
            shown(least.mean),
            place
        ),
    })
}

/// What became of steps that learners allow which promise nothing: how many fail, over all domains,
/// with the most traces of each.
fn unsafe_learners(results: &Results) -> Vec<String> {
    let mut paragraphs = Vec::new();
    for word in results.algorithms().into_iter().filter(|word| !is_safe(word)) {
        let lines = results.lines().filter(|line| line.algorithm == word);
        let counts = lines.filter_map(|line| {
            let allowed = results.summary.last(line, Metric::StepsAllowed)?;
            Some((
                allowed.total(),
                results.summary.figure(line, allowed.traces, Metric::StepsFailing)?.total(),
            ))
        });
        let (allowed, failing) =
            counts.fold((0.0, 0.0), |sum, counts| (sum.0 + counts.0, sum.1 + counts.1));
        if allowed > 0.0 {
            paragraphs.push(format!(
                "{} promises nothing, and is not part of the numbers above: of {allowed:.0} test \
                 steps that its models allow with the most \
                 traces, {} fail in the real world.",
                algorithm(word),
                percent(failing / allowed)
            ));
        }
    }
    paragraphs
}

/// What the figures are about.
pub fn measured(results: &Results) -> &'static str {
    if results.algorithms().contains(&"sam") {
        "Measured is the learned model as it is written as PDDL: of a region with more facets than \
         the budget, that is a part. SAM models \
         atoms alone, so of it only which steps it allows and its effects on atoms are measured, \
         not numbers."
    } else {
        "Measured is the learned model as it is written as PDDL: of a region with more facets than \
         the budget, that is a part; a planner that \
         is given the certificate, too, uses the whole."
    }
}

fn named(results: &Results, figure: &Figure) -> String {
    let domain = results.config.domains.iter().find(|domain| domain.name == figure.domain);
    domain.map_or(figure.domain.clone(), heading)
}

fn whereabouts(results: &Results, figure: &Figure) -> String {
    let mut words = vec![named(results, figure)];
    if results.config.settings.len() > 1 {
        words.push(figure.setting.clone());
    }
    if results.config.algorithms.len() > 1 {
        words.push(algorithm(&figure.algorithm));
    }
    words.join(", ")
}

/// Where a domain's traces come from.
pub fn source(domain: &DomainConfig) -> String {
    let maps = match (&domain.relevant, domain.degree) {
        (Some(_), _) => " A map names the functions and products that each action may read.",
        (None, Some(_)) => " Conditions and effects may use products of functions.",
        (None, None) => "",
    };
    let wander = match domain.wander {
        0 => String::new(),
        steps => format!(", each followed by {steps} random steps"),
    };
    match (&domain.generate, &domain.folder) {
        (Some(name), _) => format!(
            "{} of the built-in domain {name}, generated; traces of plans that solve \
             them{wander}.{maps}",
            count(domain.problems.unwrap_or(100), "problem")
        ),
        (None, Some(folder)) => {
            let rounding = domain.decimals.map_or(String::new(), |places| {
                format!(" Recorded numbers are rounded to {places} decimals.")
            });
            format!("Problems and traces of the folder {}.{rounding}{maps}", shown_path(folder))
        }
        (None, None) => String::new(),
    }
}

/// How our numbers and the paper's can be compared.
pub fn comparison(domain: &DomainConfig) -> String {
    let data = match (&domain.generate, domain.decimals) {
        (Some(_), _) => {
            "The problems are generated here and are not those of the paper, so that numbers with \
             few traces differ."
        }
        (None, Some(_)) => {
            "Recorded numbers are rounded, unlike in the paper. Whether the traces are the paper’s \
             depends on the folder."
        }
        (None, None) => "Whether the traces are the paper’s depends on the folder.",
    };
    format!(
        "Large: this run, with half the width of its 95 % interval. Small: the paper’s number for \
         the same domain, algorithm and number of \
         traces. {data} ≠ marks what is more than 0.03 apart; ″ is the number of the row above, \
         since the paper leaves out rows without change."
    )
}
