//! `surefoot demo`: the whole story on a built-in domain.

use anyhow::Result;

use crate::args::Demo;
use crate::demo;
use surefoot_io::output::Answer;

pub fn run(arguments: &Demo) -> Result<Answer> {
    demo::run(arguments)
}
