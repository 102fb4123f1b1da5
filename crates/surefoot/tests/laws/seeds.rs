//! Runs the seeds of the fuzz targets through what the targets do, so that neither can rot. A seed
//! is accepted, unless its name says that it is refused.

use std::path::Path;

fn replay(target: &str, run: fn(&[u8]) -> bool) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target);
    let mut seeds = 0;
    for file in std::fs::read_dir(&folder).expect("the seeds are there") {
        let path = file.expect("a readable folder").path();
        let accepted = run(&std::fs::read(&path).expect("a readable seed"));
        let name = path.file_name().expect("a file").to_string_lossy();
        assert_eq!(accepted, !name.starts_with("refused"), "{}", path.display());
        seeds += 1;
    }
    assert!(seeds >= 3, "{} seeds in {}", seeds, folder.display());
}

#[test]
fn sexpr() {
    replay("sexpr", crate::entry::sexpr);
}

#[test]
fn domain() {
    replay("domain", crate::entry::domain);
}

#[test]
fn problem() {
    replay("problem", crate::entry::problem);
}

#[test]
fn trajectory() {
    replay("trajectory", crate::entry::trajectory);
}

#[test]
fn plan() {
    replay("plan", crate::entry::plan);
}
