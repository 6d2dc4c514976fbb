//! Recorded exchanges with OpenZiti, sent again to Portcullis.
//!
//! `golden-files.txt` lists the recordings that are replayed, `golden-deviations.txt` the steps at
//! which Portcullis answers otherwise on purpose; `docs/api-deviations.md` says why for each.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use support::tools::are_there;
use support::{Site, Tool, command, repository};

/// Time for all recordings together.
const DEADLINE: Duration = Duration::from_mins(5);

#[test]
fn recorded_exchanges_are_answered_alike() {
    if !are_there(&[Tool::Python]) {
        return;
    }
    let Some(golden) = repository::shared("golden") else {
        println!("skipped: the recorded exchanges are not beside the repository");
        return;
    };
    let site = Site::new();
    let controller = site
        .quickstart()
        .with(["--password", "golden-password"])
        .start();
    let mut replay = Command::new("python3");
    replay
        .arg(golden.join("replay.py"))
        .args(["replay", "--url", controller.url(), "--user", "admin"])
        .args(["--password", "golden-password", "--one-time-totp", "--ca"])
        .arg(controller.ca())
        .arg("--deviations")
        .arg(own("golden-deviations.txt"))
        .args(files().iter().map(|name| golden.join(name)));
    let outcome = command::run_with(&mut replay, &[], DEADLINE);
    println!("{}", String::from_utf8_lossy(&outcome.stdout));
    let _ = outcome.success();
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

fn own(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}
