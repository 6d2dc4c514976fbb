//! Wire types of transit routers, whose collection includes edge routers.

use crate::describe::JsonSchema;
use crate::entity::Base;
use crate::link::Links;
use crate::router::{CtrlChanListeners, Interface, PendingRouterEnrollment, reported_interfaces};
use portcullis_domain::ids::{ConfigId, RouterId};
use portcullis_domain::view::ManagedRouterView;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A transit router, or an edge router in the collection of transit routers.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TransitRouterDetail {
    /// Members common to all entities.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<RouterId>,
    /// Ids of its configurations; `null` if it has none.
    #[schemars(with = "Option<BTreeSet<String>>")]
    pub configs: Option<BTreeSet<ConfigId>>,
    /// Cost of routing a circuit through it.
    #[serde(default)]
    pub cost: u16,
    /// Addresses at which controllers can reach the router.
    #[serde(default, skip_serializing_if = "CtrlChanListeners::is_empty")]
    pub ctrl_chan_listeners: CtrlChanListeners,
    /// Whether the router is disabled.
    #[serde(default)]
    pub disabled: bool,
    /// Pending enrollment; shown for transit routers only.
    #[serde(flatten)]
    pub enrollment: PendingRouterEnrollment,
    /// Lower-case hex SHA-1 of the certificate; `null` before enrollment.
    pub fingerprint: Option<String>,
    /// The network interfaces that it reported.
    pub interfaces: Option<Vec<Interface>>,
    /// Whether it is connected.
    #[serde(default)]
    pub is_online: bool,
    /// Whether it has enrolled; always true for edge routers, which enroll in another way.
    #[serde(default)]
    pub is_verified: bool,
    /// Unique name.
    pub name: String,
    /// Whether circuits may only begin or end at this router, not pass through it.
    #[serde(default)]
    pub no_traversal: bool,
    /// Certificate that was issued to it but not used yet.
    pub unverified_cert_pem: Option<String>,
    /// Lower-case hex SHA-1 of that certificate.
    pub unverified_fingerprint: Option<String>,
}

impl From<ManagedRouterView> for TransitRouterDetail {
    fn from(view: ManagedRouterView) -> Self {
        let is_edge = view.router.spec.edge().is_some();
        let is_verified = is_edge || view.router.is_verified();
        let router = view.router;
        let spec = router.spec;
        let (unverified_cert_pem, unverified_fingerprint) = spec
            .unverified_certificate
            .map(|certificate| (certificate.pem, certificate.fingerprint))
            .unzip();
        Self {
            base: Base {
                links: Links::of_transit_router(&router.id),
                created_at: router.created_at.into(),
                id: router.id,
                tags: spec.tags,
                updated_at: router.updated_at.into(),
            },
            configs: Some(spec.configs).filter(|configs| !configs.is_empty()),
            cost: spec.cost,
            ctrl_chan_listeners: spec.ctrl_chan_listeners,
            disabled: spec.disabled,
            enrollment: view.enrollment.filter(|_| !is_edge).into(),
            fingerprint: spec.certificate.map(|certificate| certificate.fingerprint),
            interfaces: reported_interfaces(&spec.reported),
            is_online: view.connection.is_online(),
            is_verified,
            name: spec.name,
            no_traversal: spec.no_traversal,
            unverified_cert_pem,
            unverified_fingerprint,
        }
    }
}
