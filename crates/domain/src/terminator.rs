//! Terminators, at which circuits to a service end.

mod hosting;

pub use hosting::{InstanceSecretHash, PeerData, TerminatorHost};

use crate::FieldError;
use crate::clock::Timestamp;
use crate::identity::Precedence;
use crate::ids::{RouterId, ServiceId, TerminatorId};
use crate::managed::{Managed, Spec};
use crate::patch::assign;
use crate::tags::Tags;
use serde::{Deserialize, Serialize};

pub type Terminator = Managed<TerminatorId, TerminatorSpec>;

/// Editable members of a terminator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TerminatorSpec {
    pub service: ServiceId,
    pub router: RouterId,
    /// Router component that connects circuits to the service. Defaults to `udp` for addresses that
    /// begin with it, else `transport`.
    pub binding: String,
    /// Address that the binding connects to.
    pub address: String,
    #[serde(default)]
    pub cost: u16,
    #[serde(default)]
    pub precedence: Precedence,
    /// Precedence that it gets back when its router is no longer quiesced; present while it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saved_precedence: Option<Precedence>,
    /// Instance of the service, for clients that dial a specific one; immutable.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub instance_id: String,
    /// Proves to hosts of the same instance that they belong together; immutable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance_secret: Option<InstanceSecretHash>,
    #[serde(default, skip_serializing_if = "PeerData::is_empty")]
    pub peer_data: PeerData,
    /// Present if a router created it for an identity. Only the router changes it then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<TerminatorHost>,
    /// Id of the hosting identity, as set on the fabric API or by a router; `None` in a replacement
    /// keeps the stored one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_id: Option<String>,
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
}

/// Members of a terminator to change; `None` leaves a member unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TerminatorSpecPatch {
    pub service: Option<ServiceId>,
    pub router: Option<RouterId>,
    pub binding: Option<String>,
    pub address: Option<String>,
    pub cost: Option<u16>,
    pub precedence: Option<Precedence>,
    pub host_id: Option<String>,
    pub tags: Option<Tags>,
}

impl TerminatorSpec {
    /// A terminator where `router` connects circuits to `service` at an address, with the binding that
    /// follows from the address, and defaults for everything else.
    pub fn new(service: ServiceId, router: RouterId, address: impl Into<String>) -> Self {
        Self {
            service,
            router,
            binding: String::new(),
            address: address.into(),
            cost: 0,
            precedence: Precedence::default(),
            saved_precedence: None,
            instance_id: String::new(),
            instance_secret: None,
            peer_data: PeerData::new(),
            host: None,
            host_id: None,
            tags: Tags::default(),
        }
    }
}

/// The router already has another terminator with this id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("another terminator has this id")]
pub struct OtherTerminatorError;

impl Terminator {
    /// Takes over what its router says when it creates the terminator once more, as after a lost
    /// answer or connection; returns whether anything has changed.
    ///
    /// # Errors
    ///
    /// [`OtherTerminatorError`] if that is another terminator with this id.
    pub fn create_again(
        &mut self,
        offered: &TerminatorSpec,
        now: Timestamp,
    ) -> Result<bool, OtherTerminatorError> {
        if !self.spec.is_same(offered) {
            return Err(OtherTerminatorError);
        }
        Ok(self.change(now, |spec| {
            spec.cost = offered.cost;
            spec.prefer(offered.precedence);
            spec.peer_data.clone_from(&offered.peer_data);
            spec.host.clone_from(&offered.host);
        }))
    }

    /// Changes cost and precedence, as far as they are given; returns whether anything has changed.
    pub fn adjust(
        &mut self,
        cost: Option<u16>,
        precedence: Option<Precedence>,
        now: Timestamp,
    ) -> bool {
        self.change(now, |spec| {
            assign(&mut spec.cost, cost);
            if let Some(precedence) = precedence {
                spec.prefer(precedence);
            }
        })
    }

    /// Lets clients use it only where nothing else is left, because no more of them are to come to its
    /// router; returns whether anything has changed.
    pub fn quiesce(&mut self, now: Timestamp) -> bool {
        self.change(now, |spec| {
            if spec.saved_precedence.is_none() {
                spec.saved_precedence = Some(spec.precedence);
                spec.precedence = Precedence::Failed;
            }
        })
    }

