//! The built-in domains: they read, are what the paper's table says, and do what the published
//! encodings do, so that traces can be exchanged. The comparison with the published data is run by
//! `SUREFOOT_CORPUS=<folder> cargo test --release -p surefoot --test corpus -- --ignored domains`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use surefoot_analysis::inspect::DomainProfile;
use surefoot_base::model::semantics::Semantics;
use surefoot_base::model::{Domain, GroundAction, Problem, Signature, State, TypeSet, Universe};
use surefoot_base::pddl::{
    Numbers, Source, Trajectory, Writer, read_domain, read_plan, read_problem, write_domain,
};

/// Folder, then the paper's columns: |A|, |A_X|, |F|, |X|, numeric conditions and effects over all
/// actions, the most parameter-bound literals and functions of an action. Two rows differ from the
/// paper's: its data declares `nop` in counters (the paper: |F| = 0), and `recharge` of rovers has
/// two numeric effects (the paper: at most one).
const TABLE: [(&str, [usize; 8]); 10] = [
    ("counters", [4, 4, 1, 3, 4, 4, 2, 3]),
    ("depots", [5, 4, 6, 4, 1, 4, 16, 4]),
    ("driverlog", [6, 2, 6, 4, 0, 2, 20, 6]),
    ("driverlog_poly", [6, 3, 6, 4, 0, 5, 20, 5]),
    ("farmland", [2, 2, 1, 2, 2, 5, 4, 3]),
    ("minecraft", [6, 6, 1, 6, 10, 14, 2, 6]),
    ("rovers", [10, 9, 26, 2, 9, 10, 88, 2]),
    ("sailing", [8, 8, 1, 3, 4, 11, 2, 3]),
    ("satellite", [5, 2, 8, 6, 2, 4, 16, 6]),
    ("zenotravel", [5, 5, 2, 8, 4, 7, 6, 9]),
];

fn source(path: &Path) -> Source {
    Source::from_bytes(path.display().to_string(), fs::read(path).unwrap()).unwrap()
}

fn domain_of(path: &Path) -> Domain {
    read_domain(&source(path)).unwrap_or_else(|error| panic!("{error}"))
}

fn built_in(folder: &str) -> Domain {
    domain_of(
        &Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../surefoot-lab/domains")
            .join(folder)
            .join("domain.pddl"),
    )
}

#[test]
fn built_in_domains_read_back_and_match_the_table_of_domains() {
    for (folder, expected) in TABLE {
        let domain = built_in(folder);
        let again = read_domain(&Source::new("again", write_domain(&domain)));
        assert_eq!(again.as_ref(), Ok(&domain), "{folder}: written and read back");
        let profile = DomainProfile::of(&domain, 1);
        let found = [
            profile.actions,
            profile.numeric_actions,
            profile.predicates,
            profile.functions,
            profile.numeric_conditions.total,
            profile.numeric_effects.total,
            profile.max_literals,
            profile.max_functions,
        ];
        assert_eq!(found, expected, "{folder}");
    }
}

#[test]
fn every_folder_of_domains_is_in_the_table() {
    let folders =
        fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../surefoot-lab/domains"))
            .unwrap();
    let folders: BTreeSet<String> =
        folders.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(folders, TABLE.iter().map(|(folder, _)| (*folder).to_owned()).collect());
}

/// Names of types, predicates, functions and actions with the types of their arguments, free of
/// order and case.
fn vocabulary(domain: &Domain) -> BTreeSet<String> {
    let Signature { types, predicates, functions, .. } = &domain.signature;
    let set =
        |set: &TypeSet| set.types().iter().map(|id| types.name(*id)).collect::<Vec<_>>().join("|");
    let mut words = BTreeSet::new();
    for id in types.ids() {
        let parents: BTreeSet<_> = types.parents(id).iter().map(|id| types.name(*id)).collect();
        words.insert(format!("type {} {parents:?}", types.name(id)));
    }
    let symbols = predicates
        .iter()
        .map(|entry| ("predicate", entry))
        .chain(functions.iter().map(|entry| ("function", entry)));
    for (kind, (name, symbol)) in symbols {
        words.insert(format!(
            "{kind} {name} {:?}",
            symbol.parameters.iter().map(|each| set(&each.types)).collect::<Vec<_>>()
        ));
    }
    for (name, action) in domain.actions.iter() {
        let parameters =
            action.parameters.iter().map(|each| (each.name.to_string(), set(&each.types)));
        words.insert(format!("action {name} {:?}", parameters.collect::<Vec<_>>()));
    }
    words.into_iter().map(|word| word.to_lowercase()).collect()
}

/// A state in words, so that domains that number their symbols differently can be compared.
fn facts(
    domain: &Domain,
    problem: &Problem,
    universe: &Universe,
    state: &State,
) -> BTreeSet<String> {
    let writer = Writer::new(domain, &problem.objects);
    let atoms = state.atoms().map(|id| writer.ground_atom(universe.ground_atom(id)));
    let values = state.values().map(|(id, value)| {
        format!("{} = {value}", writer.ground_function(universe.ground_function(id)))
    });
    atoms.chain(values).map(|fact| fact.to_lowercase()).collect()
}

