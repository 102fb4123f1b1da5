//! Nothing that a log or a file says is dropped in silence: what cannot be placed is unknown, or an error that names its place.

use crate::states::read;

const POUR: &str = "action = \"do\"\nepisode = \"run\"\ncomplete = [\"full\", \"size\"]\nobjects = { robot = \"robot\", can = \"can\" }\n[after]\nbattery = \"(battery ?robot)\"\n[actions]\npour = [\"robot\", \"can\"]\n";

/// A file that says how a fact is at the start of one episode mentions it: elsewhere it is unknown, and not false.
#[test]
fn what_a_file_says_of_another_episode_is_not_false_here() {
    let map = format!(
        "{POUR}[static.\"starts.json\"]\n\"[run={{episode}}].{{can}}.full\" = \"(full ?can) if true\"\n\"[run={{episode}}].{{can}}.size\" = \"(size ?can)\"\n"
    );
    let starts = r#"[{"run": "a", "c1": {"full": true, "size": 3}}, {"run": "b", "c2": {"full": true, "size": 3}}]"#;
    let log = "run,do,robot,can,battery\na,pour,r1,c1,9\nb,pour,r1,c1,9\nb,pour,r1,c3,9\n";
    // `run` is no can.
    let map = map.replace("].{can}", "].cans.{can}");
    let starts =
        starts.replace("\"c1\": {", "\"cans\": {\"c1\": {").replace("\"c2\": {", "\"cans\": {\"c2\": {").replace("}}", "}}}");
    let (steps, _) = read(&map, &[("log.csv", log), ("starts.json", &starts)], &["log.csv"]).unwrap();
    let [told, elsewhere, never] = &steps[..] else { panic!("{steps:?}") };
    assert!(told.contains("(full c1)") && told.contains("(= (size c1) 3.0)"), "{told}");
    for unknown in ["(unknown (full c1))", "(unknown (size c1))"] {
        assert!(elsewhere.contains(unknown), "{unknown} is not in {elsewhere}");
    }
    assert!(!never.contains("(full c3)") && !never.contains("(size c3)"), "{never}");
}
