//! Configurations of services and routers, and their types.

use crate::FieldError;
use crate::ids::{ConfigId, ConfigTypeId};
use crate::managed::{Managed, Spec};
use crate::name::validate_name;
use crate::patch::assign;
use crate::tags::Tags;
use serde::{Deserialize, Serialize};

/// A JSON object.
pub type JsonObject = serde_json::Map<String, serde_json::Value>;

pub type ConfigType = Managed<ConfigTypeId, ConfigTypeSpec>;

pub type Config = Managed<ConfigId, ConfigSpec>;

/// Reserved name by which clients request every config type.
pub const ALL_TYPES: &str = "all";

/// Editable members of a config type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfigTypeSpec {
    /// Unique.
    pub name: String,
    /// JSON Schema of its configurations; without one any object is valid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<JsonObject>,
    /// Immutable.
    #[serde(default)]
    pub target: ConfigTarget,
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
}

/// Members of a config type to change; `None` leaves a member unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfigTypeSpecPatch {
    pub name: Option<String>,
    /// Applies to configurations written from now on.
    pub schema: Option<JsonObject>,
    pub tags: Option<Tags>,
}

/// What configurations of a type apply to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ConfigTarget {
    #[default]
    Service,
    Router,
    /// Anything else; the controller does not interpret it.
    Other,
}

/// Editable members of a configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfigSpec {
    /// Unique.
    pub name: String,
    /// Immutable.
    pub config_type: ConfigTypeId,
    pub data: JsonObject,
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
}

/// Members of a configuration to change; `None` leaves a member unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfigSpecPatch {
    pub name: Option<String>,
    /// Replaces the whole object.
    pub data: Option<JsonObject>,
    pub tags: Option<Tags>,
}

impl ConfigTarget {
    pub const ALL: [Self; 3] = [Self::Service, Self::Router, Self::Other];

    /// Name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Service => "service",
            Self::Router => "router",
            Self::Other => "other",
        }
    }

    /// Parses the member `target`.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `target` for an unknown name.
    pub fn from_name(name: &str) -> Result<Self, FieldError> {
        Self::ALL
            .into_iter()
            .find(|target| target.name() == name)
            .ok_or_else(|| FieldError::new("target", "must be one of service, router, other", name))
    }
}

impl ConfigTypeSpec {
    /// A type for services with this name, of which any object is a valid configuration.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            schema: None,
            target: ConfigTarget::default(),
            tags: Tags::default(),
        }
    }
}

impl ConfigSpec {
    /// A configuration with this name, of this type, without tags.
    pub fn new(name: impl Into<String>, config_type: ConfigTypeId, data: JsonObject) -> Self {
        Self {
            name: name.into(),
            config_type,
            data,
            tags: Tags::default(),
        }
    }
}

impl Spec for ConfigTypeSpec {
    type Patch = ConfigTypeSpecPatch;

    fn apply(&mut self, patch: ConfigTypeSpecPatch) {
        assign(&mut self.name, patch.name);
        assign(&mut self.tags, patch.tags);
        if let Some(schema) = patch.schema {
            self.schema = Some(schema);
        }
    }

    fn normalize(&mut self, before: Option<&Self>) -> Result<(), FieldError> {
        validate_name(&self.name)?;
        if self.name == ALL_TYPES {
            let reason = "must not be `all`, with which clients ask for every config type";
            return Err(FieldError::new("name", reason, ALL_TYPES));
        }
        if let Some(before) = before {
            self.target = before.target;
        }
        Ok(())
    }
}

impl Spec for ConfigSpec {
    type Patch = ConfigSpecPatch;

    fn apply(&mut self, patch: ConfigSpecPatch) {
        assign(&mut self.name, patch.name);
        assign(&mut self.data, patch.data);
        assign(&mut self.tags, patch.tags);
    }

    fn normalize(&mut self, before: Option<&Self>) -> Result<(), FieldError> {
        validate_name(&self.name)?;
        if let Some(before) = before {
            self.config_type.clone_from(&before.config_type);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Timestamp;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn type_spec(name: &str, target: ConfigTarget) -> ConfigTypeSpec {
        ConfigTypeSpec {
            target,
            ..ConfigTypeSpec::named(name)
        }
    }

    #[test]
    fn what_a_type_is_for_never_changes() {
        let id = ConfigTypeId::from_wire("t");
        let mut kind = ConfigType::new(id, type_spec("one", ConfigTarget::Router), NOW).unwrap();
        kind.replace(type_spec("two", ConfigTarget::Service), NOW)
            .unwrap();
        assert_eq!(
            (kind.spec.name.as_str(), kind.spec.target),
            ("two", ConfigTarget::Router)
        );
    }

    #[test]
    fn no_type_is_called_as_all_of_them_are() {
        for name in ["all", " "] {
            let id = ConfigTypeId::from_wire("t");
            let error =
                ConfigType::new(id, type_spec(name, ConfigTarget::Service), NOW).unwrap_err();
            assert_eq!((error.field.as_str(), error.value.as_str()), ("name", name));
        }
    }

    #[test]
    fn a_configuration_keeps_its_type() {
        let spec = |kind| ConfigSpec::new("c", ConfigTypeId::from_wire(kind), JsonObject::new());
        let mut config = Config::new(ConfigId::from_wire("c"), spec("one"), NOW).unwrap();
        config.replace(spec("two"), NOW).unwrap();
        assert_eq!(config.spec.config_type.as_str(), "one");
    }

    #[test]
    fn targets_are_read_by_name() {
        for target in ConfigTarget::ALL {
            assert_eq!(ConfigTarget::from_name(target.name()), Ok(target));
        }
        assert_eq!(
            ConfigTarget::from_name("Service").unwrap_err().field,
            "target"
        );
    }
}
