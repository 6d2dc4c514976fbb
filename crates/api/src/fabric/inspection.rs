//! Inspection of controllers and routers.

use super::circuit::CircuitDetail;
use super::link::LinkDetail;
use crate::decode::{Decode, DecodeError, Members};
use crate::describe::JsonSchema;
use crate::json;
use crate::time::WireTime;
use portcullis_domain::view::{ConnectedRouter, InspectedValue};
use serde::{Deserialize, Serialize};
pub use serde_json::Value;
use std::collections::BTreeMap;

/// The body of POST `/inspections`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InspectRequest {
    /// Regular expression for the ids of the controllers and routers to inspect.
    pub app_regex: String,
    /// Names of the values to inspect.
    pub requested_values: Vec<String>,
}

/// Response to an inspection, without an envelope.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InspectResponse {
    /// Values that could not be read, with the reasons.
    pub errors: Vec<String>,
    /// Whether all values could be read.
    pub success: bool,
    /// Inspected values.
    pub values: Vec<InspectValue>,
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

impl InspectValue {
    /// The value `name` of the controller `app_id`.
    pub fn new(app_id: String, name: String, value: InspectedValue) -> Self {
        let value = match value {
            InspectedValue::ConnectedRouters(routers) => list::<InspectedRouter, _>(routers),
            InspectedValue::Links(links) => list::<LinkDetail, _>(links),
            InspectedValue::Circuits(circuits) => list::<CircuitDetail, _>(circuits),
        };
        Self {
            app_id,
            name,
            value,
        }
    }
}

fn list<T: From<V> + Serialize, V>(items: Vec<V>) -> Value {
    let items = items.into_iter();
    items.map(|item| json::to_value(&T::from(item))).collect()
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
            "Regular expression for the ids of the controllers and routers to inspect.",
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
