//! Rules about which hosts and addresses documents may be fetched from.

use crate::ip_network::IpNetwork;
use std::time::Duration;

/// Allowed hosts and addresses, and limits of a fetch.
///
/// Addresses that are not public are refused by default. Denials take precedence over permissions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchRules {
    /// Addresses that are allowed although they are not public. Unspecified and link-local
    /// addresses and those of metadata services have to be listed individually, or by a network
    /// that contains nothing else.
    pub allowed_ips: Vec<IpNetwork>,
    /// Refused addresses.
    pub denied_ips: Vec<IpNetwork>,
    /// If not empty, the only allowed host names; `*.` in front stands for any subdomain. URLs with
    /// a literal address then need it in `allowed_ips`.
    pub allowed_hostnames: Vec<String>,
    /// Refused host names; `*.` in front stands for any subdomain.
    pub denied_hostnames: Vec<String>,
    /// Timeout of one fetch, from its turn to the last byte.
    pub timeout: Duration,
    /// Most redirects that are followed.
    pub max_redirects: u32,
}

impl Default for FetchRules {
    /// Allows public addresses: 5 seconds, 5 redirects.
    fn default() -> Self {
        Self {
            allowed_ips: Vec::new(),
            denied_ips: Vec::new(),
            allowed_hostnames: Vec::new(),
            denied_hostnames: Vec::new(),
            timeout: Duration::from_secs(5),
            max_redirects: 5,
        }
    }
}
