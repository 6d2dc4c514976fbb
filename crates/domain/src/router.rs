//! Edge routers and transit routers.

mod certificate;
mod report;

pub use certificate::RouterCertificate;
pub use report::{NetworkInterface, RouterReport, RouterVersion, judges_posture};

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

/// Editable members of a router, its certificates, and what it reported.
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
    /// The certificate of an extension that the router has not confirmed yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unverified_certificate: Option<RouterCertificate>,
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
    /// Administrators cannot change it.
    #[serde(default, skip_serializing_if = "RouterReport::is_empty")]
    pub reported: RouterReport,
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

/// Whether a router has to confirm that it has an extended certificate before that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confirmation {
    Needless,
    Pending,
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
    /// Stores the certificate of an enrollment. Earlier ones count no longer, extended or not.
    pub fn set_certificate(&mut self, certificate: RouterCertificate, now: Timestamp) {
        self.replace_certificate(Some(certificate), now);
    }

    /// Removes the certificate; the router has to enroll again.
    pub fn clear_certificate(&mut self, now: Timestamp) {
        self.replace_certificate(None, now);
    }

    /// Sets the fingerprint of a certificate issued elsewhere; `None` removes it. An unchanged
    /// fingerprint is a no-op.
    pub fn set_fingerprint(&mut self, fingerprint: Option<String>, now: Timestamp) {
        let known = self.spec.certificate.as_ref();
        if known.map(|certificate| &certificate.fingerprint) == fingerprint.as_ref() {
            return;
        }
        let certificate = fingerprint.map(RouterCertificate::from_fingerprint);
        self.replace_certificate(certificate, now);
    }

    fn replace_certificate(&mut self, certificate: Option<RouterCertificate>, now: Timestamp) {
        self.spec.certificate = certificate;
        self.spec.unverified_certificate = None;
        self.touch(now);
    }

    /// Replaces the certificate by one that extends it, at once or after the router has confirmed
    /// that it has it ([`Router::confirm_extension`]). Does nothing for a router without a
    /// certificate.
    pub fn extend_certificate(
        &mut self,
        certificate: RouterCertificate,
        confirmation: Confirmation,
        now: Timestamp,
    ) {
        let Some(before) = &self.spec.certificate else {
            return;
        };
        let extended = certificate.extending(before);
        match confirmation {
            Confirmation::Needless => self.replace_certificate(Some(extended), now),
            Confirmation::Pending => {
                self.spec.unverified_certificate = Some(extended);
                self.touch(now);
            },
        }
    }

    /// Makes the unverified certificate the one that counts.
    pub fn confirm_extension(&mut self, now: Timestamp) {
        if let Some(extended) = self.spec.unverified_certificate.take() {
            let before = self.spec.certificate.take();
            self.replace_certificate(Some(extended.confirmed(before)), now);
        }
    }

    /// Sets the addresses at which controllers reach the router; returns whether they are new.
    pub fn set_ctrl_chan_listeners(
        &mut self,
        listeners: BTreeMap<String, Option<Vec<String>>>,
        now: Timestamp,
    ) -> bool {
        let is_new = self.spec.ctrl_chan_listeners != listeners;
        if is_new {
            self.spec.ctrl_chan_listeners = listeners;
            self.touch(now);
        }
        is_new
    }

    /// Changes what the router reported; returns whether that is something new.
    pub fn report(&mut self, report: impl FnOnce(&mut RouterReport), now: Timestamp) -> bool {
        let before = self.spec.reported.clone();
        report(&mut self.spec.reported);
        let is_new = self.spec.reported != before;
        if is_new {
            self.touch(now);
        }
        is_new
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
            unverified_certificate: None,
            tags: Tags::default(),
            reported: RouterReport::default(),
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
        self.unverified_certificate
            .clone_from(&before.unverified_certificate);
        self.reported.clone_from(&before.reported);
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

    fn certificate(fingerprint: &str) -> RouterCertificate {
        RouterCertificate::new("pem".to_owned(), fingerprint.to_owned())
    }

    #[test]
    fn an_extended_certificate_counts_once_it_is_confirmed() {
        let mut router = router(RouterKind::Transit);
        router.extend_certificate(certificate("ee"), Confirmation::Pending, NOW);
        assert_eq!(router.spec.unverified_certificate, None);
        router.set_certificate(certificate("aa"), NOW);
        router.extend_certificate(certificate("bb"), Confirmation::Pending, NOW);
        assert_eq!(counting(&router), Some(("aa", "aa")));
        router.confirm_extension(NOW);
        assert_eq!(counting(&router), Some(("bb", "aa")));
        let confirmed = router.spec.certificate.clone().unwrap();
        let identified = ["aa", "bb", "cc"].map(|one| confirmed.identifies(one));
        assert_eq!(identified, [true, true, false]);
        router.confirm_extension(NOW);
        router.extend_certificate(certificate("cc"), Confirmation::Needless, NOW);
        assert_eq!(counting(&router), Some(("cc", "aa")));

        router.extend_certificate(certificate("dd"), Confirmation::Pending, NOW);
        router.set_certificate(certificate("11"), NOW);
        router.confirm_extension(NOW);
        assert_eq!(counting(&router), Some(("11", "11")));
    }

    /// Fingerprint and enrollment of the certificate that counts.
    fn counting(router: &Router) -> Option<(&str, &str)> {
        let certificate = router.spec.certificate.as_ref()?;
        Some((&certificate.fingerprint, certificate.enrollment()))
    }

    #[test]
    fn what_a_router_reports_is_noticed_if_it_is_new() {
        let mut router = router(RouterKind::Transit);
        assert!(router.report(|report| report.capabilities = 6, NOW));
        let before = router.clone();
        assert!(!router.report(|report| report.capabilities = 6, NOW));
        assert_eq!(router, before);
        router.replace(spec(RouterKind::Transit), NOW).unwrap();
        assert_eq!(router.spec.reported.capabilities, 6);
    }

    #[test]
    fn replacing_a_router_keeps_its_kind_and_its_certificate() {
        let certificate = certificate("ff");
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