/// One problem under one encoding.
struct Reading<'a> {
    domain: &'a Domain,
    problem: Problem,
    recorded: Trajectory,
    plan: Vec<GroundAction>,
}

impl<'a> Reading<'a> {
    fn of(domain: &'a Domain, path: &Path) -> Self {
        let problem = read_problem(&source(path), domain, Numbers::Exact)
            .unwrap_or_else(|error| panic!("{error}"));
        let recorded = source(&path.with_extension("trajectory"));
        let recorded = Trajectory::read(&recorded, domain, &problem.objects, Numbers::Decimals(6));
        let recorded = recorded.unwrap_or_else(|error| panic!("{error}"));
        let plan = read_plan(&source(&path.with_extension("solution")), domain, &problem.objects);
        let plan = plan
            .unwrap_or_else(|error| panic!("{error}"))
            .steps
            .into_iter()
            .map(|step| step.action)
            .collect();
        Reading { domain, problem, recorded, plan }
    }

    /// What the encoding makes of each recorded state and step: the state after it, or `None` where
    /// the step is refused.
    fn recorded_successors(&mut self) -> Vec<Option<BTreeSet<String>>> {
        let semantics = Semantics::new(self.domain, &self.problem.objects);
        let universe = &mut self.recorded.universe;
        let steps = self.recorded.states.iter().zip(&self.recorded.actions);
        steps
            .map(|(state, action)| {
                let next = semantics.successor(action, universe, state).ok()?;
                Some(facts(self.domain, &self.problem, universe, &next))
            })
            .collect()
    }

    /// The exact states of the published plan up to a step that is refused, and whether the goal
    /// holds in the last.
    fn states_of_plan(&self) -> (Vec<BTreeSet<String>>, bool) {
        let semantics = Semantics::new(self.domain, &self.problem.objects);
        let mut universe = Universe::default();
        let mut state = self.problem.initial_state(&mut universe);
        let mut states = vec![facts(self.domain, &self.problem, &universe, &state)];
        for step in &self.plan {
            let Ok(next) = semantics.successor(step, &mut universe, &state) else { break };
            state = next;
            states.push(facts(self.domain, &self.problem, &universe, &state));
        }
        (states, semantics.holds(&self.problem.goal, &universe, &state) == Ok(true))
    }

    /// For every action and every recorded state: may it be taken with the arguments of the
    /// recorded step, where they fit?
    fn crosswise(&self) -> BTreeSet<(String, usize)> {
        let semantics = Semantics::new(self.domain, &self.problem.objects);
        let mut applicable = BTreeSet::new();
        for (index, state) in self.recorded.states.iter().enumerate() {
            for action in self.recorded.actions.iter().skip(index.saturating_sub(3)).take(7) {
                for symbol in self.domain.action_ids() {
                    let candidate = GroundAction { symbol, arguments: action.arguments.clone() };
                    if self.domain.check_arguments(&candidate, &self.problem.objects).is_ok()
                        && semantics.applicable(&candidate, &self.recorded.universe, state).is_ok()
                    {
                        applicable.insert((self.words(&candidate), index));
                    }
                }
            }
        }
        applicable
    }

    fn words(&self, action: &GroundAction) -> String {
        Writer::new(self.domain, &self.problem.objects).ground_action(action).to_lowercase()
    }
}

#[test]
#[ignore = "needs the published data; see the head of the file"]
fn built_in_encodings_do_what_the_published_ones_do_on_every_published_trace() {
    let corpus = PathBuf::from(
        std::env::var_os("SUREFOOT_CORPUS").expect("SUREFOOT_CORPUS names the folder of the data"),
    );
    let (mut problems, mut steps, mut refused) = (0, 0, 0);
    for (folder, _) in TABLE {
        let (ours, published) =
            (built_in(folder), domain_of(&corpus.join(folder).join("domain.pddl")));
        assert!(
            ours.name.eq_ignore_ascii_case(&published.name),
            "{folder}: problems name their domain"
        );
        assert_eq!(vocabulary(&ours), vocabulary(&published), "{folder}");
        let mut paths: Vec<_> =
            fs::read_dir(corpus.join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.retain(|path| {
            path.extension().is_some_and(|end| end == "pddl") && !path.ends_with("domain.pddl")
        });
        paths.sort();
        for path in paths {
            let (mut left, mut right) = (Reading::of(&ours, &path), Reading::of(&published, &path));
            assert_eq!(
                left.states_of_plan(),
                right.states_of_plan(),
                "{}: the plan",
                path.display()
            );
            assert_eq!(
                left.crosswise(),
                right.crosswise(),
                "{}: what is applicable",
                path.display()
            );
            let (left, right) = (left.recorded_successors(), right.recorded_successors());
            assert_eq!(left, right, "{}: the recorded steps", path.display());
            problems += 1;
            steps += left.len();
            refused += left.iter().filter(|successor| successor.is_none()).count();
        }
    }
    println!(
        "{problems} problems, {steps} recorded steps, {refused} of them refused by both encodings"
    );
    assert!(problems > 0, "no problems in {}", corpus.display());
}
