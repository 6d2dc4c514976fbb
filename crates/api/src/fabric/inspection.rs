//! Inspection of controllers and routers.

use crate::decode::{Decode, DecodeError, Members};
use crate::describe::JsonSchema;
use serde::{Deserialize, Serialize};
pub use serde_json::Value;

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
