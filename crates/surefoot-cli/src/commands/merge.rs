//! `surefoot merge`: joins learner states. Any order and any repetition gives the same bytes.

use anyhow::{Result, bail};
use surefoot::learn::save;

use super::validate::count;
use crate::args::Merge;
use crate::input;
use crate::output::{Answer, write_file};

pub fn run(arguments: &Merge) -> Result<Answer> {
    let (first, rest) = match &arguments.states[..] {
        [first, rest @ ..] => (first, rest),
        [] => bail!("name the states to merge"),
    };
    let mut learner = input::learner(first)?;
    for path in rest {
        let other = input::learner(path)?;
        if !learner.is_compatible(&other) {
            bail!(
                "{} and {} are states of different domains, or of different classes of models",
                first.display(),
                path.display()
            );
        }
        learner.merge(&other);
    }
    write_file(&arguments.output, &save(&learner))?;
    eprintln!("{}: {} joined", arguments.output.display(), count(arguments.states.len(), "state"));
    Ok(Answer::Yes)
}
