//! Edge routers and transit routers.

use crate::FieldError;
use crate::clock::Timestamp;
use crate::ids::{ConfigId, RouterId};
use crate::managed::{Managed, Spec};
use crate::name::validate_name;
use crate::patch::assign;
use crate::roles::RoleAttributes;
use crate::tags::Tags;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

pub type Router = Managed<RouterId, RouterSpec>;

/// Editable members of a router, and its certificate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RouterSpec {
    /// Unique among routers of both kinds.
    pub name: String,
    pub kind: RouterKind,
    /// Cost of a hop through it.
    #[serde(default)]
    pub cost: u16,
    /// Circuits may only begin or end at it.
    #[serde(default)]
    pub no_traversal: bool,
    #[serde(default)]
    pub disabled: bool,
    /// Control channel addresses of the router, with their groups.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ctrl_chan_listeners: BTreeMap<String, Option<Vec<String>>>,
    /// At most one of each type.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub configs: BTreeSet<ConfigId>,
    /// Present once enrolled; administrators cannot change it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<RouterCertificate>,
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
}

/// The kind of a router; immutable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RouterKind {
    /// Clients connect to it.
    Edge(EdgeRouterSettings),
    /// Only carries traffic between routers.
    Transit,
}

/// Additional editable members of an edge router.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeRouterSettings {
    #[serde(default, skip_serializing_if = "RoleAttributes::is_empty")]
    pub role_attributes: RoleAttributes,
    /// Whether it has a tunneler, with an identity and a system policy of the same id.
    #[serde(default)]
    pub is_tunneler_enabled: bool,
    /// Handed to clients.
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub app_data: Tags,
}

/// The certificate of a router.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RouterCertificate {
    /// PEM; empty if only the fingerprint is known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pem: String,
    /// Lower-case hex SHA-1 of its DER; unique.
    pub fingerprint: String,
}

impl RouterCertificate {
    /// A certificate known only by its fingerprint.
    pub const fn from_fingerprint(fingerprint: String) -> Self {
        Self {
            pem: String::new(),
            fingerprint,
        }
    }
}

/// Members of a router to change; `None` leaves a member unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RouterSpecPatch {
    pub name: Option<String>,
    pub cost: Option<u16>,
    /// Circuits may only begin or end at it.
    pub no_traversal: Option<bool>,
    pub disabled: Option<bool>,
    pub ctrl_chan_listeners: Option<BTreeMap<String, Option<Vec<String>>>>,
    pub configs: Option<BTreeSet<ConfigId>>,
    /// Ignored for transit routers.
    pub edge: EdgeRouterSettingsPatch,
    pub tags: Option<Tags>,
}

/// Members of an edge router to change; `None` leaves a member unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EdgeRouterSettingsPatch {
    pub role_attributes: Option<RoleAttributes>,
    pub is_tunneler_enabled: Option<bool>,
    pub app_data: Option<Tags>,
}

impl RouterSpec {
    /// Settings of an edge router.
    pub fn edge(&self) -> Option<&EdgeRouterSettings> {
        match &self.kind {
            RouterKind::Edge(edge) => Some(edge),
            RouterKind::Transit => None,
        }
    }
}

impl Router {
    /// Stores the certificate of an enrollment or a renewal.
    pub fn set_certificate(&mut self, certificate: RouterCertificate, now: Timestamp) {
        self.spec.certificate = Some(certificate);
        self.touch(now);
    }

    /// Removes the certificate; the router has to enroll again.
    pub fn clear_certificate(&mut self, now: Timestamp) {
        self.spec.certificate = None;
        self.touch(now);
    }

    /// Sets the fingerprint of a certificate issued elsewhere; `None` removes it. An unchanged
    /// fingerprint is a no-op.
    pub fn set_fingerprint(&mut self, fingerprint: Option<String>, now: Timestamp) {
        let known = self.spec.certificate.as_ref();
        if known.map(|certificate| &certificate.fingerprint) == fingerprint.as_ref() {
            return;
        }
        self.spec.certificate = fingerprint.map(RouterCertificate::from_fingerprint);
        self.touch(now);
    }

    pub fn is_verified(&self) -> bool {
        self.spec.certificate.is_some()
    }
}

