//! What CI runs.

use crate::findings::Findings;
use crate::{deps, deviations, layers, published, workspace};
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// One step: its name, and what is run.
type Step = (&'static str, Run);

enum Run {
    /// A check of this program.
    Check(fn(&Path) -> anyhow::Result<Findings>),
    /// Cargo, with these arguments and environment variables.
    Cargo(
        &'static [&'static str],
        &'static [(&'static str, &'static str)],
    ),
}

/// The steps in their order: what is cheap first, and nothing that is built twice.
const STEPS: &[Step] = &[
    ("format", Run::Cargo(&["fmt", "--all", "--check"], &[])),
    ("layers", Run::Check(layers::check)),
    ("deps", Run::Check(deps::check)),
    ("deviations", Run::Check(deviations::check)),
    (
        "clippy",
        Run::Cargo(
            &[
                "clippy",
                "--workspace",
                "--all-targets",
                "--",
                "-D",
                "warnings",
            ],
            &[],
        ),
    ),
    ("test", Run::Cargo(&["test", "--workspace"], &[])),
    ("published", Run::Check(published::check)),
    (
        "schemathesis",
        Run::Cargo(
            &[
                "test",
                "--workspace",
                "--test",
                "interop",
                "schemathesis::",
                "--",
                "--nocapture",
            ],
            &[("PORTCULLIS_SCHEMATHESIS_SECONDS", "90")],
        ),
    ),
    (
        "fuzz",
        // The whole workspace is named so that nothing is built anew.
        Run::Cargo(
            &[
                "test",
                "--workspace",
                "--test",
                "fuzz",
                "--test",
                "filter",
                "--test",
                "it",
                "fuzz",
            ],
            // The same seed each time: a change is not held up by what somebody else's left behind.
            &[
                ("PORTCULLIS_FUZZ_SECONDS", "10"),
                ("PORTCULLIS_FUZZ_SEED", "1"),
            ],
        ),
    ),
    (
        "doc",
        Run::Cargo(
            &["doc", "--workspace", "--no-deps"],
            &[("RUSTDOCFLAGS", "-Dwarnings")],
        ),
    ),
];

/// Runs the steps one after another, stops at the first that fails, and prints the time of each.
pub(crate) fn run(root: &Path) -> anyhow::Result<ExitCode> {
    for folder in ["shared/golden", "shared/spec"] {
        if !root.ancestors().any(|above| above.join(folder).is_dir()) {
            say(&format!(
                "== no {folder} beside the repository: tests that need it are skipped"
            ))?;
        }
    }
    let mut times = Vec::new();
    let mut verdict = ExitCode::SUCCESS;
    for (name, step) in STEPS {
        say(&format!("== {name}"))?;
        let start = Instant::now();
        let code = step.run(root)?;
        times.push((*name, start.elapsed()));
        if code != ExitCode::SUCCESS {
            say(&format!("== {name} failed"))?;
            verdict = code;
            break;
        }
    }
    let total = times.iter().map(|(_, time)| *time).sum();
    for (name, time) in times.into_iter().chain([("total", total)]) {
        say(&line(name, time))?;
    }
    Ok(verdict)
}

impl Run {
    fn run(&self, root: &Path) -> anyhow::Result<ExitCode> {
        match self {
            Self::Check(check) => check(root)?.report(),
            Self::Cargo(arguments, variables) => {
                let mut command = workspace::cargo(root);
                command.env(published::USED, published::used_file());
                let status = command
                    .args(*arguments)
                    .envs(variables.iter().copied())
                    .status()?;
                Ok(if status.success() {
                    ExitCode::SUCCESS
                } else {
                    ExitCode::FAILURE
                })
            },
        }
    }
}

fn line(name: &str, time: Duration) -> String {
    format!("{name:<12}{:>8.1} s", time.as_secs_f64())
}

fn say(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}")?;
    out.flush()
}
