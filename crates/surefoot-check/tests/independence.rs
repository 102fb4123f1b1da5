//! The checker shares exact numbers with the learner, and no geometry: hulls, memberships and
//! linear programs are where a learner can go wrong. Cargo keeps the learner out; it cannot tell
//! the numbers of `surefoot_base::exact` from the rest of that module.

use std::fs;
use std::path::Path;

#[test]
fn the_checker_uses_no_geometry_but_its_own() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut uses = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        for (at, _) in code.match_indices("surefoot_base::exact::") {
            uses += 1;
            let named = &code[at + "surefoot_base::exact::".len()..];
            let line = 1 + code[..at].matches('\n').count();
            assert!(
                named.starts_with("Rational"),
                "{}:{line} uses geometry of the base",
                path.display()
            );
        }
    }
    assert!(uses > 10, "the sources were not read");
}
