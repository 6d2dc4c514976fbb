//! Recorded exchanges with OpenZiti, sent again to Portcullis.
//!
//! `golden-files.txt` lists the recordings that are replayed, `golden-deviations.txt` the steps at
//! which Portcullis answers otherwise on purpose; `docs/api-deviations.md` says why for each.

use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use support::tools::are_available;
use support::{TestDirectory, Tool, command, repository};

/// Time for the recordings of one test together.
const DEADLINE: Duration = Duration::from_mins(5);

/// What recordings about TOTP begin with. They take a while, since a code counts once, and so have
/// a controller of their own.
const TOTP: &str = "mfa-";

/// The reason of deviations that are none when the configuration asks for OpenZiti's rules.
const ONCE: &str = "a code counts once";

#[test]
fn recorded_exchanges_are_answered_alike() {
    let recordings = files().into_iter().filter(|name| !name.starts_with(TOTP));
    replay(recordings, &Rules::Own);
}

#[test]
fn recorded_exchanges_about_totp_are_answered_alike() {
    let recordings = files().into_iter().filter(|name| name.starts_with(TOTP));
    replay(recordings, &Rules::Own);
}

/// Ruled as OpenZiti rules, codes need not be new ones, and less is answered otherwise.
#[test]
fn recorded_exchanges_about_totp_are_answered_alike_by_the_rules_of_openziti() {
    let recordings = files().into_iter().filter(|name| name.starts_with(TOTP));
    replay(recordings, &Rules::OpenZiti);
}

/// Steps of recordings that are left out, because what follows is about a session that they end here and not
/// in OpenZiti: FILE, STEP. Tests in `tests/api/oidc` have them.
const LEFT_OUT: [(&str, &str); 2] = [
    // A code that comes twice.
    ("oidc-login.json", "same code again"),
    ("oidc-login.json", "logout through the session"),
];

/// By which rules codes are judged.
enum Rules {
    Own,
    OpenZiti,
}

fn replay(recordings: impl Iterator<Item = String>, rules: &Rules) {
    if !are_available(&[Tool::Python]) {
        return;
    }
    let Some(golden) = repository::shared("golden") else {
        return;
    };
    let site = TestDirectory::new();
    let launch = site.quickstart().with(["--password", "golden-password"]);
    let mut replay = Command::new("python3");
    replay
        .arg(golden.join("replay.py"))
        .args(["replay", "--user", "admin"])
        .args(["--password", "golden-password", "--deviations"]);
    // The recordings have the default name of the network in authenticator apps.
    let totp = match rules {
        Rules::Own => {
            replay
                .arg(own("golden-deviations.txt"))
                .arg("--one-time-totp");
            "hostname: openziti.io"
        },
        Rules::OpenZiti => {
            replay.arg(fewer_deviations(&site));
            "hostname: openziti.io, compatibility: openziti"
        },
    };
    let config = site.file("totp.yml");
    fs::write(&config, format!("edge: {{totp: {{{totp}}}}}\n")).unwrap();
    let controller = launch.with(["--config", config.to_str().unwrap()]).start();
    replay
        .args(["--url", controller.url(), "--ca"])
        .arg(controller.ca())
        .args(recordings.map(|name| recording(&golden, &name, &site)));
    let mut run = || {
        let outcome = command::run_with(&mut replay, &[], DEADLINE);
        println!("{}", String::from_utf8_lossy(&outcome.stdout));
        outcome
    };
    let outcome = run();
    // The replay gives the oldest code that is good, whose time may be over when it is looked at.
    // That does not happen twice in a row.
    if outcome.code() != 0 {
        let _ = run().success();
    }
}

/// The file to replay for a recording: itself, or a copy without the steps that are left out.
fn recording(golden: &Path, name: &str, site: &TestDirectory) -> PathBuf {
    let is_left_out = |step: &Value| {
        LEFT_OUT
            .iter()
            .any(|(file, left_out)| name == *file && step["name"] == *left_out)
    };
    let original = golden.join(name);
    if LEFT_OUT.iter().all(|(file, _)| name != *file) {
        return original;
    }
    let mut recorded: Value = serde_json::from_slice(&fs::read(&original).unwrap()).unwrap();
    let steps = recorded["steps"].as_array_mut().unwrap();
    steps.retain(|step| !is_left_out(step));
    let copy = site.file(name);
    fs::write(&copy, recorded.to_string()).unwrap();
    copy
}

/// The deviations without those that come from a code counting once.
fn fewer_deviations(site: &TestDirectory) -> PathBuf {
    let all = fs::read_to_string(own("golden-deviations.txt")).unwrap();
    let (once, others): (Vec<_>, Vec<_>) = lines(&all).partition(|line| line.ends_with(ONCE));
    assert!(!once.is_empty(), "no deviation has the reason '{ONCE}'");
    let file = site.file("deviations.txt");
    fs::write(&file, others.join("\n")).unwrap();
    file
}

#[test]
fn deviations_are_of_files_that_are_replayed() {
    let files: BTreeSet<_> = files().into_iter().collect();
    let deviations = fs::read_to_string(own("golden-deviations.txt")).unwrap();
    for line in lines(&deviations) {
        let parts: Vec<_> = line.splitn(3, '|').map(str::trim).collect();
        let [file, step, reason] = parts[..] else {
            panic!("not FILE | STEP | REASON: {line}");
        };
        let name = format!("{}.json", file.trim_end_matches(".json"));
        assert!(files.contains(&name), "{file} is not replayed");
        assert!(!step.is_empty() && !reason.is_empty(), "{line}");
    }
}

fn files() -> Vec<String> {
    let list = fs::read_to_string(own("golden-files.txt")).unwrap();
    lines(&list).map(str::to_owned).collect()
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn own(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}
