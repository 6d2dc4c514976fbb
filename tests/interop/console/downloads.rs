//! Clients that take a large file slowly.

#![cfg(target_os = "linux")]

use super::{get, make_console, start};
use crate::hardening::resident;
use std::fs::File;
use std::process::{Command, Stdio};
use std::time::Duration;
use support::tools::are_available;
use support::{TestDirectory, Tool, wait};

const CLIENTS: usize = 24;
const FILE_BYTES: u64 = 256 * 1024 * 1024;

/// What these downloads may take up, in MiB.
const SHARE: u64 = 32;

/// How long they are watched.
const READING: Duration = Duration::from_secs(3);

#[test]
fn slow_downloads_of_a_large_file_take_little_memory() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let folder = make_console(&site);
    let file = File::create(folder.join("large.bin")).unwrap();
    file.set_len(FILE_BYTES).unwrap();
    let controller = start(&site, &folder);
    let before = resident(controller.process());
    let mut clients: Vec<_> = (0..CLIENTS)
        .map(|_| {
            Command::new("curl")
                .args([
                    "--silent",
                    "--noproxy",
                    "*",
                    "--limit-rate",
                    "100k",
                    "--cacert",
                ])
                .arg(controller.ca())
                .arg(format!("{}/zac/large.bin", controller.url()))
                .stdout(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    let mut during = before;
    wait::until(READING, || {
        during = during.max(resident(controller.process()));
        Err::<(), _>("they are reading")
    })
    .unwrap_err();
    for client in &mut clients {
        assert!(client.try_wait().unwrap().is_none(), "it is still reading");
        client.kill().unwrap();
        client.wait().unwrap();
    }
    println!("{before} MiB before, {during} MiB during {CLIENTS} downloads");
    assert!(during < before + SHARE, "{before} MiB, then {during} MiB");
    let quick = get(&controller, "/zac/large.bin").send();
    assert_eq!(quick.body.len() as u64, FILE_BYTES, "others get the file");
}