impl RouterSpec {
    /// An edge router with this name and defaults for everything else, which is not enrolled yet.
    pub fn edge_router(name: impl Into<String>) -> Self {
        Self::of_kind(name, RouterKind::Edge(EdgeRouterSettings::default()))
    }

    /// A transit router with this name and defaults for everything else, which is not enrolled yet.
    pub fn transit_router(name: impl Into<String>) -> Self {
        Self::of_kind(name, RouterKind::Transit)
    }

    fn of_kind(name: impl Into<String>, kind: RouterKind) -> Self {
        Self {
            name: name.into(),
            kind,
            cost: 0,
            no_traversal: false,
            disabled: false,
            ctrl_chan_listeners: BTreeMap::new(),
            configs: BTreeSet::new(),
            certificate: None,
            tags: Tags::default(),
        }
    }
}

impl Spec for RouterSpec {
    type Patch = RouterSpecPatch;

    fn apply(&mut self, patch: RouterSpecPatch) {
        assign(&mut self.name, patch.name);
        assign(&mut self.cost, patch.cost);
        assign(&mut self.no_traversal, patch.no_traversal);
        assign(&mut self.disabled, patch.disabled);
        assign(&mut self.ctrl_chan_listeners, patch.ctrl_chan_listeners);
        assign(&mut self.configs, patch.configs);
        assign(&mut self.tags, patch.tags);
        if let RouterKind::Edge(edge) = &mut self.kind {
            assign(&mut edge.role_attributes, patch.edge.role_attributes);
            assign(
                &mut edge.is_tunneler_enabled,
                patch.edge.is_tunneler_enabled,
            );
            assign(&mut edge.app_data, patch.edge.app_data);
        }
    }

    fn normalize(&mut self, before: Option<&Self>) -> Result<(), FieldError> {
        validate_name(&self.name)?;
        let Some(before) = before else {
            return Ok(());
        };
        self.certificate.clone_from(&before.certificate);
        match (&before.kind, &self.kind) {
            (RouterKind::Edge(_), RouterKind::Edge(_)) => {},
            (kind, _) => self.kind = kind.clone(),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn spec(kind: RouterKind) -> RouterSpec {
        RouterSpec {
            kind,
            ..RouterSpec::edge_router("r")
        }
    }

    fn router(kind: RouterKind) -> Router {
        Router::new(RouterId::from_wire("r"), spec(kind), NOW).unwrap()
    }

    #[test]
    fn replacing_a_router_keeps_its_kind_and_its_certificate() {
        let certificate = RouterCertificate {
            pem: "pem".to_owned(),
            fingerprint: "ff".to_owned(),
        };
        let tunneler = EdgeRouterSettings {
            is_tunneler_enabled: true,
            ..EdgeRouterSettings::default()
        };
        let mut edge = router(RouterKind::Edge(EdgeRouterSettings::default()));
        edge.set_certificate(certificate, NOW);
        edge.replace(spec(RouterKind::Edge(tunneler.clone())), NOW)
            .unwrap();
        assert_eq!(edge.spec.edge(), Some(&tunneler));
        assert!(edge.is_verified());
        edge.replace(spec(RouterKind::Transit), NOW).unwrap();
        assert_eq!(edge.spec.edge(), Some(&tunneler));
        edge.clear_certificate(NOW);
        assert!(!edge.is_verified());

        let mut transit = router(RouterKind::Transit);
        transit
            .replace(spec(RouterKind::Edge(tunneler)), NOW)
            .unwrap();
        assert_eq!(transit.spec.kind, RouterKind::Transit);
    }

    #[test]
    fn what_only_edge_routers_have_changes_nothing_elsewhere() {
        let patch = RouterSpecPatch {
            cost: Some(7),
            edge: EdgeRouterSettingsPatch {
                is_tunneler_enabled: Some(true),
                ..EdgeRouterSettingsPatch::default()
            },
            ..RouterSpecPatch::default()
        };
        let mut transit = router(RouterKind::Transit);
        transit.patch(patch.clone(), NOW).unwrap();
        assert_eq!((transit.spec.cost, transit.spec.edge()), (7, None));
        let mut edge = router(RouterKind::Edge(EdgeRouterSettings::default()));
        edge.patch(patch, NOW).unwrap();
        assert!(edge.spec.edge().unwrap().is_tunneler_enabled);
    }
}
