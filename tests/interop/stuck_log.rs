//! A reader of the log that takes nothing stops nothing; what is lost by that is said.

use serde_json::Value;
use std::fs;
use std::io::{PipeReader, Read as _};
use std::thread;
use support::tools::are_available;
use support::wait::{DEFAULT_TIMEOUT, until};
use support::{Controller, Curl, TestDirectory, Tool};

/// Makes a home whose controller tells monitors how it is.
fn home_with_health_checks(site: &TestDirectory) {
    assert!(site.quickstart().start().terminate().success());
    let file = site.home().join("controller.yml");
    let config = fs::read_to_string(&file).unwrap();
    let fabric = config
        .lines()
        .find(|line| line.contains("binding: fabric"))
        .unwrap();
    let checks = fabric.replace("fabric", "health-checks");
    fs::write(
        &file,
        config.replace(fabric, &format!("{fabric}\n{checks}")),
    )
    .unwrap();
}

fn get(controller: &Controller, path: &str) -> support::Reply {
    let url = format!("{}{path}", controller.url());
    Curl::new(&url, &controller.ca()).send()
}

/// The checks that fail, each with its reason.
fn failing(controller: &Controller) -> Vec<(String, String)> {
    let health = get(controller, "/health-checks").data();
    let checks = health["checks"].as_array().unwrap().clone();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    checks
        .iter()
        .filter(|check| check["healthy"] == false)
        .map(|check| (text(&check["id"]), text(&check["err"]["message"])))
        .collect()
}

/// Reads a stream to its end in the background.
fn drain(mut stream: PipeReader) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    })
}

#[test]
fn requests_go_on_while_nobody_reads_the_log() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    home_with_health_checks(&site);
    let (unread, errors) = std::io::pipe().unwrap();
    let controller = site
        .quickstart()
        .with(["--log", "trace"])
        .errors_to(errors)
        .start();
    assert_eq!(failing(&controller), []);
    // At this level each request leaves some kilobytes; the queue and the pipe take a few megabytes.
    let told = until(DEFAULT_TIMEOUT, || {
        let url = format!("{}/version", controller.url());
        let many = vec![url.as_str(); 100];
        Curl::new(&url, &controller.ca())
            .arguments(many)
            .send()
            .expect_status(200);
        failing(&controller).pop().ok_or("nothing was dropped yet")
    });
    let (check, reason) = told.unwrap();
    assert_eq!(check, "log.write");
    assert!(reason.contains("lines of the log were dropped"), "{reason}");

    let log = drain(unread);
    let recovered = until(DEFAULT_TIMEOUT, || match failing(&controller) {
        none if none.is_empty() => Ok(()),
        some => Err(some),
    });
    recovered.unwrap();
    assert!(controller.terminate().success());
    let log = log.join().unwrap();
    let counted = log
        .lines()
        .find(|line| line.contains("\"dropped\":"))
        .expect("the log says how many lines were dropped");
    let counted: Value = serde_json::from_str(counted).unwrap();
    assert!(counted["dropped"].as_u64().unwrap() > 0, "{counted}");
}

#[test]
fn end_does_not_wait_for_a_stuck_reader() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let (_unread, errors) = std::io::pipe().unwrap();
    let controller = site
        .quickstart()
        .with(["--log", "trace"])
        .errors_to(errors)
        .start();
    for _ in 0..50 {
        get(&controller, "/version").expect_status(200);
    }
    assert!(controller.terminate().success());
}
