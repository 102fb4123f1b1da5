//! ENHSP: a Java planner that ends with exit code 0 whatever happens, so what counts is what it
//! prints.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use surefoot_base::pddl::Operands;

use super::place::{PlannerPlace, installed};
use super::process::{CommandRun, Invocation};
use super::rewrite::Dialect;
use super::saved::saved_plan;
use super::{Planner, PlannerAttempt, PlannerConclusion, PlannerEntry, TaskFiles, plan_of};
use surefoot_io::tolerance::Tolerance;

/// Doubles hold fifteen digits. A metric changes which plans it finds at all.
const DIALECT: Dialect = Dialect { digits: 15, metric: false, operands: Operands::Many };

/// The setting that solves most, and the one to try when it claims that there is no plan: without
/// its interval-based pre-check and without pruning to helpful actions, both of which lose plans.
const SETTINGS: [&[&str]; 2] = [&["-planner", "sat-hmrphj"], &["-planner", "sat-hadd", "-dap"]];

pub const ENTRY: PlannerEntry = PlannerEntry {
    name: NAME,
    place: Some(JAR),
    find: |setup| {
        Ok(Box::new(Enhsp { jar: JAR.find(&setup.places)?, tolerance: setup.tolerance.clone() }))
    },
};

const NAME: &str = "enhsp";

const JAR: PlannerPlace = PlannerPlace {
    title: "ENHSP",
    what: "jar",
    value: "JAR",
    option: "enhsp-jar",
    variable: "SUREFOOT_ENHSP",
    otherwise: "the one in an installed up-enhsp",
    usual: || installed("enhsp-", "up_enhsp/ENHSP/enhsp.jar").or_else(in_python),
    advice: "install it by `pip install up-enhsp`",
};

/// ENHSP, once its jar was found.
#[derive(Debug)]
struct Enhsp {
    jar: PathBuf,
    tolerance: Tolerance,
}

impl Planner for Enhsp {
    fn name(&self) -> &str {
        NAME
    }

    fn attempt(&self, attempt: &mut PlannerAttempt<'_>) -> PlannerConclusion {
        let files = match attempt.files(DIALECT) {
            Ok(files) => files,
            Err(conclusion) => return conclusion,
        };
        let asked = self.tolerance.to_string();
        let mut conclusion = PlannerConclusion::Unknown("not tried".into());
        for setting in SETTINGS {
            let mut setting = setting.to_vec();
            // Its comparisons may be missed by a little unless told otherwise, which ours may not,
            // unless asked for.
            if !self.tolerance.is_zero() {
                setting.extend(["-tolerance", &asked]);
            } else if matches!(conclusion, PlannerConclusion::Rejected { .. }) {
                setting.extend(["-tolerance", "0"]);
            }
            let next = self.call(&setting, attempt, &files);
            let rejected = matches!(conclusion, PlannerConclusion::Rejected { .. });
            if !matches!(next, PlannerConclusion::Unknown(_) | PlannerConclusion::Rejected { .. }) {
                return next;
            }
            // A plan that was wrong says more than a claim that there is none.
            if !(rejected && matches!(next, PlannerConclusion::Unknown(_))) {
                conclusion = next;
            }
        }
        conclusion
    }
}

impl Enhsp {
    fn call(
        &self,
        setting: &[&str],
        attempt: &mut PlannerAttempt<'_>,
        files: &TaskFiles,
    ) -> PlannerConclusion {
        let mut arguments: Vec<OsString> =
            ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"].map(OsString::from).into();
        if let Some(bytes) = attempt.limits.memory {
            // The rest is for the machine itself; its whole is watched from outside.
            arguments.push(format!("-Xmx{}m", ((bytes >> 20) * 4 / 5).max(16)).into());
        }
        arguments.extend([
            "-jar".into(),
            self.jar.clone().into(),
            "-o".into(),
            files.domain.clone().into(),
        ]);
        arguments.extend([
            "-f".into(),
            files.problem.clone().into(),
            "-sp".into(),
            files.plan.clone().into(),
        ]);
        arguments.extend(setting.iter().map(OsString::from));
        let _ = fs::remove_file(&files.plan);
        let invocation =
            Invocation { program: java(), arguments, folder: Some(files.folder.path().into()) };
        let run = match attempt.run(&invocation, files) {
            Ok(run) => run,
            Err(PlannerConclusion::Failed(reason)) => {
                return PlannerConclusion::Failed(format!("{reason}; ENHSP needs Java"));
            }
            Err(conclusion) => return conclusion,
        };
        match read(&run, saved_plan(&files.plan)) {
            Ok(steps) => match plan_of(steps, &files.task) {
                Ok(plan) => attempt.checked_within(plan, &self.tolerance),
                Err(reason) => PlannerConclusion::Failed(reason),
            },
            Err(conclusion) => conclusion,
        }
    }
}

