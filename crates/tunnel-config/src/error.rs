//! Configurations that do not say what they should.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// A configuration does not say what it should.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{config_type}`: {place}: {reason}")]
pub struct ConfigError {
    pub config_type: &'static str,
    /// Path to the member, such as `portRanges[0].low`; `.` for the whole.
    pub place: String,
    pub reason: String,
}

pub(crate) fn decode<T: DeserializeOwned>(
    config_type: &'static str,
    config: &Value,
) -> Result<T, ConfigError> {
    serde_path_to_error::deserialize(config).map_err(|error| ConfigError {
        config_type,
        place: error.path().to_string(),
        reason: error.inner().to_string(),
    })
}
