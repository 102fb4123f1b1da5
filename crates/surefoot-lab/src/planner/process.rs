//! Runs a planner's command to its end or to a limit, and keeps what it prints. Nothing of it
//! outlives the run.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, Read, Seek};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus, kill_process_group, waitid,
};

use super::supervise::{Ending, Limits, MARK, RunReport, VERB, end_marked, program};

/// Of each stream this many bytes from its start are kept, and as many from its end; what lies
/// between is counted only.
pub const KEPT_BYTES: usize = 16 << 20;

/// A report is a line; what is longer is none.
const REPORT_BYTES: u64 = 1 << 16;

const TICK: Duration = Duration::from_millis(10);
/// How much longer than allowed a supervisor may take before its group is killed over its head.
const PATIENCE: Duration = Duration::from_secs(5);

/// A command to run.
pub struct Invocation {
    /// The program to run.
    pub program: OsString,
    /// The arguments of the program.
    pub arguments: Vec<OsString>,
    /// Where it runs; none: where we run.
    pub folder: Option<PathBuf>,
}

/// What a command printed and how it ended.
#[derive(Clone, PartialEq, Debug)]
pub struct CommandRun {
    /// How the program ended.
    pub ending: Ending,
    /// What the program wrote to standard output.
    pub stdout: String,
    /// What it complained of.
    pub stderr: String,
    /// The seconds that it ran, by the clock.
    pub seconds: f64,
    /// Time on cores, of it and its descendants.
    pub cpu_seconds: f64,
    /// The most memory that it and its descendants had.
    pub peak_bytes: u64,
}

/// Runs a command until it ends, `limits` is used up, or `go_on` returns false, which is asked a
/// hundred times a second. `scratch` is a folder for notes. When this returns, no process that the
/// command started is left.
pub fn run(
    invocation: &Invocation,
    limits: &Limits,
    scratch: &Path,
    go_on: &dyn Fn() -> bool,
) -> io::Result<CommandRun> {
    let start = Instant::now();
    let mut report = tempfile::Builder::new().prefix("report").tempfile_in(scratch)?;
    let program = program()?;
    let (first, words) = program
        .split_first()
        .ok_or_else(|| io::Error::other("there is no program to run again"))?;
    let mut command = Command::new(first);
    if words.is_empty() {
        command.arg0("surefoot");
    }
    command.args(words).arg(VERB).arg(report.path()).arg(serde_json::to_string(limits)?);
    command.arg(&invocation.program).args(&invocation.arguments).env(MARK, report.path());
    if let Some(folder) = &invocation.folder {
        command.current_dir(folder);
    }
    // A group of its own: a Ctrl-C at the terminal reaches us alone, and we decide.
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut supervisor = Supervisor(command.spawn()?);
    let stdout = supervisor.0.stdout.take().map(Stream::keep);
    let stderr = supervisor.0.stderr.take().map(Stream::keep);

    let mut deadline = limits.time.map(|most| start + most + PATIENCE);
    let mut killed = false;
    let fate = loop {
        if let Some(fate) = supervisor.fate()? {
            break fate;
        }
        if supervisor.0.stdin.is_some() && !go_on() {
            drop(supervisor.0.stdin.take());
            deadline = Some(Instant::now() + PATIENCE);
        }
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            killed = true;
            supervisor.kill();
        }
        thread::sleep(TICK);
    };
    let told_to_stop = supervisor.0.stdin.is_none() || !go_on();
    supervisor.kill();
    if fate != SupervisorExit::Done {
        end_marked(report.path());
    }
    supervisor.0.wait()?;
    let seconds = start.elapsed().as_secs_f64();
    let (stdout, stderr) = (
        stdout.map_or_else(String::new, Stream::text),
        stderr.map_or_else(String::new, Stream::text),
    );
    let RunReport { ending, cpu_seconds, peak_bytes } =
        match (fate, read_report(report.as_file_mut())) {
            (SupervisorExit::Done, Some(RunReport { ending: Ending::Cancelled, .. }))
                if !told_to_stop =>
            {
                without_report(Ending::Unsupervised("was asked to end, and not by us".into()))
            }
            (SupervisorExit::Done, Some(report)) => report,
            (SupervisorExit::Done, None) => {
                without_report(Ending::Unsupervised("left no report".into()))
            }
            (SupervisorExit::Other(_), _) if killed => without_report(Ending::TimeLimit),
            (SupervisorExit::Other(_), _) if told_to_stop => without_report(Ending::Cancelled),
            (SupervisorExit::Other(how), _) => without_report(Ending::Unsupervised(how)),
        };
    Ok(CommandRun { ending, stdout, stderr, seconds, cpu_seconds, peak_bytes })
}

