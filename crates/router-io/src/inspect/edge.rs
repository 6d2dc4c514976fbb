//! The edge: who is connected and hosts, what ends at SDKs, and what SDKs say of themselves.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream;
use portcullis_domain::clock::Timestamp;
use portcullis_router::edge::{
    ChannelId, Flow, IdentityId, IdentityView, TerminatorId, TerminatorView,
};
use portcullis_router::{LimitedJson, in_go};
use portcullis_wire::Precedence;
use serde_json::{Map, Value as Json, json};
use tokio::time::{Instant, timeout_at};

use super::pages::{self, PAGE};
use super::time::{NEVER, seconds};
use super::{InspectError, InspectFuture, Inspectable, Inspected, MAX_BYTES, Subject, sdk};
use crate::edge::Edge;
use crate::relay::Relay;
use crate::sdk_channels::SdkHandle;

/// How long an SDK may take; those in C do not answer.
const ANSWER_TIME: Duration = Duration::from_secs(5);

/// How long all SDKs together may take.
const ALL_TIME: Duration = Duration::from_secs(8);

/// SDKs that are asked at a time, whose answers may be in memory together.
const MAX_ASKED: usize = 256;

/// SDKs of which is said why they are missing; others are counted.
const MAX_ERRORS: usize = 100;

/// Ends that are listed at most. That there are more is said: a controller that was restarted adopts circuits by them.
const MAX_ENDS: usize = 20_000;

/// What is known at the edge, and what its SDKs know.
pub(crate) struct EdgeView {
    edge: Edge,
    relay: Arc<Relay>,
    /// Bytes of what is collected from many, beside which there is little.
    most: usize,
    most_ends: usize,
}

