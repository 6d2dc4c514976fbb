//! Clients that ask for much and take nothing, and what that costs the controller.

#![cfg(target_os = "linux")]

use crate::hardening::resident;
use serde_json::json;
use std::io::Write as _;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use support::api::MANAGEMENT;
use support::tools::are_available;
use support::{Api, Controller, Openssl, TestDirectory, Tool, wait};

/// Connections, and requests on each, as many as HTTP/2 allows here at a time.
const CONNECTIONS: usize = 6;
const REQUESTS: u32 = 100;

/// Identities whose page has about 800 KB, and the bytes in a tag of each.
const IDENTITIES: usize = 16;
const TAG: usize = 50_000;

/// What answers for one client may take up, in MiB, and what else a storm may leave behind.
const SHARE: u64 = 32;
const SLACK: u64 = 64;

/// Time to take something (8 s), and some for a busy machine.
const STALL: Duration = Duration::from_secs(8 + 20);

/// A page of all identities.
const PAGE: &str = "/identities?limit=50";

/// Frames of a client that makes no room for any body, and asks again and again for `path`.
fn shut_client(token: &str, path: &str) -> Vec<u8> {
    let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    // SETTINGS: INITIAL_WINDOW_SIZE is 0.
    bytes.extend([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0]);
    let path = format!("{MANAGEMENT}{path}");
    // HPACK: GET and https from the static table, then literals.
    let mut block = vec![0x82, 0x87];
    for (name, value) in [(&[0x04][..], path.as_str()), (&[0x01], "localhost")] {
        block.extend(name);
        block.push(u8::try_from(value.len()).unwrap());
        block.extend(value.bytes());
    }
    block.extend([0, 10]);
    block.extend(b"zt-session");
    block.push(u8::try_from(token.len()).unwrap());
    block.extend(token.bytes());
    for stream in 0..REQUESTS {
        let length = u32::try_from(block.len()).unwrap().to_be_bytes();
        bytes.extend(&length[1..]);
        // HEADERS with END_STREAM and END_HEADERS.
        bytes.extend([1, 5]);
        bytes.extend((2 * stream + 1).to_be_bytes());
        bytes.extend(&block);
    }
    bytes
}

fn connect(site: &TestDirectory, controller: &Controller, bytes: &[u8]) -> Child {
    let mut client = Openssl::new(site.work())
        .command()
        .args(["s_client", "-quiet", "-alpn", "h2", "-connect"])
        .arg(controller.host_port())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // The pipe stays open, so that the client ends only when the controller closes.
    let stdin = client.stdin.as_mut().unwrap();
    stdin.write_all(bytes).unwrap();
    stdin.flush().unwrap();
    client
}

#[test]
fn answers_that_nobody_takes_cost_little_and_not_for_long() {
    if !are_available(&[Tool::Curl, Tool::Openssl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let admin = Api::admin(&controller);
    for number in 0..IDENTITIES {
        let tags = json!({"wide": "w".repeat(TAG)});
        let body = json!({"name": format!("n{number}"), "isAdmin": false, "tags": tags});
        admin.send("POST", "/identities", &body).expect_status(201);
    }
    admin.get(PAGE).expect_status(200);
    let before = resident(controller.process());

    let bytes = shut_client(admin.token(), PAGE);
    let begun = Instant::now();
    let mut clients: Vec<_> = (0..CONNECTIONS)
        .map(|_| connect(&site, &controller, &bytes))
        .collect();
    let mut most = before;
    let ended = wait::until(STALL, || {
        most = most.max(resident(controller.process()));
        let is_open = |client: &mut Child| client.try_wait().unwrap().is_none();
        let open = clients
            .iter_mut()
            .filter_map(|client| is_open(client).then_some(()))
            .count();
        if open > 0 {
            Err(format!("{open} connections are open"))
        } else {
            Ok(())
        }
    });
    for client in &mut clients {
        let _ = client.kill();
        let _ = client.wait();
    }
    ended.unwrap();
    let after = resident(controller.process());
    println!(
        "{before} MiB before, {most} at most, {after} after {:?}",
        begun.elapsed()
    );
    assert!(
        most < before + SHARE + SLACK,
        "{before} MiB became {most} MiB"
    );
    assert!(after < before + SLACK, "{before} MiB became {after} MiB");
    admin.get("/identities?limit=1").expect_status(200);
}

/// Threads of a process.
fn threads(process: u32) -> usize {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task"));
    tasks.unwrap().count()
}

#[test]
fn requests_for_what_is_at_hand_take_no_threads() {
    if !are_available(&[Tool::Curl, Tool::Openssl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let admin = Api::admin(&controller);
    let path = "/specs/edge-management/spec";
    // Made now, and kept.
    admin.get(path).expect_status(200);
    let before = threads(controller.process());

    let bytes = shut_client(admin.token(), path);
    let mut clients: Vec<_> = (0..CONNECTIONS)
        .map(|_| connect(&site, &controller, &bytes))
        .collect();
    let mut most = before;
    let ended = wait::until(STALL, || {
        most = most.max(threads(controller.process()));
        let is_open = |client: &mut Child| client.try_wait().unwrap().is_none();
        let open = clients
            .iter_mut()
            .filter_map(|client| is_open(client).then_some(()))
            .count();
        if open > 0 { Err(open) } else { Ok(()) }
    });
    for client in &mut clients {
        let _ = client.kill();
        let _ = client.wait();
    }
    ended.unwrap();
    assert!(most < before + 8, "{before} threads became {most}");
}
