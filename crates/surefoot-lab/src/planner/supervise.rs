//! The process between surefoot and a planner: runs it within limits, and ends all that it started
//! when its time has come.
//!
//! `surefoot __supervise REPORT LIMITS PROGRAM ARGUMENT...` leads a process group of its own. Its
//! standard input is a pipe whose other end only surefoot holds: when surefoot is killed, however
//! brutally, the pipe ends and the planner goes with it. On Linux it also adopts what the planner
//! leaves behind, so that a process which left the group is still found.
//!
//! A planner can end its supervisor, since both are the same user's. Surefoot notices, and ends on
//! Linux whatever carries the mark of the run in its environment, with all that descends from it:
//! only a process that removed the mark and left its parents gets away.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, getpid, getppid, kill_process, kill_process_group, wait,
};
use serde::{Deserialize, Serialize};

/// The word that makes the binary a supervisor.
pub const VERB: &str = "__supervise";

/// The variable of the environment that marks the processes of a run; its value is the path of the
/// run's report.
pub const MARK: &str = "SUREFOOT_RUN";

/// How often it is looked whether the planner ended, and how often what it uses.
const TICK: Duration = Duration::from_millis(5);
const MEASURED_EVERY: Duration = Duration::from_millis(25);
/// How long a planner that was asked to end may take for it.
const GRACE: Duration = Duration::from_millis(300);

/// What a planner may use, all that it starts taken together; none: no limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Limits {
    /// Time by the clock.
    pub time: Option<Duration>,
    /// The processor time of all processes, if the system counts it.
    pub cpu: Option<Duration>,
    /// Resident bytes. Pages that processes share count for each.
    pub memory: Option<u64>,
}

/// How a planner's process ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Ending {
    /// By itself, with this code.
    Exited(i32),
    /// By this signal, not sent by us.
    Killed(i32),
    /// Stopped by us: its time by the clock was up.
    TimeLimit,
    /// Stopped by us: its time on cores was up.
    CpuLimit,
    /// Stopped by us: it used too much memory.
    MemoryLimit,
    /// Stopped by us, because nobody waits for it any more.
    Cancelled,
    /// It could not be started.
    NotStarted(String),
    /// Ended by us, because what became of its supervisor was not our doing: this.
    Unsupervised(String),
}

/// What the supervisor leaves behind.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RunReport {
    /// How the program ended.
    pub ending: Ending,
    /// Seconds on cores, of all processes; zero where the system does not tell.
    pub cpu_seconds: f64,
    /// The most resident bytes seen at once; zero where the system does not tell.
    pub peak_bytes: u64,
}

/// Runs as supervisor if the command line says so.
pub fn entry(arguments: &[OsString]) -> Option<u8> {
    if arguments.get(1)? != VERB {
        return None;
    }
    Some(match supervise(&arguments[2..]) {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("error: cannot supervise a planner: {error}");
            2
        }
    })
}

static PROGRAM: OnceLock<Vec<OsString>> = OnceLock::new();

/// Says which command is this program, where the running file is not: an interpreter that was told
/// to be us. The first call counts.
pub fn set_program(words: Vec<OsString>) {
    let _ = PROGRAM.set(words);
}

/// The command that runs this program again, even where its file was replaced since.
pub fn program() -> io::Result<Vec<OsString>> {
    if let Some(words) = PROGRAM.get() {
        return Ok(words.clone());
    }
    Ok(vec![if cfg!(target_os = "linux") {
        "/proc/self/exe".into()
    } else {
        env::current_exe()?.into()
    }])
}

fn supervise(words: &[OsString]) -> io::Result<()> {
    let [report, limits, program, arguments @ ..] = words else {
        return Err(io::Error::other("expected REPORT LIMITS PROGRAM ARGUMENT..."));
    };
    let surefoot = getppid();
    // Opened before the planner runs, which could put something else in its place.
    let mut note = fs::OpenOptions::new().write(true).create(true).truncate(true).open(report)?;
    let limits: Limits = serde_json::from_str(&limits.to_string_lossy())?;
    let stop = Arc::new(AtomicBool::new(false));
    for signal in
        [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT, signal_hook::consts::SIGHUP]
    {
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    watch_for_the_end_of_input(Arc::clone(&stop));
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(getpid()))?;

    let started = Command::new(program).args(arguments).stdin(Stdio::null()).spawn();
    let report_of = match started {
        Ok(planner) => {
            let mut family = ProcessFamily {
                planner: Pid::from_child(&planner),
                status: None,
                usage: Usage::default(),
            };
            let ending = family.watch(&limits, &stop);
            family.end(matches!(ending, Ending::Exited(_) | Ending::Killed(_)));
            RunReport {
                ending,
                cpu_seconds: family.usage.cpu.as_secs_f64(),
                peak_bytes: family.usage.peak,
            }
        }
        Err(error) => RunReport {
            ending: Ending::NotStarted(error.to_string()),
            cpu_seconds: 0.0,
            peak_bytes: 0,
        },
    };
    if getppid() != surefoot {
        // Nobody is left to read a report, or to clear the folder of it and the planner's files
        // away.
        return Path::new(report).parent().map_or(Ok(()), fs::remove_dir_all);
    }
    note.write_all(&serde_json::to_vec(&report_of)?)
}

