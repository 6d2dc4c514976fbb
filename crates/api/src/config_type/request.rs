//! Bodies of configuration type requests.

use crate::decode::{Decode, DecodeError, Members};
use portcullis_domain::config::{ConfigTarget, ConfigTypeSpec, ConfigTypeSpecPatch, JsonObject};
use portcullis_domain::tags::Tags;
use serde::Serialize;

/// Name of the body in errors.
const PARAMETER: &str = "configType";

/// Values of `target`.
const TARGETS: [&str; 3] = [
    ConfigTarget::Service.name(),
    ConfigTarget::Router.name(),
    ConfigTarget::Other.name(),
];

/// The body of POST `/config-types`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConfigTypeCreate {
    /// Members shared with the body of PUT.
    #[serde(flatten)]
    pub replace: ConfigTypeUpdate,
    /// What its configurations apply to; services if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<ConfigTarget>,
}

/// The body of PUT `/config-types/{id}`. Absent members are reset to their defaults.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConfigTypeUpdate {
    pub name: String,
    /// JSON Schema of its configurations; `None` if any object is valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<JsonObject>,
    pub tags: Tags,
}

/// The body of PATCH `/config-types/{id}`. Members that are `None` stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ConfigTypePatch {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// A new schema, applied to configurations written from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<JsonObject>,
    /// Replaces all tags.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Tags>,
}

impl ConfigTypeCreate {
    /// A type for services with this name, of which any object is a valid configuration.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            replace: ConfigTypeUpdate {
                name: name.into(),
                schema: None,
                tags: Tags::default(),
            },
            target: None,
        }
    }
}

impl Decode for ConfigTypeCreate {
    const BODY_NAME: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let replace = ConfigTypeUpdate::decode(members)?;
        let target = members.optional_choice("target", &TARGETS)?;
        Ok(Self {
            replace,
            target: target.map(ConfigTarget::from_name).transpose()?,
        })
    }
}

impl Decode for ConfigTypeUpdate {
    const BODY_NAME: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            name: members.required_string("name")?,
            schema: members.document("schema")?,
            tags: members.tags()?.unwrap_or_default(),
        })
    }
}

impl Decode for ConfigTypePatch {
    const BODY_NAME: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            name: members.optional_string("name")?,
            schema: members.document("schema")?,
            tags: members.tags()?,
        })
    }
}

impl From<ConfigTypeCreate> for ConfigTypeSpec {
    fn from(create: ConfigTypeCreate) -> Self {
        Self {
            target: create.target.unwrap_or_default(),
            ..create.replace.into()
        }
    }
}

impl From<ConfigTypeUpdate> for ConfigTypeSpec {
    /// Sets the default target, which an update ignores: the target cannot be changed.
    fn from(update: ConfigTypeUpdate) -> Self {
        Self {
            name: update.name,
            schema: update.schema,
            target: ConfigTarget::default(),
            tags: update.tags,
        }
    }
}

impl From<ConfigTypePatch> for ConfigTypeSpecPatch {
    fn from(patch: ConfigTypePatch) -> Self {
        Self {
            name: patch.name,
            schema: patch.schema,
            tags: patch.tags,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn create(body: &Value) -> Result<ConfigTypeSpec, DecodeError> {
        ConfigTypeCreate::from_body(body.to_string().as_bytes()).map(Into::into)
    }

    #[test]
    fn services_are_the_target_unless_another_is_named() {
        for (body, target) in [
            (json!({"name": "t"}), ConfigTarget::Service),
            (json!({"name": "t", "target": null}), ConfigTarget::Service),
            (
                json!({"name": "t", "target": "router"}),
                ConfigTarget::Router,
            ),
            (json!({"name": "t", "target": "other"}), ConfigTarget::Other),
        ] {
            let spec = create(&body).unwrap();
            assert_eq!((spec.target, spec.schema), (target, None), "{body}");
        }
    }

    #[test]
    fn faults_are_named_in_the_order_of_members() {
        for (body, field, value) in [
            (json!({"target": "moon"}), "name", "<nil>"),
            (
                json!({"name": "t", "schema": [], "target": "moon"}),
                "schema",
                "[]",
            ),
            (json!({"name": "t", "target": "moon"}), "target", "moon"),
            (
                json!({"name": "t", "target": "Service"}),
                "target",
                "Service",
            ),
        ] {
            match create(&body).unwrap_err() {
                DecodeError::Field(error) => {
                    assert_eq!((&*error.field, &*error.value), (field, value), "{body}");
                },
                DecodeError::Parse(text) => panic!("{body}: {text}"),
            }
        }
    }

    #[test]
    fn what_clients_write_is_what_the_server_reads() {
        let sent = ConfigTypeCreate {
            replace: ConfigTypeUpdate {
                name: "t".to_owned(),
                schema: json!({"type": "object"}).as_object().cloned(),
                tags: Tags::default(),
            },
            target: Some(ConfigTarget::Router),
        };
        let bytes = serde_json::to_vec(&sent).unwrap();
        assert_eq!(ConfigTypeCreate::from_body(&bytes).unwrap(), sent);
        let sent = ConfigTypePatch {
            schema: sent.replace.schema,
            ..ConfigTypePatch::default()
        };
        let bytes = serde_json::to_vec(&sent).unwrap();
        let read = ConfigTypePatch::from_body(&bytes).unwrap();
        assert_eq!(ConfigTypeSpecPatch::from(read).schema, sent.schema);
    }
}
