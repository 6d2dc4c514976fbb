//! Whether lines can be laid here.

use crate::ip::run;
use std::fs::{self, File};
use std::process::Command;

/// The bit of `CAP_NET_ADMIN`, see capabilities(7).
const NET_ADMIN: u64 = 1 << 12;

/// Whether the kernel and the rights of this user allow for lines: namespaces can be made, and interfaces whose packets
/// a program carries. Where they do, nothing but a program that is not installed keeps a line from being laid.
pub fn is_allowed() -> bool {
    let mut unshare = Command::new("unshare");
    let unshare = unshare.args(["--mount", "--net", "true"]);
    administers_networks() && run(unshare).is_ok() && has_tun()
}

fn administers_networks() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut lines = status.lines();
    let rights = lines.find_map(|line| line.strip_prefix("CapEff:"));
    let rights = rights.and_then(|rights| u64::from_str_radix(rights.trim(), 16).ok());
    rights.is_some_and(|rights| rights & NET_ADMIN != 0)
}

fn has_tun() -> bool {
    let mut device = File::options();
    device.read(true).write(true).open("/dev/net/tun").is_ok()
}
