//! Profiles that a router writes of itself, read by Go's `pprof` where that is at hand.

use crate::overlay::Overlay;
use crate::overlay::place::Place;
use crate::overlay::router::{Router, RouterProgram};
use flate2::read::GzDecoder;
use serde_json::json;
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use support::{Controller, TestDirectory, Tool, tools, wait};

const PATIENCE: Duration = Duration::from_secs(30);

#[test]
fn memory_profile_is_written_at_its_interval_and_at_the_end() {
    if !tools::are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let profile = site.file("router.memory");
    let sections = format!(
        "profile: {{memory: {{path: {}, intervalMs: 200}}}}\n",
        profile.display()
    );
    let (_controller, router) = online_router(&site, &sections);
    let first = wait::until(PATIENCE, || decompressed(&profile).ok_or("no profile yet"));
    let first = first.unwrap();
    for text in ["inuse_space", "bytes", "portcullis_router_program"] {
        let is_there = first
            .windows(text.len())
            .any(|part| part == text.as_bytes());
        assert!(is_there, "the profile does not say {text}");
    }
    let mode = fs::metadata(&profile).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    fs::remove_file(&profile).unwrap();
    let again = wait::until(PATIENCE, || decompressed(&profile).ok_or("no profile yet"));
    again.unwrap();
    router.terminate();
    assert!(decompressed(&profile).is_some());
    read_by_go(&profile);
}

#[test]
fn router_without_profile_starts_once() {
    if !tools::are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let (_controller, router) = online_router(&site, "");
    let environment = fs::read(format!("/proc/{}/environ", router.process())).unwrap();
    let environment = String::from_utf8_lossy(&environment);
    assert!(!environment.contains("prof:true"), "{environment}");
    router.terminate();
}

/// A router that is online, with these sections in its file.
fn online_router(site: &TestDirectory, sections: &str) -> (Controller, Router) {
    let controller = site.quickstart().start();
    let overlay = Overlay::new(site, &controller);
    let program = (&RouterProgram::Ours, Place::LOOPBACK);
    let made = ("edge-routers", &json!({"name": "r1"}));
    let (id, router) = overlay.router_of(made, program, sections);
    overlay.until_online("edge-routers", &id);
    (controller, router)
}

fn decompressed(profile: &Path) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    let file = fs::File::open(profile).ok()?;
    GzDecoder::new(file).read_to_end(&mut text).ok()?;
    Some(text)
}

/// Go's tool finds the functions of the program.
fn read_by_go(profile: &Path) {
    let mut go = Command::new("go");
    let reading = go.args(["tool", "pprof", "-top", "-nodecount=400"]);
    let Ok(read) = reading.arg(profile).output() else {
        println!("skipped: `go tool pprof` is not here");
        return;
    };
    let [said, errors] =
        [read.stdout, read.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(read.status.success(), "{errors}");
    assert!(said.contains("Type: inuse_space"), "{said}");
    assert!(said.contains("portcullis_router_program::main"), "{said}");
    assert!(!said.contains("_rjem_"), "{said}");
}
