//! What each router does by itself: it says hello, asks for everything, and confirms routes.

use portcullis_channel::ReplyTo;
use portcullis_simulated_router::SimulatedRouter;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::data_model::{Changes, Subject, Subscription};
use portcullis_wire::control::edge_hello::{ClientHello, ClientHelloBody};
use portcullis_wire::control::route::{Route, RouteOutcome, RouteResult};
use portcullis_wire::control::session::ApiSessionsAdded;
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Instant;
use tokio::sync::mpsc::UnboundedSender;

/// Seconds for which routers follow the data model: longer than anything is measured.
const SUBSCRIBED: u32 = 24 * 60 * 60;

/// What a router was told, when.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) router: usize,
    pub(super) at: Instant,
    pub(super) news: News,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum News {
    /// It is connected.
    Welcome,
    /// The whole data model.
    Model,
    /// All sessions.
    Sessions,
    /// A service has this name.
    Service(String),
    /// This was revoked: a token, a session, or an identity.
    Revoked(String),
    /// The session with this id has ended.
    Ended(String),
}

/// Answers what the controller says, and tells of it, until the router is dropped.
pub(super) async fn answer(
    mut router: SimulatedRouter,
    number: usize,
    tell: UnboundedSender<Told>,
) {
    while let Some(frame) = router.next().await {
        let reply_to = frame.reply_to();
        let Ok(message) = ControlMessage::decode(&frame.into_message()) else {
            continue;
        };
        let at = Instant::now();
        for news in handle(&router, &reply_to, message) {
            let told = Told {
                router: number,
                at,
                news,
            };
            // Whoever does not listen has measured enough.
            let _ = tell.send(told);
        }
    }
}

fn handle(router: &SimulatedRouter, reply_to: &ReplyTo, message: ControlMessage) -> Vec<News> {
    match message {
        ControlMessage::Route(route) => confirm(router, reply_to, route),
        ControlMessage::ServerHello(_) => {
            greet(router);
            return vec![News::Welcome];
        },
        ControlMessage::ApiSessionsAdded(added) if is_end_of_all(&added) => {
            return vec![News::Sessions];
        },
        ControlMessage::ApiSessionsRemoved(removed) => {
            return removed.ids.into_iter().map(News::Ended).collect();
        },
        ControlMessage::DataState(_) => return vec![News::Model],
        ControlMessage::ChangeSet(set) => return changes(set.changes),
        _ => {},
    }
    Vec::new()
}

fn confirm(router: &SimulatedRouter, reply_to: &ReplyTo, route: Route) {
    let result = RouteResult {
        circuit_id: route.circuit_id,
        attempt: route.attempt,
        outcome: RouteOutcome::Routed(BTreeMap::new()),
    };
    router.reply(reply_to, &ControlMessage::RouteResult(result));
}

fn greet(router: &SimulatedRouter) {
    let hello = ClientHelloBody {
        version: "v2.1.0".to_owned(),
        hostname: "localhost".to_owned(),
        protocols: vec!["tls".to_owned()],
        protocol_ports: vec!["tls:3022".to_owned()],
        ..ClientHelloBody::default()
    };
    router.send(&ControlMessage::ClientHello(ClientHello {
        hello,
        has_data_model: true,
        model_index: None,
    }));
    router.send(&ControlMessage::Subscription(Subscription {
        duration_seconds: SUBSCRIBED,
        subscription_id: router.id.clone(),
        ..Subscription::default()
    }));
}

fn is_end_of_all(added: &ApiSessionsAdded) -> bool {
    let state = serde_json::from_str::<Value>(&added.sync_state);
    let is_last = state.is_ok_and(|state| state.get("isLast") == Some(&Value::Bool(true)));
    added.sessions.is_full_state && is_last
}

fn changes(changes: Changes) -> Vec<News> {
    let subjects = changes.events.into_iter().filter_map(|event| event.subject);
    subjects
        .filter_map(|subject| match subject {
            Subject::Service(service) => Some(News::Service(service.name)),
            Subject::Revocation(revocation) => Some(News::Revoked(revocation.id)),
            _ => None,
        })
        .collect()
}
