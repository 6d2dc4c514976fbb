//! The configurations of a service for an identity.

use super::DataModel;
use portcullis_wire::control::data_model::{Config, ConfigType, Identity, Service};
use std::collections::BTreeMap;

/// A configuration of a service, with its type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EffectiveConfig<'m> {
    pub config: &'m Config,
    pub config_type: &'m ConfigType,
}

impl DataModel {
    /// The configurations of a service, one of each type, by the id of their types. Those that the identity
    /// has for the service take the place of the service's own.
    pub fn configs_of(&self, identity: &Identity, service: &Service) -> Vec<EffectiveConfig<'_>> {
        let overrides = identity.service_configs.get(&service.id);
        let overrides = overrides.into_iter().flat_map(|own| own.configs.values());
        let mut by_type = BTreeMap::new();
        for id in service.configs.iter().chain(overrides) {
            if let Some(effective) = self.config(id) {
                by_type.insert(effective.config_type.id.as_str(), effective);
            }
        }
        by_type.into_values().collect()
    }

    /// A configuration whose type is known.
    pub fn config(&self, id: &str) -> Option<EffectiveConfig<'_>> {
        let config = self.configs.get(id)?;
        let config_type = self.config_types.get(&config.type_id)?;
        Some(EffectiveConfig {
            config,
            config_type,
        })
    }
}
