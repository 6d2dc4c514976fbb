//! The CI pipeline.

mod test_run;

use crate::findings::Findings;
use crate::{deps, deviations, layers, public_api, published, workspace};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

/// Name and action of a step.
type Step = (&'static str, StepAction);

enum StepAction {
    /// A check implemented here.
    Check(fn(&Path) -> anyhow::Result<Findings>),
    /// Cargo, with these arguments and environment variables.
    Cargo(
        &'static [&'static str],
        &'static [(&'static str, &'static str)],
    ),
    /// `cargo test`, with these arguments; what fails runs once more.
    Tests(&'static [&'static str]),
}

/// Steps in order: cheap ones first, and no artifact is built twice.
const STEPS: &[Step] = &[
    (
        "format",
        StepAction::Cargo(&["fmt", "--all", "--check"], &[]),
    ),
    ("layers", StepAction::Check(layers::check)),
    ("deps", StepAction::Check(deps::check)),
    ("deviations", StepAction::Check(deviations::check)),
    ("public-api", StepAction::Check(public_api::check)),
    (
        "clippy",
        StepAction::Cargo(
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
    (
        // Tests enable features that the programs are built without.
        "programs",
        StepAction::Cargo(
            &[
                "clippy",
                "--package",
                "portcullis-controller",
                "--package",
                "portcullis-router-program",
                "--package",
                "portcullis-tunnel-program",
                "--package",
                "portcullis",
                "--",
                "-D",
                "warnings",
            ],
            &[],
        ),
    ),
    ("test", StepAction::Tests(&["test", "--workspace"])),
    ("published", StepAction::Check(published::check)),
    (
        "schemathesis",
        StepAction::Cargo(
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
        // The whole workspace is named so that nothing is rebuilt.
        StepAction::Cargo(
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
            // A fixed seed, so that a change does not fail on an older bug.
            &[
                ("PORTCULLIS_FUZZ_SECONDS", "6"),
                ("PORTCULLIS_FUZZ_SEED", "1"),
            ],
        ),
    ),
    (
        "simulation",
        StepAction::Cargo(
            &[
                "test",
                "--workspace",
                "--test",
                "it",
                "both_sides_agree_whatever_happens_between_them",
            ],
            &[
                ("PORTCULLIS_SIMULATION_SEEDS", "2000"),
                ("PORTCULLIS_SIMULATION_FIRST", "1000"),
            ],
        ),
    ),
    (
        // A seed of the whole controller takes ten times as long.
        "controllers",
        StepAction::Cargo(
            &[
                "test",
                "--workspace",
                "--test",
                "it",
                "controller_and_routers_agree_whatever_happens",
            ],
            &[
                ("PORTCULLIS_SIMULATION_SEEDS", "250"),
                ("PORTCULLIS_SIMULATION_FIRST", "1000"),
            ],
        ),
    ),
    (
        "doc",
        StepAction::Cargo(
            &["doc", "--workspace", "--no-deps"],
            &[("RUSTDOCFLAGS", "-Dwarnings")],
        ),
    ),
];

/// Runs the steps in order, stops at the first failure, and prints the time of each.
pub(crate) fn run(root: &Path) -> anyhow::Result<ExitCode> {
    for folder in ["shared/golden", "shared/spec"] {
        if !root.ancestors().any(|above| above.join(folder).is_dir()) {
            print_line(&format!(
                "== no {folder} beside the repository: tests that need it are skipped"
            ))?;
        }
    }
    let mut times = Vec::new();
    let mut verdict = ExitCode::SUCCESS;
    for (name, step) in STEPS {
        print_line(&format!("== {name}"))?;
        let start = Instant::now();
        let code = step.run(root)?;
        times.push((*name, start.elapsed()));
        if code != ExitCode::SUCCESS {
            print_line(&format!("== {name} failed"))?;
            verdict = code;
            break;
        }
    }
    let total = times.iter().map(|(_, time)| *time).sum();
    for (name, time) in times.into_iter().chain([("total", total)]) {
        print_line(&line(name, time))?;
    }
    Ok(verdict)
}

impl StepAction {
    fn run(&self, root: &Path) -> anyhow::Result<ExitCode> {
        let has_passed = match self {
            Self::Check(check) => return check(root)?.report(),
            Self::Cargo(arguments, variables) => cargo(root)
                .args(*arguments)
                .envs(variables.iter().copied())
                .status()?
                .success(),
            Self::Tests(arguments) => {
                test_run::run(|| cargo(root), arguments, &mut std::io::stdout().lock())?
            },
        };
        Ok(if has_passed {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }
}

/// Cargo, whose tests note which of the exceptions of published descriptions they used.
fn cargo(root: &Path) -> Command {
    let mut command = workspace::cargo(root);
    command.env(
        published::USED_EXCEPTIONS_VARIABLE,
        published::used_exceptions_file(),
    );
    command
}

fn line(name: &str, time: Duration) -> String {
    format!("{name:<12}{:>8.1} s", time.as_secs_f64())
}

fn print_line(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}")?;
    out.flush()
}
