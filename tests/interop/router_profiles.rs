//! Profiles that a router writes of itself, read by Go's `pprof` where that is at hand.

mod pprof;

use crate::overlay::Overlay;
use crate::overlay::place::Place;
use crate::overlay::router::{Router, RouterProgram, with_edge, with_health};
use flate2::read::GzDecoder;
use pprof::Profile;
use serde_json::json;
use std::fs;
use std::io::Read as _;
use std::net::Ipv4Addr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use support::controller::free_port;
use support::{Controller, TestDirectory, Tool, run, tools, wait};

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
    if let Some(read) = read_by_go(&profile) {
        assert!(read.contains("Type: inuse_space"), "{read}");
        assert!(read.contains("portcullis_router_program::main"), "{read}");
        assert!(!read.contains("_rjem_"), "{read}");
    }
}

#[test]
fn profile_of_the_processor_tells_where_its_time_goes() {
    if !tools::are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let file = site.file("router.cpu");
    let port = free_port();
    let sections = [
        format!("profile: {{cpu: {{path: {}}}}}\n", file.display()),
        with_edge(Ipv4Addr::LOCALHOST, ""),
        with_health(port, ""),
    ];
    let (controller, router) = online_router(&site, &sections.concat());
    // Something to do: as many requests, over one connection.
    let url = format!("https://localhost:{port}/health-checks?n=[1-3000]");
    let mut asking = Command::new("curl");
    asking.args(["--disable", "--silent", "--fail", "--noproxy", "*", &url]);
    run(asking.arg("--cacert").arg(controller.ca())).success();
    router.terminate();

    let mode = fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let profile = Profile::read(&file);
    let measures = [["samples", "count"], ["cpu", "nanoseconds"]];
    assert_eq!(profile.measures(), measures);
    let counted = profile.values().map(|values| {
        assert_eq!(values[1], values[0] * profile.period);
        values[0]
    });
    assert!(counted.sum::<i64>() > 0, "there are no samples");
    let functions = profile.functions();
    let ours = |function: &&str| function.contains("portcullis_");
    assert!(functions.iter().any(ours), "{functions:?}");
    if let Some(read) = read_by_go(&file) {
        assert!(read.contains("Type: cpu"), "{read}");
        assert!(read.contains("portcullis_"), "{read}");
    }
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

/// What Go's tool shows of a profile.
fn read_by_go(profile: &Path) -> Option<String> {
    let mut go = Command::new("go");
    let reading = go.args(["tool", "pprof", "-top", "-nodecount=400"]);
    let Ok(read) = reading.arg(profile).output() else {
        println!("skipped: `go tool pprof` is not here");
        return None;
    };
    let [said, errors] =
        [read.stdout, read.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(read.status.success(), "{errors}");
    Some(said)
}
