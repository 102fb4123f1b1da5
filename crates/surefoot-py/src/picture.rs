//! A model for notebooks: a table of its actions, each with the small pictures of the report.

use std::fmt::Write;

use surefoot_lab::report::pictures;
use surefoot_learn::Model;

/// The model as HTML. The same model gives the same bytes.
pub fn page(model: &Model) -> String {
    let summary = model.summary();
    let mut text = format!(
        "<div><b>{}</b>, learned with {}",
        escaped(&summary.domain),
        escaped(&summary.algorithm)
    );
    if let Some(warning) = &summary.not_safe {
        let _ = write!(text, ". <b>NOT SAFE</b>: {}", escaped(warning));
    }
    text += "<table><tr><th>action</th><th>observed, and what is \
             allowed</th><th>conditions</th><th>effects</th><th>set \
             aside</th><th>result</th></tr>";
    for (id, row) in model.by_part().vocabulary().action_ids().zip(&summary.actions) {
        let drawn = model.grounds().and_then(|grounds| {
            let action = grounds.learned(id)?;
            Some(pictures("model", &grounds.learner, &grounds.settings, id, action).concat())
        });
        let drawn = drawn.unwrap_or_default();
        let (conditions, effects) = if row.learned {
            let conditions = format!(
                "{} literals, {} equations, {} facets",
                row.literals, row.equations, row.facets
            );
            (conditions, (row.effects + row.numeric_effects).to_string())
        } else {
            ("–".into(), "–".into())
        };
        let aside = row.set_aside.map_or_else(|| "–".into(), |steps| steps.to_string());
        let _ = write!(
            text,
            "<tr><td>{}</td><td>{drawn}</td><td>{conditions}</td><td>{effects}</td>\
             <td>{aside}</td><td>{}</td></tr>",
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

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