    /// Takes that back.
    pub fn dequiesce(&mut self, now: Timestamp) -> bool {
        self.change(now, |spec| {
            if let Some(saved) = spec.saved_precedence.take() {
                spec.precedence = saved;
            }
        })
    }

    fn change(&mut self, now: Timestamp, change: impl FnOnce(&mut TerminatorSpec)) -> bool {
        let before = self.spec.clone();
        change(&mut self.spec);
        let is_changed = self.spec != before;
        if is_changed {
            self.touch(now);
        }
        is_changed
    }
}

impl TerminatorSpec {
    /// Takes over what its router says, which counts when that is no longer quiesced.
    fn prefer(&mut self, precedence: Precedence) {
        match &mut self.saved_precedence {
            Some(saved) => *saved = precedence,
            None => self.precedence = precedence,
        }
    }

    /// Whether both are the same terminator, whatever may change about it.
    pub fn is_same(&self, other: &Self) -> bool {
        self.what_stays() == other.what_stays()
    }

    /// What makes it this terminator: it never changes while the terminator exists.
    fn what_stays(&self) -> impl PartialEq + use<'_> {
        let host = self.host.as_ref().map(|host| &host.identity);
        let instance = (&self.instance_id, self.instance_secret);
        let place = (&self.router, &self.binding, &self.address);
        (&self.service, place, instance, host)
    }
}

impl Spec for TerminatorSpec {
    type Patch = TerminatorSpecPatch;

    fn apply(&mut self, patch: TerminatorSpecPatch) {
        assign(&mut self.service, patch.service);
        assign(&mut self.router, patch.router);
        assign(&mut self.binding, patch.binding);
        assign(&mut self.address, patch.address);
        assign(&mut self.cost, patch.cost);
        if let Some(precedence) = patch.precedence {
            self.precedence = precedence;
            self.saved_precedence = None;
        }
        if patch.host_id.is_some() {
            self.host_id = patch.host_id;
        }
        assign(&mut self.tags, patch.tags);
    }

