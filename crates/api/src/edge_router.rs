//! Wire types of edge routers.

mod client_view;
mod request;

pub use client_view::{CurrentIdentityEdgeRouter, ServiceEdgeRouters, SessionEdgeRouter};
pub use request::{EdgeRouterCreate, EdgeRouterPatch};

use crate::describe::JsonSchema;
use crate::entity::Base;
use crate::link::Links;
use crate::router::{
    CommonEdgeRouter, CtrlChanListeners, Interface, PendingRouterEnrollment, VersionInfo,
    edge_or_default, reported_interfaces, software,
};
use portcullis_domain::ids::{ConfigId, RouterId};
use portcullis_domain::roles::RoleAttributes;
use portcullis_domain::view::{ManagedRouterView, RouterView};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// An edge router.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EdgeRouterDetail {
    /// Members common to all entities.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<RouterId>,
    /// Members that are also shown to clients.
    #[serde(flatten)]
    pub common: CommonEdgeRouter,
    /// Certificate, PEM; `null` before enrollment.
    pub cert_pem: Option<String>,
    /// Ids of its configurations; `null` if it has none.
    #[schemars(with = "Option<BTreeSet<String>>")]
    pub configs: Option<BTreeSet<ConfigId>>,
    /// Addresses at which controllers can reach the router.
    #[serde(default, skip_serializing_if = "CtrlChanListeners::is_empty")]
    pub ctrl_chan_listeners: CtrlChanListeners,
    /// Its pending enrollment.
    #[serde(flatten)]
    pub enrollment: PendingRouterEnrollment,
    /// Lower-case hex SHA-1 of the certificate; absent before enrollment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// The network interfaces that it reported.
    pub interfaces: Option<Vec<Interface>>,
    /// Whether the router also acts as a tunneler; then an identity and a policy share its id.
    #[serde(default)]
    pub is_tunneler_enabled: bool,
    /// Whether it has enrolled.
    #[serde(default)]
    pub is_verified: bool,
    /// Role attributes, by which policies select it; `null` if it has none.
    #[schemars(with = "Option<Vec<String>>")]
    pub role_attributes: Option<RoleAttributes>,
    /// Certificate that was issued to it but not used yet.
    pub unverified_cert_pem: Option<String>,
    /// Lower-case hex SHA-1 of that certificate.
    pub unverified_fingerprint: Option<String>,
    /// Version information that the router reported.
    #[serde(default)]
    pub version_info: VersionInfo,
}

impl From<ManagedRouterView> for EdgeRouterDetail {
    fn from(view: ManagedRouterView) -> Self {
        let ManagedRouterView {
            router,
            connection,
            enrollment,
        } = view;
        let is_verified = router.is_verified();
        let version_info = software(&router, &connection).clone().into();
        let mut common = CommonEdgeRouter::from(RouterView {
            router: router.clone(),
            connection,
        });
        let spec = router.spec;
        let edge = edge_or_default(spec.kind);
        common.app_data = Some(edge.app_data);
        // Shown to administrators in `version_info`.
        common.version.clear();
        let (cert_pem, fingerprint) = spec
            .certificate
            .map(|certificate| (certificate.pem, certificate.fingerprint))
            .unzip();
        let cert_pem = cert_pem.filter(|pem| !pem.is_empty());
        let (unverified_cert_pem, unverified_fingerprint) = spec
            .unverified_certificate
            .map(|certificate| (certificate.pem, certificate.fingerprint))
            .unzip();
        Self {
            base: Base {
                links: Links::of_edge_router(&router.id),
                created_at: router.created_at.into(),
                id: router.id,
                tags: spec.tags,
                updated_at: router.updated_at.into(),
            },
            common,
            cert_pem,
            configs: Some(spec.configs).filter(|configs| !configs.is_empty()),
            ctrl_chan_listeners: spec.ctrl_chan_listeners,
            enrollment: enrollment.into(),
            fingerprint,
            interfaces: reported_interfaces(&spec.reported),
            is_tunneler_enabled: edge.is_tunneler_enabled,
            is_verified,
            role_attributes: Some(edge.role_attributes).filter(|roles| !roles.is_empty()),
            unverified_cert_pem,
            unverified_fingerprint,
            version_info,
        }
    }
}
