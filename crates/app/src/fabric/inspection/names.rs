//! Names of values.

use portcullis_domain::FieldError;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Maximum number of values per request.
const MAX_NAMES: usize = 100;

/// Maximum length of a name, bytes; the longest ones end with the id of an identity or a circuit.
const MAX_NAME_BYTES: usize = 256;

/// Maximum length of all names of a request, bytes. They go to each router.
const MAX_BYTES: usize = 8 * 1024;

/// What controllers and routers may have values for; what follows a colon is of the kind before it.
const KINDS: [&str; 30] = [
    "circuit",
    "circuitandstacks",
    "circuits",
    "cluster-config",
    "config",
    "connected-peers",
    "connected-routers",
    "ctrl-dialer",
    "ctrl-peer-dialer",
    "data-model-index",
    "ert-terminators",
    "identity-connection-statuses",
    "links",
    "metrics",
    "metrics:json",
    "metrics:prometheus",
    "router-circuits",
    "router-config-registry",
    "router-controllers",
    "router-data-model",
    "router-data-model-index",
    "router-edge-circuits",
    "router-messaging",
    "router-sdk-circuits",
    "sdk-context",
    "sdk-terminators",
    "stackdump",
    "terminator-costs",
    "transport",
    "tunnel",
];

/// The names of a request, each once.
#[derive(Debug, Clone)]
pub(super) struct RequestedNames(pub(super) Arc<[String]>);

impl RequestedNames {
    pub(super) fn parse(names: &[String]) -> Result<Self, FieldError> {
        let field = "requestedValues";
        if names.len() > MAX_NAMES {
            let reason = format!("must have at most {MAX_NAMES} entries");
            return Err(FieldError::new(field, reason, names.len().to_string()));
        }
        if let Some(long) = names.iter().find(|name| name.len() > MAX_NAME_BYTES) {
            let reason = format!("must have entries of at most {MAX_NAME_BYTES} bytes");
            return Err(FieldError::new(field, reason, long.len().to_string()));
        }
        let bytes: usize = names.iter().map(String::len).sum();
        if bytes > MAX_BYTES {
            let reason = format!("must have at most {MAX_BYTES} bytes in all entries");
            return Err(FieldError::new(field, reason, bytes.to_string()));
        }
        let mut seen = BTreeSet::new();
        let names = names.iter().filter(|name| seen.insert(same(name)));
        Ok(Self(names.cloned().collect()))
    }

    /// The name as it was requested that somebody has given.
    pub(super) fn find(&self, name: &str) -> Option<&str> {
        let name = same(name);
        let found = self.0.iter().find(|requested| same(requested) == name);
        found.map(String::as_str)
    }

    /// Names of no kind of value.
    pub(super) fn unknown(&self) -> impl Iterator<Item = &str> {
        let names = self.0.iter().map(String::as_str);
        names.filter(|name| !is_known(name))
    }
}

/// What names have in common that ask for the same. An id after a colon counts as it is.
fn same(name: &str) -> String {
    let (kind, rest) = name.split_at(name.find(':').unwrap_or(name.len()));
    kind.to_lowercase() + rest
}

fn is_known(name: &str) -> bool {
    let name = name.to_lowercase();
    let kind = name.split(':').next().unwrap_or_default();
    // Of these two, whatever they begin is one.
    let is_prefixed = kind.starts_with("metrics") || kind.starts_with("terminator-costs");
    is_prefixed || KINDS.contains(&kind)
}
