//! How fast a log is read: a CSV of a fleet of robots, as many rows as asked for, learned from on
//! one core.
//!
//!     cargo run --profile quick -p surefoot-measure --bin log_rate -- 1000000

use std::fmt::Write as _;
use std::io::{BufWriter, Write};
use std::time::Instant;

use surefoot_base::assumptions::Spec;
use surefoot_base::pddl::Source;
use surefoot_learn::Settings;
use surefoot_learn::{Job, Learner, Policy, Unwatched};
use surefoot_log::{Log, Meaning, Table};

const MAP: &str = r#"
time = "time"
episode = "shift"
action = "action"
status = { column = "status", ok = "ok", failed = "failed" }
objects = { robot = "robot", item = "item", station = ["station", "target"] }
[after]
station = "(at ?robot ?station)"
battery = "(battery ?robot)"
load = "(load ?robot)"
odometer = "(odometer ?robot)"
[actions]
boot = "report"
move = { robot = "robot", from = "(at ?robot)", to = "target" }
"pick, place" = ["robot", "item", "station"]
[declared]
"(holds ?robot ?item)" = { from = "pick", until = "place", start = false }
"#;

const ROBOTS: usize = 4;
const ROWS_OF_A_SHIFT: usize = 1000;

/// Rows of shifts of four robots, which alternate.
fn write_log(target: &mut impl Write, rows: usize) -> std::io::Result<()> {
    let mut seed = 1u64;
    let mut roll = |sides: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % sides
    };
    writeln!(
        target,
        "time,shift,robot,action,item,station,target,battery,load,odometer,status,note"
    )?;
    let mut line = String::new();
    // Where each robot is, its battery in tenths, what it holds, how far it went.
    let mut robots = [(0u64, 0u64, None::<u64>, 0u64); ROBOTS];
    for row in 0..rows {
        let (shift, turn) = (row / ROWS_OF_A_SHIFT, row % ROWS_OF_A_SHIFT);
        let robot = if turn < ROBOTS { turn } else { roll(ROBOTS as u64) as usize };
        let (choice, place, item) = (roll(3), roll(5), roll(9));
        let (at, battery, holds, odometer) = &mut robots[robot];
        let (action, target_station, named, ok) = match (choice, *holds) {
            _ if turn < ROBOTS => {
                (*at, *battery, *holds, *odometer) = (place, 9_000 + roll(1000), None, 0);
                ("boot", None, None, true)
            }
            (0, _) if place != *at => {
                (*at, *battery, *odometer) = (place, *battery - 3, *odometer + 1);
                ("move", Some(place), None, true)
            }
            (0, _) => ("move", Some(place), None, false),
            (1, None) => {
                (*holds, *battery) = (Some(item), *battery - 4);
                ("pick", None, Some(item), true)
            }
            (1, Some(_)) => ("pick", None, Some(item), false),
            (_, Some(held)) => {
                *holds = None;
                ("place", None, Some(held), true)
            }
            (_, None) => ("place", None, Some(item), false),
        };
        line.clear();
        let _ = write!(line, "{row},S{shift},r{robot},{action},");
        if let Some(item) = named {
            let _ = write!(line, "item{item}");
        }
        let _ = write!(line, ",station{at},");
        if let Some(place) = target_station {
            let _ = write!(line, "station{place}");
        }
        let load = u64::from(holds.is_some());
        let status = if ok { "ok" } else { "failed" };
        let _ = writeln!(
            line,
            ",{}.{},{load},{odometer},{status},nothing to say",
            *battery / 10,
            *battery % 10
        );
        target.write_all(line.as_bytes())?;
    }
    target.flush()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rows: usize = std::env::args().nth(1).ok_or("usage: log_rate ROWS")?.parse()?;
    let path = std::env::temp_dir().join(format!("surefoot-log-rate-{}.csv", std::process::id()));
    write_log(&mut BufWriter::new(std::fs::File::create(&path)?), rows)?;
    let bytes = std::fs::metadata(&path)?.len();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let outcome =
        pool.install(|| -> Result<(f64, f64, usize), Box<dyn std::error::Error + Send + Sync>> {
            let began = Instant::now();
            let meaning =
                Meaning::read(&Source::new("map.toml", MAP)).map_err(|error| error.to_string())?;
            let table = Table::open(&path).map_err(|error| error.to_string())?;
            let log = Log::open(meaning, &std::env::temp_dir(), vec![table])?;
            let opened = began.elapsed().as_secs_f64();
            let spec =
                Spec::default().with(|spec| spec.declared = log.meaning().declarations.clone());
            let start = Learner::of(log.domain(), &spec)?;
            let settings = Settings::of_spec(&spec, &start)?;
            let job = Job {
                start: &start,
                settings: &settings,
                recording: &log,
                policy: Policy::default(),
                digests: false,
                progress: &Unwatched,
            };
            let model = job.run()?;
            Ok((opened, began.elapsed().as_secs_f64(), model.to_pddl().len()))
        });
    std::fs::remove_file(&path)?;
    let (opened, all, length) = outcome.map_err(|error| error.to_string())?;
    println!(
        "{rows} rows, {} MB: opened in {opened:.2} s, learned in {all:.2} s on one core ({length} \
         bytes of PDDL)",
        bytes / 1_000_000
    );
    Ok(())
}