/// Ends all processes that carry the mark of a run, and all that descend from them. For when nobody
/// supervises them any more; where the system does not tell of processes this does nothing.
pub fn end_marked(report: &Path) {
    let mut mark = OsString::from(MARK);
    mark.push("=");
    mark.push(report);
    // New ones may be born while we look.
    for _ in 0..200 {
        let marked = proc::marked(mark.as_encoded_bytes());
        if marked.is_empty() {
            break;
        }
        for pid in marked.into_iter().filter_map(Pid::from_raw) {
            let _ = kill_process(pid, Signal::KILL);
        }
        thread::sleep(TICK);
    }
}

/// Surefoot never writes: its end of the pipe closes when it wants the planner to end, and when it
/// dies.
fn watch_for_the_end_of_input(stop: Arc<AtomicBool>) {
    thread::spawn(move || {
        let mut byte = [0];
        while io::stdin().read(&mut byte).is_ok_and(|count| count > 0) {}
        stop.store(true, Ordering::Relaxed);
    });
}

#[derive(Default)]
struct Usage {
    cpu: Duration,
    memory: u64,
    peak: u64,
}

/// The planner and all that descends from it.
struct ProcessFamily {
    planner: Pid,
    status: Option<WaitStatus>,
    usage: Usage,
}

impl ProcessFamily {
    fn watch(&mut self, limits: &Limits, stop: &AtomicBool) -> Ending {
        let start = Instant::now();
        let mut measured = start;
        loop {
            self.reap();
            if let Some(status) = self.status {
                self.measure();
                return match (status.exit_status(), status.terminating_signal()) {
                    (Some(code), _) => Ending::Exited(code),
                    (None, signal) => Ending::Killed(signal.unwrap_or(0)),
                };
            }
            if stop.load(Ordering::Relaxed) {
                return Ending::Cancelled;
            }
            if limits.time.is_some_and(|most| start.elapsed() >= most) {
                return Ending::TimeLimit;
            }
            if measured.elapsed() >= MEASURED_EVERY {
                measured = Instant::now();
                self.measure();
                if limits.memory.is_some_and(|most| self.usage.memory > most) {
                    return Ending::MemoryLimit;
                }
                if limits.cpu.is_some_and(|most| self.usage.cpu >= most) {
                    return Ending::CpuLimit;
                }
            }
            thread::sleep(TICK);
        }
    }

    /// Takes note of those that ended. As the adoptive parent we are told of orphans, too.
    fn reap(&mut self) {
        while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
            if pid == self.planner {
                self.status = Some(status);
            }
        }
    }

    fn measure(&mut self) {
        let mut total = proc::own_children();
        self.usage.memory = 0;
        for pid in proc::descendants() {
            let (cpu, memory) = proc::usage(pid);
            total += cpu;
            self.usage.memory += memory;
        }
        // Processes that ended unwaited for drop out of the sum; time already seen stays spent.
        self.usage.cpu = self.usage.cpu.max(total);
        self.usage.peak = self.usage.peak.max(self.usage.memory);
    }

    /// Ends everybody: politely first, unless the planner is done and these are its leftovers.
    fn end(&mut self, done: bool) {
        if !done {
            self.measure();
            self.signal(Signal::TERM);
            self.await_end(GRACE);
        }
        // New ones may be born while we look.
        for _ in 0..200 {
            self.reap();
            if !self.signal(Signal::KILL) {
                break;
            }
            thread::sleep(TICK);
        }
        self.reap();
        self.measure();
    }

    fn await_end(&mut self, most: Duration) {
        let start = Instant::now();
        while start.elapsed() < most && !proc::descendants().is_empty() {
            thread::sleep(TICK);
            self.reap();
        }
    }

    /// Whether anybody was left to be told.
    fn signal(&self, signal: Signal) -> bool {
        let everybody = proc::descendants();
        for &pid in &everybody {
            if let Some(pid) = Pid::from_raw(pid) {
                let _ = kill_process(pid, signal);
            }
        }
        if proc::IS_KNOWN {
            return !everybody.is_empty();
        }
        // Without a list there is the group, which we are part of: a planner is asked as a group,
        // and killed alone. What it leaves in the group is killed by surefoot after us.
        if signal == Signal::KILL {
            let _ = kill_process(self.planner, signal);
            return self.status.is_none();
        }
        let _ = kill_process_group(getpid(), signal);
        true
    }
}

