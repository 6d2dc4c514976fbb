//! Services: what identities dial and bind.

use crate::FieldError;
use crate::ids::{ConfigId, ServiceId};
use crate::managed::{Managed, Spec};
use crate::name::check_name;
use crate::patch::assign;
use crate::roles::RoleAttributes;
use crate::tags::Tags;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A service.
pub type Service = Managed<ServiceId, ServiceSpec>;

/// What administrators decide about a service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceSpec {
    /// Its unique name.
    pub name: String,
    /// The words by which policies select it.
    #[serde(default, skip_serializing_if = "RoleAttributes::is_empty")]
    pub role_attributes: RoleAttributes,
    /// Its configurations, of each type one at most.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub configs: BTreeSet<ConfigId>,
    /// Whether those who dial and those who bind it have to encrypt from end to end.
    pub encryption_required: bool,
    /// How one of its terminators is chosen.
    #[serde(default)]
    pub terminator_strategy: TerminatorStrategy,
    /// Milliseconds after which an idle circuit is closed; 0 for never.
    #[serde(default)]
    pub max_idle_time_millis: u64,
    /// Whether it is the fabric's alone: no policy selects it, and the edge APIs do not know it. Never
    /// changes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_fabric_only: bool,
    /// What users attached to it.
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
}

/// The members of a service to change; what is `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServicePatch {
    /// New name.
    pub name: Option<String>,
    /// New role attributes, all of them.
    pub role_attributes: Option<RoleAttributes>,
    /// New configurations, all of them.
    pub configs: Option<BTreeSet<ConfigId>>,
    /// Whether encryption is demanded.
    pub encryption_required: Option<bool>,
    /// How one of its terminators is chosen.
    pub terminator_strategy: Option<TerminatorStrategy>,
    /// Milliseconds after which an idle circuit is closed; 0 for never.
    pub max_idle_time_millis: Option<u64>,
    /// New tags, all of them.
    pub tags: Option<Tags>,
}

/// How one of a service's terminators is chosen for a circuit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TerminatorStrategy {
    /// The cheapest, by the cost of the route and what was learnt about the terminator.
    #[default]
    SmartRouting,
    /// By chance, the cheaper the likelier.
    Weighted,
    /// By chance.
    Random,
    /// The one that served the same client before.
    Sticky,
}

impl TerminatorStrategy {
    /// Every strategy.
    pub const ALL: [Self; 4] = [
        Self::SmartRouting,
        Self::Weighted,
        Self::Random,
        Self::Sticky,
    ];

    /// The word on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SmartRouting => "smartrouting",
            Self::Weighted => "weighted",
            Self::Random => "random",
            Self::Sticky => "sticky",
        }
    }

    /// The strategy of that name, if there is one.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|strategy| strategy.name() == name)
    }
}

impl Spec for ServiceSpec {
    type Patch = ServicePatch;

    fn apply(&mut self, patch: ServicePatch) {
        assign(&mut self.name, patch.name);
        assign(&mut self.role_attributes, patch.role_attributes);
        assign(&mut self.configs, patch.configs);
        assign(&mut self.encryption_required, patch.encryption_required);
        assign(&mut self.terminator_strategy, patch.terminator_strategy);
        assign(&mut self.max_idle_time_millis, patch.max_idle_time_millis);
        assign(&mut self.tags, patch.tags);
    }

    fn settle(&mut self, before: Option<&Self>) -> Result<(), FieldError> {
        if let Some(before) = before {
            self.is_fabric_only = before.is_fabric_only;
        }
        check_name(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Timestamp;

    fn spec(name: &str) -> ServiceSpec {
        ServiceSpec {
            is_fabric_only: false,
            name: name.to_owned(),
            role_attributes: RoleAttributes::default(),
            configs: BTreeSet::new(),
            encryption_required: true,
            terminator_strategy: TerminatorStrategy::default(),
            max_idle_time_millis: 0,
            tags: Tags::default(),
        }
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
        let blank = ServicePatch {
            name: Some(String::new()),
            encryption_required: Some(false),
            ..ServicePatch::default()
        };
        assert!(service.merge(blank, later).is_err());
        assert_eq!(service, before);

        let plain = ServicePatch {
            encryption_required: Some(false),
            ..ServicePatch::default()
        };
        service.merge(plain, later).unwrap();
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
