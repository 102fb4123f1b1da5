//! Golden bytes: what is learned of the ten built-in domains under four specifications stays the
//! same, byte for byte, whatever happens to the code between the traces and the model. Certificates
//! may change; that `check` accepts them may not.
//!
//! `tests/golden/SPECIFICATION.sha256` has the digest of each model, as `sha256sum` writes it, with
//! the version left out; a few models stand beside it as a whole. Where bytes differ the test names
//! two files, the model as it was and as it is, if it passed in this target folder before.
//! `SUREFOOT_GOLDEN=overwrite cargo test -p surefoot-cli golden` writes the digests and the models
//! anew; do so only where models are meant to change, and read the difference.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use sha2::{Digest, Sha256};

const DOMAINS: [&str; 10] = [
    "counters",
    "depots",
    "driverlog",
    "driverlog_poly",
    "farmland",
    "minecraft",
    "rovers",
    "sailing",
    "satellite",
    "zenotravel",
];

/// How models are learned: the options of `learn`, whether with the domain's maps, and whose models
/// are kept as a whole.
struct Specification {
    name: &'static str,
    options: &'static [&'static str],
    maps: bool,
    whole: &'static [&'static str],
}

/// What is said of an action of a model in the summary.
#[derive(Clone, Copy)]
struct Told {
    learned: bool,
    /// Only a part of its hull is in the model.
    part: bool,
}

fn surefoot(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_surefoot"))
        .current_dir(folder)
        .args(words)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

impl Specification {
    /// Learns the domain from generated traces, has the certificate checked, and returns the model.
    fn learn(&self, folder: &Path, domain: &str, told: &mut Vec<Told>) -> String {
        let generated = surefoot(
            folder,
            &["generate", domain, "--count", "4", "--seed", "1", "--traces", "-q", "-o", domain],
        );
        assert!(generated.status.success(), "{generated:?}");
        let source = format!("{domain}/domain.pddl");
        let files = [
            "learn",
            "-d",
            &source,
            domain,
            "-o",
            "m.pddl",
            "--certificate",
            "c.json",
            "--format",
            "json",
        ];
        let maps = if self.maps { maps(domain) } else { Vec::new() };
        let words =
            [&files, self.options, &maps.iter().map(String::as_str).collect::<Vec<_>>()].concat();
        let learned = surefoot(folder, &words);
        assert!(learned.status.success(), "{words:?}: {}", text(learned.stderr));
        let summary: serde_json::Value = serde_json::from_slice(&learned.stdout).unwrap();
        for action in summary["actions"].as_array().unwrap() {
            told.push(Told { learned: action["learned"] == true, part: action["inner"] == true });
        }
        let checked = surefoot(
            folder,
            &["check", "-q", "-d", &source, "-m", "m.pddl", "-c", "c.json", domain],
        );
        assert_eq!(checked.status.code(), Some(0), "{words:?}: {}", text(checked.stdout));
        let head = format!("surefoot {} ", env!("CARGO_PKG_VERSION"));
        fs::read_to_string(folder.join("m.pddl")).unwrap().replacen(&head, "surefoot ", 1)
    }

    /// Compares all models with the golden ones and returns what was told of their actions.
    fn compare(&self) -> Vec<Told> {
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
        let overwrite = env::var_os("SUREFOOT_GOLDEN").is_some_and(|choice| choice == "overwrite");
        let learned = Path::new(env!("CARGO_TARGET_TMPDIR")).join("golden").join(self.name);
        fs::create_dir_all(&learned).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mut told = Vec::new();
        let models = DOMAINS.map(|domain| (domain, self.learn(folder.path(), domain, &mut told)));

        let list = golden.join(format!("{}.sha256", self.name));
        let digests: String = models
            .iter()
            .map(|(domain, model)| format!("{:x}  {domain}.pddl\n", Sha256::digest(model)))
            .collect();
        if overwrite {
            fs::write(&list, &digests).unwrap();
        }
        let expected = fs::read_to_string(&list).unwrap();
        let mut differences = Vec::new();
        for (domain, model) in &models {
            let file = format!("{domain}.pddl");
            let of_domain = |list: &str| {
                list.lines().find(|line| line.ends_with(&format!("  {file}"))).map(str::to_owned)
            };
            let whole =
                self.whole.contains(domain).then(|| golden.join(format!("{}-{file}", self.name)));
            if let Some(whole) = whole.as_ref().filter(|_| overwrite) {
                fs::write(whole, model).unwrap();
            }
            let same =
                whole.as_ref().is_none_or(|whole| fs::read_to_string(whole).unwrap() == *model);
            if same && of_domain(&expected) == of_domain(&digests) {
                fs::write(learned.join(file), model).unwrap();
            } else {
                let new = learned.join(format!("{domain}.new.pddl"));
                fs::write(&new, model).unwrap();
                differences.push((whole.unwrap_or_else(|| learned.join(file)), new));
            }
        }
        assert_eq!(expected.lines().count(), DOMAINS.len(), "{}", list.display());
        assert!(
            differences.is_empty(),
            "models of {} changed:\n{}",
            self.name,
            told_apart(&differences)
        );
        told
    }
}

/// The options for the maps that stand beside a built-in domain. A map of what is relevant names
/// products.
fn maps(domain: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../surefoot-lab/domains").join(domain);
    let mut options = Vec::new();
    for (option, more) in [("monotone", &[][..]), ("relevant", &["--degree", "2"])] {
        let map = folder.join(option).with_extension("json");
        if map.exists() {
            options.extend([format!("--{option}"), map.to_str().unwrap().to_owned()]);
            options.extend(more.iter().map(|&word| word.to_owned()));
        }
    }
    options
}

/// For each model, the command that shows what differs, or where the new one is.
fn told_apart(differences: &[(PathBuf, PathBuf)]) -> String {
    let line = |(old, new): &(PathBuf, PathBuf)| {
        if old.exists() {
            format!("  diff {} {}\n", old.display(), new.display())
        } else {
            format!(
                "  {} (run this test before the change to have the old one beside it)\n",
                new.display()
            )
        }
    };
    differences.iter().map(line).collect()
}

#[test]
fn nsam_star() {
    let told = Specification {
        name: "nsam-star",
        options: &["--on-bad-data", "skip-action"],
        maps: false,
        whole: &["minecraft"],
    }
    .compare();
    assert!(told.iter().any(|action| !action.learned), "no action is left out");
    assert!(told.iter().all(|action| !action.part), "the budget is a limit here");
}

#[test]
fn nsam_with_shadows_and_digits() {
    const OPTIONS: &[&str] = &[
        "--algorithm",
        "nsam",
        "--arity",
        "2",
        "--positive-preconditions",
        "--digits",
        "6",
        "--on-bad-data",
        "skip-action",
    ];
    let told = Specification { name: "nsam", options: OPTIONS, maps: false, whole: &["sailing"] }
        .compare();
    assert!(told.iter().any(|action| action.learned) && told.iter().any(|action| !action.learned));
}

#[test]
fn maps_and_a_budget() {
    let told = Specification {
        name: "maps",
        options: &["--facet-budget", "8"],
        maps: true,
        whole: &["zenotravel"],
    }
    .compare();
    assert!(told.iter().any(|action| action.part), "the budget is no limit");
    assert!(
        told.iter().any(|action| action.learned && !action.part),
        "the budget is always a limit"
    );
}

#[test]
fn products_and_a_budget() {
    let told = Specification {
        name: "products",
        options: &["--degree", "2", "--facet-budget", "200"],
        maps: false,
        whole: &[],
    }
    .compare();
    assert!(told.iter().any(|action| action.part), "the budget is no limit");
}