/// What Linux tells of processes.
mod proc {
    use super::*;

    /// Whether the system tells at all.
    pub const IS_KNOWN: bool = cfg!(target_os = "linux");

    /// All that descend from us, zombies left out.
    pub fn descendants() -> Vec<i32> {
        // Kernels may be built without lists of children; then everybody is asked for their parent.
        let everybody =
            if Path::new("/proc/thread-self/children").exists() { None } else { Some(parents()) };
        let us = getpid().as_raw_pid();
        let found = match &everybody {
            None => closure(children(us), children),
            Some(everybody) => {
                closure(children_among(everybody, us), |pid| children_among(everybody, pid))
            }
        };
        found.into_iter().filter(|&pid| is_alive(pid)).collect()
    }

    /// Some processes, and all that descend from them.
    fn closure(mut open: Vec<i32>, children_of: impl Fn(i32) -> Vec<i32>) -> BTreeSet<i32> {
        let mut found = BTreeSet::new();
        while let Some(pid) = open.pop() {
            if found.insert(pid) {
                open.extend(children_of(pid));
            }
        }
        found
    }

    fn is_alive(pid: i32) -> bool {
        fields(pid).is_some_and(|fields| fields[0] != "Z" && fields[0] != "X")
    }

    /// All that were started with this `NAME=VALUE` in their environment, and all that descend from
    /// them; ourselves and zombies left out.
    pub fn marked(entry: &[u8]) -> Vec<i32> {
        let everybody = parents();
        let first: Vec<i32> =
            everybody.iter().map(|(pid, _)| *pid).filter(|&pid| has_mark(pid, entry)).collect();
        let us = getpid().as_raw_pid();
        let found = closure(first, |pid| children_among(&everybody, pid));
        found.into_iter().filter(|&pid| pid != us && is_alive(pid)).collect()
    }

    /// Whether a process was started with this `NAME=VALUE` in its environment.
    fn has_mark(pid: i32, entry: &[u8]) -> bool {
        fs::read(format!("/proc/{pid}/environ"))
            .is_ok_and(|text| text.split(|&byte| byte == 0).any(|one| one == entry))
    }

    /// The children of a process among processes with their parents.
    fn children_among(everybody: &[(i32, i32)], pid: i32) -> Vec<i32> {
        everybody.iter().filter(|(_, parent)| *parent == pid).map(|(child, _)| *child).collect()
    }

    fn children(pid: i32) -> Vec<i32> {
        let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
        let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
        lists
            .flat_map(|list| {
                list.split_whitespace().filter_map(|word| word.parse().ok()).collect::<Vec<_>>()
            })
            .collect()
    }

    /// All processes, each with its parent.
    fn parents() -> Vec<(i32, i32)> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let processes = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        processes.filter_map(|pid| Some((pid, fields(pid)?[1].parse().ok()?))).collect()
    }

    /// The fields of `/proc/PID/stat` from the state on: the name before them may hold anything.
    fn fields(pid: i32) -> Option<Vec<String>> {
        let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let fields: Vec<String> =
            text[text.rfind(')')? + 1..].split_whitespace().map(str::to_owned).collect();
        (fields.len() > 21).then_some(fields)
    }

    fn ticks(fields: &[String], range: std::ops::Range<usize>) -> Duration {
        let count: u64 = fields[range].iter().filter_map(|field| field.parse::<u64>().ok()).sum();
        Duration::from_secs_f64(count as f64 / rustix::param::clock_ticks_per_second() as f64)
    }

    /// The time of a process and of the children it waited for; its resident bytes.
    pub fn usage(pid: i32) -> (Duration, u64) {
        let Some(fields) = fields(pid) else { return Default::default() };
        let pages: u64 = fields[21].parse().unwrap_or(0);
        (ticks(&fields, 11..15), pages * rustix::param::page_size() as u64)
    }

    /// The time of the children that we waited for.
    pub fn own_children() -> Duration {
        fields(getpid().as_raw_pid()).map_or(Duration::ZERO, |fields| ticks(&fields, 13..15))
    }
}
