//! The lists of configurations and of their types.

use super::ListableSpec;
use crate::listing::listable::text_value;
use parking_lot::RwLockReadGuard;
use portcullis_domain::config::{Config, ConfigSpec, ConfigType, ConfigTypeSpec};
use portcullis_domain::tags::Tags;
use portcullis_filter::{Schema, Symbol, Value};
use portcullis_index::{Catalog, Projections};
use std::borrow::Cow;

/// Configurations. Filters of services and routers look into them too.
pub static CONFIGS: Schema = Schema::entity(&[Symbol::string("name"), Symbol::string("type")]);

/// Types of configurations.
pub static CONFIG_TYPES: Schema = Schema::entity(&[
    Symbol::string("name"),
    Symbol::string("schema"),
    Symbol::string("target"),
]);

impl ListableSpec for ConfigSpec {
    const SCHEMA: &'static Schema = &CONFIGS;

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<Config>> {
        projections.configs()
    }

    fn tags(&self) -> &Tags {
        &self.tags
    }

    fn value(&self, symbol: &str) -> Value<'_> {
        match symbol {
            "type" => text_value(self.config_type.as_str()),
            _ => Value::Missing,
        }
    }
}

impl ListableSpec for ConfigTypeSpec {
    const SCHEMA: &'static Schema = &CONFIG_TYPES;

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<ConfigType>> {
        projections.config_types()
    }

    fn tags(&self) -> &Tags {
        &self.tags
    }

    fn value(&self, symbol: &str) -> Value<'_> {
        match (symbol, &self.schema) {
            ("target", _) => text_value(self.target.name()),
            ("schema", Some(schema)) => serde_json::to_string(schema)
                .map_or(Value::Missing, |json| Value::Text(Cow::Owned(json))),
            _ => Value::Missing,
        }
    }
}
