//! Traces in, a model out; a plan made, a refusal explained, the certificate checked.
use surefoot::learn::Trace;
use surefoot::model::Inapplicable;
use surefoot::pddl::{Writer, read_domain, read_plan, read_problem, write_plan};
use surefoot::plan::{SearchOptions, SearchOutcome, plan};
use surefoot::{ModelChecker, Numbers, Semantics, Source, Spec, Universe, explain, learn};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // What there is to speak of, but not what `move` needs and does: workers go from one farm to
    // another.
    let text = "(define (domain farmland) (:types farm) (:predicates (road ?f1 ?f2 - farm)) \
                (:functions (x ?f - farm))
        (:action move :parameters (?f1 ?f2 - farm)))";
    let domain = read_domain(&Source::new("domain.pddl", text))?;
    let text =
        "(define (problem week) (:domain farmland) (:objects a b c d - farm) (:init (road a \
                b) (road b c) (road d a)
        (= (x a) 2) (= (x b) 0) (= (x c) 0) (= (x d) 5)) (:goal (>= (x c) 1)))";
    let problem = read_problem(&Source::new("problem.pddl", text), &domain, Numbers::Exact)?;
    // Two recorded executions: what held, what was done, what held then.
    let monday =
        "((:init (road a b) (= (x a) 3) (= (x b) 0)) (operator: (move a b)) (:state (road \
                  a b) (= (x a) 2) (= (x b) 1))
        (operator: (move a b)) (:state (road a b) (= (x a) 1) (= (x b) 2))
        (operator: (move a b)) (:state (road a b) (= (x a) 0) (= (x b) 3)))";
    let tuesday = "((:init (road b c) (road c b) (= (x b) 1) (= (x c) 0))
        (operator: (move b c)) (:state (road b c) (road c b) (= (x b) 0) (= (x c) 1)))";
    let sources = [Source::new("monday", monday), Source::new("tuesday", tuesday)];
    let traces = sources.clone().map(|source| Trace::new(source, &problem.objects));

    // Learn. All that is assumed is in the dials: none is turned here, and the model's head says
    // what is left.
    let model = learn(&domain, &Spec::default(), &traces)?;
    let body = ":precondition (and (road ?f1 ?f2) (not (= ?f1 ?f2)) (>= (x ?f2) 0) (>= (x ?f1) 1) \
                (<= (+ (x ?f1) (x ?f2)) 3))
        :effect (and (decrease (x ?f1) 1) (increase (x ?f2) 1))";
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words(&model.to_pddl()).contains(&words(body)));

    // A plan, valid in every domain of the class that explains the traces; one of its states was
    // never seen.
    let report = plan(model.for_planning(), &problem, &SearchOptions::default(), &|_| true);
    let SearchOutcome::Solved(found) = report.outcome else { return Err("no plan".into()) };
    assert_eq!(write_plan(&domain, &problem.objects, &found), "(move a b)\n(move b c)\n");

    // A refusal, and why: nobody was seen to move where two farms had seven workers. In the nearest
    // case `?f1` had three.
    let step = read_plan(&Source::new("step", "(move d a)"), &domain, &problem.objects)?
        .steps
        .remove(0)
        .action;
    let mut universe = Universe::default();
    let state = problem.initial_state(&mut universe);
    let refused =
        Semantics::new(model.for_states(), &problem.objects).applicable(&step, &universe, &state);
    let Err(Inapplicable::Precondition(violations)) = refused else {
        return Err("not refused".into());
    };
    let mut writer =
        Writer::new(&domain, &problem.objects).with_objects(&violations[0].environment);
    assert_eq!(writer.condition(&violations[0].condition), "(<= (+ (x d) (x a)) 3)");
    let grounds = model.grounds().ok_or("not a safe model")?;
    let nearest =
        explain::nearest(&grounds.learner, &step, &universe, &state).ok_or("nothing was seen")?;
    assert_eq!(nearest.columns[0].2.to_string(), "3");
    // The checker trusts neither learner nor certificate: it reads the traces, and finds nothing
    // wrong.
    let (written, certificate) = (model.read_back(), model.certificate().ok_or("no certificate")?);
    let mut checker = ModelChecker::new(&domain, &written, &certificate);
    sources.iter().try_for_each(|trace| checker.read(trace, &problem.objects))?;
    assert_eq!(checker.finish(), []);
    Ok(())
}
#[test]
fn learn_a_model() -> Result<(), Box<dyn std::error::Error>> {
    main()
}
