//! Terminators, at which circuits to a service end.

use crate::FieldError;
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
    /// Instance of the service, for clients that dial a specific one; immutable.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub instance_id: String,
    /// The hosting identity as set on the fabric API; `None` in a replacement keeps the stored one.
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
            instance_id: String::new(),
            host_id: None,
            tags: Tags::default(),
        }
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
        assign(&mut self.precedence, patch.precedence);
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
        if self.binding.is_empty() {
            let is_udp = self.address.starts_with("udp:");
            let binding = if is_udp { "udp" } else { "transport" };
            binding.clone_into(&mut self.binding);
        }
        if let Some(before) = before {
            self.instance_id.clone_from(&before.instance_id);
            if self.host_id.is_none() {
                self.host_id.clone_from(&before.host_id);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Timestamp;

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
}
