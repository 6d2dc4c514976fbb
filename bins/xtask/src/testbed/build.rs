//! The programs in release form.

use crate::workspace;
use anyhow::{Context as _, ensure};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

const CONTROLLER: &str = "portcullis-controller";
const CLI: &str = "portcullis";
const THIS: &str = "xtask";
/// An example of the controller's package.
const COUNTED: &str = "counted";

/// What is measured, and this program, which makes the load.
pub(crate) struct Programs {
    pub(crate) controller: PathBuf,
    pub(crate) cli: PathBuf,
    this: PathBuf,
    pub(crate) counted: Option<PathBuf>,
}

/// A line of what cargo says about its work; most lines have no program.
#[derive(Deserialize)]
struct Message {
    target: Option<Target>,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

/// Builds all of them, the controller that counts its allocations only if it is wanted.
pub(crate) fn build(root: &Path, is_counted: bool) -> anyhow::Result<Programs> {
    let programs = ["--package", CLI, "--package", THIS, "--bins"];
    let built = cargo(root, &programs)?;
    let program = |name: &str| {
        built
            .get(name)
            .cloned()
            .with_context(|| format!("cargo built no {name}"))
    };
    let counted = if is_counted {
        cargo(root, &["--example", COUNTED])?.remove(COUNTED)
    } else {
        None
    };
    Ok(Programs {
        controller: program(CONTROLLER)?,
        cli: program(CLI)?,
        this: program(THIS)?,
        counted,
    })
}

/// Builds what of the controller's package and further ones the arguments name.
fn cargo(root: &Path, arguments: &[&str]) -> anyhow::Result<BTreeMap<String, PathBuf>> {
    let mut cargo = workspace::cargo(root)
        .args(["build", "--release", "--package", CONTROLLER])
        .args(arguments)
        .arg("--message-format=json-render-diagnostics")
        .stdout(Stdio::piped())
        .spawn()
        .context("cargo cannot be started")?;
    let output = cargo.stdout.take().context("cargo has no output")?;
    let mut built = BTreeMap::new();
    for line in BufReader::new(output).lines() {
        if let Ok(message) = serde_json::from_str::<Message>(&line?) {
            built.extend(
                message
                    .target
                    .map(|target| target.name)
                    .zip(message.executable),
            );
        }
    }
    ensure!(cargo.wait()?.success(), "the programs cannot be built");
    Ok(built)
}

impl Programs {
    /// Runs this program again in release form, with the same arguments and the ones given.
    pub(crate) fn run_again<'a>(
        &self,
        programs: impl IntoIterator<Item = (&'a str, &'a Path)>,
    ) -> anyhow::Result<ExitCode> {
        let status = Command::new(&self.this)
            .args(std::env::args_os().skip(1))
            .args(
                programs
                    .into_iter()
                    .flat_map(|(option, file)| [OsStr::new(option), file.as_os_str()]),
            )
            .status()
            .context("the load cannot be started")?;
        Ok(if status.success() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }
}
