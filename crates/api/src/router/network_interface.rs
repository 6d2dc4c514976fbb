//! Network interfaces of routers.

use crate::describe::JsonSchema;
use portcullis_domain::router::{NetworkInterface, RouterReport};
use serde::{Deserialize, Serialize};

/// A network interface, as a router reported it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the members are those of the API"
)]
pub struct Interface {
    /// Its addresses in CIDR notation.
    #[serde(default)]
    pub addresses: Vec<String>,
    /// Hardware address; empty if it has none.
    pub hardware_address: String,
    /// Its index on the host.
    pub index: u32,
    /// Whether it supports broadcasts.
    pub is_broadcast: bool,
    /// Whether it is a loopback interface.
    pub is_loopback: bool,
    /// Whether it supports multicasts.
    pub is_multicast: bool,
    /// Whether it is in operation.
    pub is_running: bool,
    /// Whether it is administratively up.
    pub is_up: bool,
    /// Largest packet in bytes.
    pub mtu: u32,
    /// Its name, such as `eth0`.
    pub name: String,
}

/// The interfaces that a router reported; `None` if there are none.
pub(crate) fn reported(report: &RouterReport) -> Option<Vec<Interface>> {
    let interfaces = report.interfaces();
    (!interfaces.is_empty()).then(|| interfaces.iter().map(Interface::from).collect())
}

impl From<&NetworkInterface> for Interface {
    fn from(interface: &NetworkInterface) -> Self {
        Self {
            addresses: interface.addresses.clone(),
            hardware_address: interface.hardware_address.clone(),
            index: interface.index,
            is_broadcast: interface.has(NetworkInterface::BROADCAST),
            is_loopback: interface.has(NetworkInterface::LOOPBACK),
            is_multicast: interface.has(NetworkInterface::MULTICAST),
            is_running: interface.has(NetworkInterface::RUNNING),
            is_up: interface.has(NetworkInterface::UP),
            mtu: interface.mtu,
            name: interface.name.clone(),
        }
    }
}
