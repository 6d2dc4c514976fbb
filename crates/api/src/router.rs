//! Wire types shared by edge routers and transit routers.

mod enrollment;
mod network_interface;
mod request;

pub use enrollment::PendingRouterEnrollment;
pub use network_interface::Interface;
pub(crate) use network_interface::reported as reported_interfaces;
pub use request::{TransitRouterCreate, TransitRouterPatch};

/// Addresses at which controllers reach a router, and the groups of each.
pub use crate::decode::StringLists as CtrlChanListeners;

use crate::capability;
use crate::describe::JsonSchema;
use portcullis_domain::router::{EdgeRouterSettings, Router, RouterKind, RouterVersion};
use portcullis_domain::tags::Tags;
use portcullis_domain::view::{RouterConnection, RouterView};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Properties of an edge router that are shown to administrators and clients.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommonEdgeRouter {
    /// Application data for clients that request it; shown to administrators.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<crate::schema::Tags>")]
    pub app_data: Option<Tags>,
    /// Capabilities by name; `null` as long as it did not report any.
    #[serde(default)]
    pub capabilities: Option<Vec<String>>,
    /// The same as a mask, with those that have no name; absent as long as it did not report any.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub capabilities_mask: u64,
    /// Cost of routing a circuit through it.
    #[serde(default)]
    pub cost: Option<u16>,
    /// Whether the router is disabled.
    #[serde(default)]
    pub disabled: Option<bool>,
    /// Host name that the router reported.
    #[serde(default)]
    pub hostname: String,
    /// Whether it is connected.
    #[serde(default)]
    pub is_online: bool,
    /// Unique name.
    pub name: String,
    /// Whether circuits may only begin or end at this router, not pass through it.
    #[serde(default)]
    pub no_traversal: Option<bool>,
    /// Addresses for clients, by protocol.
    #[serde(default)]
    pub supported_protocols: BTreeMap<String, String>,
    /// Synchronization status of its network model.
    #[serde(default)]
    pub sync_status: Cow<'static, str>,
    /// Software version, as shown to clients.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub version: String,
}

/// Version information that a router reported.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct VersionInfo {
    /// Processor architecture.
    pub arch: String,
    /// Build date of the software.
    pub build_date: String,
    /// Operating system.
    pub os: String,
    /// Source revision of the software.
    pub revision: String,
    /// Version of the software.
    pub version: String,
}

impl From<RouterView> for CommonEdgeRouter {
    /// The router as shown to clients.
    fn from(view: RouterView) -> Self {
        let is_online = view.connection.is_online();
        let version = software(&view.router, &view.connection).version.clone();
        let RouterConnection {
            hostname,
            supported_protocols,
            sync_status,
            ..
        } = view.connection;
        let spec = view.router.spec;
        Self {
            app_data: None,
            capabilities: capability::router_capabilities(spec.reported.capabilities),
            capabilities_mask: spec.reported.capabilities,
            cost: Some(spec.cost),
            disabled: Some(spec.disabled),
            hostname,
            is_online,
            name: spec.name,
            no_traversal: Some(spec.no_traversal),
            supported_protocols,
            sync_status: Cow::Borrowed(sync_status.name()),
            version,
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

/// Software of a router: what it reports if it is connected, and otherwise what it reported before.
pub(crate) fn software<'v>(
    router: &'v Router,
    connection: &'v RouterConnection,
) -> &'v RouterVersion {
    if connection.is_online() {
        &connection.version
    } else {
        &router.spec.reported.version
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes members by reference"
)]
const fn is_zero(mask: &u64) -> bool {
    *mask == 0
}

/// The edge router settings; defaults for transit routers.
pub(crate) fn edge_or_default(kind: RouterKind) -> EdgeRouterSettings {
    match kind {
        RouterKind::Edge(edge) => edge,
        RouterKind::Transit => EdgeRouterSettings::default(),
    }
}