/// The text of the plan, or what else its output means.
fn read(
    run: &CommandRun,
    saved: Result<Option<String>, String>,
) -> Result<String, PlannerConclusion> {
    if says(run, "Problem Solved")
        && let Some(plan) = saved.map_err(PlannerConclusion::Failed)?
    {
        return Ok(plan);
    }
    if let Some(conclusion) = run.stopped() {
        return Err(conclusion);
    }
    Err(if says(run, "java.lang.OutOfMemoryError") {
        PlannerConclusion::MemoryLimit
    } else if says(run, "Grammar is violated") {
        PlannerConclusion::Unsupported("its reader refuses the task".into())
    } else if says(run, "SEVERE") || says(run, "Exception") {
        PlannerConclusion::Failed("it stumbles over the task".into())
    } else if says(run, "Problem unsolvable")
        || says(run, "Unsolvable Problem")
        || says(run, "Problem Detected as Unsolvable")
    {
        PlannerConclusion::Unknown(
            "it claims that there is no plan, which it is known to be wrong about".into(),
        )
    } else if says(run, "Problem Solved") {
        PlannerConclusion::Failed("it claims to have a plan, but saved none".into())
    } else {
        PlannerConclusion::Failed(format!("{}, and its output is none we know", run.ended()))
    })
}

fn says(run: &CommandRun, words: &str) -> bool {
    run.stdout.contains(words) || run.stderr.contains(words)
}

fn java() -> OsString {
    let home = env::var_os("JAVA_HOME").map(|home| Path::new(&home).join("bin/java"));
    home.filter(|java| java.is_file()).map_or_else(|| "java".into(), Into::into)
}

/// The jar inside the wheel, where Python has it. The package is looked for, not loaded: loading
/// needs more packages.
fn in_python() -> Option<PathBuf> {
    let script = "import importlib.util as u; s = u.find_spec('up_enhsp'); \
                  print(s.submodule_search_locations[0] if s else '')";
    let answer = Command::new("python3")
        .args(["-c", script])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let folder = String::from_utf8(answer.stdout).ok()?;
    let jar = Path::new(folder.trim()).join("ENHSP/enhsp.jar");
    (!folder.trim().is_empty() && jar.is_file()).then_some(jar)
}

#[cfg(test)]
mod tests {
    use super::super::supervise::Ending;
    use super::*;

    fn run(ending: Ending, stdout: &str, stderr: &str) -> CommandRun {
        let (stdout, stderr) = (stdout.to_owned(), stderr.to_owned());
        CommandRun { ending, stdout, stderr, seconds: 1.0, cpu_seconds: 1.0, peak_bytes: 0 }
    }

    fn ended(stdout: &str, stderr: &str) -> Result<String, PlannerConclusion> {
        read(&run(Ending::Exited(0), stdout, stderr), Ok(None))
    }

    #[test]
    fn a_saved_plan_counts_when_it_says_so() {
        let log = "h(I):2.0\nProblem Solved\n\nFound Plan:\n0.0: (move a b)\n";
        assert_eq!(
            read(&run(Ending::Exited(0), log, ""), Ok(Some("(move a b)\n".into()))),
            Ok("(move a b)\n".into())
        );
        assert!(matches!(ended(log, ""), Err(PlannerConclusion::Failed(_))));
    }

    /// It ends with 0 and says "unsolvable" where it read nothing.
    #[test]
    fn an_error_is_no_proof() {
        let unsolvable = "Domain parsed\nProblem unsolvable\n";
        assert!(matches!(
            ended(unsolvable, "Grammar is violated\n"),
            Err(PlannerConclusion::Unsupported(_))
        ));
        assert!(matches!(
            ended(unsolvable, "SEVERE: null\njava.io.FileNotFoundException\n"),
            Err(PlannerConclusion::Failed(_))
        ));
        assert!(matches!(ended("Unsolvable Problem\n", ""), Err(PlannerConclusion::Unknown(_))));
        assert!(matches!(ended(unsolvable, ""), Err(PlannerConclusion::Unknown(_))));
        assert!(matches!(ended("", ""), Err(PlannerConclusion::Failed(_))));
    }

    #[test]
    fn a_full_heap_is_the_memory_limit() {
        let error = "Exception in thread \"main\" java.lang.OutOfMemoryError: Java heap space\n";
        assert_eq!(ended("Grounding..\n", error), Err(PlannerConclusion::MemoryLimit));
        assert_eq!(
            read(&run(Ending::MemoryLimit, "", ""), Ok(None)),
            Err(PlannerConclusion::MemoryLimit)
        );
        assert_eq!(
            read(&run(Ending::TimeLimit, "", "SEVERE: interrupted"), Ok(None)),
            Err(PlannerConclusion::TimeLimit)
        );
    }
}
