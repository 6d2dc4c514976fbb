//! Queries of clients.

use domain::base::{Header, Name};
use portcullis_tunnel_config::HostName;

/// What is asked. Two are the same if they differ in the case of letters only.
pub(crate) type Question = domain::base::Question<Name<Vec<u8>>>;

/// A query that can be answered.
#[derive(Debug, Clone)]
pub(crate) struct Query {
    pub(crate) header: Header,
    pub(crate) question: Question,
    pub(crate) edns: Option<Edns>,
}

/// What a client says of itself by EDNS (RFC 6891).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Edns {
    pub(crate) udp_size: u16,
    pub(crate) dnssec_ok: bool,
}

impl Query {
    /// The name that is asked for; `None` for one that no host has, such as one with a dot within a label.
    pub(crate) fn host(&self) -> Option<HostName> {
        let mut text = String::new();
        for label in self.question.qname() {
            if label.is_root() {
                break;
            }
            let label = std::str::from_utf8(label.as_slice()).ok()?;
            if label.contains('.') {
                return None;
            }
            if !text.is_empty() {
                text.push('.');
            }
            text.push_str(label);
        }
        HostName::new(&text)
    }
}
