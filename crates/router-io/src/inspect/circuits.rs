//! The circuits that a router carries.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use portcullis_router::edge::Flow;
use portcullis_router::in_go;
use serde_json::{Map, Value as Json, json};
use tokio::time::timeout;

use super::{InspectFuture, Inspectable, Inspected, Subject, links, sdk};
use crate::links::LinkInventory;
use crate::relay::{CarriedCircuit, Destination, EndView, Relay};

/// Circuits that are listed at most. That there are more is said: a controller takes one that is missing in a
/// whole list for lost.
pub(super) const MAX_CIRCUITS: usize = 20_000;

/// How long an SDK may take to tell of its end.
const ANSWER_TIME: Duration = Duration::from_secs(2);

/// Circuits, and the ends of each.
pub(crate) struct Circuits {
    relay: Arc<Relay>,
    links: Arc<dyn LinkInventory>,
}

impl Circuits {
    pub(crate) const KINDS: &'static [&'static str] =
        &["circuit", "circuitandstacks", "router-circuits"];

    pub(crate) fn new(relay: Arc<Relay>, links: Arc<dyn LinkInventory>) -> Self {
        Self { relay, links }
    }

    /// The links of a circuit, by their ids.
    fn links_of(&self, carried: &CarriedCircuit) -> Map<String, Json> {
        let is_meant = |id: &str| carried.forwards.iter().any(|(_, to)| to == id);
        links::shown_by_id(&*self.links, is_meant)
    }

    fn list(&self) -> Json {
        // One more than are shown: others may come and end between two looks.
        let mut circuits = self.relay.circuits(MAX_CIRCUITS + 1);
        let is_complete = circuits.len() <= MAX_CIRCUITS;
        circuits.truncate(MAX_CIRCUITS);
        let shown = circuits.into_iter().map(|carried| {
            let view = json!({
                "id": carried.circuit,
                "ctrlId": carried.owner.as_str(),
                "timeSinceActivity": in_go(carried.idle).to_string(),
                "routes": routes(&carried),
                "destinations": self.destinations(&carried),
            });
            (carried.circuit, view)
        });
        let shown: BTreeMap<_, _> = shown.collect();
        if is_complete {
            return json!({ "circuits": shown });
        }
        let count = self.relay.circuit_count().max(MAX_CIRCUITS + 1);
        let error = format!("{} more circuits are not shown", count - MAX_CIRCUITS);
        json!({ "circuits": shown, "errors": [error] })
    }

    /// What its addresses lead to, as far as it is there.
    fn destinations(&self, carried: &CarriedCircuit) -> BTreeMap<String, &'static str> {
        let addresses = carried.forwards.iter().map(|(_, to)| to);
        let known = addresses.filter_map(|address| {
            let (_, destination) = self.relay.find(address)?;
            Some((address.clone(), destination.kind()))
        });
        known.collect()
    }
}

impl Inspectable for Circuits {
    fn inspect(&self, subject: &Subject) -> InspectFuture {
        if subject.kind == "router-circuits" {
            return Inspected::Json(self.list()).now();
        }
        let Some(carried) = self.relay.circuit(&subject.argument) else {
            return Inspected::Nothing.now();
        };
        let destinations = self.relay.destinations_of(&subject.argument);
        let name = format!("{}:{}", subject.kind, carried.circuit);
        let links = self.links_of(&carried);
        Box::pin(async move {
            let shown = one(&carried, destinations, links, &name).await;
            Ok(Inspected::Json(shown))
        })
    }
}

