//! What is intercepted besides what rules say.

use crate::instance::Instance;
use portcullis_domain::ip_network::IpNetwork;
use std::time::Duration;

/// How connections are intercepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InterceptorOptions {
    pub instance: Instance,
    /// `lanIf`: the interfaces whose traffic is intercepted on its way through this machine. Without any, only what
    /// this machine itself sends is intercepted: whoever can send packets here would have its rights otherwise.
    pub lan_interfaces: Vec<String>,
    /// Destinations that are never intercepted, whatever rules say.
    pub exempt: Vec<IpNetwork>,
    /// How often it is checked whether another program has removed the tables.
    pub check_interval: Duration,
}

impl InterceptorOptions {
    pub const fn new(instance: Instance) -> Self {
        Self {
            instance,
            lan_interfaces: Vec::new(),
            exempt: Vec::new(),
            check_interval: Duration::from_secs(10),
        }
    }
}
