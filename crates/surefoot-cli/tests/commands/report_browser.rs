//! The report in a real browser. `SUREFOOT_CHROMIUM` names it; `scripts/browser.sh` installs one:
//! `eval "$(scripts/browser.sh)"`, then
//! `cargo test -p surefoot-cli --test commands -- --ignored report_browser`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

struct Browser {
    program: PathBuf,
    page: PathBuf,
    folder: tempfile::TempDir,
}

impl Browser {
    /// A browser with the report of a demo open.
    fn open() -> Self {
        let program = std::env::var_os("SUREFOOT_CHROMIUM")
            .expect("SUREFOOT_CHROMIUM names no browser; see scripts/browser.sh")
            .into();
        let folder = tempfile::tempdir().unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_surefoot"))
            .args(["demo", "--quiet", "-o", folder.path().to_str().unwrap()])
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let page = String::from_utf8(output.stdout).unwrap().trim().into();
        Browser { program, page, folder }
    }

    /// Looks at the page; returns what the browser printed, after a check that the page logged no
    /// error.
    fn look(&self, arguments: &[String]) -> String {
        // Of its own for each look, so that no look depends on another.
        let profile = tempfile::tempdir().unwrap();
        let (stdout, stderr) = (profile.path().join("stdout"), profile.path().join("stderr"));
        let mut child = Command::new(&self.program)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--hide-scrollbars",
            ])
            .args([
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--enable-logging=stderr",
            ])
            .arg(format!("--user-data-dir={}", profile.path().join("profile").display()))
            .args(arguments)
            .arg(format!("file://{}", self.page.display()))
            .stdin(Stdio::null())
            .stdout(fs::File::create(&stdout).unwrap())
            .stderr(fs::File::create(&stderr).unwrap())
            .spawn()
            .unwrap();
        let start = Instant::now();
        let status = loop {
            match child.try_wait().unwrap() {
                Some(status) => break status,
                None if start.elapsed() > Duration::from_secs(120) => {
                    child.kill().unwrap();
                    panic!(
                        "the browser hangs: {}",
                        fs::read_to_string(&stderr).unwrap_or_default()
                    );
                }
                None => std::thread::sleep(Duration::from_millis(50)),
            }
        };
        let said = fs::read_to_string(&stderr).unwrap();
        assert!(status.success(), "{said}");
        assert!(!said.contains("CONSOLE"), "the page logged: {said}");
        fs::read_to_string(&stdout).unwrap()
    }

    fn picture(&self, name: &str, size: &str, more: &[&str]) -> Vec<u8> {
        let path = self.folder.path().join(name);
        let mut arguments =
            vec![format!("--screenshot={}", path.display()), format!("--window-size={size}")];
        arguments.extend(more.iter().map(|word| (*word).to_owned()));
        self.look(&arguments);
        keep(&path);
        fs::read(path).unwrap()
    }
}

/// Where `SUREFOOT_PICTURES` names a folder, pictures are kept there to look at.
fn keep(path: &Path) {
    if let Some(folder) = std::env::var_os("SUREFOOT_PICTURES") {
        fs::create_dir_all(&folder).unwrap();
        fs::copy(path, Path::new(&folder).join(path.file_name().unwrap())).unwrap();
    }
}

/// Width and height of a PNG file.
fn size(png: &[u8]) -> (u32, u32) {
    assert_eq!(&png[1..4], b"PNG");
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

#[test]
#[ignore = "needs a browser: SUREFOOT_CHROMIUM, see scripts/browser.sh"]
fn the_page_renders_without_an_error_wide_narrow_dark_and_on_paper() {
    let browser = Browser::open();
    let page = browser.look(&["--dump-dom".into()]);
    for section in ["summary", "domains", "assumptions", "failures", "reading", "domain-farmland"] {
        assert!(page.contains(&format!("id=\"{section}\"")), "{section}");
    }
    for (part, least) in [
        ("class=\"line\"", 6),    // curves
        ("class=\"band\"", 6),    // their bands
        ("class=\"marker\"", 20), // their points
        ("class=\"region\"", 2),  // hulls
        ("class=\"seen\"", 3),    // observations
        ("class=\"refused\"", 3), // refused test states
        ("<caption>", 4),         // tables
        ("role=\"img\"", 5),      // pictures with a name
        ("<details", 4),
    ] {
        assert!(page.matches(part).count() >= least, "{part}: {}", page.matches(part).count());
    }
    assert!(!page.contains("NaN"), "a picture without a place");

    let wide = browser.picture("wide.png", "1200,2400", &[]);
    assert_eq!(size(&wide), (1200, 2400));
    let dark =
        browser.picture("dark.png", "1200,2400", &["--blink-settings=preferredColorScheme=0"]);
    assert_ne!(wide, dark, "dark is another picture");
    // Headless windows are at least 500 wide; a phone is that with larger pixels.
    let phone = browser.picture("phone.png", "500,2400", &[]);
    assert_eq!(size(&phone).0, 500);
    let paper = browser.folder.path().join("paper.pdf");
    browser.look(&[format!("--print-to-pdf={}", paper.display()), "--no-pdf-header-footer".into()]);
    keep(&paper);
    let bytes = fs::read(paper).unwrap();
    assert!(bytes.starts_with(b"%PDF") && bytes.len() > 20_000);
}

/// A page that scrolls sideways cannot be read on a phone: only tables and code may, within
/// themselves.
#[test]
#[ignore = "needs a browser: SUREFOOT_CHROMIUM, see scripts/browser.sh"]
fn on_a_phone_nothing_is_wider_than_the_screen() {
    let browser = Browser::open();
    // A frame as wide as a phone, which writes what it measures into its title.
    let measure = "<!doctype html><title>open</title><iframe id=f \
        style='width:400px;height:800px;border:0'></iframe><script>\
        const \
        f=document.getElementById('f');f.onload=()=>{const d=f.contentDocument.documentElement;\
        d.querySelectorAll('details').forEach(x=>x.open=true);document.title='width \
        '+d.scrollWidth;};f.src='PAGE';</script>";
    let page = browser.page.with_file_name("frame.html");
    fs::write(&page, measure.replace("PAGE", browser.page.file_name().unwrap().to_str().unwrap()))
        .unwrap();
    let browser = Browser { page, ..browser };
    let frame = browser.look(&[
        "--allow-file-access-from-files".into(),
        "--virtual-time-budget=5000".into(),
        "--dump-dom".into(),
    ]);
    assert!(
        frame.contains("<title>width 400</title>"),
        "{}",
        frame.lines().next().unwrap_or_default()
    );
}
