//! Programs that run beside a test.

use crate::command::{self, signal};
use crate::{TestDirectory, wait};
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

/// Lines of its log that a failing test shows.
const SHOWN_LINES: usize = 30;

/// A program that is killed with its owner.
pub struct Running {
    child: Child,
    name: String,
    log: PathBuf,
    timeout: Duration,
}

impl Running {
    /// Runs a program in the work folder, with a log of its own.
    pub fn start(site: &TestDirectory, name: &str, mut command: Command) -> Self {
        let log = site.file(&format!("{name}.log"));
        let file = File::options().create(true).append(true).open(&log);
        let file = file.unwrap();
        command
            .current_dir(site.work())
            .env("HOME", site.work())
            .stdin(Stdio::null())
            .stdout(file.try_clone().unwrap())
            .stderr(file);
        let child = command
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?} cannot be started: {error}"));
        Self {
            child,
            name: name.to_owned(),
            log,
            timeout: wait::DEFAULT_TIMEOUT,
        }
    }

    /// Waits so long from now on, instead of [`wait::DEFAULT_TIMEOUT`].
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Its process id.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// What it has printed and logged so far.
    pub fn logged(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Waits until it has logged a text.
    pub fn until_logged(&mut self, text: &str) {
        let seen = wait::until(self.timeout, || {
            let ended = self.child.try_wait().unwrap();
            match self.logged().contains(text) {
                true => Ok(Ok(())),
                false if ended.is_some() => Ok(Err("it has ended")),
                false => Err("it does not come in time"),
            }
        });
        let seen = seen.and_then(|seen| seen);
        seen.unwrap_or_else(|problem| panic!("{}: no {text:?}: {problem}", self.name));
    }

    /// Waits until it has ended well.
    pub fn until_done(mut self) {
        let status = command::wait_for_exit(&mut self.child, self.timeout);
        let is_done = status.is_some_and(|status| status.success());
        assert!(is_done, "{}: {status:?}", self.name);
    }

    /// Asks it to end, which it has to do well.
    pub fn end_well(self) {
        signal(&self.child, "TERM");
        self.until_done();
    }

    /// Asks it to end, and waits for that.
    pub fn terminate(mut self) {
        signal(&self.child, "TERM");
        let status = command::wait_for_exit(&mut self.child, self.timeout);
        assert!(status.is_some(), "{} does not end", self.name);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if thread::panicking() {
            let text = self.logged();
            let lines: Vec<_> = text.lines().collect();
            let last = lines[lines.len().saturating_sub(SHOWN_LINES)..].join("\n");
            eprintln!("the end of what {} has logged:\n{last}", self.name);
        }
    }
}
