//! The lists of configurations and of their types.

use super::ListableSpec;
use crate::listing::listable::text_value;
use parking_lot::RwLockReadGuard;
use portcullis_domain::config::{Config, ConfigSpec, ConfigType, ConfigTypeSpec};
use portcullis_domain::tags::Tags;
use portcullis_filter::{Schema, Value, symbols};
use portcullis_index::{Catalog, Projections};
use std::borrow::Cow;

symbols! {
    pub(crate) enum ConfigSymbol;
    /// Configurations. Filters of services and routers look into them too.
    pub static CONFIGS: Schema::entity;
    Name => string("name"),
    Type => string("type"),
}

symbols! {
    pub(crate) enum ConfigTypeSymbol;
    /// Types of configurations.
    pub static CONFIG_TYPES: Schema::entity;
    Name => string("name"),
    Schema => string("schema"),
    Target => string("target"),
}

impl ListableSpec for ConfigSpec {
    type Symbol = ConfigSymbol;
    const SCHEMA: &'static Schema = &CONFIGS;

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<Config>> {
        projections.configs()
    }

    fn tags(&self) -> &Tags {
        &self.tags
    }

    fn value(&self, symbol: ConfigSymbol) -> Value<'_> {
        match symbol {
            ConfigSymbol::Name => text_value(&self.name),
            ConfigSymbol::Type => text_value(self.config_type.as_str()),
        }
    }
}

impl ListableSpec for ConfigTypeSpec {
    type Symbol = ConfigTypeSymbol;
    const SCHEMA: &'static Schema = &CONFIG_TYPES;

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<ConfigType>> {
        projections.config_types()
    }

    fn tags(&self) -> &Tags {
        &self.tags
    }

    fn value(&self, symbol: ConfigTypeSymbol) -> Value<'_> {
        match symbol {
            ConfigTypeSymbol::Name => text_value(&self.name),
            ConfigTypeSymbol::Target => text_value(self.target.name()),
            ConfigTypeSymbol::Schema => self
                .schema
                .as_ref()
                .and_then(|schema| serde_json::to_string(schema).ok())
                .map_or(Value::Missing, |json| Value::Text(Cow::Owned(json))),
        }
    }
}
