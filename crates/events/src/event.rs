//! What happened.

pub(crate) mod alert;
pub(crate) mod api_session;
pub(crate) mod authentication;
pub(crate) mod circuit;
pub(crate) mod cluster;
pub(crate) mod connect;
pub(crate) mod entity_change;
pub(crate) mod entity_count;
pub(crate) mod link;
pub(crate) mod metric;
mod nanoseconds;
pub(crate) mod router;
pub(crate) mod sdk;
pub(crate) mod service;
pub(crate) mod session;
pub(crate) mod terminator;
pub(crate) mod usage;

use crate::namespace::Namespace;
use jiff::Timestamp;
use serde::Serialize;
use std::sync::Arc;

/// Something that happened.
#[derive(Debug, Clone)]
pub struct Event {
    /// Id of the controller that tells it.
    pub source: Arc<str>,
    /// When it happened, by the clock of who noticed it.
    pub time: Timestamp,
    pub body: Body,
}

/// What happened.
#[derive(Debug, Clone)]
pub enum Body {
    Alert(alert::Alert),
    ApiSession(api_session::ApiSession),
    Authentication(authentication::Authentication),
    Circuit(circuit::Circuit),
    Cluster(cluster::Cluster),
    Connect(connect::Connect),
    EntityChange(entity_change::EntityChange),
    EntityCommit(entity_change::EntityCommit),
    EntityCount(entity_count::EntityCount),
    Link(link::Link),
    Metric(metric::Metric),
    Router(router::RouterStatus),
    Sdk(sdk::SdkStatus),
    Service(service::ServiceCount),
    Session(session::Session),
    Terminator(terminator::TerminatorStatus),
    Usage(usage::Usage),
}

impl Body {
    pub const fn namespace(&self) -> Namespace {
        match self {
            Self::Alert(_) => Namespace::Alert,
            Self::ApiSession(_) => Namespace::ApiSession,
            Self::Authentication(_) => Namespace::Authentication,
            Self::Circuit(_) => Namespace::Circuit,
            Self::Cluster(_) => Namespace::Cluster,
            Self::Connect(_) => Namespace::Connect,
            Self::EntityChange(_) | Self::EntityCommit(_) => Namespace::EntityChange,
            Self::EntityCount(_) => Namespace::EntityCount,
            Self::Link(_) => Namespace::Link,
            Self::Metric(_) => Namespace::Metrics,
            Self::Router(_) => Namespace::Router,
            Self::Sdk(_) => Namespace::Sdk,
            Self::Service(_) => Namespace::Service,
            Self::Session(_) => Namespace::Session,
            Self::Terminator(_) => Namespace::Terminator,
            Self::Usage(_) => Namespace::Usage,
        }
    }
}

/// What an event takes in memory at most, but for those that have entities or texts of any size, in bytes.
const USUAL_SIZE: usize = 1024;

impl Event {
    /// About how many bytes the event takes in memory, for queues that are bounded by that.
    pub fn size(&self) -> usize {
        let further = match &self.body {
            Body::Alert(body) => body.size(),
            Body::EntityChange(body) => body.size(),
            Body::Link(body) => body.size(),
            _ => 0,
        };
        USUAL_SIZE + further
    }

    /// The event as a JSON object on one line, in the namespace that its subscriber knows it by.
    pub(crate) fn to_json(&self, namespace: &str) -> String {
        match &self.body {
            Body::Alert(body) => self.enveloped(namespace, body),
            Body::ApiSession(body) => self.enveloped(namespace, &body.wire_form()),
            Body::Authentication(body) => self.enveloped(namespace, &body.wire_form()),
            Body::Circuit(body) => self.enveloped(namespace, &body.wire_form()),
            Body::Cluster(body) => self.enveloped(namespace, body),
            Body::Connect(body) => self.enveloped(namespace, body),
            Body::EntityChange(body) => self.enveloped(namespace, body),
            Body::EntityCommit(body) => self.enveloped(namespace, &body.wire_form()),
            Body::EntityCount(body) => self.enveloped(namespace, body),
            Body::Link(body) => self.enveloped(namespace, body),
            Body::Metric(body) => self.enveloped(namespace, &body.wire_form()),
            // Its first members stand in another order.
            Body::Router(body) => to_json(&body.wire_form(self, namespace)),
            Body::Sdk(body) => self.enveloped(namespace, body),
            Body::Service(body) => self.enveloped(namespace, &body.wire_form()),
            Body::Session(body) => self.enveloped(namespace, &body.wire_form()),
            Body::Terminator(body) => self.enveloped(namespace, &body.wire_form()),
            Body::Usage(body) => self.enveloped(namespace, &body.all_kinds()),
        }
    }

    pub(crate) fn enveloped(&self, namespace: &str, body: &impl Serialize) -> String {
        to_json(&Envelope {
            namespace,
            event_src_id: &self.source,
            timestamp: self.time,
            body,
        })
    }
}

#[derive(Serialize)]
struct Envelope<'e, B> {
    namespace: &'e str,
    event_src_id: &'e str,
    timestamp: Timestamp,
    #[serde(flatten)]
    body: &'e B,
}

/// Events are structs, maps with text as keys, texts and numbers, none of which can fail.
fn to_json(event: &impl Serialize) -> String {
    serde_json::to_string(event).unwrap_or_default()
}
