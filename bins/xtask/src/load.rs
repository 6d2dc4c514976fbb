//! Benchmarks and attacks, which are a program of their own: this one builds in seconds.

use crate::workspace;
use anyhow::Context as _;
use clap::Args;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

/// What is handed on to that program.
#[derive(Debug, Clone, Args)]
pub(crate) struct Arguments {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    all: Vec<OsString>,
}

/// Builds and runs `command` of that program in release form: what makes the load has to be as fast
/// as what bears it.
pub(crate) fn run(root: &Path, command: &str, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let here = std::env::current_dir().context("the working directory is gone")?;
    let status = workspace::cargo(root)
        .current_dir(here) // which paths among the arguments are relative to
        .arg("run")
        .arg("--manifest-path")
        .arg(root.join("Cargo.toml"))
        .args([
            "--quiet",
            "--release",
            "--package",
            "portcullis-bench",
            "--",
            command,
        ])
        .args(&arguments.all)
        .status()
        .context("cargo cannot be started")?;
    Ok(if status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
