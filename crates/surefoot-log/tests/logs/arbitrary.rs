//! Whatever the bytes are, a log is read or refused: nothing panics.

use proptest::prelude::*;
use surefoot_base::pddl::Source;
use surefoot_learn::Recording;
use surefoot_log::{Log, Meaning, Table, guess};

const MAP: &str = "action = \"a\"\nepisode = \"e\"\nstatus = \
                   { column = \"s\", ok = \"1\", failed = \"*\" }\n[before]\n\"x.{o}\" = \"(x \
                   ?o)\"\n[after]\ny = \"(y ?o - o ?p)\"\nz = \"(z ?o - o) if true\"\nobjects.o \
                   = \"o\"\n[actions]\nb = { o = \"o\", q = \"(y ?o)\" }\n\"\" \
                   = \"report\"\n[declared]\n\"(d ?o)\" = { from = \"b\" }\n";

fn read(map: &str, bytes: &[u8]) {
    let Ok(meaning) = Meaning::read(&Source::new("m", map)) else { return };
    let Ok(table) = Table::read("t", &mut &bytes[..], None) else { return };
    let Ok(log) = Log::open(meaning, std::path::Path::new("."), vec![table]) else { return };
    for trace in 0..log.traces() {
        let _ = log.digest(trace);
    }
    let _ = log.tally().to_string();
}

/// A guess need not be right, but it is one, or it is refused.
fn guess_of(bytes: &[u8]) {
    let Ok(table) = Table::read("t", &mut &bytes[..], None) else { return };
    if let Ok(map) = guess(&table) {
        read(&map.text, bytes);
        assert_eq!(
            Meaning::read(&Source::new("m", &map.text)).is_err(),
            !map.questions.is_empty(),
            "{}",
            map.text
        );
    }
}

fn map() -> String {
    MAP.replace("objects.o = \"o\"\n", "").replace("[before]", "objects = { o = \"o\" }\n[before]")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn bytes(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        read(&map(), &bytes);
        guess_of(&bytes);
    }

    #[test]
    fn guesses(names in "[a-c.\\[\\]_ \
                         ]{0,3}(,(do|status|ok|t|x_r|x\\[r\\]|s\\.r\\.x|id|[d-g.]{1,4})){0,5}",
               cells in proptest::collection::vec(
                   proptest::sample::select(vec![
                       "", "1", "0", "2,5", "\"2,5\"", "b", "r", "nan", "-1e400", "true", "ok",
                       "failed", "06:00:00", "2025-01-01",
                   ]),
                   0..80,
               )) {
        let columns = names.split(',').count();
        let mut text = names.clone();
        for (index, cell) in cells.iter().take(cells.len() / columns * columns).enumerate() {
            text.push(if index % columns == 0 { '\n' } else { ',' });
            text.push_str(cell);
        }
        guess_of(text.as_bytes());
    }

    #[test]
    fn tables(
        cells in proptest::collection::vec(
            proptest::sample::select(vec![
                "", "1", "0", "b", "r", "R", "nan", "-1e400", "\"", "\"\n", "ü", "x\ty",
            ]),
            0..60,
        ),
    ) {
        let mut text = String::from("a,e,s,x.r,y,z,o");
        for (index, cell) in cells.iter().enumerate() {
            text.push(if index % 7 == 0 { '\n' } else { ',' });
            text.push_str(cell);
        }
        read(&map(), text.as_bytes());
    }

    #[test]
    fn json(text in "(\\{(\"[aesxyzo.r]{1,3}\": (1|null|NaN|\"[br1]\"|true|\\{\"r\": 2\\}|\\[1\\])(, )?){0,6}\\}\n){0,4}") {
        read(&map(), text.as_bytes());
        guess_of(text.as_bytes());
    }

    #[test]
    fn maps(text in "((action|time|episode|ignore|status|[a-z]{1,3}) = (\"[()?{} \
                     a-z.\\-]{0,8}\"|\\[\"a\"\\]|\\{ a = \"b\" \\})\n\
                     ){0,4}(\\[(after|before|actions|declared|static.\"a.json\")\\]\n\
                     (\"?[a-z{}.]{1,6}\"? = (\"[()?{} a-z\\-|]{0,12}\"|\\[\"a\"\\]|\\{ from = \"b\" \\})\n){0,3}){0,4}") {
        read(&text, b"a,b\n1,2\n");
    }

    #[test]
    fn any_map(text in any::<String>()) {
        let _ = Meaning::read(&Source::new("m", text));
    }
}
