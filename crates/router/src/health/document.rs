//! JSON document of the checks.

use std::collections::BTreeMap;
use std::time::Duration;

use portcullis_domain::clock::Timestamp;
use serde::{Serialize, Serializer};
use serde_json::ser::PrettyFormatter;

use crate::health::check::CheckState;
use crate::health::checks::HealthChecks;
use crate::time::in_go;

/// A link in the document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LinkDetail {
    /// Id of the link.
    pub link_id: String,
    /// Id of the router at its other end.
    pub dest_router_id: String,
    /// Round-trip time, if known; in nanoseconds.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "in_nanoseconds"
    )]
    pub latency: Option<Duration>,
    /// Connections of the link by type.
    pub addresses: BTreeMap<String, Connection>,
}

/// A connection of a link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Connection {
    /// Local address.
    pub local_addr: String,
    /// Remote address.
    pub remote_addr: String,
}

/// Level of detail of the document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DetailLevel {
    /// Everything.
    #[default]
    Full,
    /// Only whether each check passes.
    Short,
}

// The members of every object are in alphabetical order, as in OpenZiti's documents.

#[derive(Serialize)]
struct Document<'checks> {
    data: Data<'checks>,
    meta: Meta,
}

#[derive(Serialize)]
struct Data<'checks> {
    checks: [CheckDocument<'checks>; 2],
    healthy: bool,
}

#[derive(Serialize)]
struct Meta {}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CheckDocument<'checks> {
    #[serde(skip_serializing_if = "Option::is_none")]
    consecutive_failures: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<CheckDetails<'checks>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    err: Option<Message>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failing_since: Option<String>,
    healthy: bool,
    id: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_check_duration: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_check_time: Option<String>,
}

/// Details of a run; omitted before the first one.
#[derive(Serialize)]
#[serde(untagged)]
enum CheckDetails<'checks> {
    /// Serialized as `null`.
    Nothing,
    Links(&'checks [LinkDetail]),
}

#[derive(Serialize)]
struct Message {
    message: String,
}

impl HealthChecks {
    /// Renders both checks as JSON, indented by four spaces, with a trailing newline.
    ///
    /// `data.healthy` is the overall result, `data.checks` the details. Times are in UTC with whole
    /// seconds (RFC 3339), durations in Go's notation.
    pub fn document(&self, form: DetailLevel) -> String {
        let (ping, links) = (self.controllers(), self.links());
        let checks = match form {
            DetailLevel::Short => [
                CheckDocument::short("controllerPing", ping),
                CheckDocument::short("link.health", links),
            ],
            DetailLevel::Full => [
                CheckDocument::full("controllerPing", ping, |()| CheckDetails::Nothing),
                CheckDocument::full("link.health", links, |links| {
                    CheckDetails::from_links(links)
                }),
            ],
        };
        render(&Document {
            data: Data {
                checks,
                healthy: self.is_healthy(),
            },
            meta: Meta {},
        })
    }
}

impl<'checks> CheckDetails<'checks> {
    fn from_links(links: &'checks [LinkDetail]) -> Self {
        if links.is_empty() {
            Self::Nothing
        } else {
            Self::Links(links)
        }
    }
}

impl<'checks> CheckDocument<'checks> {
    fn short<D>(id: &'static str, outcome: &CheckState<D>) -> Self {
        Self {
            consecutive_failures: None,
            details: None,
            err: None,
            failing_since: None,
            healthy: outcome.is_healthy(),
            id,
            last_check_duration: None,
            last_check_time: None,
        }
    }

    fn full<D>(
        id: &'static str,
        outcome: &'checks CheckState<D>,
        found: impl FnOnce(&'checks D) -> CheckDetails<'checks>,
    ) -> Self {
        let failing = outcome.failure();
        Self {
            consecutive_failures: failing.map(|failing| failing.count),
            details: outcome.details().map(found),
            err: failing.map(|failing| Message {
                message: failing.reason.to_string(),
            }),
            failing_since: failing.map(|failing| in_seconds(failing.since)),
            last_check_duration: Some(in_go(outcome.duration()).to_string()),
            last_check_time: Some(in_seconds(outcome.at())),
            ..Self::short(id, outcome)
        }
    }
}

fn in_seconds(instant: Timestamp) -> String {
    format!("{instant:.0}")
}

#[expect(clippy::ref_option, reason = "serde hands fields over by reference")]
fn in_nanoseconds<S: Serializer>(
    latency: &Option<Duration>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let nanoseconds = latency.map(|latency| u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX));
    nanoseconds.serialize(serializer)
}

fn render(document: &Document<'_>) -> String {
    let mut bytes = Vec::new();
    let formatter = PrettyFormatter::with_indent(b"    ");
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
    // Serializing strings and numbers into memory cannot fail, and JSON is UTF-8.
    let _ = document.serialize(&mut serializer);
    bytes.push(b'\n');
    String::from_utf8(bytes).unwrap_or_default()
}
