//! Programs that run a router's file.

use crate::testbed::process::Process;
use anyhow::{Context as _, ensure};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::process::{Child, Command};

/// A program with the commands `enroll` and `run`.
#[derive(Debug, Clone)]
pub(in crate::bench) struct RouterProgram {
    path: PathBuf,
    /// What comes before the command.
    prefix: &'static [&'static str],
    pub(super) name: &'static str,
}

impl RouterProgram {
    /// `portcullis-router`.
    pub(in crate::bench) fn ours(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            prefix: &[],
            name: "portcullis",
        }
    }

    /// `ziti` of OpenZiti.
    pub(in crate::bench) fn openziti(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            prefix: &["router"],
            name: "openziti",
        }
    }

    pub(in crate::bench) fn path(&self) -> &Path {
        &self.path
    }

    fn command(&self, directory: &Path) -> Command {
        let mut command = Command::new(&self.path);
        command
            .args(self.prefix)
            .current_dir(directory)
            .env("HOME", directory)
            .stdin(Stdio::null());
        command
    }

    /// Enrolls the router of a file with a token.
    pub(super) async fn enroll(
        &self,
        directory: &Path,
        file: &Path,
        token: &Path,
    ) -> anyhow::Result<()> {
        let mut command = self.command(directory);
        let enrolled = command
            .arg("enroll")
            .arg(file)
            .arg("--jwt")
            .arg(token)
            .output()
            .await
            .with_context(|| format!("{} cannot be run", self.path.display()))?;
        let said = String::from_utf8_lossy(&enrolled.stderr);
        ensure!(
            enrolled.status.success(),
            "a router cannot be enrolled: {said}"
        );
        Ok(())
    }

    /// Runs the router of a file; its log goes to another file.
    pub(super) fn run(&self, directory: &Path, file: &Path, log: &Path) -> anyhow::Result<Running> {
        let mut command = self.command(directory);
        command.arg("run").arg(file);
        Running::start(command, log)
    }
}

/// A process that ends with its handle.
pub(in crate::bench) struct Running {
    _child: Child,
    pub(in crate::bench) process: Process,
}

impl Running {
    /// Starts it; what it says goes to a file.
    pub(in crate::bench) fn start(mut command: Command, log: &Path) -> anyhow::Result<Self> {
        let log = File::options().create(true).append(true).open(log)?;
        let child = command
            .stdout(log.try_clone()?)
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("{:?} cannot be run", command.as_std()))?;
        let process = Process(child.id().context("a process ended")?);
        Ok(Self {
            _child: child,
            process,
        })
    }
}
