//! Wire types of the health check API.

use crate::describe::JsonSchema;
use portcullis_domain::clock::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// Results of all health checks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HealthDetail {
    /// Checks.
    pub checks: Vec<HealthCheckDetail>,
    /// Whether all checks pass.
    pub healthy: bool,
}

/// Result of a health check.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HealthCheckDetail {
    /// Number of consecutive failures; absent while it passes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consecutive_failures: Option<u64>,
    /// Error of the last run; absent while it passes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub err: Option<HealthCheckError>,
    /// When it began to fail, RFC 3339 in whole seconds; absent while it passes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failing_since: Option<String>,
    /// Whether it passes.
    pub healthy: bool,
    /// Its name.
    pub id: String,
    /// Duration of the last run, as [`format_duration`] writes it; absent in the short form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_check_duration: Option<String>,
    /// When it last ran, RFC 3339 in whole seconds; absent in the short form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_check_time: Option<String>,
}

/// Error of a health check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HealthCheckError {
    /// Human-readable message.
    pub message: String,
}

/// Formats an instant as RFC 3339 in UTC, with whole seconds.
pub fn format_instant(instant: Timestamp) -> String {
    instant.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Formats a duration like Go: in the largest unit below a second that is not zero, or in hours,
/// minutes and seconds.
///
/// # Examples
///
/// ```
/// use portcullis_api::health::format_duration;
/// use portcullis_domain::clock::SignedDuration;
///
/// assert_eq!(format_duration(SignedDuration::from_nanos(27_460)), "27.46µs");
/// assert_eq!(format_duration(SignedDuration::from_millis(61_500)), "1m1.5s");
/// ```
pub fn format_duration(duration: SignedDuration) -> String {
    let nanoseconds = duration.as_nanos().unsigned_abs();
    for (limit, unit, name) in [
        (1_000, 1, "ns"),
        (1_000_000, 1_000, "µs"),
        (1_000_000_000, 1_000_000, "ms"),
    ] {
        if (1..limit).contains(&nanoseconds) {
            return decimal(nanoseconds, unit) + name;
        }
    }
    let (minutes, rest) = (nanoseconds / MINUTE, nanoseconds % MINUTE);
    let seconds = decimal(rest, SECOND) + "s";
    match (minutes / 60, minutes % 60) {
        (0, 0) => seconds,
        (0, minutes) => format!("{minutes}m{seconds}"),
        (hours, minutes) => format!("{hours}h{minutes}m{seconds}"),
    }
}

const SECOND: u128 = 1_000_000_000;
const MINUTE: u128 = 60 * SECOND;

/// `amount` in multiples of `unit`, a power of ten, without trailing zeros.
fn decimal(amount: u128, unit: u128) -> String {
    let (whole, part) = (amount / unit, amount % unit);
    if part == 0 {
        return whole.to_string();
    }
    // The leading 1 keeps the zeros after the decimal point.
    let digits = (unit + part).to_string();
    let digits = digits.get(1..).unwrap_or_default();
    format!("{whole}.{}", digits.trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_written_in_their_unit() {
        for (nanoseconds, text) in [
            (0, "0s"),
            (7, "7ns"),
            (1_000, "1µs"),
            (1_001, "1.001µs"),
            (1_110_000, "1.11ms"),
            (1_200_000, "1.2ms"),
            (999_999_999, "999.999999ms"),
            (1_000_000_000, "1s"),
            (60_000_000_000, "1m0s"),
            (3_661_050_000_000, "1h1m1.05s"),
        ] {
            assert_eq!(
                format_duration(SignedDuration::from_nanos(nanoseconds)),
                text
            );
        }
    }

    #[test]
    fn instants_are_written_in_whole_seconds() {
        let text = format_instant(Timestamp::new(86_400, 999_999_999).unwrap());
        assert_eq!(text, "1970-01-02T00:00:00Z");
    }
}
