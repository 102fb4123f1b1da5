//! `surefoot manual`: manual pages from the definition of the command line.

use anyhow::Result;
use clap_mangen::Man;
use serde_json::json;

use crate::args::{Format, Manual, all_options};
use surefoot_io::output::{Answer, make_folder, print, print_json, shown_path, write_file};

pub fn run(arguments: &Manual) -> Result<Answer> {
    let pages = pages()?;
    let is_json = arguments.speech.format == Format::Json;
    match &arguments.output {
        Some(folder) => {
            make_folder(folder)?;
            for page in &pages {
                write_file(&folder.join(&page.file), &page.text)?;
            }
            if is_json {
                let files: Vec<String> =
                    pages.iter().map(|page| shown_path(folder.join(&page.file))).collect();
                print_json(&json!({ "files": files }))?;
            }
        }
        None => {
            for page in pages.iter().take(1) {
                let text = String::from_utf8_lossy(&page.text);
                if is_json {
                    print_json(&json!({ "file": page.file, "text": text }))?
                } else {
                    print(&text)?
                }
            }
        }
    }
    Ok(Answer::Yes)
}

/// A manual page, as `man` reads it.
struct ManualPage {
    file: String,
    text: Vec<u8>,
}

/// The page of the program, then one for each of its commands.
fn pages() -> Result<Vec<ManualPage>> {
    let mut program = all_options().disable_help_subcommand(true);
    program.build();
    let commands = program.get_subcommands().filter(|command| !command.is_hide_set());
    std::iter::once(&program).chain(commands).map(page).collect()
}

fn page(command: &clap::Command) -> Result<ManualPage> {
    let manual = Man::new(command.clone())
        .source(concat!("surefoot ", env!("CARGO_PKG_VERSION")))
        .manual("surefoot");
    let mut text = Vec::new();
    manual.render(&mut text)?;
    Ok(ManualPage { file: manual.get_filename(), text })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::args::Speech;

    #[test]
    fn every_option_of_every_command_is_on_its_page() {
        let mut program = all_options();
        program.build();
        let pages = pages().unwrap();
        let text_of = |file: &str| {
            let page = pages
                .iter()
                .find(|page| page.file == file)
                .unwrap_or_else(|| panic!("no page {file}"));
            // In a manual page hyphens and apostrophes are escaped, since some of them mean
            // something to `man`.
            String::from_utf8(page.text.clone())
                .unwrap()
                .replace("\\-", "-")
                .replace("\\*(Aq", "'")
                .replace("\\(aq", "'")
        };
        let main = text_of("surefoot.1");
        let mut options = 0;
        for command in program.get_subcommands().filter(|command| command.get_name() != "help") {
            let file = format!("surefoot-{}.1", command.get_name());
            assert!(
                main.contains(&format!("surefoot-{}(1)", command.get_name())),
                "surefoot.1 does not name {file}"
            );
            let text = text_of(&file);
            for option in command.get_arguments().filter(|option| !option.is_hide_set()) {
                let word = match option.get_long() {
                    Some(long) => format!("--{long}"),
                    None => option.get_value_names().unwrap()[0].to_string(),
                };
                let help: String = option
                    .get_help()
                    .unwrap()
                    .to_string()
                    .split_whitespace()
                    .take(3)
                    .collect::<Vec<_>>()
                    .join(" ");
                assert!(text.contains(&word), "{file} lacks {word}");
                assert!(text.contains(&help), "{file} does not say what {word} is: {help}");
                options += 1;
            }
        }
        assert!(options > 100, "only {options} options were looked at");
        assert_eq!(
            pages.len(),
            program.get_subcommands().count(),
            "one page each, and `help` has none"
        );
    }

    #[test]
    fn a_folder_of_pages_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("man1");
        run(&Manual {
            output: Some(output.clone()),
            speech: Speech { format: Format::Text, quiet: false },
        })
        .unwrap();
        let page = fs::read_to_string(output.join("surefoot-learn.1")).unwrap();
        assert!(page.contains(".TH surefoot-learn 1"), "{}", &page[..page.len().min(300)]);
        assert!(output.join("surefoot.1").is_file());
    }
}
