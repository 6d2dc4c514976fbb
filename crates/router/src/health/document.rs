//! The checks as JSON.

use std::collections::BTreeMap;
use std::time::Duration;

use portcullis_domain::clock::Timestamp;
use serde::{Serialize, Serializer};
use serde_json::ser::PrettyFormatter;

use crate::health::check::{Outcome, in_go};
use crate::health::checks::HealthChecks;

/// A link as the document shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LinkDetail {
    /// Id of the link.
    pub link_id: String,
    /// Id of the router at its other end.
    pub dest_router_id: String,
    /// How long a message and its answer take, if that is known; written in nanoseconds.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "in_nanoseconds"
    )]
    pub latency: Option<Duration>,
    /// The connections of the link by their kind.
    pub addresses: BTreeMap<String, Connection>,
}

/// A connection of a link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Connection {
    /// Address at this end.
    pub local_addr: String,
    /// Address at the other end.
    pub remote_addr: String,
}

/// How much of the checks is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// All that is known.
    #[default]
    Full,
    /// Only which check passes.
    Short,
}

// The members of every object are in alphabetical order, as clients have always seen them.

#[derive(Serialize)]
struct Document<'checks> {
    data: Data<'checks>,
    meta: Meta,
}

#[derive(Serialize)]
struct Data<'checks> {
    checks: [Shown<'checks>; 2],
    healthy: bool,
}

#[derive(Serialize)]
struct Meta {}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown<'checks> {
    #[serde(skip_serializing_if = "Option::is_none")]
    consecutive_failures: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Found<'checks>>,
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

/// What a run found; before the first one there is none of this.
#[derive(Serialize)]
#[serde(untagged)]
enum Found<'checks> {
    /// Nothing, written as `null`.
    Nothing,
    Links(&'checks [LinkDetail]),
}

#[derive(Serialize)]
struct Message {
    message: String,
}

impl HealthChecks {
    /// Writes both checks as JSON, indented by four spaces, with a newline at the end.
    ///
    /// `data.healthy` tells whether all is well, `data.checks` why it is not. Instants are in UTC with
    /// whole seconds (RFC 3339), durations in Go's notation.
    pub fn document(&self, form: Form) -> String {
        let (ping, links) = (self.controllers(), self.links());
        let checks = match form {
            Form::Short => [
                Shown::short("controllerPing", ping),
                Shown::short("link.health", links),
            ],
            Form::Full => [
                Shown::full("controllerPing", ping, |()| Found::Nothing),
                Shown::full("link.health", links, |links| Found::of(links)),
            ],
        };
        written(&Document {
            data: Data {
                checks,
                healthy: self.is_healthy(),
            },
            meta: Meta {},
        })
    }
}

impl<'checks> Found<'checks> {
    fn of(links: &'checks [LinkDetail]) -> Self {
        if links.is_empty() {
            Self::Nothing
        } else {
            Self::Links(links)
        }
    }
}

impl<'checks> Shown<'checks> {
    fn short<D>(id: &'static str, outcome: &Outcome<D>) -> Self {
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
        outcome: &'checks Outcome<D>,
        found: impl FnOnce(&'checks D) -> Found<'checks>,
    ) -> Self {
        let failing = outcome.failing();
        Self {
            consecutive_failures: failing.map(|failing| failing.times),
            details: outcome.details().map(found),
            err: failing.map(|failing| Message {
                message: failing.reason.to_string(),
            }),
            failing_since: failing.map(|failing| in_seconds(failing.since)),
            last_check_duration: Some(in_go(outcome.took()).to_string()),
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

fn written(document: &Document<'_>) -> String {
    let mut bytes = Vec::new();
    let formatter = PrettyFormatter::with_indent(b"    ");
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
    // Texts and numbers into memory: there is nothing that could fail, and JSON is UTF-8.
    let _ = document.serialize(&mut serializer);
    bytes.push(b'\n');
    String::from_utf8(bytes).unwrap_or_default()
}
