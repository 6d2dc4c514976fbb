//! Building the programs in release form.

use anyhow::{Context as _, ensure};
use serde::Deserialize;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const CONTROLLER: &str = "portcullis-controller";
const CLI: &str = "portcullis";
const ROUTER: &str = "portcullis-router-program";
const TUNNEL: &str = "portcullis-tunnel-program";
/// An example of the controller's package.
const COUNTED: &str = "counted";

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

/// Builds the controller, the command-line client, the router and the tunneler beside it, and the controller that counts its
/// allocations if that is wanted; returns the path of the controller.
pub(crate) fn build(is_counted: bool) -> anyhow::Result<PathBuf> {
    let packages = [CLI, ROUTER, TUNNEL].map(|package| ["--package", package]);
    let programs = cargo(&[packages.as_flattened(), &["--bins"]].concat())?;
    if is_counted {
        cargo(&["--example", COUNTED])?;
    }
    programs.with_context(|| format!("cargo built no {CONTROLLER}"))
}

/// Builds what of the controller's package and further ones the arguments name; returns the path of
/// the controller if it was among that.
fn cargo(arguments: &[&str]) -> anyhow::Result<Option<PathBuf>> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")))
        .args(["build", "--release", "--package", CONTROLLER])
        .args(arguments)
        .arg("--message-format=json-render-diagnostics")
        .stdout(Stdio::piped())
        .spawn()
        .context("cargo cannot be started")?;
    let output = cargo.stdout.take().context("cargo has no output")?;
    let mut controller = None;
    for line in BufReader::new(output).lines() {
        let Ok(message) = serde_json::from_str::<Message>(&line?) else {
            continue;
        };
        if message
            .target
            .is_some_and(|target| target.name == CONTROLLER)
        {
            controller = message.executable.or(controller);
        }
    }
    ensure!(cargo.wait()?.success(), "the programs cannot be built");
    Ok(controller)
}
