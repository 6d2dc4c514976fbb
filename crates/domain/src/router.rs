//! Routers: what carries the traffic of the network.

use crate::FieldError;
use crate::clock::Timestamp;
use crate::ids::{ConfigId, RouterId};
use crate::managed::{Managed, Spec};
use crate::name::check_name;
use crate::patch::assign;
use crate::roles::RoleAttributes;
use crate::tags::Tags;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A router, as administrators know it.
pub type Router = Managed<RouterId, RouterSpec>;

/// What administrators decide about a router, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RouterSpec {
    /// Its name, unique among routers of both kinds.
    pub name: String,
    /// Whether clients connect to it.
    pub kind: RouterKind,
    /// What it costs to cross it.
    #[serde(default)]
    pub cost: u16,
    /// Whether circuits may begin and end at it only.
    #[serde(default)]
    pub no_traversal: bool,
    /// Whether it is shut out.
    #[serde(default)]
    pub disabled: bool,
    /// Addresses at which controllers reach it, and the groups of each.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ctrl_chan_listeners: BTreeMap<String, Option<Vec<String>>>,
    /// Its configurations, of each type one at most.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub configs: BTreeSet<ConfigId>,
    /// The certificate by which it proves itself, once it is enrolled; never changed by
    /// administrators.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<RouterCertificate>,
    /// What users attached to it.
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
}

/// Whether clients connect to a router. Which of the two it is never changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RouterKind {
    /// They do.
    Edge(Edge),
    /// It carries what other routers hand it.
    Transit,
}

/// What administrators decide about an edge router besides.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    /// The words by which policies select it.
    #[serde(default, skip_serializing_if = "RoleAttributes::is_empty")]
    pub role_attributes: RoleAttributes,
    /// Whether it is a tunneler too; then there are an identity and a policy with its id.
    #[serde(default)]
    pub is_tunneler_enabled: bool,
    /// What it hands to clients that ask for it.
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub app_data: Tags,
}

/// The certificate of a router.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RouterCertificate {
    /// The certificate, PEM; empty where only its fingerprint is known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pem: String,
    /// Lower-case hex SHA-1 of its DER; unique.
    pub fingerprint: String,
}

impl RouterCertificate {
    /// A certificate of which nothing is known but its fingerprint.
    pub const fn known_by(fingerprint: String) -> Self {
        Self {
            pem: String::new(),
            fingerprint,
        }
    }
}

/// The members of a router to change; what is `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RouterPatch {
    /// New name.
    pub name: Option<String>,
    /// What it is to cost to cross it.
    pub cost: Option<u16>,
    /// Whether circuits may begin and end at it only.
    pub no_traversal: Option<bool>,
    /// Whether it is shut out.
    pub disabled: Option<bool>,
    /// New addresses for controllers, all of them.
    pub ctrl_chan_listeners: Option<BTreeMap<String, Option<Vec<String>>>>,
    /// New configurations, all of them.
    pub configs: Option<BTreeSet<ConfigId>>,
    /// What edge routers have besides; of no effect on others.
    pub edge: EdgePatch,
    /// New tags, all of them.
    pub tags: Option<Tags>,
}

/// The members of an edge router to change; what is `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EdgePatch {
    /// New role attributes, all of them.
    pub role_attributes: Option<RoleAttributes>,
    /// Whether it is to be a tunneler too.
    pub is_tunneler_enabled: Option<bool>,
    /// What it is to hand to clients, all of it.
    pub app_data: Option<Tags>,
}

impl RouterSpec {
    /// What it has besides if it is an edge router.
    pub fn edge(&self) -> Option<&Edge> {
        match &self.kind {
            RouterKind::Edge(edge) => Some(edge),
            RouterKind::Transit => None,
        }
    }
}

impl Router {
    /// Takes in the certificate of an enrollment or of a renewal.
    pub fn certify(&mut self, certificate: RouterCertificate, now: Timestamp) {
        self.spec.certificate = Some(certificate);
        self.touch(now);
    }

    /// Forgets the certificate: the router has to enroll again.
    pub fn revoke(&mut self, now: Timestamp) {
        self.spec.certificate = None;
        self.touch(now);
    }

    /// Takes the fingerprint of the certificate by which it proves itself, which somebody else issued;
    /// `None` for none. The one that it has already changes nothing.
    pub fn identify(&mut self, fingerprint: Option<String>, now: Timestamp) {
        let known = self.spec.certificate.as_ref();
        if known.map(|certificate| &certificate.fingerprint) == fingerprint.as_ref() {
            return;
        }
        self.spec.certificate = fingerprint.map(RouterCertificate::known_by);
        self.touch(now);
    }

    /// Whether it has enrolled.
    pub fn is_verified(&self) -> bool {
        self.spec.certificate.is_some()
    }
}

impl Spec for RouterSpec {
    type Patch = RouterPatch;

    fn apply(&mut self, patch: RouterPatch) {
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

    fn settle(&mut self, before: Option<&Self>) -> Result<(), FieldError> {
        check_name(&self.name)?;
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
            name: "r".to_owned(),
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

    fn router(kind: RouterKind) -> Router {
        Router::new(RouterId::from_wire("r"), spec(kind), NOW).unwrap()
    }

    #[test]
    fn replacing_a_router_keeps_its_kind_and_its_certificate() {
        let certificate = RouterCertificate {
            pem: "pem".to_owned(),
            fingerprint: "ff".to_owned(),
        };
        let tunneler = Edge {
            is_tunneler_enabled: true,
            ..Edge::default()
        };
        let mut edge = router(RouterKind::Edge(Edge::default()));
        edge.certify(certificate, NOW);
        edge.replace(spec(RouterKind::Edge(tunneler.clone())), NOW)
            .unwrap();
        assert_eq!(edge.spec.edge(), Some(&tunneler));
        assert!(edge.is_verified());
        edge.replace(spec(RouterKind::Transit), NOW).unwrap();
        assert_eq!(edge.spec.edge(), Some(&tunneler));
        edge.revoke(NOW);
        assert!(!edge.is_verified());

        let mut transit = router(RouterKind::Transit);
        transit
            .replace(spec(RouterKind::Edge(tunneler)), NOW)
            .unwrap();
        assert_eq!(transit.spec.kind, RouterKind::Transit);
    }

    #[test]
    fn what_only_edge_routers_have_changes_nothing_elsewhere() {
        let patch = RouterPatch {
            cost: Some(7),
            edge: EdgePatch {
                is_tunneler_enabled: Some(true),
                ..EdgePatch::default()
            },
            ..RouterPatch::default()
        };
        let mut transit = router(RouterKind::Transit);
        transit.merge(patch.clone(), NOW).unwrap();
        assert_eq!((transit.spec.cost, transit.spec.edge()), (7, None));
        let mut edge = router(RouterKind::Edge(Edge::default()));
        edge.merge(patch, NOW).unwrap();
        assert!(edge.spec.edge().unwrap().is_tunneler_enabled);
    }
}
