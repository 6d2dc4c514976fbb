//! What routers report about themselves.

use serde::{Deserialize, Serialize};

/// What a router reported when it last connected.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RouterReport {
    pub version: RouterVersion,
    /// Mask of its capabilities; bit 63 is never set.
    pub capabilities: u64,
    /// Its network interfaces, as many as are kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    interfaces: Vec<NetworkInterface>,
}

/// Software of a router, as reported.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RouterVersion {
    /// Processor architecture.
    pub arch: String,
    pub build_date: String,
    pub os: String,
    /// Source revision.
    pub revision: String,
    pub version: String,
}

/// A network interface, as reported.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetworkInterface {
    pub name: String,
    pub hardware_address: String,
    /// Bytes.
    pub mtu: u32,
    pub index: u32,
    /// See the associated constants.
    pub flags: u64,
    /// In CIDR notation.
    pub addresses: Vec<String>,
}

/// Highest bit that a mask of capabilities may have, so that it fits a signed number.
const CAPABILITIES: u64 = u64::MAX >> 1;

/// The capability to judge posture checks.
const POSTURE_CHECKS: u64 = 1 << 5;

/// Maximum size of all interfaces of a router, bytes. Hosts of containers have hundreds, which
/// nobody looks at; the record is read whenever the router is.
const MAX_INTERFACES_BYTES: usize = 16 << 10;

/// Maximum length of a text, bytes. A version has five of them.
const MAX_TEXT_BYTES: usize = 128;

/// Whether a router with these capabilities judges clients by what they report to it about their machines.
pub const fn judges_posture(capabilities: u64) -> bool {
    capabilities & POSTURE_CHECKS != 0
}

impl RouterReport {
    /// Whether the router has not reported anything yet.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether the router judges clients by what they report to it about their machines.
    pub fn judges_posture(&self) -> bool {
        judges_posture(self.capabilities)
    }

    pub fn interfaces(&self) -> &[NetworkInterface] {
        &self.interfaces
    }

    /// Sets the version and the capabilities. Texts that are too long are cut.
    pub fn set_software(&mut self, version: RouterVersion, capabilities: u64) {
        self.version = version.cut();
        self.capabilities = capabilities & CAPABILITIES;
    }

    /// Sets the interfaces, as many of the first ones as fit.
    pub fn set_interfaces(&mut self, interfaces: Vec<NetworkInterface>) {
        let fitting = interfaces.into_iter().scan(0, |total, interface| {
            *total += interface.stored_bytes();
            (*total <= MAX_INTERFACES_BYTES).then_some(interface)
        });
        self.interfaces = fitting.collect();
    }
}

impl RouterVersion {
    fn cut(mut self) -> Self {
        for text in [
            &mut self.arch,
            &mut self.build_date,
            &mut self.os,
            &mut self.revision,
            &mut self.version,
        ] {
            text.truncate(text.floor_char_boundary(MAX_TEXT_BYTES));
        }
        self
    }
}

impl NetworkInterface {
    pub const UP: u64 = 1;
    pub const BROADCAST: u64 = 1 << 1;
    pub const LOOPBACK: u64 = 1 << 2;
    pub const MULTICAST: u64 = 1 << 4;
    pub const RUNNING: u64 = 1 << 5;

    pub const fn has(&self, flag: u64) -> bool {
        self.flags & flag != 0
    }

    /// Estimated size in the store.
    fn stored_bytes(&self) -> usize {
        const FIXED: usize = 100;
        let addresses = self.addresses.iter().map(|address| address.len() + 3);
        FIXED + self.name.len() + self.hardware_address.len() + addresses.sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_interfaces_the_first_are_kept() {
        let named = |index: u32| NetworkInterface {
            name: format!("veth{index}"),
            index,
            addresses: vec!["10.0.0.1/24".to_owned()],
            ..NetworkInterface::default()
        };
        let mut report = RouterReport::default();
        report.set_interfaces((0..10_000).map(named).collect());
        let kept = report.interfaces();
        assert_eq!(kept.first(), Some(&named(0)));
        assert!((100..200).contains(&kept.len()), "{}", kept.len());
        let written = serde_json::to_string(&report).unwrap();
        assert!(written.len() < 2 * MAX_INTERFACES_BYTES);
        assert_eq!(
            serde_json::from_str::<RouterReport>(&written).unwrap(),
            report
        );

        let huge = NetworkInterface {
            name: "x".repeat(MAX_INTERFACES_BYTES),
            ..NetworkInterface::default()
        };
        report.set_interfaces(vec![named(1), huge]);
        assert_eq!(report.interfaces(), [named(1)]);
    }

    #[test]
    fn of_software_no_more_is_kept_than_it_takes() {
        let mut report = RouterReport::default();
        let version = RouterVersion {
            os: "ü".repeat(1000),
            version: "v2.1.0".to_owned(),
            ..RouterVersion::default()
        };
        report.set_software(version, u64::MAX);
        assert_eq!(report.version.os.len(), MAX_TEXT_BYTES);
        assert_eq!(report.version.version, "v2.1.0");
        assert_eq!(i64::try_from(report.capabilities), Ok(i64::MAX));
    }
}
