//! Inspection of controllers and routers.

use super::circuit::CircuitDetail;
use super::link::LinkDetail;
use crate::decode::{Decode, DecodeError, Members};
use crate::describe::JsonSchema;
use crate::json;
use crate::time::WireTime;
use portcullis_domain::view::{ConnectedRouter, InspectedValue};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
pub use serde_json::Value;
use std::collections::BTreeMap;

/// The body of POST `/inspections`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InspectRequest {
    /// Regular expression for the ids of controllers, and the ids and names of routers.
    pub app_regex: String,
    /// Names of the values to inspect.
    pub requested_values: Vec<String>,
}

/// Response to an inspection, without an envelope.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InspectResponse {
    /// Values that could not be read, with the reasons; null if there are none.
    pub errors: Option<Vec<String>>,
    /// Whether all values could be read.
    pub success: bool,
    /// Inspected values; null if there are none.
    pub values: Option<Vec<InspectValue>>,
}

/// An inspected value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InspectValue {
    /// Id of the controller or router.
    pub app_id: String,
    /// Name of the value.
    pub name: String,
    /// The value.
    pub value: Value,
}

/// An element of the value `connected-routers`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InspectedRouter {
    connect_time: Option<WireTime>,
    id: String,
    name: String,
    /// Number of network connections by type.
    underlays: BTreeMap<String, u32>,
    version: String,
}

impl InspectResponse {
    /// Writes a response as JSON.
    ///
    /// A value that is a JSON object or array is shown as such, however large it is, without a tree of
    /// it in memory; other texts are strings. Lists of nothing are null, as at OpenZiti's controllers.
    pub fn write<'v>(
        errors: &[String],
        values: impl Iterator<Item = (&'v str, &'v str, &'v InspectedValue)>,
    ) -> Vec<u8> {
        let mut bytes = br#"{"errors":"#.to_vec();
        json::write(
            &mut bytes,
            &Some(errors).filter(|errors| !errors.is_empty()),
        );
        bytes.extend_from_slice(br#","success":"#);
        json::write(&mut bytes, &errors.is_empty());
        bytes.extend_from_slice(br#","values":"#);
        let mut separator = b'[';
        for (app_id, name, value) in values {
            bytes.push(separator);
            separator = b',';
            bytes.extend_from_slice(br#"{"appId":"#);
            json::write(&mut bytes, &app_id);
            bytes.extend_from_slice(br#","name":"#);
            json::write(&mut bytes, &name);
            bytes.extend_from_slice(br#","value":"#);
            write_value(&mut bytes, value);
            bytes.push(b'}');
        }
        let is_empty = separator == b'[';
        bytes.extend_from_slice(if is_empty { b"null}\n" } else { b"]}\n" });
        bytes
    }
}

/// A value as text, as channels carry it: JSON, unless it is a text of its own.
pub fn into_text(value: InspectedValue) -> String {
    if let InspectedValue::Text(text) = value {
        return text;
    }
    let mut bytes = Vec::new();
    write_value(&mut bytes, &value);
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn write_value(bytes: &mut Vec<u8>, value: &InspectedValue) {
    match value {
        InspectedValue::ConnectedRouters(routers) if routers.is_empty() => {
            bytes.extend_from_slice(b"null");
        },
        InspectedValue::ConnectedRouters(routers) => list::<InspectedRouter, _>(bytes, routers),
        InspectedValue::Links(links) => list::<LinkDetail, _>(bytes, links),
        InspectedValue::Circuits(circuits) => list::<CircuitDetail, _>(bytes, circuits),
        InspectedValue::Text(text) if is_json(text) => json::write_raw(bytes, text),
        InspectedValue::Text(text) => json::write(bytes, text),
    }
}

/// Whether a text is a JSON object or array, and not nested without end.
fn is_json(text: &str) -> bool {
    text.starts_with(['{', '[']) && serde_json::from_str::<IgnoredAny>(text).is_ok()
}

fn list<T: From<V> + Serialize, V: Clone>(bytes: &mut Vec<u8>, items: &[V]) {
    bytes.push(b'[');
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            bytes.push(b',');
        }
        json::write(bytes, &T::from(item.clone()));
    }
    bytes.push(b']');
}

impl From<ConnectedRouter> for InspectedRouter {
    fn from(connected: ConnectedRouter) -> Self {
        let connection = connected.connection;
        Self {
            connect_time: connection.connected_since.map(WireTime::from),
            id: connected.router.id.to_string(),
            name: connected.router.name,
            underlays: connection.channels,
            version: connection.version.version,
        }
    }
}

impl Decode for InspectRequest {
    const BODY_NAME: &'static str = "request";
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] = &[
        (
            "appRegex",
            "Regular expression for the ids of controllers, and the ids and names of routers.",
        ),
        ("requestedValues", "Names of the values to inspect."),
    ];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            app_regex: members.required_string("appRegex")?,
            requested_values: members.required_string_list("requestedValues")?,
        })
    }
}
