//! Durations in configurations.

use portcullis_yaml::syntax::GoDuration;
use serde::Deserialize;
use std::time::Duration;

/// A duration as Go writes it, such as `1m30s`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct ConfigDuration(pub Duration);

impl TryFrom<String> for ConfigDuration {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let duration = text.parse::<GoDuration>().ok();
        let duration = duration.and_then(GoDuration::as_std);
        let error = || format!("must be a duration such as `10s`, not {text:?}");
        duration.map(Self).ok_or_else(error)
    }
}
