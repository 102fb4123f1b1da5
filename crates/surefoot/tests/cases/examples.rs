//! The examples that teach, run as they stand; each asserts what it shows.

#[path = "../../examples/explain.rs"]
mod explain;
#[path = "../../examples/learn.rs"]
mod learn;
#[path = "../../examples/merge.rs"]
mod merge;
#[path = "../../examples/plan.rs"]
mod plan;

#[test]
fn every_example_runs() -> Result<(), Box<dyn std::error::Error>> {
    learn::main()?;
    plan::main()?;
    explain::main()?;
    merge::main()
}
