//! `surefoot generate`: problems of a built-in domain, with plans and traces where asked for.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use comfy_table::{Table, presets};
use rayon::prelude::*;
use serde_json::{Value, json};
use surefoot_base::model::Domain;
use surefoot_base::pddl::{write_plan, write_problem, write_trajectory};
use surefoot_base::validate::trace;

use crate::args::{Format, Generate};
use surefoot_io::output::{Answer, count, make_folder, print_json, say, shown_path, write_file};
use surefoot_io::{paint, progress, voice};
use surefoot_lab::generate::{self, GENERATORS, Generator, Size, Sizes};

pub fn run(arguments: &Generate) -> Result<Answer> {
    let generator = arguments.domain.as_deref().and_then(generate::find);
    let is_json = arguments.format == Format::Json;
    match (generator, &arguments.output) {
        (None, _) if arguments.list && is_json => print_json(&domains_json())?,
        (None, _) if arguments.list => say(&paint::headed(&domains()))?,
        (Some(generator), _) if arguments.list && is_json => print_json(&sizes_json(generator))?,
        (Some(generator), _) if arguments.list => say(&paint::headed(&sizes(generator)))?,
        (Some(generator), Some(folder)) => {
            let mut sizes = Sizes::usual(generator.sizes);
            sizes.scale(arguments.scale).map_err(|message| anyhow!("{message}"))?;
            for word in &arguments.sizes {
                sizes.set(word).map_err(|message| {
                    anyhow!(
                        "{message} (`surefoot generate {} --list` says what each is)",
                        generator.name
                    )
                })?;
            }
            Set { generator, domain: generator.domain()?, sizes, folder, arguments }.write()?;
        }
        _ => bail!(
            "name a domain and, with -o, a folder; `surefoot generate --list` lists the domains"
        ),
    }
    Ok(Answer::Yes)
}

fn domains() -> String {
    let rows = GENERATORS
        .iter()
        .map(|generator| vec![generator.name.to_owned(), generator.summary.to_owned()]);
    table(&["domain", "what it is about"], rows)
}

fn domains_json() -> Vec<Value> {
    GENERATORS
        .iter()
        .map(|generator| json!({ "domain": generator.name, "about": generator.summary }))
        .collect()
}

fn sizes_json(generator: &Generator) -> Vec<Value> {
    let row = |size: &Size| {
        json!({
            "size": size.name,
            "usual": [size.usual.0, size.usual.1],
            "possible": [size.limits.0, size.limits.1],
            "scales": size.scales,
            "meaning": size.meaning,
        })
    };
    generator.sizes.iter().map(row).collect()
}

fn sizes(generator: &Generator) -> String {
    let rows = generator.sizes.iter().map(|size| {
        let scale = if size.scales { "yes" } else { "" };
        vec![
            size.name.to_owned(),
            range(size.usual),
            range(size.limits),
            scale.to_owned(),
            size.meaning.to_owned(),
        ]
    });
    table(&["--size", "usual", "possible", "--scale", "meaning"], rows)
}

fn range((low, high): (usize, usize)) -> String {
    if low == high { low.to_string() } else { format!("{low}..{high}") }
}

fn table(header: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header.iter().copied());
    rows.for_each(|row| {
        table.add_row(row);
    });
    table.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// What is to be written where.
struct Set<'a> {
    generator: &'static Generator,
    domain: Domain,
    sizes: Sizes,
    folder: &'a Path,
    arguments: &'a Generate,
}

/// Files by name, and the length of the plan.
struct WrittenFiles {
    steps: usize,
    named: Vec<(PathBuf, String)>,
}

impl Set<'_> {
    fn write(&self) -> Result<()> {
        make_folder(self.folder)?;
        let domain = self.folder.join("domain.pddl");
        if !self.arguments.force {
            self.check(&domain, self.generator.text)?;
            // Before anything is written: what is there already must be what would be written.
            self.each(|index| {
                let stem = self.generator.stem(self.arguments.seed, index);
                if self
                    .endings()
                    .iter()
                    .any(|ending| self.folder.join(format!("{stem}.{ending}")).exists())
                {
                    self.files(index)?
                        .named
                        .iter()
                        .try_for_each(|(path, text)| self.check(path, text))?;
                }
                Ok(())
            })?;
        }
        write_file(&domain, self.generator.text.as_bytes())?;
        progress::stage(
            "making problems",
            usize::try_from(self.arguments.count).unwrap_or(0),
            "problems",
        );
        let lengths = self.each(|index| {
            let files = self.files(index)?;
            files.named.iter().try_for_each(|(path, text)| write_file(path, text.as_bytes()))?;
            progress::part_done();
            Ok(files.steps)
        })?;
        progress::clear();
        let mean = lengths.iter().sum::<usize>() as f64 / lengths.len().max(1) as f64;
        let (least, most) =
            (lengths.iter().min().unwrap_or(&0), lengths.iter().max().unwrap_or(&0));
        let (folder, name) = (shown_path(self.folder), self.generator.name);
        if self.arguments.format == Format::Json {
            let steps = json!({ "least": least, "most": most, "mean": mean });
            return print_json(&json!({
                "folder": folder,
                "domain": name,
                "problems": lengths.len(),
                "steps": steps,
            }));
        }
        voice::summary(&format!(
            "{folder}: {} of {name}, each solved by a plan: {least} to {most} steps, {mean:.1} on \
             average\n",
            count(lengths.len(), "problem"),
        ));
        Ok(())
    }

    /// Does something for each problem on all cores; of several errors, reports that of the first
    /// problem.
    fn each<T: Send>(&self, act: impl Fn(u64) -> Result<T> + Sync + Send) -> Result<Vec<T>> {
        let outcomes: Vec<Result<T>> = (0..self.arguments.count).into_par_iter().map(act).collect();
        outcomes.into_iter().collect()
    }

    fn check(&self, path: &Path, text: &str) -> Result<()> {
        match fs::read(path) {
            Ok(bytes) if bytes != text.as_bytes() => {
                bail!(
                    "{} is there already, with other content; choose another folder, or --force",
                    shown_path(path)
                )
            }
            _ => Ok(()),
        }
    }

    fn endings(&self) -> Vec<&'static str> {
        let optional = [(self.arguments.plans, "solution"), (self.arguments.traces, "trajectory")];
        std::iter::once("pddl")
            .chain(optional.into_iter().filter_map(|(wanted, ending)| wanted.then_some(ending)))
            .collect()
    }

    fn files(&self, index: u64) -> Result<WrittenFiles> {
        let seed = self.arguments.seed;
        let made = self.generator.problem(&self.domain, seed, index, &self.sizes)?;
        let objects = &made.problem.objects;
        let mut named = Vec::new();
        for ending in self.endings() {
            let text = match ending {
                "solution" => write_plan(&self.domain, objects, &made.plan),
                "trajectory" => {
                    let trajectory =
                        trace(&self.domain, &made.problem, &made.plan).map_err(|failed| {
                            anyhow!(
                                "internal error: step {} of {} fails",
                                failed.index + 1,
                                made.name
                            )
                        })?;
                    write_trajectory(&self.domain, objects, &trajectory)
                }
                _ => format!(
                    "; Problem {index} of: surefoot generate {} --seed {seed}{}\n{}",
                    self.generator.name,
                    self.sizes.written(),
                    write_problem(&self.domain, &made.problem)
                ),
            };
            named.push((self.folder.join(format!("{}.{ending}", made.name)), text));
        }
        Ok(WrittenFiles { steps: made.plan.steps.len(), named })
    }
}
