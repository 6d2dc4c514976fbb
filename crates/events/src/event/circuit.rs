//! Circuits.

use crate::event::{nanoseconds, size};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug, Clone)]
pub struct Circuit {
    pub kind: CircuitKind,
    pub circuit_id: Arc<str>,
    /// The identity that dialed.
    pub client_id: Arc<str>,
    pub service_id: Arc<str>,
    /// Empty if none was chosen.
    pub terminator_id: Arc<str>,
    pub instance_id: Arc<str>,
    /// Empty if none was found.
    pub path: CircuitPath,
    pub tags: Option<BTreeMap<String, String>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CircuitKind {
    /// All routers of the path have confirmed.
    Created {
        took: Duration,
        path_cost: u32,
    },
    /// The circuit was moved to another path.
    PathUpdated {
        age: Duration,
    },
    Deleted {
        age: Duration,
    },
    /// An attempt failed; there may be others.
    Failed {
        took: Duration,
        /// Of the path, if there was one.
        path_cost: Option<u32>,
        /// Such as `NO_TERMINATORS`.
        cause: &'static str,
    },
}

/// Where a circuit runs, from its initiator.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CircuitPath {
    /// Ids of routers.
    pub nodes: Option<Vec<Arc<str>>>,
    /// Ids of the links between them.
    pub links: Option<Vec<Arc<str>>>,
    pub ingress_id: Arc<str>,
    pub egress_id: Arc<str>,
    #[serde(rename = "initiator_local_addr", skip_serializing_if = "str::is_empty")]
    pub initiator_local_address: Arc<str>,
    #[serde(
        rename = "initiator_remote_addr",
        skip_serializing_if = "str::is_empty"
    )]
    pub initiator_remote_address: Arc<str>,
    #[serde(
        rename = "terminator_local_addr",
        skip_serializing_if = "str::is_empty"
    )]
    pub terminator_local_address: Arc<str>,
    #[serde(
        rename = "terminator_remote_addr",
        skip_serializing_if = "str::is_empty"
    )]
    pub terminator_remote_address: Arc<str>,
}

impl CircuitKind {
    pub(crate) const NAMES: [&'static str; 4] = ["created", "pathUpdated", "deleted", "failed"];

    pub(crate) const fn as_str(&self) -> &'static str {
        match self {
            Self::Created { .. } => "created",
            Self::PathUpdated { .. } => "pathUpdated",
            Self::Deleted { .. } => "deleted",
            Self::Failed { .. } => "failed",
        }
    }
}

impl Circuit {
    /// Bytes of the path and of the tags.
    pub(super) fn size(&self) -> usize {
        /// A handle and the counts of a text that it shares.
        const HOP: usize = 32;
        let CircuitPath {
            nodes,
            links,
            ingress_id: _,
            egress_id: _,
            initiator_local_address,
            initiator_remote_address,
            terminator_local_address,
            terminator_remote_address,
        } = &self.path;
        let addresses = [
            initiator_local_address,
            initiator_remote_address,
            terminator_local_address,
            terminator_remote_address,
        ];
        let hops = [nodes, links].into_iter().flatten().flatten();
        let hops: usize = hops.map(|id| HOP + id.len()).sum();
        hops + size::texts(addresses.map(|address| &**address))
            + self.tags.as_ref().map_or(0, size::tags)
    }

    pub(crate) fn wire_form(&self) -> impl Serialize + '_ {
        #[derive(Serialize)]
        struct Wire<'e> {
            version: u32,
            event_type: &'static str,
            circuit_id: &'e str,
            client_id: &'e str,
            service_id: &'e str,
            terminator_id: &'e str,
            instance_id: &'e str,
            #[serde(
                serialize_with = "nanoseconds::serialize",
                skip_serializing_if = "Option::is_none"
            )]
            creation_timespan: Option<Duration>,
            path: &'e CircuitPath,
            link_count: usize,
            #[serde(skip_serializing_if = "Option::is_none")]
            path_cost: Option<u32>,
            #[serde(skip_serializing_if = "Option::is_none")]
            failure_cause: Option<&'static str>,
            #[serde(
                serialize_with = "nanoseconds::serialize",
                skip_serializing_if = "Option::is_none"
            )]
            duration: Option<Duration>,
            tags: &'e Option<BTreeMap<String, String>>,
        }
        let (creation_timespan, duration, path_cost, failure_cause) = match self.kind {
            CircuitKind::Created { took, path_cost } => (Some(took), None, Some(path_cost), None),
            CircuitKind::PathUpdated { age } | CircuitKind::Deleted { age } => {
                (None, Some(age), None, None)
            },
            CircuitKind::Failed {
                took,
                path_cost,
                cause,
            } => (Some(took), None, path_cost, Some(cause)),
        };
        Wire {
            version: 2,
            event_type: self.kind.as_str(),
            circuit_id: &self.circuit_id,
            client_id: &self.client_id,
            service_id: &self.service_id,
            terminator_id: &self.terminator_id,
            instance_id: &self.instance_id,
            creation_timespan,
            path: &self.path,
            link_count: self.path.links.as_ref().map_or(0, Vec::len),
            path_cost,
            failure_cause,
            duration,
            tags: &self.tags,
        }
    }
}
