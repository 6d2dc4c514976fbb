//! Bodies of configuration requests.

use crate::decode::{Decode, DecodeError, Members};
use portcullis_domain::config::{ConfigSpec, ConfigSpecPatch, JsonObject};
use portcullis_domain::ids::ConfigTypeId;
use portcullis_domain::tags::Tags;
use serde::Serialize;

/// Name of the body in errors.
const PARAMETER: &str = "config";

/// The body of POST `/configs`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConfigCreate {
    /// Id of its type.
    pub config_type_id: ConfigTypeId,
    /// Members shared with the body of PUT.
    #[serde(flatten)]
    pub replace: ConfigUpdate,
}

/// The body of PUT `/configs/{id}`. Absent members are reset to their defaults.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConfigUpdate {
    /// JSON document, valid against the schema of its type.
    pub data: JsonObject,
    pub name: String,
    pub tags: Tags,
}

/// The body of PATCH `/configs/{id}`. Members that are `None` stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ConfigPatch {
    /// Replaces the JSON document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<JsonObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Replaces all tags.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Tags>,
}

impl ConfigCreate {
    /// A configuration with this name, of this type, without tags.
    pub fn new(name: impl Into<String>, config_type_id: ConfigTypeId, data: JsonObject) -> Self {
        Self {
            config_type_id,
            replace: ConfigUpdate {
                data,
                name: name.into(),
                tags: Tags::default(),
            },
        }
    }
}

impl Decode for ConfigCreate {
    const BODY_NAME: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            config_type_id: ConfigTypeId::from_wire(members.required_string("configTypeId")?),
            replace: ConfigUpdate::decode(members)?,
        })
    }
}

impl Decode for ConfigUpdate {
    const BODY_NAME: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            data: members.required_document("data")?,
            name: members.required_string("name")?,
            tags: members.tags()?.unwrap_or_default(),
        })
    }
}

impl Decode for ConfigPatch {
    const BODY_NAME: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            data: members.document("data")?,
            name: members.optional_string("name")?,
            tags: members.tags()?,
        })
    }
}

impl ConfigUpdate {
    /// The spec of a configuration of the type `config_type`.
    pub fn spec(self, config_type: ConfigTypeId) -> ConfigSpec {
        ConfigSpec {
            name: self.name,
            config_type,
            data: self.data,
            tags: self.tags,
        }
    }
}

impl From<ConfigCreate> for ConfigSpec {
    fn from(create: ConfigCreate) -> Self {
        create.replace.spec(create.config_type_id)
    }
}

impl From<ConfigPatch> for ConfigSpecPatch {
    fn from(patch: ConfigPatch) -> Self {
        Self {
            name: patch.name,
            data: patch.data,
            tags: patch.tags,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn field<D: Decode + std::fmt::Debug>(body: &Value) -> String {
        match D::from_body(body.to_string().as_bytes()).unwrap_err() {
            DecodeError::Field(error) => error.field,
            DecodeError::Parse(text) => panic!("{body}: {text}"),
        }
    }

    #[test]
    fn what_clients_write_is_what_the_server_reads() {
        let Value::Object(data) = json!({"Port": 80, "port": null, "deep": [{"a": 1.5}]}) else {
            unreachable!()
        };
        let sent = ConfigCreate {
            config_type_id: ConfigTypeId::from_wire("t"),
            replace: ConfigUpdate {
                data: data.clone(),
                name: "c".to_owned(),
                tags: [(
                    "a".to_owned(),
                    portcullis_domain::tags::TagValue::Bool(true),
                )]
                .into_iter()
                .collect(),
            },
        };
        let bytes = serde_json::to_vec(&sent).unwrap();
        assert_eq!(ConfigCreate::from_body(&bytes).unwrap(), sent);
        let spec = ConfigSpec::from(sent);
        assert_eq!(spec.config_type.as_str(), "t");
        assert_eq!((&*spec.name, spec.data), ("c", data.clone()));

        let sent = ConfigPatch {
            data: Some(data),
            ..ConfigPatch::default()
        };
        let bytes = serde_json::to_vec(&sent).unwrap();
        assert_eq!(ConfigPatch::from_body(&bytes).unwrap(), sent);
    }

    #[test]
    fn faults_are_named_in_the_order_of_members() {
        for (body, expected) in [
            (json!({}), "configTypeId"),
            (json!({"configTypeId": "t"}), "data"),
            (json!({"configTypeId": "t", "data": null}), "data"),
            (json!({"configTypeId": "t", "data": "text"}), "data"),
            (json!({"configTypeId": "t", "data": {}}), "name"),
            (
                json!({"configTypeId": "t", "data": {}, "name": "c", "tags": {"a": []}}),
                "tags.a",
            ),
        ] {
            assert_eq!(field::<ConfigCreate>(&body), expected, "{body}");
        }
        assert_eq!(field::<ConfigUpdate>(&json!({"name": "c"})), "data");
        assert_eq!(field::<ConfigPatch>(&json!({"data": []})), "data");
        assert_eq!(
            ConfigPatch::from_body(br#"{"data": null, "configTypeId": "t"}"#).unwrap(),
            ConfigPatch::default()
        );
    }
}
