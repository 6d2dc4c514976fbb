//! What happened.

pub(crate) mod alert;
pub(crate) mod api_session;
pub(crate) mod authentication;
pub(crate) mod circuit;
pub(crate) mod cluster;
pub(crate) mod connect;
pub(crate) mod entity_change;
pub(crate) mod entity_count;
pub(crate) mod entity_state;
pub(crate) mod link;
pub(crate) mod metric;
mod nanoseconds;
pub(crate) mod router;
pub(crate) mod sdk;
pub(crate) mod service;
pub(crate) mod session;
mod size;
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

/// What an event takes in memory at most, in bytes, without what some have more or less of: entities, tags, texts and
/// lists that somebody else chooses.
const USUAL_SIZE: usize = 1024;

/// How many events may come at once when all is well, and have to find room in a queue: those of one report of one
/// router. By design, that has 16 384 metrics and the use of 20 000 circuits at most, and 20 000 terminators come and go
/// with their router.
pub const BURST_EVENTS: u32 = 65_536;

/// What the events of such a report take, in bytes, each with a few tags as routers have them.
pub const BURST_BYTES: usize = 64 << 20;

impl Event {
    /// About how many bytes the event takes in memory, for queues that are bounded by that.
    pub fn size(&self) -> usize {
        let further = match &self.body {
            Body::Alert(body) => body.size(),
            Body::Authentication(body) => body.size(),
            Body::Circuit(body) => body.size(),
            Body::Cluster(body) => body.size(),
            Body::Connect(body) => body.size(),
            Body::EntityChange(body) => body.size(),
            Body::EntityCount(body) => body.size(),
            Body::Link(body) => body.size(),
            Body::Metric(body) => body.size(),
            Body::Usage(body) => body.size(),
            // Numbers, and a few ids of entities.
            Body::ApiSession(_)
            | Body::EntityCommit(_)
            | Body::Router(_)
            | Body::Sdk(_)
            | Body::Service(_)
            | Body::Session(_)
            | Body::Terminator(_) => 0,
        };
        USUAL_SIZE + further
    }

    /// Writes the event as a JSON object on one line, in the namespace that its subscriber knows it by.
    pub(crate) fn write_json(&self, namespace: &str, line: &mut Vec<u8>) {
        match &self.body {
            Body::Alert(body) => self.write_enveloped(namespace, body, line),
            Body::ApiSession(body) => self.write_enveloped(namespace, &body.wire_form(), line),
            Body::Authentication(body) => self.write_enveloped(namespace, &body.wire_form(), line),
            Body::Circuit(body) => self.write_enveloped(namespace, &body.wire_form(), line),
            Body::Cluster(body) => self.write_enveloped(namespace, body, line),
            Body::Connect(body) => self.write_enveloped(namespace, body, line),
            Body::EntityChange(body) => {
                self.write_enveloped(namespace, body, line);
                body.write_states(line);
            },
            Body::EntityCommit(body) => self.write_enveloped(namespace, &body.wire_form(), line),
            Body::EntityCount(body) => self.write_enveloped(namespace, body, line),
            Body::Link(body) => self.write_enveloped(namespace, body, line),
            Body::Metric(body) => self.write_enveloped(namespace, &body.wire_form(), line),
            // Its first members stand in another order.
            Body::Router(body) => write_json(&body.wire_form(self, namespace), line),
            Body::Sdk(body) => self.write_enveloped(namespace, body, line),
            Body::Service(body) => self.write_enveloped(namespace, &body.wire_form(), line),
            Body::Session(body) => self.write_enveloped(namespace, &body.wire_form(), line),
            Body::Terminator(body) => self.write_enveloped(namespace, &body.wire_form(), line),
            Body::Usage(body) => self.write_enveloped(namespace, &body.all_kinds(), line),
        }
    }

    pub(crate) fn write_enveloped(
        &self,
        namespace: &str,
        body: &impl Serialize,
        line: &mut Vec<u8>,
    ) {
        let enveloped = Envelope {
            namespace,
            event_src_id: &self.source,
            timestamp: self.time,
            body,
        };
        write_json(&enveloped, line);
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

fn write_json(event: &impl Serialize, line: &mut Vec<u8>) {
    // Events are structs, maps with text as keys, texts and numbers, none of which can fail.
    let _ = serde_json::to_writer(line, event);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(body: Body) -> usize {
        let event = Event {
            source: "c1".into(),
            time: Timestamp::UNIX_EPOCH,
            body,
        };
        event.size()
    }

    #[test]
    fn what_others_choose_counts() {
        let tags: std::collections::BTreeMap<_, _> = (0..8)
            .map(|number| (format!("{number:0256}"), "x".repeat(256)))
            .collect();
        let metric = Body::Metric(metric::Metric {
            source_id: "r1".into(),
            entity_id: None,
            name: "x".repeat(256),
            value: metric::MetricValue::Integer(1),
            tags: tags.clone(),
            source_event_id: "e1".into(),
        });
        let usage = Body::Usage(usage::Usage {
            router_id: "r1".into(),
            circuit_id: "c1".into(),
            bytes: [("egress.rx".to_owned(), 1)].into(),
            interval_start: 0,
            interval_length: 60,
            tags: Some(tags.clone()),
        });
        let circuit = Body::Circuit(circuit::Circuit {
            kind: circuit::CircuitKind::Deleted {
                age: std::time::Duration::ZERO,
            },
            circuit_id: "c1".into(),
            client_id: "i1".into(),
            service_id: "s1".into(),
            terminator_id: "t1".into(),
            instance_id: "".into(),
            path: circuit::CircuitPath {
                nodes: Some(vec!["x".repeat(128).into(); 8]),
                ..circuit::CircuitPath::default()
            },
            tags: Some(tags),
        });
        let connect = Body::Connect(connect::Connect {
            source: connect::ConnectSource::Identity,
            destination: connect::ConnectDestination::Controller,
            source_id: "i1".into(),
            source_address: "127.0.0.1:9".into(),
            destination_id: "c1".into(),
            destination_address: "x".repeat(8000).into(),
        });
        let least = [8 * 512 + 256, 8 * 512, 8 * 512 + 8 * 128, 8000];
        for (body, least) in [metric, usage, circuit, connect].into_iter().zip(least) {
            let size = size(body.clone());
            let range = USUAL_SIZE + least..USUAL_SIZE + least + 2000;
            assert!(range.contains(&size), "{size}: {body:?}");
        }
        // Ids and a few numbers have to fit into the rest.
        assert!(size_of::<Event>() < USUAL_SIZE / 2);
    }
}
