//! Configurations of services and routers, and their types.

use crate::FieldError;
use crate::ids::{ConfigId, ConfigTypeId};
use crate::managed::{Managed, Spec};
use crate::name::check_name;
use crate::patch::assign;
use crate::tags::Tags;
use serde::{Deserialize, Serialize};

/// A JSON object.
pub type Object = serde_json::Map<String, serde_json::Value>;

/// A type of configurations.
pub type ConfigType = Managed<ConfigTypeId, ConfigTypeSpec>;

/// A configuration.
pub type Config = Managed<ConfigId, ConfigSpec>;

/// What clients ask for when they want the configurations of every type; no type can be called so.
pub const EVERY_TYPE: &str = "all";

/// What administrators decide about a type of configurations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfigTypeSpec {
    /// Its unique name.
    pub name: String,
    /// The JSON Schema of its configurations; without one any object will do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Object>,
    /// What its configurations are for; never changes.
    #[serde(default)]
    pub target: Target,
    /// What users attached to it.
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
}

/// The members of a type to change; what is `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfigTypePatch {
    /// New name.
    pub name: Option<String>,
    /// New schema, for configurations that are written from now on.
    pub schema: Option<Object>,
    /// New tags, all of them.
    pub tags: Option<Tags>,
}

/// What configurations of a type are for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// Services.
    #[default]
    Service,
    /// Routers.
    Router,
    /// Something that the controller knows nothing of.
    Other,
}

/// What administrators decide about a configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfigSpec {
    /// Its unique name.
    pub name: String,
    /// Its type; never changes.
    pub config_type: ConfigTypeId,
    /// What it says.
    pub data: Object,
    /// What users attached to it.
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
}

/// The members of a configuration to change; what is `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfigPatch {
    /// New name.
    pub name: Option<String>,
    /// What it is to say, all of it.
    pub data: Option<Object>,
    /// New tags, all of them.
    pub tags: Option<Tags>,
}

impl Target {
    /// Every target.
    pub const ALL: [Self; 3] = [Self::Service, Self::Router, Self::Other];

    /// The word on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Service => "service",
            Self::Router => "router",
            Self::Other => "other",
        }
    }

    /// Reads the member `target`.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `target` when `name` is none.
    pub fn from_name(name: &str) -> Result<Self, FieldError> {
        Self::ALL
            .into_iter()
            .find(|target| target.name() == name)
            .ok_or_else(|| FieldError::new("target", "must be one of service, router, other", name))
    }
}

impl Spec for ConfigTypeSpec {
    type Patch = ConfigTypePatch;

    fn apply(&mut self, patch: ConfigTypePatch) {
        assign(&mut self.name, patch.name);
        assign(&mut self.tags, patch.tags);
        if let Some(schema) = patch.schema {
            self.schema = Some(schema);
        }
    }

    fn settle(&mut self, before: Option<&Self>) -> Result<(), FieldError> {
        check_name(&self.name)?;
        if self.name == EVERY_TYPE {
            let reason = "must not be `all`, with which clients ask for every config type";
            return Err(FieldError::new("name", reason, EVERY_TYPE));
        }
        if let Some(before) = before {
            self.target = before.target;
        }
        Ok(())
    }
}

impl Spec for ConfigSpec {
    type Patch = ConfigPatch;

    fn apply(&mut self, patch: ConfigPatch) {
        assign(&mut self.name, patch.name);
        assign(&mut self.data, patch.data);
        assign(&mut self.tags, patch.tags);
    }

    fn settle(&mut self, before: Option<&Self>) -> Result<(), FieldError> {
        check_name(&self.name)?;
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

    fn type_spec(name: &str, target: Target) -> ConfigTypeSpec {
        ConfigTypeSpec {
            name: name.to_owned(),
            schema: None,
            target,
            tags: Tags::default(),
        }
    }

    #[test]
    fn what_a_type_is_for_never_changes() {
        let id = ConfigTypeId::from_wire("t");
        let mut kind = ConfigType::new(id, type_spec("one", Target::Router), NOW).unwrap();
        kind.replace(type_spec("two", Target::Service), NOW)
            .unwrap();
        assert_eq!(
            (kind.spec.name.as_str(), kind.spec.target),
            ("two", Target::Router)
        );
    }

    #[test]
    fn no_type_is_called_as_all_of_them_are() {
        for name in ["all", " "] {
            let id = ConfigTypeId::from_wire("t");
            let error = ConfigType::new(id, type_spec(name, Target::Service), NOW).unwrap_err();
            assert_eq!((error.field.as_str(), error.value.as_str()), ("name", name));
        }
    }

    #[test]
    fn a_configuration_keeps_its_type() {
        let spec = |kind| ConfigSpec {
            name: "c".to_owned(),
            config_type: ConfigTypeId::from_wire(kind),
            data: Object::new(),
            tags: Tags::default(),
        };
        let mut config = Config::new(ConfigId::from_wire("c"), spec("one"), NOW).unwrap();
        config.replace(spec("two"), NOW).unwrap();
        assert_eq!(config.spec.config_type.as_str(), "one");
    }

    #[test]
    fn targets_are_read_by_name() {
        for target in Target::ALL {
            assert_eq!(Target::from_name(target.name()), Ok(target));
        }
        assert_eq!(Target::from_name("Service").unwrap_err().field, "target");
    }
}
