//! A worked example, typed in: eight rows of a farm action, all the way to the file.

use smallvec::smallvec;

use crate::column::{ColumnWriter, NumericQuantity, TableColumn};
use crate::observed::{SeenStep, SeenTrace, StateRow, SymbolId, TypeUse, TypedApplication};
use crate::regression::Searching;
use crate::repairs::Repairs;
use crate::run::{ActionRun, End, MinerInputs, MinerRun, run};
use crate::text::text;
use crate::work::Work;
use surefoot_base::model::{ActionId, Domain, FunctionId, PredicateId, TypeId};
use surefoot_base::pddl::{Source, read_domain};

fn domain() -> Domain {
    let text = "(define (domain farms) (:types farm) (:predicates (adj ?a - farm ?b - farm)) \
                (:functions (x ?a - farm) (cost))
        (:action move-fast :parameters (?a - farm ?b - farm)))";
    read_domain(&Source::new("domain.pddl", text)).unwrap()
}

/// Before and after: the cost, the second farm, the first farm, the clock.
const ROWS: [([f64; 3], usize, [f64; 3]); 4] = [
    ([0.0, 0.0, 13.0], 1, [1.0, 2.0, 9.0]),
    ([1.0, 0.0, 8.0], 6, [2.0, 2.0, 4.0]),
    ([0.0, 0.0, 11.0], 0, [1.0, 2.0, 7.0]),
    ([0.0, 0.0, 6.0], 1, [1.0, 2.0, 2.0]),
];

fn trace(domain: &Domain) -> SeenTrace {
    let farm = domain.signature.types.find("farm").unwrap();
    let function = |name: &str| {
        SymbolId::Function(FunctionId::from(domain.signature.functions.find(name).unwrap()))
    };
    let adj = SymbolId::Predicate(PredicateId::from(0));
    let of = |symbol: SymbolId, parameters: &[usize]| TypedApplication {
        symbol,
        arguments: parameters.iter().map(|&index| (index, farm)).collect(),
    };
    let row = |[cost, second, first]: [f64; 3], clock: usize| StateRow {
        clock,
        literals: vec![
            (of(adj, &[1, 0]), 1.0),
            (of(adj, &[0, 1]), 1.0),
            (of(function("cost"), &[]), cost),
            (of(function("x"), &[1]), second),
            (of(function("x"), &[0]), first),
        ],
    };
    SeenTrace {
        steps: ROWS
            .iter()
            .map(|&(before, clock, after): &([f64; 3], usize, [f64; 3])| SeenStep {
                action: ActionId::from(0),
                types: smallvec![farm, farm],
                before: row(before, clock),
                after: row(after, clock + 1),
            })
            .collect(),
        uses: [(adj, 0), (adj, 1), (function("x"), 0)]
            .map(|(symbol, position)| TypeUse { symbol, position, of: farm })
            .into(),
    }
}

fn run_with(repairs: Repairs) -> (Domain, MinerRun) {
    let domain = domain();
    let trace = trace(&domain);
    let mut searching = Searching::new(repairs, 0, Work::new(None));
    let inputs = MinerInputs { domain: &domain, traces: &[&trace], repairs };
    let run =
        run(&inputs, &mut |_, tables, column| searching.find(tables, column), &mut Work::new(None));
    (domain, run)
}

const FILE: &str = "(define (domain farms)
	(:requirements :strips :typing)
	(:types
		farm - object
	)
	(:predicates
		(adj ?param_0 - farm ?param_1 - farm)
	)
	(:functions
		(cost)
		(x ?param_0 - farm)
	)
	(:action MOVE-FAST
		:parameters (?param_0 - farm ?param_1 - farm)
		:precondition
			(and
				(< ( x ?param_1 ) ( x ?param_0 ) )
			)
		:effect
			(and
				( adj ?param_1 ?param_0 ) 
				( adj ?param_0 ?param_1 ) 
				( increase ( cost ) 1  )
				( decrease ( x ?param_0 ) 4  )
				( increase ( x ?param_1 ) 2  )
			)
	)
)";

