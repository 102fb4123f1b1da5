//! Learns in two places and puts it together.
//!
//! Monday's and Tuesday's records are on one machine, Wednesday's on another. Each sends what it
//! learned, a few hundred bytes, and the model is the one that all records together would have
//! given:
//!
//! ```sh
//! cargo run -p surefoot --example merge
//! ```

use std::error::Error;

use surefoot::learn::{NoTraces, OnBadData, Trace, load, save};
use surefoot::pddl::infer_objects;
use surefoot::{Class, Learner, Model, Settings, Source, Spec, learn, read_domain};

const DOMAIN: &str = include_str!("../../../examples/robots/domain.pddl");
const RECORDS: [&str; 3] = [
    include_str!("../../../examples/robots/monday.trajectory"),
    include_str!("../../../examples/robots/tuesday.trajectory"),
    include_str!("../../../examples/robots/wednesday.trajectory"),
];

/// From two places to one model.
pub fn main() -> Result<(), Box<dyn Error>> {
    let domain = read_domain(&Source::new("domain.pddl", DOMAIN))?;
    let records = RECORDS.map(|record| Source::new("record", record));

    let mut here = Learner::new(&domain, Class::default())?;
    for record in &records[..2] {
        here.read(record, &infer_objects(record, &domain)?)?;
    }
    let mut there = Learner::new(&domain, Class::default())?;
    there.read(&records[2], &infer_objects(&records[2], &domain)?)?;

    // What a learner knows travels as bytes. Neither the order of merges matters, nor that one is
    // repeated.
    let bytes = save(&there)?;
    println!("sent: {} bytes", bytes.len());
    here.merge(&load(&bytes)?);
    here.merge(&load(&bytes)?);
    let together = Model::of(&here, &Settings::default(), &NoTraces, OnBadData::Stop)?;

    let all = learn(&domain, &Spec::default(), &records.map(Trace::inferred))?;
    assert_eq!(together.to_pddl(), all.to_pddl());
    println!("the same model, byte for byte");
    Ok(())
}
