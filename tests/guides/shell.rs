//! A shell in a terminal of 80 columns.

use crate::answers::Answers;
use std::io::{Read as _, Write as _};
use std::num::NonZero;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use support::wait;

/// Width of the terminal.
pub(crate) const COLUMNS: NonZero<u16> = NonZero::new(80).unwrap();

/// Rows of the terminal: all that is ever shown, so that nothing scrolls away.
const ROWS: NonZero<u16> = NonZero::new(2000).unwrap();

/// Emitted before each prompt; terminals do not show it (OSC 133, semantic prompts).
const PROMPT_MARK: &[u8] = b"\x1b]133;A\x07";

/// How long a program that goes on running has to be silent until its start counts as shown.
const SILENCE: Duration = Duration::from_secs(2);

/// How soon Ctrl-D is typed again. `script` never ends if there are too many of them while a program runs.
const AGAIN: Duration = Duration::from_millis(200);

/// Bytes that the terminal has received.
type Received = Arc<Mutex<Vec<u8>>>;

/// An interactive shell and what its terminal shows.
pub(crate) struct Shell {
    child: Child,
    keys: ChildStdin,
    received: Received,
}

impl Shell {
    /// Starts a shell; `environment` is added to the one of the test.
    pub(crate) fn start(directory: &Path, environment: &[(&str, String)]) -> Self {
        // Whoever runs the tests in the background has their programs ignore Ctrl-C.
        let size =
            format!("stty columns {COLUMNS} rows {ROWS}; exec env --default-signal=INT sh -i");
        let prompt = format!("{}$ ", String::from_utf8_lossy(PROMPT_MARK));
        let mut child = Command::new("script")
            .args(["--quiet", "--return", "--command", &size, "/dev/null"])
            .current_dir(directory)
            .env("SHELL", "/bin/sh")
            .env("TERM", "xterm-256color")
            .env("PS1", prompt)
            .env("PS2", "")
            .env_remove("ENV")
            .env_remove("COLUMNS")
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a terminal can be started");
        let mut screen = child.stdout.take().expect("the terminal is piped");
        let keys = child.stdin.take().expect("the keys are piped");
        let received = Received::default();
        let copy = received.clone();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(length @ 1..) = screen.read(&mut bytes) {
                copy.lock().unwrap().extend_from_slice(&bytes[..length]);
            }
        });
        let mut shell = Self {
            child,
            keys,
            received,
        };
        shell.wait_for_prompt(0, &mut Answers::default());
        shell
    }

    /// Types a command, waits for its end, and gives what it has shown.
    pub(crate) fn run(&mut self, command: &str, answers: &mut Answers) -> String {
        let before = self.received().len();
        self.type_keys(command);
        self.wait_for_prompt(before, answers);
        self.shown_since(before)
    }

    /// Types a command that goes on running, and gives what it has shown at first.
    pub(crate) fn start_program(&mut self, command: &str) -> String {
        let before = self.received().len();
        self.type_keys(command);
        let echo = command.len() + 1;
        let mut last = (0, Instant::now());
        let started = wait::until(2 * wait::DEFAULT_TIMEOUT, || {
            let length = self.received().len() - before;
            if length != last.0 {
                last = (length, Instant::now());
            }
            let is_silent = last.1.elapsed() >= SILENCE;
            // A program may show nothing at all.
            (length >= echo && is_silent).then_some(()).ok_or(length)
        });
        assert!(started.is_ok(), "the program does not come to rest");
        self.shown_since(before)
    }

    fn wait_for_prompt(&mut self, before: usize, answers: &mut Answers) {
        let mut answered = before;
        let done = wait::until(2 * wait::DEFAULT_TIMEOUT, || {
            let received = self.received();
            if contains(&received[before..], PROMPT_MARK) {
                return Ok(());
            }
            let line = last_line(&received[answered..]);
            let shown = String::from_utf8_lossy(&received[before..]).into_owned();
            if let Some(answer) = answers.answer(&line, &shown) {
                answered = received.len();
                wait::for_prompt_to_hide();
                self.type_keys(&format!("{answer}\n"));
            }
            Err(shown)
        });
        if let Err(shown) = done {
            panic!("the command does not end: {shown}");
        }
    }

    fn type_keys(&mut self, keys: &str) {
        self.keys
            .write_all(keys.as_bytes())
            .and_then(|()| self.keys.flush())
            .expect("the terminal takes keys");
    }

    fn received(&self) -> Vec<u8> {
        self.received.lock().unwrap().clone()
    }

    /// What is shown since `before` bytes were received, without the last prompt.
    fn shown_since(&self, before: usize) -> String {
        let received = self.received();
        let mut terminal = vt100::Parser::new(ROWS, COLUMNS, 0);
        terminal.process(&received[..before]);
        let (first_row, first_column) = terminal.screen().cursor_position();
        terminal.process(&received[before..]);
        let (row, column) = terminal.screen().cursor_position();
        let screen = terminal.screen();
        let text = screen.contents_between(first_row, first_column, row, column);
        let text = text.strip_suffix("$ ").unwrap_or(&text);
        let lines = text.lines().map(|line| format!("{}\n", line.trim_end()));
        lines.collect()
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        // Ctrl-C for a program that goes on running; it discards keys that were typed but not read, so
        // that Ctrl-D, the end of the input, comes after it.
        let _ = self.keys.write_all(b"\x03");
        let mut typed: Option<Instant> = None;
        let ended = wait::until(wait::DEFAULT_TIMEOUT, || {
            if typed.is_none_or(|at| at.elapsed() >= AGAIN) {
                let _ = self.keys.write_all(b"\x04");
                typed = Some(Instant::now());
            }
            self.child.try_wait().ok().flatten().ok_or(())
        });
        if ended.is_err() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(bytes, part).is_some()
}

/// The line of the cursor.
fn last_line(bytes: &[u8]) -> String {
    let start = memchr::memrchr(b'\n', bytes).map_or(0, |end| end + 1);
    String::from_utf8_lossy(&bytes[start..]).into_owned()
}
