//! A model for notebooks: a table of its actions, each with a small picture of what was observed.

use std::fmt::Write;

use surefoot::learn::{LearnedAction, Learner};
use surefoot::model::ActionId;
use surefoot_cli::session::Outcome;

const WIDTH: f64 = 120.0;
const HEIGHT: f64 = 80.0;
const MARGIN: f64 = 8.0;
/// More points than this are a blot.
const MOST_POINTS: usize = 300;

/// The model as HTML.
pub fn page(outcome: &Outcome) -> String {
    let summary = outcome.summary();
    let learned = outcome.learned();
    let mut text = format!("<div><b>{}</b>, learned with {}", escaped(&summary.domain), escaped(&summary.algorithm));
    text += "<table><tr><th>action</th><th>observed</th><th>conditions</th><th>effects</th><th>result</th></tr>";
    for row in &summary.actions {
        let find = |(id, _): &&(ActionId, &LearnedAction)| outcome.learner().domain().action_name(*id) == row.action;
        let drawn = learned.iter().find(find).map_or_else(String::new, |(id, action)| picture(outcome.learner(), *id, action));
        let (conditions, effects) = if row.learned {
            let conditions = format!("{} literals, {} equations, {} facets", row.literals, row.equations, row.facets);
            (conditions, (row.effects + row.numeric_effects).to_string())
        } else {
            ("–".into(), "–".into())
        };
        let _ = write!(
            text,
            "<tr><td>{}</td><td>{drawn}</td><td>{conditions}</td><td>{effects}</td><td>{}</td></tr>",
            escaped(&row.action),
            escaped(&row.result)
        );
    }
    text += "</table><details><summary>assumptions</summary><ul>";
    for assumption in &summary.assumptions {
        let _ = write!(text, "<li>{}</li>", escaped(assumption));
    }
    text + "</ul></details></div>"
}

/// The observed vectors in the two columns of which most values were seen, and the shadow of the region there.
fn picture(learner: &Learner, id: ActionId, action: &LearnedAction) -> String {
    let columns = &action.numeric.columns;
    let points: Vec<Vec<f64>> =
        learner.evidence(id).points(columns).iter().map(|point| point.iter().map(|value| value.to_f64()).collect()).collect();
    let mut varied: Vec<(usize, usize)> = (0..columns.len()).map(|place| (distinct(&points, place), place)).collect();
    varied.retain(|(values, _)| *values > 1);
    varied.sort_by_key(|&(values, place)| (std::cmp::Reverse(values), place));
    let name = |place: usize| escaped(&learner.written(id.index(), &learner.vocabulary(id).columns[columns[place]]));
    let Some(&(_, across)) = varied.first() else { return String::new() };
    let up = varied.get(1).map(|&(_, place)| place);
    let flat: Vec<(f64, f64)> = points.iter().map(|point| (point[across], up.map_or(0.0, |up| point[up]))).collect();
    let scale = |values: &dyn Fn(&(f64, f64)) -> f64, size: f64| {
        let (low, high) =
            flat.iter().map(values).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        move |x: f64| if high > low { MARGIN + (x - low) / (high - low) * (size - 2.0 * MARGIN) } else { size / 2.0 }
    };
    let (x, y) = (scale(&|point| point.0, WIDTH), scale(&|point| point.1, HEIGHT));
    let drawn: Vec<(f64, f64)> = flat.iter().map(|&(a, b)| (x(a), HEIGHT - y(b))).collect();
    let title = up.map_or_else(|| name(across), |up| format!("{} across, {} up", name(across), name(up)));
    let mut text = format!("<svg width=\"{WIDTH}\" height=\"{HEIGHT}\" role=\"img\"><title>{title}</title>");
    let outline: Vec<String> = hull(drawn.clone()).iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let _ = write!(text, "<polygon points=\"{}\" fill=\"#cfe3f7\" stroke=\"#4477aa\"/>", outline.join(" "));
    // The first and the last are among those shown, and the rest are spread evenly.
    let every = drawn.len().div_ceil(MOST_POINTS);
    for (x, y) in drawn.iter().step_by(every) {
        let _ = write!(text, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"1.5\" fill=\"#223355\"/>");
    }
    text + "</svg>"
}

fn distinct(points: &[Vec<f64>], place: usize) -> usize {
    let mut values: Vec<f64> = points.iter().map(|point| point[place]).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values.len()
}

/// The outline of points, for the eye only.
fn hull(mut points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    points.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let turn = |a: (f64, f64), b: (f64, f64), c: (f64, f64)| (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0);
    let half = |points: &mut dyn Iterator<Item = (f64, f64)>| {
        let mut chain: Vec<(f64, f64)> = Vec::new();
        for point in points {
            while chain.len() > 1 && turn(chain[chain.len() - 2], chain[chain.len() - 1], point) <= 0.0 {
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    let mut outline = half(&mut points.iter().copied());
    outline.extend(half(&mut points.iter().rev().copied()));
    outline
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