fn rounded_labels(action: &ActionRun, place: usize) -> Vec<[f64; 4]> {
    let labels = action.labels[place].iter().map(|label| [label.a, label.b, label.c, label.d]);
    labels.map(|label| label.map(|edge| (edge * 1e4).round() / 1e4)).collect()
}

#[test]
fn planminer_writes_the_file_of_the_worked_example() {
    let (domain, run) = run_with(Repairs::default());
    assert_eq!(run.end, End::Complete);
    let words = ColumnWriter { domain: &domain, types: &run.types };
    assert_eq!(text(&run, words, "FARMS").unwrap(), FILE);
    let action = &run.actions[0];
    assert_eq!(rounded_labels(action, 0), [[0.0; 4], [0.9999, 1.0, 2.0, 2.0005]]);
    assert_eq!(rounded_labels(action, 1), [[0.0; 4], [2.0; 4]]);
    assert_eq!(
        rounded_labels(action, 2),
        [[8.9996, 9.0, 11.2, 13.002], [5.9998, 6.0, 7.1, 8.001], [1.9998, 2.0, 4.0, 4.001]]
    );
    assert_eq!(
        rounded_labels(action, 3),
        [[-0.0002, 0.0, 2.0, 2.001], [5.9999, 6.0, 6.05, 7.0005]]
    );
    let kept = action
        .numeric
        .columns
        .iter()
        .filter(|(column, _)| matches!(column, TableColumn::Comparison(..)))
        .count();
    assert_eq!(kept, 7, "three of cost and x, two of x and x, two of the clock and 4");
    assert_eq!(action.pools.before.iter().map(|pooled| pooled.weight).collect::<Vec<_>>(), [2; 8]);
    assert_eq!(action.pools.after.iter().map(|pooled| pooled.weight).collect::<Vec<_>>(), [4; 9]);
}

#[test]
fn planminer_repaired_takes_facts_that_never_vary_for_preconditions() {
    let (domain, run) = run_with(Repairs { static_facts: true, ..Repairs::default() });
    let words = ColumnWriter { domain: &domain, types: &run.types };
    let text = text(&run, words, "farms").unwrap();
    let (before, after) = text.split_once(":effect").unwrap();
    assert!(
        before.contains("( adj ?param_0 ?param_1 )")
            && before.contains("( adj ?param_1 ?param_0 )"),
        "{text}"
    );
    assert!(!after.contains("adj"), "{text}");
}

#[test]
fn planminer_repaired_has_no_clock() {
    let (_, run) = run_with(Repairs { no_clock: true, ..Repairs::default() });
    assert!(run.actions[0].numeric.columns.iter().all(|(column, _)| match column {
        TableColumn::Number(quantity)
        | TableColumn::Comparison(_, quantity, _)
        | TableColumn::Direction(quantity, _) => *quantity != NumericQuantity::Clock,
        TableColumn::Fact(_) => true,
    }));
}

#[test]
fn planminer_ends_at_its_limit_unless_it_is_bounded() {
    let domain = domain();
    let trace = trace(&domain);
    let inputs = MinerInputs { domain: &domain, traces: &[&trace], repairs: Repairs::default() };
    let mut searching = Searching::new(Repairs::default(), 0, Work::new(Some(20)));
    let run =
        run(&inputs, &mut |_, tables, column| searching.find(tables, column), &mut Work::new(None));
    assert_eq!(run.end, End::TimeLimit);
    let words = ColumnWriter { domain: &domain, types: &run.types };
    assert_eq!(text(&run, words, "farms"), None);
}

#[test]
fn types_of_the_example_are_those_of_its_objects() {
    let (domain, run) = run_with(Repairs::default());
    let farm: TypeId = domain.signature.types.find("farm").unwrap();
    assert_eq!(run.types.of_action(ActionId::from(0)), [farm, farm]);
}
