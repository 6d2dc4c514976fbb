//! The edge: who is connected and hosts, what ends at SDKs, and what SDKs say of themselves.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use portcullis_domain::clock::Timestamp;
use portcullis_router::edge::{IdentityView, TerminatorView};
use portcullis_router::in_go;
use portcullis_wire::Precedence;
use serde_json::{Map, Value as Json, json};
use tokio::time::{Instant, timeout_at};

use super::time::{NEVER, seconds};
use super::{InspectFuture, Inspectable, Inspected, Subject, sdk};
use crate::edge::Edge;
use crate::relay::Relay;
use crate::sdk_channels::SdkHandle;

/// How long SDKs may take; those in C do not answer.
const ANSWER_TIME: Duration = Duration::from_secs(5);

/// Ends that are listed at most.
const MAX_ENDS: usize = 20_000;

/// What is known at the edge, and what its SDKs know.
pub(crate) struct EdgeView {
    edge: Edge,
    relay: Arc<Relay>,
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
        Self { edge, relay }
    }

    /// All ends of circuits at SDKs, those that are numbered by the router as well.
    fn circuits(&self) -> Json {
        let mut shown = Map::new();
        for carried in self.relay.circuits() {
            for (_, address) in &carried.forwards {
                if let Some((_, destination)) = self.relay.find(address)
                    && let Some(end) = destination.sdk_end()
                    && shown.len() < MAX_ENDS
                {
                    let key = format!("{}/{address}", carried.circuit);
                    shown.insert(key, sdk::end(&carried, address, &end));
                }
            }
        }
        json!({ "circuits": shown })
    }

    /// The circuits as SDKs know them.
    fn circuits_of_sdks(&self) -> InspectFuture {
        let answers = ask(self.edge.channels(), "circuits");
        Box::pin(async move {
            let (mut shown, mut errors) = (Map::new(), Vec::new());
            for (sdk, answer) in answers.await {
                match answer {
                    Ok(told) => shown.extend(circuits_of(&sdk, told)),
                    Err(error) => errors.push(failure(&sdk, &error)),
                }
            }
            let all = [("circuits", shown.into())];
            Ok(Inspected::Json(with_errors(all, errors)))
        })
    }

    /// What the SDKs of an identity say of themselves.
    fn context(&self, identity: &str) -> InspectFuture {
        let identity = identity.to_owned();
        let channels = self.edge.channels_of(&identity.as_str().into());
        if channels.is_empty() {
            let error = format!("no connections found for identity {identity}");
            return Inspected::Json(json!({ "error": error })).now();
        }
        let answers = ask(channels, "context");
        Box::pin(async move {
            let (mut results, mut errors) = (Vec::new(), Vec::new());
            for (sdk, answer) in answers.await {
                match answer {
                    Ok(context) => results.push(json!({
                        "connId": sdk::channel(&sdk),
                        "context": context,
                    })),
                    Err(error) => errors.push(failure(&sdk, &error)),
                }
            }
            let all = [("identityId", identity.into()), ("results", results.into())];
            Ok(Inspected::Json(with_errors(all, errors)))
        })
    }

    fn terminators(&self) -> Json {
        let entries: Vec<_> = self
            .edge
            .with_hosting(|hosting| hosting.terminators().map(|one| terminator(&one)).collect());
        json!({ "entries": none_if_empty(entries), "errors": null })
    }

    fn identities(&self) -> Json {
        self.edge.with_presence(|presence| {
            let views = presence.views();
            let reports = presence.reports();
            let interval = reports.map(|reports| in_go(reports.interval).to_string());
            let full_interval = reports.map(|reports| in_go(reports.full_interval).to_string());
            let identities: BTreeMap<_, _> = views
                .map(|view| (view.identity.as_str().to_owned(), identity(&view)))
                .collect();
            json!({
                "identity_connections": identities,
                "last_full_sync": presence.last_full().map_or_else(|| NEVER.to_owned(), seconds),
                "queued_event_count": 0,
                "max_queued_events": self.edge.limits().channels,
                "need_full_sync": null,
                "batch_interval": interval,
                "full_sync_interval": full_interval,
            })
        })
    }

    fn model_index(&self) -> Json {
        let (index, timeline) = self.edge.rights().position();
        json!({ "timeline": timeline, "index": index })
    }
}

impl Inspectable for EdgeView {
    fn inspect(&self, subject: &Subject) -> InspectFuture {
        let shown = match subject.kind.as_str() {
            "identity-connection-statuses" => self.identities(),
            "router-data-model" => self.edge.rights().model().to_json(),
            "router-data-model-index" => self.model_index(),
            "router-edge-circuits" => self.circuits(),
            "router-sdk-circuits" => return self.circuits_of_sdks(),
            "sdk-context" => return self.context(&subject.argument),
            "sdk-terminators" => self.terminators(),
            _ => return Inspected::Nothing.now(),
        };
        Inspected::Json(shown).now()
    }
}

/// The value of a name, or why there is none, by the SDK that was asked.
type Answers = Vec<(Arc<SdkHandle>, Result<Json, String>)>;

/// Asks SDKs for a value, all at the same time.
async fn ask(channels: Vec<Arc<SdkHandle>>, name: &'static str) -> Answers {
    let deadline = Instant::now() + ANSWER_TIME;
    let asked = channels.into_iter().map(|sdk| async move {
        let answer = timeout_at(deadline, sdk::ask(&sdk, None, name)).await;
        let late = |_elapsed| Err("the client does not answer in time".to_owned());
        (sdk, answer.unwrap_or_else(late))
    });
    let mut answers: Answers = asked.collect::<FuturesUnordered<_>>().collect().await;
    answers.sort_by_key(|(sdk, _)| sdk.id);
    answers
}

/// The circuits that an SDK tells of, with whose they are.
fn circuits_of(sdk: &SdkHandle, mut told: Json) -> BTreeMap<String, Json> {
    let circuits = told.get_mut("circuits").map(Json::take);
    let Some(Json::Object(circuits)) = circuits else {
        return BTreeMap::new();
    };
    let (identity, channel) = (sdk.identity.as_str(), sdk::channel(sdk));
    let circuits = circuits.into_iter().map(|(id, mut circuit)| {
        if let Json::Object(members) = &mut circuit {
            members.insert("identityId".to_owned(), identity.into());
            members.insert("channelConnId".to_owned(), channel.as_str().into());
        }
        let id = circuit
            .get("circuitId")
            .and_then(Json::as_str)
            .unwrap_or(&id);
        (format!("{identity}/{channel}/{id}"), circuit)
    });
    circuits.collect()
}

/// Members of an object, and what went wrong, if anything did.
fn with_errors<const N: usize>(members: [(&str, Json); N], errors: Vec<String>) -> Json {
    let errors = (!errors.is_empty()).then(|| ("errors", errors.into()));
    let members = members.into_iter().chain(errors);
    let members = members.map(|(name, value)| (name.to_owned(), value));
    Json::Object(members.collect())
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

fn none_if_empty(entries: Vec<Json>) -> Json {
    if entries.is_empty() {
        Json::Null
    } else {
        entries.into()
    }
}

fn to_the_second(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M:%S").to_string()
}
