//! Command lines as a user types them, with what they print.
//! `TRYCMD=overwrite cargo test -p surefoot-cli` writes the outputs anew; read the difference.

#[test]
fn say_what_they_say() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd");
}
