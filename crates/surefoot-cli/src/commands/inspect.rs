//! `surefoot inspect`: the size of domains, as the paper's table of domains counts it.

use std::path::Path;

use anyhow::{Context, Result, bail};
use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;
use surefoot_analysis::inspect::{DomainProfile, Spread};
use surefoot_base::assumptions::{RelevantMap, Spec};
use surefoot_learn::Class;

use crate::args::{Format, Inspect};
use surefoot_io::maps;
use surefoot_io::output::{Answer, print_json, say, shown_path};
use surefoot_io::streams::is_standard;
use surefoot_io::{input, paint};
use surefoot_lab::generate;

#[derive(Serialize)]
struct DomainRow {
    domain: String,
    actions: usize,
    numeric_actions: usize,
    predicates: usize,
    functions: usize,
    numeric_conditions: Counts,
    numeric_effects: Counts,
    max_literals: usize,
    max_functions: usize,
    degree: u32,
    max_monomials: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_relevant: Option<u64>,
}

#[derive(Serialize)]
struct Counts {
    total: usize,
    mean: f64,
    max: usize,
    min: usize,
}

impl From<Spread> for Counts {
    fn from(spread: Spread) -> Self {
        Counts { total: spread.total, mean: spread.mean(), max: spread.max, min: spread.min }
    }
}

pub fn run(arguments: &Inspect) -> Result<Answer> {
    if arguments.relevant.is_some() && arguments.domains.len() > 1 {
        bail!("a map of relevant functions is for one domain: give --relevant with one DOMAIN");
    }
    let rows: Vec<_> =
        arguments.domains.iter().map(|word| measured(word, arguments)).collect::<Result<_>>()?;
    match arguments.format {
        Format::Text => say(&paint::headed(&table(&rows, arguments.degree)))?,
        Format::Json => {
            let rows: Vec<_> = rows
                .into_iter()
                .map(|(name, profile)| row(name, profile, arguments.degree))
                .collect();
            print_json(&rows)?;
        }
    }
    Ok(Answer::Yes)
}

/// A domain by its name and in numbers: a file, or a built-in one, which brings its map.
fn measured(word: &Path, arguments: &Inspect) -> Result<(String, DomainProfile)> {
    let is_there = is_standard(word) || word.exists();
    let built_in = word.to_str().filter(|_| !is_there).and_then(generate::find);
    let (name, domain) = match built_in {
        Some(generator) => (generator.name.to_owned(), generator.domain()?),
        None if !is_there => {
            bail!(
                "{}: there is no such file and no such built-in domain: {}",
                shown_path(word),
                generate::names()
            )
        }
        None => {
            let domain = input::domain(word)?;
            (domain.name.to_string(), domain)
        }
    };
    let relevant: Option<RelevantMap> = match (&arguments.relevant, built_in) {
        (Some(path), _) => Some(maps::relevant(path)?),
        (None, Some(generator)) => {
            let map = generator.maps.iter().find(|(word, _)| *word == "relevant");
            map.map(|(_, text)| serde_json::from_str(text))
                .transpose()
                .context("internal error: a built-in map")?
        }
        (None, None) => None,
    };
    let Some(relevant) = relevant else {
        return Ok((name, DomainProfile::of(&domain, arguments.degree)));
    };
    let class = Class::of_spec(&Spec::default().with(|spec| spec.relevant = relevant), &domain)?;
    Ok((name, DomainProfile::with_relevant(&domain, arguments.degree, &class.relevant)))
}

fn table(rows: &[(String, DomainProfile)], degree: u32) -> String {
    let monomials = format!("max monomials, degree {degree}");
    let mut header = vec![
        "domain",
        "|A|",
        "|A_X|",
        "|F|",
        "|X|",
        "avg |pre^X|",
        "avg |eff^X|",
        "max literals",
        "max functions",
    ];
    if degree > 1 {
        header.push(&monomials);
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header);
    for (name, profile) in rows {
        let mut cells = vec![name.clone()];
        cells.extend(
            [profile.actions, profile.numeric_actions, profile.predicates, profile.functions]
                .map(|n| n.to_string()),
        );
        cells.extend(
            [profile.numeric_conditions, profile.numeric_effects].map(|counts| counts.to_string()),
        );
        cells.extend([profile.max_literals, profile.max_functions].map(|n| n.to_string()));
        if degree > 1 {
            cells.push(
                profile.max_monomials.map_or("too many to count".into(), |count| count.to_string()),
            );
        }
        // In brackets what a map leaves, as the paper has it.
        if let (Some(relevant), Some(last)) = (profile.max_relevant, cells.last_mut()) {
            *last += &format!(" ({relevant})");
        }
        table.add_row(cells);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

fn row(domain: String, profile: DomainProfile, degree: u32) -> DomainRow {
    DomainRow {
        domain,
        actions: profile.actions,
        numeric_actions: profile.numeric_actions,
        predicates: profile.predicates,
        functions: profile.functions,
        numeric_conditions: profile.numeric_conditions.into(),
        numeric_effects: profile.numeric_effects.into(),
        max_literals: profile.max_literals,
        max_functions: profile.max_functions,
        degree,
        max_monomials: profile.max_monomials,
        max_relevant: profile.max_relevant,
    }
}
