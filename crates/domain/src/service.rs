//! Services, which identities dial and bind.

use crate::FieldError;
use crate::ids::{ConfigId, ServiceId};
use crate::managed::{Managed, Spec};
use crate::name::validate_name;
use crate::patch::assign;
use crate::roles::RoleAttributes;
use crate::tags::Tags;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

pub type Service = Managed<ServiceId, ServiceSpec>;

/// Editable members of a service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceSpec {
    /// Unique.
    pub name: String,
    #[serde(default, skip_serializing_if = "RoleAttributes::is_empty")]
    pub role_attributes: RoleAttributes,
    /// At most one of each type.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub configs: BTreeSet<ConfigId>,
    /// Whether end-to-end encryption is required.
    pub encryption_required: bool,
    #[serde(default)]
    pub terminator_strategy: TerminatorStrategy,
    /// Idle timeout of circuits in milliseconds; 0 for none.
    #[serde(default)]
    pub max_idle_time_millis: u64,
    /// Whether it is visible on the fabric API only: no policy selects it, and the edge APIs do not
    /// show it. Immutable.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_fabric_only: bool,
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
}

/// Members of a service to change; `None` leaves a member unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServiceSpecPatch {
    pub name: Option<String>,
    pub role_attributes: Option<RoleAttributes>,
    pub configs: Option<BTreeSet<ConfigId>>,
    pub encryption_required: Option<bool>,
    pub terminator_strategy: Option<TerminatorStrategy>,
    /// Idle timeout of circuits in milliseconds; 0 for none.
    pub max_idle_time_millis: Option<u64>,
    pub tags: Option<Tags>,
}

/// Strategy to choose a terminator for a circuit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TerminatorStrategy {
    /// The cheapest, by route cost and measured terminator cost.
    #[default]
    SmartRouting,
    /// Random, weighted by cost.
    Weighted,
    /// Random.
    Random,
    /// The one that the client used before.
    Sticky,
}

impl TerminatorStrategy {
    pub const ALL: [Self; 4] = [
        Self::SmartRouting,
        Self::Weighted,
        Self::Random,
        Self::Sticky,
    ];

    /// Name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SmartRouting => "smartrouting",
            Self::Weighted => "weighted",
            Self::Random => "random",
            Self::Sticky => "sticky",
        }
    }

    pub fn find(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|strategy| strategy.name() == name)
    }
}

impl ServiceSpec {
    /// A service with this name and defaults for everything else, which requires encryption.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            role_attributes: RoleAttributes::default(),
            configs: BTreeSet::new(),
            encryption_required: true,
            terminator_strategy: TerminatorStrategy::default(),
            max_idle_time_millis: 0,
            is_fabric_only: false,
            tags: Tags::default(),
        }
    }
}

impl Spec for ServiceSpec {
    type Patch = ServiceSpecPatch;

    fn apply(&mut self, patch: ServiceSpecPatch) {
        assign(&mut self.name, patch.name);
        assign(&mut self.role_attributes, patch.role_attributes);
        assign(&mut self.configs, patch.configs);
        assign(&mut self.encryption_required, patch.encryption_required);
        assign(&mut self.terminator_strategy, patch.terminator_strategy);
        assign(&mut self.max_idle_time_millis, patch.max_idle_time_millis);
        assign(&mut self.tags, patch.tags);
    }

    fn normalize(&mut self, before: Option<&Self>) -> Result<(), FieldError> {
        if let Some(before) = before {
            self.is_fabric_only = before.is_fabric_only;
        }
        validate_name(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Timestamp;

    fn spec(name: &str) -> ServiceSpec {
        ServiceSpec::named(name)
    }

    #[test]
    fn a_refused_change_leaves_everything_as_it_was() {
        let start = Timestamp::UNIX_EPOCH;
        let later = Timestamp::from_second(1).unwrap();
        let id = ServiceId::from_wire("s");
        assert_eq!(
            Service::new(id.clone(), spec(""), start).unwrap_err().field,
            "name"
        );
        let mut service = Service::new(id, spec("one"), start).unwrap();
        let before = service.clone();
        assert!(service.replace(spec("\t"), later).is_err());
        let blank = ServiceSpecPatch {
            name: Some(String::new()),
            encryption_required: Some(false),
            ..ServiceSpecPatch::default()
        };
        assert!(service.patch(blank, later).is_err());
        assert_eq!(service, before);

        let plain = ServiceSpecPatch {
            encryption_required: Some(false),
            ..ServiceSpecPatch::default()
        };
        service.patch(plain, later).unwrap();
        assert_eq!(
            (service.spec.name.as_str(), service.spec.encryption_required),
            ("one", false)
        );
        assert_eq!((service.created_at, service.updated_at), (start, later));
    }

    #[test]
    fn strategies_are_stored_by_the_names_they_have_on_the_wire() {
        for strategy in TerminatorStrategy::ALL {
            assert_eq!(TerminatorStrategy::find(strategy.name()), Some(strategy));
            let json = serde_json::to_value(strategy).unwrap();
            assert_eq!(json, strategy.name());
        }
        assert_eq!(TerminatorStrategy::find("Random"), None);
    }
}
