//! The way of a connection, hop by hop.

use super::EdgeChannel;
use super::transmit::TooLongError;
use crate::event::{EdgeEvent, TraceAnswer};
use crate::stream::Flow;
use portcullis_channel::{HeaderKey, Headers, Moment, Now, ReplyTo};
use portcullis_wire::edge::{ConnectionId, EdgeMessage, TraceRoute, TraceRouteResponse};
use portcullis_wire::xgress::{Control, ControlKind};
use std::collections::BTreeMap;

/// How this SDK calls itself.
const HOP_KIND: &str = "sdk/portcullis";

/// The number of a connection, among the headers of a trace that are passed on.
const CONNECTION: HeaderKey = HeaderKey(1000);

/// Traces that wait for their answers, one of each connection.
#[derive(Debug, Default)]
pub(super) struct Traces(BTreeMap<ConnectionId, Trace>);

#[derive(Debug)]
struct Trace {
    /// What comes back.
    stamp: u64,
    sent: Moment,
}

impl Traces {
    pub(super) fn forget(&mut self, connection: ConnectionId) {
        self.0.remove(&connection);
    }
}

/// A trace was not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there is no such open connection")]
pub struct TraceError;

impl EdgeChannel {
    /// Asks who is so many hops away: [`EdgeEvent::Traced`]. An earlier trace of the connection that is not
    /// answered is given up.
    pub fn trace(
        &mut self,
        connection: ConnectionId,
        hops: u32,
        now: Now,
    ) -> Result<(), TraceError> {
        let stream = self.connections.owned(connection);
        let stream = stream.filter(|stream| stream.end().is_none() && !stream.is_held);
        let stream = stream.ok_or(TraceError)?;
        let stamp = now.wall.0 / 1_000_000;
        let message = match &stream.flow {
            Flow::Sdk(flow) => EdgeMessage::Control(Control {
                kind: ControlKind::TraceRoute,
                circuit_id: flow.endpoint().circuit_id().to_owned(),
                hops: Some(hops),
                time_millis: Some(stamp),
                others: Headers::builder().u32(CONNECTION, connection.0).build(),
                ..Control::default()
            }),
            Flow::Router(_) => EdgeMessage::TraceRoute(TraceRoute {
                connection,
                hops,
                time_millis: stamp,
                source_request: None,
            }),
        };
        self.try_send(&message, Some(connection))
            .map_err(|TooLongError(_)| TraceError)?;
        let sent = now.mono;
        self.traces.0.insert(connection, Trace { stamp, sent });
        Ok(())
    }

    /// A trace, or the answer to one, of a circuit that ends here.
    pub(super) fn control(&mut self, control: Control, reply_to: ReplyTo, now: Now) {
        let id = control.others.u32(CONNECTION).map(ConnectionId);
        let Some(id) = self.sdk_stream(id, &control.circuit_id) else {
            self.counters.unfounded += 1;
            return;
        };
        match control.kind {
            ControlKind::TraceRoute => {
                let answer = EdgeMessage::Control(Control {
                    kind: ControlKind::TraceRouteAnswer,
                    hops: Some(control.hops.unwrap_or_default().saturating_sub(1)),
                    hop_kind: Some(HOP_KIND.to_owned()),
                    ..control
                });
                self.reply(&answer, reply_to);
            },
            ControlKind::TraceRouteAnswer => self.traced(
                TraceRouteResponse {
                    connection: id,
                    hops: control.hops,
                    time_millis: control.time_millis,
                    hop_kind: control.hop_kind,
                    hop_id: control.hop_id,
                    source_request: None,
                    error: control.error,
                },
                now,
            ),
            ControlKind::Unrecognized(_) => self.counters.unknown += 1,
        }
    }

    /// A trace from the other end of a circuit that ends in the router.
    pub(super) fn trace_asked(&mut self, trace: &TraceRoute, reply_to: ReplyTo) {
        let is_open = self.connections.stream(trace.connection).is_some();
        let answer = TraceRouteResponse {
            connection: trace.connection,
            hops: Some(trace.hops.saturating_sub(1)),
            time_millis: Some(trace.time_millis),
            hop_kind: Some(HOP_KIND.to_owned()),
            hop_id: None,
            source_request: trace.source_request,
            error: (!is_open).then(|| "no such connection".to_owned()),
        };
        self.reply(&EdgeMessage::TraceRouteResponse(answer), reply_to);
    }

    pub(super) fn trace_answered(&mut self, response: TraceRouteResponse, now: Now) {
        self.traced(response, now);
    }

    fn traced(&mut self, response: TraceRouteResponse, now: Now) {
        let connection = response.connection;
        let trace = self.traces.0.remove(&connection);
        let Some(trace) = trace.filter(|trace| Some(trace.stamp) == response.time_millis) else {
            self.counters.unfounded += 1;
            return;
        };
        self.events.push_back(EdgeEvent::Traced(TraceAnswer {
            connection,
            hops_left: response.hops.unwrap_or_default(),
            hop_kind: response.hop_kind.unwrap_or_default(),
            hop_id: response.hop_id.unwrap_or_default(),
            round_trip: now.mono.since(trace.sent),
            error: response.error,
        }));
    }
}
