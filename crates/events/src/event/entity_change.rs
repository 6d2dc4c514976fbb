//! Changes of stored entities.

use super::entity_state::EntityState;
use serde::Serialize;
use std::sync::Arc;

/// An entity is about to be created, changed or deleted.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityChange {
    /// A UUID, one for the changes of a transaction.
    pub event_id: Arc<str>,
    #[serde(rename = "eventType")]
    pub kind: ChangeKind,
    pub metadata: Arc<ChangeMetadata>,
    /// One of [`ENTITY_TYPES`].
    pub entity_type: &'static str,
    /// Whether it is the fabric's half of a service or a router that changes.
    #[serde(rename = "isParentEvent")]
    pub is_parent: bool,
    #[serde(skip)]
    pub before: EntityState,
    #[serde(skip)]
    pub after: EntityState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ChangeKind {
    Created,
    Updated,
    Deleted,
}

/// Who has changed an entity, and from where. The members are in the order of OpenZiti's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ChangeMetadata {
    pub author: ChangeAuthor,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<ChangeSource>,
    /// The id of the request, as in the audit trail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
    /// Of OpenZiti, whose events these are.
    pub version: &'static str,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ChangeAuthor {
    /// `identity`, `router`, `controller` or `unattributed`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub id: String,
    pub name: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangeSource {
    /// `rest`, `ctrl.channel` or `websocket`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auth: Option<&'static str>,
    /// The host and port that a request names, or those of the end of a channel here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_addr: Option<Arc<str>>,
    pub remote_addr: String,
    /// The method of an HTTP request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<&'static str>,
}

impl EntityChange {
    pub(super) fn size(&self) -> usize {
        USUAL_METADATA + self.before.size() + self.after.size()
    }

    /// Adds the states to the object that ends a line: they are JSON already.
    pub(super) fn write_states(&self, line: &mut Vec<u8>) {
        let end = line.pop();
        for (name, state) in [("initialState", &self.before), ("finalState", &self.after)] {
            line.extend_from_slice(b",\"");
            line.extend_from_slice(name.as_bytes());
            line.extend_from_slice(b"\":");
            line.extend_from_slice(state.json());
        }
        line.extend(end);
    }
}

/// What ids, names and addresses take in memory.
const USUAL_METADATA: usize = 512;

/// A change was committed.
#[derive(Debug, Clone)]
pub struct EntityCommit {
    /// That of the change.
    pub event_id: Arc<str>,
    /// That of the change. It is not told, but subscribers filter by it.
    pub entity_type: &'static str,
    /// That of the change, as `entity_type`.
    pub is_parent: bool,
}

impl EntityCommit {
    pub(crate) fn wire_form(&self) -> impl Serialize + '_ {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Wire<'e> {
            event_id: &'e str,
            event_type: &'static str,
        }
        Wire {
            event_id: &self.event_id,
            event_type: "committed",
        }
    }
}

/// Types of entities that changes are told of.
pub const ENTITY_TYPES: [&str; 24] = [
    "apiSessionCertificates",
    "apiSessions",
    "authPolicies",
    "authenticators",
    "cas",
    "configTypes",
    "configs",
    "controllers",
    "edgeRouterPolicies",
    "enrollments",
    "eventualEvents",
    "externalJwtSigners",
    "identities",
    "identityTypes",
    "mfas",
    "postureCheckTypes",
    "postureChecks",
    "revocations",
    "routers",
    "serviceEdgeRouterPolicies",
    "servicePolicies",
    "services",
    "sessions",
    "terminators",
];