async fn one(
    carried: &CarriedCircuit,
    destinations: Vec<(String, Arc<dyn Destination>)>,
    links: Map<String, Json>,
    name: &str,
) -> Json {
    let (mut details, mut of_sdks, mut errors) = (Map::new(), Map::new(), Vec::new());
    for (address, destination) in &destinations {
        if let Some(end) = destination.sdk_end() {
            let shown = sdk::end(carried, address, &end);
            of_sdks.insert(end.connection.0.to_string(), shown);
        }
    }
    let asked = destinations
        .into_iter()
        .map(|(address, destination)| async move {
            let detail = detail(&address, &*destination, name).await;
            (address, detail)
        });
    for (address, detail) in join_all(asked).await {
        match detail {
            Ok(Some(detail)) => {
                details.insert(address, detail);
            },
            Ok(None) => {},
            Err(error) => errors.push(format!("end {address}: {error}")),
        }
    }
    json!({
        "circuitId": carried.circuit,
        "forwards": routes(carried),
        "xgressDetails": details,
        "relatedEntities": related([("edge", of_sdks), ("link", links)]),
        "errors": if errors.is_empty() { Json::Null } else { errors.into() },
    })
}

/// What has to do with a circuit, by kinds of which there is something; null if there is nothing.
fn related(kinds: [(&str, Map<String, Json>); 2]) -> Json {
    let kinds = kinds.into_iter().filter(|(_, things)| !things.is_empty());
    let kinds: Map<_, _> = kinds
        .map(|(kind, things)| (kind.to_owned(), things.into()))
        .collect();
    if kinds.is_empty() {
        Json::Null
    } else {
        kinds.into()
    }
}

/// What an end in this router is doing, or that of an SDK, as the SDK says; nothing of links.
async fn detail(
    address: &str,
    destination: &dyn Destination,
    name: &str,
) -> Result<Option<Json>, String> {
    match destination.sdk_end() {
        Some(end) if end.flow == Flow::Sdk => {
            let asked = sdk::ask(&end.sdk, Some(end.connection), name);
            let late = |_elapsed| Err("the client does not answer in time".to_owned());
            let answer = timeout(ANSWER_TIME, asked).await.unwrap_or_else(late);
            answer.map(Some)
        },
        _ => {
            let view = destination.end_view().await;
            Ok(view.map(|view| end(address, &view)))
        },
    }
}

fn routes(carried: &CarriedCircuit) -> BTreeMap<&str, &str> {
    let forwards = carried.forwards.iter();
    forwards
        .map(|(from, to)| (from.as_str(), to.as_str()))
        .collect()
}

/// Pointers and flags of Go's memory are none here.
pub(super) fn end(address: &str, view: &EndView) -> Json {
    let stats = &view.stats;
    let counters = &stats.counters;
    json!({
        "address": address,
        "kind": view.kind,
        "originator": sdk::originator(view.side),
        "timeSinceLastLinkRx": in_go(view.silent_for).to_string(),
        "xgressPointer": "",
        "linkSendBufferPointer": "",
        "goroutines": null,
        "sequence": stats.next_sent,
        "flags": "",
        "lastSizeSent": stats.told_held_bytes,
        "sendBufferDetail": {
            "windowSize": stats.window,
            "queuedPayloadCount": stats.outstanding_payloads,
            "linkSendBufferSize": stats.outstanding_bytes,
            "linkRecvBufferSize": stats.peer_held_bytes,
            "accumulator": stats.accumulated_bytes,
            "successfulAcks": counters.acknowledgements,
            "duplicateAcks": counters.duplicate_acknowledgements,
            "retransmits": counters.retransmissions,
            "closed": stats.is_sending_over,
            "blockedByLocalWindow": stats.is_blocked_by_window,
            "blockedByRemoteWindow": stats.is_blocked_by_peer,
            "retxScale": stats.ack_timeout_scale.to_f64(),
            "retxThreshold": u64::try_from(stats.ack_timeout.as_millis()).unwrap_or(u64::MAX),
            "timeSinceLastRetx": view
                .retransmitted_before
                .map_or_else(String::new, |before| in_go(before).to_string()),
            "closeWhenEmpty": stats.is_finishing,
            "acquiredSafely": true,
        },
        "recvBufferDetail": {
            "size": stats.held_bytes,
            "payloadCount": stats.held_payloads,
            "sequence": i64::from(stats.next_received) - 1,
            "maxSequence": stats.highest_received.map_or(-1, i64::from),
            "nextPayload": if stats.held_payloads == 0 {
                "none".to_owned()
            } else {
                stats.next_received.to_string()
            },
            "acquiredSafely": true,
        },
    })
}
