//! Looking into controllers and routers.

use crate::decode::{Decode, DecodeError, Members};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
pub use serde_json::Value;

/// The body of POST `/inspections`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InspectRequest {
    /// A regular expression for the ids of those to look into.
    pub app_regex: String,
    /// What is to be looked at.
    pub requested_values: Vec<String>,
}

/// The answer, which comes without an envelope.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InspectResponse {
    /// What could not be looked at, and why.
    pub errors: Vec<String>,
    /// Whether everything could.
    pub success: bool,
    /// What was seen.
    pub values: Vec<InspectValue>,
}

/// One thing that was seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InspectValue {
    /// The id of the controller or router.
    pub app_id: String,
    /// What was asked for.
    pub name: String,
    /// What it is.
    pub value: Value,
}

impl Decode for InspectRequest {
    const PARAMETER: &'static str = "request";
    const WORDS: &'static [(&'static str, &'static str)] = &[
        (
            "appRegex",
            "A regular expression for the ids of those to look into.",
        ),
        ("requestedValues", "What is to be looked at."),
    ];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            app_regex: members.required_string("appRegex")?,
            requested_values: members.required_string_list("requestedValues")?,
        })
    }
}
