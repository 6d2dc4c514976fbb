//! What edge routers and transit routers have in common on the wire.

mod enrollment;
mod request;

pub use enrollment::EnrollmentMembers;
pub use request::{RouterBody, RouterMerge};

/// Addresses at which controllers reach a router, and the groups of each.
pub use crate::decode::StringLists as CtrlChanListeners;

use crate::schema;
use portcullis_domain::router::{Edge, RouterKind};
use portcullis_domain::tags::Tags;
use portcullis_domain::view::{RouterConnection, RouterVersion, RouterView};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What is shown of an edge router to administrators and clients alike.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommonEdgeRouter {
    /// What it hands to clients that ask for it; shown to administrators.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<schema::Tags>")]
    pub app_data: Option<Tags>,
    /// What it can do, by the names of [`capability`](crate::capability); `null` as long as it did
    /// not say.
    #[serde(default)]
    pub capabilities: Option<Vec<String>>,
    /// What it costs to cross it.
    #[serde(default)]
    pub cost: Option<u16>,
    /// Whether it is shut out.
    #[serde(default)]
    pub disabled: Option<bool>,
    /// Name of its host, as it says.
    #[serde(default)]
    pub hostname: String,
    /// Whether it is connected.
    #[serde(default)]
    pub is_online: bool,
    /// Its unique name.
    pub name: String,
    /// Whether circuits may begin and end at it only.
    #[serde(default)]
    pub no_traversal: Option<bool>,
    /// Addresses for clients, by protocol.
    #[serde(default)]
    pub supported_protocols: BTreeMap<String, String>,
    /// How far it knows the network.
    #[serde(default)]
    pub sync_status: Cow<'static, str>,
    /// Version of its program; shown to clients that want to know.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub version: String,
}

/// What a router runs, as it says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct VersionInfo {
    /// Processor architecture.
    pub arch: String,
    /// When its program was built.
    pub build_date: String,
    /// Operating system.
    pub os: String,
    /// Source revision of its program.
    pub revision: String,
    /// Version of its program.
    pub version: String,
}

impl From<RouterView> for CommonEdgeRouter {
    /// The router as clients see it.
    fn from(view: RouterView) -> Self {
        let RouterConnection {
            is_online,
            hostname,
            supported_protocols,
            sync_status,
            version,
        } = view.connection;
        let spec = view.router.spec;
        Self {
            app_data: None,
            // No router says what it can do, and this is what is shown then.
            capabilities: None,
            cost: Some(spec.cost),
            disabled: Some(spec.disabled),
            hostname,
            is_online,
            name: spec.name,
            no_traversal: Some(spec.no_traversal),
            supported_protocols,
            sync_status: Cow::Borrowed(sync_status.name()),
            version: version.version,
        }
    }
}

impl From<RouterVersion> for VersionInfo {
    fn from(version: RouterVersion) -> Self {
        Self {
            arch: version.arch,
            build_date: version.build_date,
            os: version.os,
            revision: version.revision,
            version: version.version,
        }
    }
}

/// What edge routers have besides; of others nothing.
pub(crate) fn edge(kind: RouterKind) -> Edge {
    match kind {
        RouterKind::Edge(edge) => edge,
        RouterKind::Transit => Edge::default(),
    }
}