/// What is known of a run that nobody reported on.
fn without_report(ending: Ending) -> RunReport {
    RunReport { ending, cpu_seconds: 0.0, peak_bytes: 0 }
}

/// The report, through the file that we made: a planner could put another in its place.
fn read_report(file: &mut std::fs::File) -> Option<RunReport> {
    let mut text = Vec::new();
    file.rewind().ok()?;
    file.take(REPORT_BYTES).read_to_end(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

/// What became of a supervisor.
#[derive(PartialEq, Eq)]
enum SupervisorExit {
    /// It ended by itself, its work done.
    Done,
    /// Something else, in words.
    Other(String),
}

impl SupervisorExit {
    fn of(status: &WaitIdStatus) -> SupervisorExit {
        match (status.exit_status(), status.terminating_signal(), status.stopping_signal()) {
            (Some(0), _, _) => SupervisorExit::Done,
            (Some(code), _, _) => SupervisorExit::Other(format!("ended with exit code {code}")),
            (_, Some(signal), _) => SupervisorExit::Other(format!("was killed by signal {signal}")),
            (_, _, Some(signal)) => {
                SupervisorExit::Other(format!("was stopped by signal {signal}"))
            }
            _ => SupervisorExit::Other("ended".into()),
        }
    }
}

/// Its group does not outlive this value.
struct Supervisor(Child);

impl Supervisor {
    /// What became of it, once it works no more. Leaves it unwaited for, so that its number, which
    /// is that of its group, is nobody else's yet.
    fn fate(&self) -> io::Result<Option<SupervisorExit>> {
        let options = WaitIdOptions::EXITED
            | WaitIdOptions::STOPPED
            | WaitIdOptions::NOHANG
            | WaitIdOptions::NOWAIT;
        Ok(waitid(WaitId::Pid(Pid::from_child(&self.0)), options)?.as_ref().map(SupervisorExit::of))
    }

    /// Ends whoever is left in the group, should the supervisor have been ended itself.
    fn kill(&self) {
        let _ = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        // After a successful run it was waited for, and this does nothing.
        if matches!(self.0.try_wait(), Ok(None)) {
            self.kill();
            let _ = self.0.wait();
        }
    }
}

/// The start and the end of a stream.
#[derive(Default)]
struct StreamEnds {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    dropped: u64,
}

impl StreamEnds {
    fn push(&mut self, mut bytes: &[u8], most: usize) {
        let fits = bytes.len().min(most - self.head.len());
        self.head.extend_from_slice(&bytes[..fits]);
        bytes = &bytes[fits..];
        self.tail.extend(bytes);
        let over = self.tail.len().saturating_sub(most);
        self.tail.drain(..over);
        self.dropped += over as u64;
    }

    fn text(mut self) -> String {
        if self.dropped > 0 {
            self.head
                .extend_from_slice(format!("\n[{} bytes left out]\n", self.dropped).as_bytes());
        }
        self.head.extend(self.tail);
        String::from_utf8_lossy(&self.head).into_owned()
    }
}

/// A stream that is being read.
struct Stream {
    kept: Arc<Mutex<StreamEnds>>,
    reader: thread::JoinHandle<()>,
}

impl Stream {
    fn keep(mut stream: impl Read + Send + 'static) -> Stream {
        let kept = Arc::new(Mutex::new(StreamEnds::default()));
        let shared = Arc::clone(&kept);
        let reader = thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            loop {
                match stream.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(count) => lock(&shared).push(&buffer[..count], KEPT_BYTES),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(_) => break,
                }
            }
        });
        Stream { kept, reader }
    }

    /// What came, once all writers are gone. Where one of them got away, what came so far.
    fn text(self) -> String {
        let start = Instant::now();
        while !self.reader.is_finished() && start.elapsed() < PATIENCE {
            thread::sleep(TICK);
        }
        std::mem::take(&mut *lock(&self.kept)).text()
    }
}

fn lock(kept: &Mutex<StreamEnds>) -> MutexGuard<'_, StreamEnds> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_stream_both_ends_are_kept() {
        let mut kept = StreamEnds::default();
        for chunk in [&b"abc"[..], b"defgh", b"", b"ijklm"] {
            kept.push(chunk, 4);
        }
        assert_eq!(kept.text(), "abcd\n[5 bytes left out]\njklm");
    }

    #[test]
    fn a_short_stream_is_kept_whole() {
        let mut kept = StreamEnds::default();
        kept.push(b"abc", 4);
        kept.push(b"def", 4);
        assert_eq!(kept.text(), "abcdef");
    }
}
