//! Identities that are connected to routers.

use crate::answer::{Answer, NoAnswer};
use crate::bounded::{Keyed, Listed, MAX_ENTRIES};
use crate::comparison::{Compared, Comparison, Known, Router};
use crate::finding::Finding;
use crate::inspection::{self, Inspection};
use crate::text::shown;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::IdentityId;
use portcullis_wire::management::ComponentDetails;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;

/// What routers are asked for.
pub const IDENTITY_CONNECTIONS: &str = "identity-connection-statuses";

/// Connections that are read of an identity.
const MAX_CONNECTIONS: usize = 64;

/// An identity that is connected to a router, as the controller knows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownConnection {
    pub since: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IdentityDisagreement {
    UnknownToController {
        identity: IdentityId,
    },
    UnknownToRouter {
        identity: IdentityId,
        since: Option<Timestamp>,
    },
    /// The router has not reported what it has to.
    Unreported {
        identity: IdentityId,
        events: u64,
        /// The identity has come or gone.
        has_state_changed: bool,
    },
    /// The router is reporting.
    BeingReported {
        identity: IdentityId,
        events: u64,
        /// The identity has come or gone.
        has_state_changed: bool,
    },
}

impl IdentityDisagreement {
    pub const fn identity(&self) -> &IdentityId {
        match self {
            Self::UnknownToController { identity }
            | Self::UnknownToRouter { identity, .. }
            | Self::Unreported { identity, .. }
            | Self::BeingReported { identity, .. } => identity,
        }
    }
}

impl fmt::Display for IdentityDisagreement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let changed = |has_state_changed| {
            if has_state_changed {
                "one of which says that it has come or gone"
            } else {
                "none of which says that it has come or gone"
            }
        };
        match self {
            Self::UnknownToController { identity } => write!(
                formatter,
                "router reports identity {} connected, but controller disagrees",
                shown(identity)
            ),
            Self::UnknownToRouter { identity, .. } => write!(
                formatter,
                "ctrl reports identity {} is connected, but router disagrees",
                shown(identity)
            ),
            Self::Unreported {
                identity,
                events,
                has_state_changed,
            } => write!(
                formatter,
                "router has {events} unreported events of identity {}, {}",
                shown(identity),
                changed(*has_state_changed)
            ),
            Self::BeingReported {
                identity,
                events,
                has_state_changed,
            } => write!(
                formatter,
                "router is reporting {events} events of identity {}, {}",
                shown(identity),
                changed(*has_state_changed)
            ),
        }
    }
}

impl Finding for IdentityDisagreement {
    fn advice(&self) -> &'static str {
        match self {
            Self::UnknownToController { .. } | Self::UnknownToRouter { .. } => {
                "The router reports all of them from time to time: ask again in some minutes, and restart \
                 the router if it stays so."
            },
            Self::Unreported { .. } | Self::BeingReported { .. } => {
                "Reports are sent every few seconds: ask again. If it stays, see in the router's log \
                 whether the controller takes them."
            },
        }
    }

    fn since(&self) -> Option<Timestamp> {
        match self {
            Self::UnknownToRouter { since, .. } => *since,
            _ => None,
        }
    }
}

impl Compared for IdentityDisagreement {
    type Disagreement = Self;

    fn disagreements(&self) -> &[Self] {
        std::slice::from_ref(self)
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Told {
    unreported_count: u64,
    unreported_state_changed: bool,
    being_reported_count: u64,
    being_reported_state_changed: bool,
    connections: Listed<Connection, MAX_CONNECTIONS>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Connection {
    closed: bool,
}

impl Told {
    /// Connections that were not read may be open.
    fn is_connected(&self) -> bool {
        let mut connections = self.connections.kept.iter();
        connections.any(|connection| !connection.closed) || self.connections.left_out > 0
    }
}

/// Compares the identities that a router says are connected to it with those of which the controller says
/// so. To a router that is not connected itself, nobody is.
pub fn compare_identities(
    router: &Router,
    known: &Known<IdentityId, KnownConnection>,
    answer: Answer<'_>,
) -> Comparison<IdentityDisagreement> {
    let told = match answer {
        Err(NoAnswer::NotConnected) => Ok(Inspection::default()),
        answer => inspection::read::<Keyed<Told, MAX_ENTRIES>>(answer, IDENTITY_CONNECTIONS),
    };
    Comparison::of(router, told, |told, is_complete| {
        let told = told.kept;
        let mut found = Vec::new();
        for (id, told) in &told {
            let identity = IdentityId::from_wire(id.as_str());
            let is_known = known.contains_key(&identity);
            reported(&identity, is_known, told, &mut found);
        }
        if is_complete {
            found.extend(unreported(router, known, &told));
        }
        found
    })
}

fn reported(
    identity: &IdentityId,
    is_known: bool,
    told: &Told,
    found: &mut Vec<IdentityDisagreement>,
) {
    let identity = || identity.clone();
    if told.is_connected() && !is_known {
        found.push(IdentityDisagreement::UnknownToController {
            identity: identity(),
        });
    }
    if told.unreported_count > 0 || told.unreported_state_changed {
        found.push(IdentityDisagreement::Unreported {
            identity: identity(),
            events: told.unreported_count,
            has_state_changed: told.unreported_state_changed,
        });
    }
    if told.being_reported_count > 0 || told.being_reported_state_changed {
        found.push(IdentityDisagreement::BeingReported {
            identity: identity(),
            events: told.being_reported_count,
            has_state_changed: told.being_reported_state_changed,
        });
    }
}

/// Identities that only the controller says are connected. That of a router that is a tunneler is connected
/// without a connection.
fn unreported(
    router: &Router,
    known: &Known<IdentityId, KnownConnection>,
    told: &BTreeMap<String, Told>,
) -> impl Iterator<Item = IdentityDisagreement> {
    let elsewhere = known
        .iter()
        .filter(|(identity, _)| identity.as_str() != router.id.as_str());
    let unreported = elsewhere.filter(|(identity, _)| {
        let told = told.get(identity.as_str());
        !told.is_some_and(Told::is_connected)
    });
    unreported.map(|(identity, known)| IdentityDisagreement::UnknownToRouter {
        identity: identity.clone(),
        since: known.since,
    })
}

impl From<&Comparison<IdentityDisagreement>> for ComponentDetails {
    /// A router that has answered is a success, whatever it has answered.
    fn from(comparison: &Comparison<IdentityDisagreement>) -> Self {
        comparison.component(comparison.entries.is_ok(), "router not connected")
    }
}

#[cfg(test)]
mod tests;
