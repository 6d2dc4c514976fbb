//! Reports of network interfaces.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use portcullis_channel::{ResultMessage, ResultStatus};
use portcullis_router::control::{InterfaceReports, InterfaceSettings};
use portcullis_router::edge::Recipient;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::interface::Interface;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::Context;

/// Where Linux describes interfaces.
const DESCRIPTIONS: &str = "/sys/class/net";

/// On the wire: the interface is up, and something is at its other end.
const RUNNING: u64 = 32;

/// Flags of Linux, and what they are on the wire.
const FLAGS: [(u64, u64); 5] = [(0x1, UP), (0x2, 2), (0x8, 4), (0x10, 8), (0x1000, 16)];

const UP: u64 = 1;

/// Tells a controller the interfaces, when there is something to tell.
pub(super) struct InterfaceReporter {
    context: Arc<Context>,
    settings: InterfaceSettings,
    reports: InterfaceReports,
}

impl InterfaceReporter {
    pub(super) const fn new(context: Arc<Context>, settings: InterfaceSettings) -> Self {
        let reports = InterfaceReports::new(&settings);
        Self {
            context,
            settings,
            reports,
        }
    }

    pub(super) async fn run(mut self) {
        self.context.first_contact().await;
        loop {
            if let Err(error) = self.report().await {
                tracing::debug!(%error, "network interfaces not reported");
            }
            sleep(self.settings.check_interval).await;
        }
    }

    async fn report(&mut self) -> io::Result<()> {
        let interfaces = spawn_blocking(interfaces).await??;
        let now = self.context.clock.timestamp();
        let Some(report) = self.reports.due(interfaces, now) else {
            return Ok(());
        };
        let controllers = Arc::clone(&self.context.controllers);
        let message = ControlMessage::RouterInterfaces(report.clone());
        let reply = controllers.request(Recipient::Any, message).await;
        let (_, reply) = reply.map_err(|failure| io::Error::other(format!("{failure:?}")))?;
        match ResultMessage::from_frame(&reply) {
            Some(result) if result.status == ResultStatus::Success => {
                self.reports.taken(report, now);
                Ok(())
            },
            Some(result) => Err(io::Error::other(result.text.escape_debug().to_string())),
            None => Err(io::Error::other("the answer is no result")),
        }
    }
}

/// The interfaces, by name. Systems other than Linux tell only those with addresses.
fn interfaces() -> io::Result<Vec<Interface>> {
    let mut interfaces: BTreeMap<String, Interface> = described(Path::new(DESCRIPTIONS))
        .unwrap_or_default()
        .into_iter()
        .map(|interface| (interface.name.clone(), interface))
        .collect();
    for found in if_addrs::get_if_addrs()? {
        let (address, prefix) = match &found.addr {
            if_addrs::IfAddr::V4(v4) => (found.ip(), v4.prefixlen),
            if_addrs::IfAddr::V6(v6) => (found.ip(), v6.prefixlen),
        };
        let interface = interfaces.entry(found.name.clone()).or_insert(Interface {
            name: found.name,
            index: found.index.map_or(0, i64::from),
            ..Interface::default()
        });
        interface.addresses.push(format!("{address}/{prefix}"));
    }
    let mut interfaces: Vec<_> = interfaces.into_values().collect();
    for interface in &mut interfaces {
        interface.addresses.sort();
    }
    Ok(interfaces)
}

/// The interfaces without their addresses.
fn described(folder: &Path) -> io::Result<Vec<Interface>> {
    let entries = fs::read_dir(folder)?;
    Ok(entries.filter_map(|entry| describe(&entry.ok()?)).collect())
}

fn describe(entry: &fs::DirEntry) -> Option<Interface> {
    let read = |name| {
        let text = fs::read_to_string(entry.path().join(name)).ok();
        text.map(|text| text.trim().to_owned())
    };
    let number = |name| read(name)?.parse().ok();
    let flags = read("flags")?;
    let flags = u64::from_str_radix(flags.trim_start_matches("0x"), 16).ok()?;
    let told = FLAGS.iter().filter(|(linux, _)| flags & linux != 0);
    let flags: u64 = told.map(|(_, told)| told).sum();
    // Loopback and tunnels do not know.
    let is_connected = matches!(read("operstate")?.as_str(), "up" | "unknown");
    let is_running = is_connected && flags & UP != 0;
    Some(Interface {
        name: entry.file_name().into_string().ok()?,
        // Loopback interfaces have one of zeros.
        hardware_address: read("address")
            .filter(|text| text.chars().any(|one| !matches!(one, '0' | ':')))
            .unwrap_or_default(),
        mtu: number("mtu")?,
        index: number("ifindex")?,
        flags: if is_running { flags | RUNNING } else { flags },
        addresses: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_interface_is_found_with_its_address() {
        let interfaces = interfaces().unwrap();
        let loopback = interfaces.iter().find(|one| one.name == "lo").unwrap();
        assert!(loopback.addresses.contains(&"127.0.0.1/8".to_owned()));
        assert_eq!(loopback.hardware_address, "");
        assert_eq!(loopback.flags, 1 | 4 | 32, "up, loopback, running");
        assert!(loopback.mtu > 0 && loopback.index > 0);
    }
}
