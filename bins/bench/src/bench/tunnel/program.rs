//! The program `portcullis-tunnel`.

use crate::bench::router::program::Running;
use anyhow::{Context as _, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::process::Command;

/// The program, and the folder of what it reads and writes.
#[derive(Debug, Clone, Copy)]
pub(super) struct TunnelProgram<'p> {
    pub(super) path: &'p Path,
    pub(super) directory: &'p Path,
}

impl TunnelProgram<'_> {
    fn command(&self) -> Command {
        let mut command = Command::new(self.path);
        command
            .current_dir(self.directory)
            .env("HOME", self.directory)
            .stdin(Stdio::null());
        command
    }

    /// Whether it can do something, by the command for it.
    pub(super) async fn has(&self, command: &str) -> anyhow::Result<bool> {
        let asked = self.command().args([command, "--help"]).output().await;
        let asked = asked.with_context(|| format!("{} cannot be run", self.path.display()))?;
        Ok(asked.status.success())
    }

    /// Enrolls an identity with its token; answers the identity file.
    pub(super) async fn enroll(&self, name: &str, token: &str) -> anyhow::Result<PathBuf> {
        let file = |end: &str| self.directory.join(format!("{name}.{end}"));
        let (jwt, identity) = (file("jwt"), file("json"));
        fs::write(&jwt, token)?;
        let mut command = self.command();
        command.arg("enroll").arg(&jwt).arg("--out").arg(&identity);
        let enrolled = command
            .output()
            .await
            .with_context(|| format!("{} cannot be run", self.path.display()))?;
        let said = String::from_utf8_lossy(&enrolled.stderr);
        ensure!(
            enrolled.status.success(),
            "an identity cannot be enrolled: {said}"
        );
        Ok(identity)
    }

    /// Joins the network as `identity`.
    pub(super) fn join(
        &self,
        command: &str,
        identity: &Path,
        arguments: &[String],
    ) -> anyhow::Result<Running> {
        let mut joining = self.command();
        joining
            // Its memory is measured from outside.
            .args(["--allow-core-dumps", command, "--identity"])
            .arg(identity)
            .args(arguments);
        Running::start(joining, &self.directory.join(format!("{command}.log")))
    }
}
