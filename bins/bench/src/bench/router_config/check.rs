//! One call of `portcullis router-config check`.

use crate::testbed::process::Process;
use anyhow::{Context as _, ensure};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// The longest that one call may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// What is called, and where.
pub(super) struct Check {
    program: PathBuf,
    folder: PathBuf,
    norm: &'static str,
    files: Vec<String>,
}

impl Check {
    /// A check of files in `folder`.
    pub(super) fn new(program: &Path, folder: &Path, files: Vec<String>) -> Self {
        Self {
            program: program.to_owned(),
            folder: folder.to_owned(),
            norm: "portcullis",
            files,
        }
    }

    /// Has it judge by another norm.
    pub(super) fn by(mut self, norm: &'static str) -> Self {
        self.norm = norm;
        self
    }

    /// The milliseconds from the start of the process to its end, the fewest of several: what else
    /// runs can only add to so short a time. It must end with this code, or if none is given with a
    /// verdict.
    pub(super) async fn milliseconds(&self, runs: u32, code: Option<i32>) -> anyhow::Result<f64> {
        let mut least = f64::INFINITY;
        for _ in 0..runs {
            let begin = Instant::now();
            let mut child = self.spawn(&self.files, Stdio::null(), Stdio::null())?;
            let status = timeout(PATIENCE, child.wait()).await??;
            least = least.min(begin.elapsed().as_secs_f64() * 1e3);
            let is_wanted = match code {
                Some(code) => status.code() == Some(code),
                None => matches!(status.code(), Some(0 | 1)),
            };
            ensure!(
                is_wanted,
                "a check of {:?} ended with {status}",
                self.first()
            );
        }
        Ok(least)
    }

    /// The most memory that was resident until all files were judged, in bytes.
    ///
    /// The standard input is one file more: until it ends, the process is there to be looked at.
    pub(super) async fn peak(&self) -> anyhow::Result<u64> {
        let mut files = self.files.clone();
        files.push("-".to_owned());
        let mut child = self.spawn(&files, Stdio::piped(), Stdio::piped())?;
        let process = Process(child.id().context("it ended")?);
        let output = child.stdout.take().context("it has no output")?;
        let last = self.files.last().context("there is no file")?;
        let summary = format!("{last}: ");
        let mut lines = BufReader::new(output).lines();
        while let Some(line) = timeout(PATIENCE, lines.next_line()).await?? {
            if line.starts_with(&summary) {
                break;
            }
        }
        let peak = process.peak()?;
        drop(child.stdin.take());
        while timeout(PATIENCE, lines.next_line()).await??.is_some() {}
        timeout(PATIENCE, child.wait()).await??;
        Ok(peak)
    }

    fn first(&self) -> &str {
        self.files.first().map_or("", String::as_str)
    }

    fn spawn(&self, files: &[String], input: Stdio, output: Stdio) -> anyhow::Result<Child> {
        Command::new(&self.program)
            .args(["router-config", "check", "--as", self.norm])
            .args(files)
            .current_dir(&self.folder)
            .env_clear()
            .stdin(input)
            .stdout(output)
            .stderr(Stdio::inherit())
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("{} cannot be run", self.program.display()))
    }
}
