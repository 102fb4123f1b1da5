//! Types of the header.

use smallvec::SmallVec;

use crate::observed::{SeenStep, SeenTrace, StateRow};
use crate::types::HeaderTypes;
use surefoot_base::model::{ActionId, TypeId};
use surefoot_base::pddl::{Source, read_domain};

#[test]
fn types_that_meet_at_a_position_get_a_type_above_them() {
    let text =
        "(define (domain d) (:types a b c d e) (:predicates) (:action put :parameters (?x - \
                object ?y - object))
        (:action take :parameters (?x - object)))";
    let domain = read_domain(&Source::new("domain.pddl", text)).unwrap();
    let step = |action: usize, types: &[&str]| SeenStep {
        action: ActionId::from(action),
        types: types
            .iter()
            .map(|name| domain.signature.types.find(name).unwrap())
            .collect::<SmallVec<[TypeId; 4]>>(),
        before: StateRow::default(),
        after: StateRow::default(),
    };
    // Put meets a and b at 0, c and d at 1; take joins b and c, and so the types above them; e
    // stays alone at no position.
    let steps = vec![step(0, &["a", "c"]), step(0, &["b", "d"]), step(1, &["b"]), step(1, &["c"])];
    let header = HeaderTypes::derive(&domain, &[&SeenTrace { steps, uses: Vec::new() }]);
    let names: Vec<&str> = header.types.iter().map(|&of| header.name(of)).collect();
    assert_eq!(names, ["A", "C", "B", "D", "PARENTTYPE0", "PARENTTYPE1", "PARENTTYPE3"]);
    let types = [0, 1].map(|action| {
        let types = header.of_action(ActionId::from(action)).iter();
        types.map(|&of| header.name(of)).collect::<Vec<_>>().join(" ")
    });
    assert_eq!(types, ["PARENTTYPE0 PARENTTYPE1", "PARENTTYPE3"]);
}

#[test]
fn a_type_without_a_parent_joins_the_parent_of_what_it_meets() {
    let text =
        "(define (domain d) (:types a b c) (:predicates) (:action put :parameters (?x - object)))";
    let domain = read_domain(&Source::new("domain.pddl", text)).unwrap();
    let header = HeaderTypes::derive(
        &domain,
        &[&SeenTrace {
            steps: ["a", "b", "c"]
                .map(|name| SeenStep {
                    action: ActionId::from(0),
                    types: std::iter::once(domain.signature.types.find(name).unwrap()).collect(),
                    before: StateRow::default(),
                    after: StateRow::default(),
                })
                .into(),
            uses: Vec::new(),
        }],
    );
    assert_eq!(header.types.len(), 4);
    assert_eq!(header.name(header.of_action(ActionId::from(0))[0]), "PARENTTYPE0");
}
