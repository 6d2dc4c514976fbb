//! What a tunneler knows of a service.

use portcullis_domain::identity::Precedence;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The id of a service.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServiceId(Arc<str>);

/// The terminator for a server of a service: the one that is at this place in the configuration.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TerminatorKey {
    pub service: ServiceId,
    pub index: usize,
}

/// A terminator that is to be created once. When it has ended, the next one for the same server has another
/// number, so that what is said late of the one does not count for the other.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TerminatorId {
    pub key: TerminatorKey,
    pub(crate) number: u64,
}

/// A service that the identity of the tunneler may use.
#[derive(Debug, Clone, PartialEq)]
pub struct Service {
    pub id: ServiceId,
    pub name: Arc<str>,
    pub may_dial: bool,
    /// Whether the identity may host it, which policies call bind.
    pub may_host: bool,
    /// Whether both ends have to encrypt.
    pub is_encrypted: bool,
    /// The configurations that count for this identity, by the name of their type.
    pub configs: BTreeMap<String, Value>,
    /// What the identity says of this service.
    pub terms: HostingTerms,
}

/// Precedence and cost with which an identity hosts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HostingTerms {
    pub precedence: Option<Precedence>,
    pub cost: Option<u16>,
}

impl Service {
    /// A service that may neither be dialed nor hosted.
    pub fn new(id: impl Into<ServiceId>, name: impl Into<Arc<str>>) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            may_dial: false,
            may_host: false,
            is_encrypted: false,
            configs: BTreeMap::new(),
            terms: HostingTerms::default(),
        }
    }

    pub(crate) fn config(&self, type_name: &str) -> Option<&Value> {
        self.configs.get(type_name)
    }
}

impl ServiceId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<T: Into<Arc<str>>> From<T> for ServiceId {
    fn from(id: T) -> Self {
        Self(id.into())
    }
}

impl fmt::Display for ServiceId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