impl EdgeView {
    pub(crate) const KINDS: &'static [&'static str] = &[
        "identity-connection-statuses",
        "router-data-model",
        "router-data-model-index",
        "router-edge-circuits",
        "router-sdk-circuits",
        "sdk-context",
        "sdk-terminators",
    ];

    pub(crate) const fn new(edge: Edge, relay: Arc<Relay>) -> Self {
        Self {
            edge,
            relay,
            most: MAX_BYTES,
            most_ends: MAX_ENDS,
        }
    }

    #[cfg(test)]
    pub(crate) fn with_room(self, most: usize) -> Self {
        Self { most, ..self }
    }

    #[cfg(test)]
    pub(crate) fn with_ends(self, most_ends: usize) -> Self {
        Self { most_ends, ..self }
    }

    /// Ends of circuits at SDKs, those that are numbered by the router as well.
    fn circuits(&self) -> Json {
        // One more than are shown.
        let mut ends = self.relay.sdk_ends(self.most_ends + 1);
        let is_complete = ends.len() <= self.most_ends;
        ends.truncate(self.most_ends);
        let shown: Map<_, _> = ends
            .into_iter()
            .map(|(carried, address, end)| {
                let key = format!("{}/{address}", carried.circuit);
                (key, sdk::end(&carried, &address, &end))
            })
            .collect();
        if is_complete {
            json!({ "circuits": shown })
        } else {
            json!({ "circuits": shown, "errors": ["more ends of circuits are not shown"] })
        }
    }

    /// The circuits as SDKs know them.
    fn circuits_of_sdks(&self) -> InspectFuture {
        let (channels, most) = (self.edge.channels(), self.most);
        let ends = self.ends();
        Box::pin(async move {
            let mut shown = LimitedJson::object(most);
            let errors = ask(channels, "circuits", |sdk, told| {
                let mut circuits = circuits_of(sdk, told, &ends);
                circuits.all(|(key, circuit)| shown.insert(&key, &circuit))
            });
            let errors = errors.await;
            let members = format!("\"circuits\":{}", shown.into_text());
            Ok(Inspected::Text(with_errors(&members, errors)))
        })
    }

    /// The ends at SDKs as the router knows them, by channel and circuit.
    fn ends(&self) -> BTreeMap<(ChannelId, String), KnownEnd> {
        let ends = self.relay.sdk_ends(self.most_ends).into_iter();
        let known = ends.map(|(carried, address, end)| {
            let controller = carried.owner.as_str().to_owned();
            let known = KnownEnd {
                address,
                controller,
            };
            ((end.sdk.id, carried.circuit), known)
        });
        known.collect()
    }

    /// What the SDKs of an identity say of themselves.
    fn context(&self, identity: &str) -> InspectFuture {
        let (identity, most) = (identity.to_owned(), self.most);
        let channels = self.edge.channels_of(&identity.as_str().into());
        if channels.is_empty() {
            let error = format!("no connections found for identity {identity}");
            return Inspected::Json(json!({ "error": error })).now();
        }
        Box::pin(async move {
            let mut results = LimitedJson::list(most);
            let errors = ask(channels, "context", |sdk, context| {
                let channel = sdk::channel(sdk);
                results.push(&json!({ "connId": channel, "context": context }))
            });
            let errors = errors.await;
            let (identity, results) = (Json::from(identity), results.into_text());
            let members = format!("\"identityId\":{identity},\"results\":{results}");
            Ok(Inspected::Text(with_errors(&members, errors)))
        })
    }

    /// The data model, or why it is not shown.
    fn model(&self) -> InspectFuture {
        let shown = self.edge.rights().model().to_json(self.most);
        let shown = shown.map(Inspected::Text);
        let shown = shown.map_err(|error| InspectError(error.to_string()));
        Box::pin(std::future::ready(shown))
    }

    fn terminators(&self) -> Inspected {
        let next = |after: Option<&TerminatorId>| {
            self.edge.with_hosting(|hosting| {
                let page = hosting.terminators_after(after).take(PAGE);
                page.map(|one| (one.id.clone(), terminator(&one))).collect()
            })
        };
        let mut entries = LimitedJson::list(self.most);
        let (shown, is_complete) = pages::read(next, |_, entry| entries.push(entry));
        let entries = if shown == 0 {
            "null".to_owned()
        } else {
            entries.into_text()
        };
        let errors = if is_complete {
            Json::Null
        } else {
            let all = self
                .edge
                .with_hosting(|hosting| hosting.terminators().count());
            json!([format!(
                "{} more terminators are not shown",
                all.saturating_sub(shown)
            )])
        };
        Inspected::Text(format!("{{\"entries\":{entries},\"errors\":{errors}}}"))
    }

    fn identities(&self) -> Inspected {
        let next = |after: Option<&IdentityId>| {
            self.edge.with_presence(|presence| {
                let page = presence.views_after(after).take(PAGE);
                page.map(|one| (one.identity.clone(), identity(&one)))
                    .collect()
            })
        };
        let mut identities = LimitedJson::object(self.most);
        let add = |id: &IdentityId, entry: &Json| identities.insert(id.as_str(), entry);
        let (shown, is_complete) = pages::read(next, add);
        let (last_full, reports, all) = self.edge.with_presence(|presence| {
            let all = presence.views_after(None).count();
            (presence.last_full(), presence.reports(), all)
        });
        let interval = reports.map(|reports| in_go(reports.interval).to_string());
        let full_interval = reports.map(|reports| in_go(reports.full_interval).to_string());
        let members = [
            (
                "last_full_sync",
                last_full.map_or_else(|| NEVER.to_owned(), seconds).into(),
            ),
            ("queued_event_count", 0.into()),
            ("max_queued_events", self.edge.limits().channels.into()),
            ("need_full_sync", Json::Null),
            ("batch_interval", interval.into()),
            ("full_sync_interval", full_interval.into()),
        ];
        let mut text = format!("\"identity_connections\":{}", identities.into_text());
        for (name, value) in members {
            let _ = write!(text, ",\"{name}\":{value}");
        }
        let mut errors = Vec::new();
        if !is_complete {
            errors.push(format!(
                "{} more identities are not shown",
                all.saturating_sub(shown)
            ));
        }
        Inspected::Text(with_errors(&text, errors))
    }

    fn model_index(&self) -> Json {
        let (index, timeline) = self.edge.rights().position();
        json!({ "timeline": timeline, "index": index })
    }
}

impl Inspectable for EdgeView {
    fn inspect(&self, subject: &Subject) -> InspectFuture {
        let shown = match subject.kind.as_str() {
            "identity-connection-statuses" => return self.identities().now(),
            "router-data-model" => return self.model(),
            "router-data-model-index" => self.model_index(),
            "router-edge-circuits" => self.circuits(),
            "router-sdk-circuits" => return self.circuits_of_sdks(),
            "sdk-context" => return self.context(&subject.argument),
            "sdk-terminators" => return self.terminators().now(),
            _ => return Inspected::Nothing.now(),
        };
        Inspected::Json(shown).now()
    }
}

