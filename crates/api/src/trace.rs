//! Wire types of identity tracing.

use crate::decode::{Decode, DecodeError, Members};
use crate::describe::JsonSchema;
use crate::duration;
use crate::time::WireTime;
use portcullis_domain::FieldError;
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::trace::{Trace, TraceSpec};
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeSet;

/// Maximum length of a trace id or a channel name, in characters.
const MAX_TEXT_LENGTH: usize = 64;

/// Maximum number of channels.
const MAX_CHANNELS: usize = 16;

/// End of a trace that is off: Go's zero time, which clients expect.
const ZERO_TIME: &str = "0001-01-01T00:00:00.000Z";

/// The body of PUT `/identities/{id}/trace`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceUpdate {
    /// Trace settings; `None` to turn tracing off.
    pub spec: Option<TraceSpec>,
}

impl Decode for TraceUpdate {
    const BODY_NAME: &'static str = "traceSpec";
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] = &[
        (
            "enabled",
            "Whether to trace the identity; if absent or false, tracing ends.",
        ),
        (
            "duration",
            "Duration of the trace, such as `10m` or `1h30m`; required to start a trace.",
        ),
        (
            "traceId",
            "Id by which trace reports are found; generated if absent.",
        ),
        (
            "channels",
            "Names of the channels to trace; all channels if empty or absent.",
        ),
    ];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let is_enabled = members.optional_bool("enabled")?.unwrap_or_default();
        let duration = duration(members, is_enabled)?;
        let id = members.bounded_string("traceId", 1..=MAX_TEXT_LENGTH)?;
        let channels = channels(members)?;
        let spec = is_enabled.then_some(TraceSpec {
            id,
            duration,
            channels,
        });
        Ok(Self { spec })
    }
}

impl Serialize for TraceUpdate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let spec = self.spec.as_ref();
        let body = TraceUpdateBody {
            enabled: spec.is_some(),
            duration: spec.map(|spec| duration::format(spec.duration)),
            trace_id: spec.and_then(|spec| spec.id.as_deref()),
            channels: spec
                .map(|spec| &spec.channels)
                .filter(|named| !named.is_empty()),
        };
        body.serialize(serializer)
    }
}

/// The body as clients write it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TraceUpdateBody<'s> {
    enabled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace_id: Option<&'s str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    channels: Option<&'s BTreeSet<String>>,
}

/// Decodes the duration, which is optional to turn tracing off but has to be valid.
fn duration(members: &mut Members, is_enabled: bool) -> Result<SignedDuration, DecodeError> {
    let text = members.optional_string("duration")?.unwrap_or_default();
    if text.is_empty() && !is_enabled {
        return Ok(SignedDuration::ZERO);
    }
    match duration::parse(&text) {
        Some(duration) if !(duration.is_zero() && is_enabled) => Ok(duration),
        _ => {
            let reason = "must be a duration longer than zero, such as 10m or 1h30m";
            Err(FieldError::new(members.path("duration"), reason, text).into())
        },
    }
}

fn channels(members: &mut Members) -> Result<BTreeSet<String>, DecodeError> {
    let named = members.string_list("channels")?.unwrap_or_default();
    let fault = |reason: String, value: &str| {
        DecodeError::from(FieldError::new(members.path("channels"), reason, value))
    };
    if named.len() > MAX_CHANNELS {
        let count = named.len().to_string();
        return Err(fault(
            format!("must have at most {MAX_CHANNELS} entries"),
            &count,
        ));
    }
    let is_name = |name: &String| (1..=MAX_TEXT_LENGTH).contains(&name.chars().count());
    match named.iter().find(|name| !is_name(name)) {
        Some(name) => Err(fault(
            format!("entries must be 1 to {MAX_TEXT_LENGTH} characters long"),
            name,
        )),
        None => Ok(named.into_iter().collect()),
    }
}

/// Trace settings of an identity. `enabled` and the trace id are absent if tracing is off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TraceDetail {
    /// Whether tracing is on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub enabled: bool,
    /// Id by which trace reports are found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
    /// When tracing ends; the zero time if it is off.
    pub until: Option<WireTime>,
}

impl From<Option<Trace>> for TraceDetail {
    fn from(trace: Option<Trace>) -> Self {
        match trace {
            Some(trace) => Self {
                enabled: true,
                trace_id: Some(trace.id),
                until: Some(trace.until.into()),
            },
            None => Self {
                enabled: false,
                trace_id: None,
                until: WireTime::parse(ZERO_TIME),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(body: &str) -> Result<Option<TraceSpec>, DecodeError> {
        TraceUpdate::from_body(body.as_bytes()).map(|body| body.spec)
    }

    #[test]
    fn a_body_says_how_to_trace() {
        let body =
            r#"{"enabled": true, "duration": "90s", "traceId": "t", "channels": ["b", "a", "a"]}"#;
        let spec = read(body).unwrap().unwrap();
        assert_eq!(spec.id.as_deref(), Some("t"));
        assert_eq!(spec.duration, SignedDuration::from_secs(90));
        assert!(spec.channels.iter().eq(["a", "b"]));
        for off in [
            "{}",
            r#"{"enabled": false, "duration": "0"}"#,
            r#"{"duration": "5m"}"#,
        ] {
            assert_eq!(read(off).unwrap(), None, "{off}");
        }
    }

    #[test]
    fn bodies_are_read_as_they_were_written() {
        let spec = |id: Option<&str>, channels: &[&str]| TraceSpec {
            id: id.map(str::to_owned),
            duration: SignedDuration::from_mins(10),
            channels: channels.iter().copied().map(str::to_owned).collect(),
        };
        for (spec, expected) in [
            (None, json!({"enabled": false})),
            (
                Some(spec(None, &[])),
                json!({"enabled": true, "duration": "600s"}),
            ),
            (
                Some(spec(Some("t"), &["b", "a"])),
                json!({"enabled": true, "duration": "600s", "traceId": "t", "channels": ["a", "b"]}),
            ),
        ] {
            let body = serde_json::to_value(TraceUpdate { spec: spec.clone() }).unwrap();
            assert_eq!(body, expected);
            assert_eq!(read(&body.to_string()).unwrap(), spec);
        }
    }

    #[test]
    fn faults_name_their_member() {
        let many = json!({"enabled": true, "duration": "1m", "channels": vec!["c"; 17]});
        let long = json!({"enabled": true, "duration": "1m", "traceId": "t".repeat(65)});
        for (body, field) in [
            (r#"{"enabled": true}"#, "duration"),
            (r#"{"enabled": true, "duration": "0s"}"#, "duration"),
            (r#"{"enabled": true, "duration": "-1m"}"#, "duration"),
            (r#"{"enabled": false, "duration": "soon"}"#, "duration"),
            (
                r#"{"enabled": true, "duration": "1m", "channels": [""]}"#,
                "channels",
            ),
            (&many.to_string(), "channels"),
            (&long.to_string(), "traceId"),
            ("", "traceSpec"),
        ] {
            let Err(DecodeError::Field(error)) = read(body) else {
                panic!("{body}")
            };
            assert_eq!(error.field, field, "{body}");
        }
    }
}