    fn normalize(&mut self, before: Option<&Self>) -> Result<(), FieldError> {
        if self.address.trim().is_empty() {
            let address = std::mem::take(&mut self.address);
            return Err(FieldError::new("address", "must not be blank", address));
        }
        hosting::validate_peer_data(&self.peer_data)?;
        if self.binding.is_empty() {
            let is_udp = self.address.starts_with("udp:");
            let binding = if is_udp { "udp" } else { "transport" };
            binding.clone_into(&mut self.binding);
        }
        if let Some(before) = before {
            self.instance_id.clone_from(&before.instance_id);
            self.instance_secret = before.instance_secret;
            self.peer_data.clone_from(&before.peer_data);
            self.host.clone_from(&before.host);
            if self.host_id.is_none() || before.host.is_some() {
                self.host_id.clone_from(&before.host_id);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{IdentityId, SessionId};

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn spec(binding: &str, address: &str, instance: &str) -> TerminatorSpec {
        TerminatorSpec {
            binding: binding.to_owned(),
            instance_id: instance.to_owned(),
            ..TerminatorSpec::new(ServiceId::from_wire("s"), RouterId::from_wire("r"), address)
        }
    }

    #[test]
    fn the_address_tells_the_binding_where_none_is_given() {
        for (binding, address, expected) in [
            ("", "tcp:localhost:80", "transport"),
            ("", "udp:localhost:53", "udp"),
            ("edge_transport", "udp:localhost:53", "edge_transport"),
        ] {
            let id = TerminatorId::from_wire("t");
            let terminator = Terminator::new(id, spec(binding, address, ""), NOW).unwrap();
            assert_eq!(terminator.spec.binding, expected, "{binding} {address}");
        }
        let id = TerminatorId::from_wire("t");
        let error = Terminator::new(id, spec("", " ", ""), NOW).unwrap_err();
        assert_eq!(
            (error.field.as_str(), error.value.as_str()),
            ("address", " ")
        );
    }

    #[test]
    fn what_a_router_prefers_while_it_is_quiesced_counts_afterwards() {
        let id = TerminatorId::from_wire("t");
        let mut terminator = Terminator::new(id, hosted("s"), NOW).unwrap();
        let shown = |terminator: &Terminator| terminator.spec.precedence;
        assert!(!terminator.dequiesce(NOW));
        assert!(terminator.quiesce(NOW));
        assert!(!terminator.quiesce(NOW));
        assert_eq!(shown(&terminator), Precedence::Failed);
        terminator.adjust(None, Some(Precedence::Required), NOW);
        assert_eq!(shown(&terminator), Precedence::Failed);
        assert!(terminator.dequiesce(NOW));
        assert_eq!(shown(&terminator), Precedence::Required);
        assert_eq!(terminator.spec.saved_precedence, None);

        terminator.quiesce(NOW);
        assert_eq!(terminator.create_again(&hosted("s"), NOW), Ok(true));
        assert_eq!(shown(&terminator), Precedence::Failed);
        // What an administrator wants counts at once, and for good.
        let patch = TerminatorSpecPatch {
            precedence: Some(Precedence::Required),
            ..TerminatorSpecPatch::default()
        };
        terminator.patch(patch, NOW).unwrap();
        assert!(!terminator.dequiesce(NOW));
        assert_eq!(shown(&terminator), Precedence::Required);
    }

    #[test]
    fn the_instance_never_changes() {
        let id = TerminatorId::from_wire("t");
        let mut terminator = Terminator::new(id, spec("", "tcp:a:1", "one"), NOW).unwrap();
        terminator.replace(spec("", "tcp:b:1", "two"), NOW).unwrap();
        let spec = &terminator.spec;
        assert_eq!(
            (spec.address.as_str(), spec.instance_id.as_str()),
            ("tcp:b:1", "one")
        );
    }

    fn hosted(session: &str) -> TerminatorSpec {
        TerminatorSpec {
            binding: "edge".to_owned(),
            instance_id: "one".to_owned(),
            instance_secret: Some(InstanceSecretHash([1; 16])),
            host: Some(TerminatorHost {
                identity: IdentityId::from_wire("host"),
                session: Some(SessionId::from_wire(session)),
                access_token: None,
            }),
            ..spec("", "t", "")
        }
    }

    #[test]
    fn creating_it_again_takes_over_what_may_change() {
        let id = TerminatorId::from_wire("t");
        let mut terminator = Terminator::new(id, hosted("s"), NOW).unwrap();
        let before = terminator.clone();
        assert_eq!(terminator.create_again(&hosted("s"), NOW), Ok(false));
        assert_eq!(terminator, before);
        let offered = TerminatorSpec {
            cost: 5,
            precedence: Precedence::Required,
            peer_data: [(1003, vec![7; 32])].into(),
            ..hosted("later")
        };
        assert_eq!(terminator.create_again(&offered, NOW), Ok(true));
        assert_eq!(terminator.spec, offered);
        assert!(terminator.adjust(Some(6), None, NOW));
        assert!(!terminator.adjust(Some(6), Some(Precedence::Required), NOW));
        assert_eq!(terminator.spec.cost, 6);
    }

    #[test]
    fn another_terminator_does_not_take_its_place() {
        let changes: [fn(&mut TerminatorSpec); 7] = [
            |spec| spec.service = ServiceId::from_wire("other"),
            |spec| spec.router = RouterId::from_wire("other"),
            |spec| spec.binding = "tunnel".to_owned(),
            |spec| spec.instance_id = "two".to_owned(),
            |spec| spec.instance_secret = None,
            |spec| spec.host = None,
            |spec| {
                let host = spec.host.as_mut().unwrap();
                host.identity = IdentityId::from_wire("other");
            },
        ];
        for change in changes {
            let id = TerminatorId::from_wire("t");
            let mut terminator = Terminator::new(id, hosted("s"), NOW).unwrap();
            let before = terminator.clone();
            let mut other = hosted("s");
            change(&mut other);
            let refused = terminator.create_again(&other, NOW);
            assert_eq!(refused, Err(OtherTerminatorError), "{other:?}");
            assert_eq!(terminator, before);
        }
    }

    #[test]
    fn administrators_leave_alone_what_the_host_said() {
        let id = TerminatorId::from_wire("t");
        let mut terminator = Terminator::new(id, hosted("s"), NOW).unwrap();
        terminator.replace(spec("edge", "t", "two"), NOW).unwrap();
        assert_eq!(terminator.spec, hosted("s"));
        let flood = TerminatorSpec {
            peer_data: [(1, vec![0; 5000])].into(),
            ..hosted("s")
        };
        let id = TerminatorId::from_wire("t");
        let error = Terminator::new(id, flood, NOW).unwrap_err();
        assert_eq!(error.field, "peerData");
    }
}