/// Asks SDKs for a value, and hands over what they answer until `take` says that it has no room for more.
/// Returns why others are missing.
async fn ask(
    channels: Vec<Arc<SdkHandle>>,
    name: &'static str,
    mut take: impl FnMut(&SdkHandle, Json) -> bool,
) -> Vec<String> {
    let (end, mut left) = (Instant::now() + ALL_TIME, channels.len());
    let asked = stream::iter(channels).map(|sdk| async move {
        let deadline = end.min(Instant::now() + ANSWER_TIME);
        let answer = timeout_at(deadline, sdk::ask(&sdk, None, name)).await;
        let late = |_elapsed| Err("the client does not answer in time".to_owned());
        (sdk, answer.unwrap_or_else(late))
    });
    let mut asked = pin!(asked.buffer_unordered(MAX_ASKED));
    let mut errors = Vec::new();
    // After the end, the others fail at once.
    while let Some((sdk, answer)) = asked.next().await {
        match answer {
            Ok(told) => {
                if !take(&sdk, told) {
                    break;
                }
            },
            Err(error) if errors.len() < MAX_ERRORS => errors.push(failure(&sdk, &error)),
            Err(_) => continue,
        }
        left -= 1;
    }
    if left > 0 {
        errors.push(format!("{left} more clients are not shown"));
    }
    errors
}

/// What a router knows of an end at an SDK, which need not know it.
struct KnownEnd {
    address: String,
    controller: String,
}

/// The circuits that an SDK tells of, with whose they are, and with what the router knows where the SDK says nothing.
fn circuits_of(
    sdk: &SdkHandle,
    mut told: Json,
    ends: &BTreeMap<(ChannelId, String), KnownEnd>,
) -> impl Iterator<Item = (String, Json)> {
    let circuits = match told.get_mut("circuits").map(Json::take) {
        Some(Json::Object(circuits)) => circuits,
        _ => Map::new(),
    };
    let (identity, channel) = (sdk.identity.as_str(), sdk::channel(sdk));
    circuits.into_iter().map(move |(id, mut circuit)| {
        let said = circuit.get("circuitId").and_then(Json::as_str);
        let id = said.map_or(id, str::to_owned);
        let key = (sdk.id, id);
        if let Json::Object(members) = &mut circuit {
            members.insert("identityId".to_owned(), identity.into());
            members.insert("channelConnId".to_owned(), channel.as_str().into());
            if let Some(known) = ends.get(&key) {
                for (name, value) in [("address", &known.address), ("ctrlId", &known.controller)] {
                    let member = members.entry(name).or_insert(Json::Null);
                    if member.as_str().is_none_or(str::is_empty) {
                        *member = value.as_str().into();
                    }
                }
            }
        }
        (format!("{identity}/{channel}/{}", key.1), circuit)
    })
}

/// An object of these members, and what went wrong, if anything did.
fn with_errors(members: &str, errors: Vec<String>) -> String {
    if errors.is_empty() {
        format!("{{{members}}}")
    } else {
        format!("{{{members},\"errors\":{}}}", Json::from(errors))
    }
}

fn failure(sdk: &SdkHandle, error: &str) -> String {
    let channel = sdk::channel(sdk);
    format!("identity {} conn {channel}: {error}", sdk.identity)
}

fn terminator(terminator: &TerminatorView<'_>) -> Json {
    json!({
        "key": terminator.id.as_str(),
        "id": terminator.id.as_str(),
        "state": if terminator.is_established { "established" } else { "establishing" },
        // It is a right to host, which nobody gets by looking.
        "token": "redacted",
        "listenerId": terminator.listener.map(String::from_utf8_lossy).unwrap_or_default(),
        "identityId": terminator.identity.as_str(),
        "serviceId": terminator.service.as_str(),
        "connId": terminator.bind.connection.0,
        "channelConnId": terminator.bind.channel.0.to_string(),
        "instance": terminator.instance,
        "cost": terminator.cost,
        "precedence": match terminator.precedence {
            Precedence::Required => "Required",
            Precedence::Failed => "Failed",
            _ => "Default",
        },
        "assignIds": terminator.router_provides,
        "useSdkXgress": terminator.flow == Flow::Sdk,
        "supportsInspect": terminator.supports_inspect,
        "operationActive": terminator.is_creating,
        "createTime": to_the_second(terminator.created),
        "lastAttempt": terminator.last_attempt.map_or_else(|| NEVER.to_owned(), to_the_second),
    })
}

fn identity(view: &IdentityView<'_>) -> Json {
    let connections = view.connections.iter().map(|(channel, connection)| {
        json!({
            "id": channel.0.to_string(),
            "closed": false,
            "srcAddr": connection.source_address,
            "dstAddr": connection.destination_address,
        })
    });
    json!({
        "unreported_count": view.unreported,
        "unreported_state_changed": view.has_changed,
        "being_reported_count": 0,
        "being_reported_state_changed": false,
        "connections": connections.collect::<Vec<_>>(),
    })
}

fn to_the_second(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M:%S").to_string()
}
