//! Changes of stored entities.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use std::borrow::Cow;
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
    pub remote_addr: String,
}

/// An entity, if there is one.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(transparent)]
pub struct EntityState(pub Option<Arc<StoredEntity>>);

/// An entity as it is stored: its members in the order in which they are told.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StoredEntity(pub Vec<(Cow<'static, str>, Value)>);

impl StoredEntity {
    fn size(&self) -> usize {
        let members = self.0.iter();
        let members = members.map(|(name, value)| OVERHEAD + name.len() + size_of(value));
        OVERHEAD + members.sum::<usize>()
    }
}

impl From<Map<String, Value>> for StoredEntity {
    fn from(members: Map<String, Value>) -> Self {
        let members = members.into_iter();
        Self(members.map(|(name, value)| (name.into(), value)).collect())
    }
}

impl Serialize for StoredEntity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// What a value takes in memory beside its text and its parts, and a member of an object beside its name.
const OVERHEAD: usize = 32;

impl EntityChange {
    pub(super) fn size(&self) -> usize {
        let states = [&self.before, &self.after].map(|EntityState(state)| state.as_deref());
        let states = states.into_iter().flatten();
        OVERHEAD * 8 + states.map(StoredEntity::size).sum::<usize>()
    }
}

/// About how many bytes a value takes in memory.
fn size_of(value: &Value) -> usize {
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
