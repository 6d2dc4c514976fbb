//! Changes of stored entities.

use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;

/// An entity is about to be created, changed or deleted.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityChange {
    /// A UUID, one for the changes of a transaction.
    pub event_id: Arc<str>,
    #[serde(rename = "eventType")]
    pub kind: ChangeKind,
    /// `author`, `source` and `version`.
    pub metadata: Value,
    /// One of [`ENTITY_TYPES`].
    pub entity_type: Arc<str>,
    /// Whether it is the fabric's half of a service or a router that changes.
    #[serde(rename = "isParentEvent")]
    pub is_parent: bool,
    #[serde(rename = "initialState")]
    pub before: EntityState,
    #[serde(rename = "finalState")]
    pub after: EntityState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ChangeKind {
    Created,
    Updated,
    Deleted,
}

/// An entity, if there is one.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(transparent)]
pub struct EntityState(pub Option<Arc<Value>>);

impl EntityChange {
    pub(super) fn size(&self) -> usize {
        let states = [&self.before, &self.after].map(|EntityState(state)| state.as_deref());
        let states = states.into_iter().flatten();
        states.chain([&self.metadata]).map(size_of).sum()
    }
}

/// About how many bytes a value takes in memory.
fn size_of(value: &Value) -> usize {
    /// What a value takes beside its text and its parts, and a member of an object beside its name.
    const OVERHEAD: usize = 32;
    let parts = match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(size_of).sum(),
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| OVERHEAD + name.len() + size_of(value);
            members.iter().map(member).sum()
        },
    };
    OVERHEAD + parts
}

/// A change was committed.
#[derive(Debug, Clone)]
pub struct EntityCommit {
    /// That of the change.
    pub event_id: Arc<str>,
    /// That of the change. It is not told, but subscribers filter by it.
    pub entity_type: Arc<str>,
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
