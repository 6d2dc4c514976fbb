//! Traces of the way of a connection.

use std::collections::VecDeque;

use portcullis_channel::{HeaderKey, Headers, ReplyTo, Sequence};
use portcullis_wire::edge::{ConnectionId, EdgeMessage, TraceRoute, TraceRouteResponse};
use portcullis_wire::xgress::{Control, ControlKind};
use portcullis_xgress::Side;

use super::SdkChannel;
use crate::edge::circuit::{EndId, Flow, FromSdk};

/// The number of a connection, among the headers of a trace that are passed on.
const CONNECTION: HeaderKey = HeaderKey(1000);

/// How this router calls itself where a circuit ends in it.
const HOP_KIND: &str = "xgress/edge";

/// Traces of the SDK that wait for their answers.
#[derive(Debug)]
pub(super) struct Traces {
    waiting: VecDeque<(u32, ReplyTo)>,
    limit: usize,
}

impl Traces {
    pub(super) const fn new(limit: usize) -> Self {
        Self {
            waiting: VecDeque::new(),
            limit,
        }
    }

    /// Remembers a request by the number of its message, which travels with the trace. The oldest of too
    /// many is forgotten.
    fn insert(&mut self, sequence: Sequence, reply_to: ReplyTo) -> u32 {
        if self.waiting.len() >= self.limit {
            self.waiting.pop_front();
        }
        let number = sequence.0.cast_unsigned();
        self.waiting.push_back((number, reply_to));
        number
    }

    fn take(&mut self, number: u32) -> Option<ReplyTo> {
        let at = self.waiting.iter().position(|(own, _)| *own == number)?;
        self.waiting.remove(at).map(|(_, reply_to)| reply_to)
    }
}

/// The same with another number of the connection, which is for one SDK only.
fn addressed(control: Control, connection: Option<ConnectionId>) -> Control {
    let others = control.others.iter().filter(|(key, _)| *key != CONNECTION);
    let others = others.fold(Headers::builder(), |all, (key, value)| {
        all.bytes(key, value)
    });
    let others = match connection {
        Some(ConnectionId(number)) => others.u32(CONNECTION, number),
        None => others,
    };
    Control {
        others: others.build(),
        ..control
    }
}

impl SdkChannel {
    /// A trace of an SDK whose circuits end in the router.
    pub(super) fn trace(&mut self, trace: &TraceRoute, sequence: Sequence, reply_to: ReplyTo) {
        let answer = TraceRouteResponse {
            connection: trace.connection,
            time_millis: Some(trace.time_millis),
            ..TraceRouteResponse::default()
        };
        let open = self.connections.open(trace.connection);
        let Some(open) = open.filter(|open| open.end.flow == Flow::Router) else {
            let answer = TraceRouteResponse {
                error: Some("no such connection".to_owned()),
                ..answer
            };
            return self.reply(EdgeMessage::TraceRouteResponse(answer), reply_to);
        };
        let hops = trace.hops.saturating_sub(1);
        if hops == 0 {
            let answer = TraceRouteResponse {
                hops: Some(0),
                hop_kind: Some(HOP_KIND.to_owned()),
                hop_id: Some(self.router.to_string()),
                ..answer
            };
            return self.reply(EdgeMessage::TraceRouteResponse(answer), reply_to);
        }
        let end = open.end.id.clone();
        let control = Control {
            kind: ControlKind::TraceRoute,
            circuit_id: end.circuit.as_str().to_owned(),
            hops: Some(hops),
            time_millis: Some(trace.time_millis),
            user_value: Some(self.traces.insert(sequence, reply_to)),
            ..Control::default()
        };
        self.put(end, FromSdk::Control(control));
    }

    /// A trace, or the answer to one, of an SDK that is the end of a circuit.
    pub(super) fn control(&mut self, control: Control, sequence: Sequence, reply_to: ReplyTo) {
        let Some(end) = self.sender_of(&control) else {
            return;
        };
        let user_value = match control.kind {
            ControlKind::TraceRoute => Some(self.traces.insert(sequence, reply_to)),
            _ => control.user_value,
        };
        let control = Control {
            user_value,
            ..addressed(control, None)
        };
        self.put(end, FromSdk::Control(control));
    }

    /// The end in the SDK that a trace comes from. Of two, it is rather the one whose connection is named:
    /// traces have no flag that tells the sides apart.
    fn sender_of(&self, control: &Control) -> Option<EndId> {
        let named = control.others.u32(CONNECTION).map(ConnectionId);
        let open = self.connections.of_circuit(&control.circuit_id);
        let in_sdk = open.filter(|open| open.end.flow == Flow::Sdk);
        let sender = in_sdk.min_by_key(|open| Some(open.end.connection) != named)?;
        Some(sender.end.id.clone())
    }

    /// The answer of a host whose circuits end in the router.
    pub(super) fn trace_answered(&mut self, response: TraceRouteResponse) {
        let open = self.connections.open(response.connection);
        let Some(open) = open.filter(|open| open.end.flow == Flow::Router) else {
            return;
        };
        let end = open.end.id.clone();
        let control = Control {
            kind: ControlKind::TraceRouteAnswer,
            circuit_id: end.circuit.as_str().to_owned(),
            hops: response.hops,
            hop_kind: response.hop_kind,
            hop_id: response.hop_id,
            time_millis: response.time_millis,
            user_value: response.source_request,
            error: response.error,
            others: Headers::empty(),
        };
        self.put(end, FromSdk::Control(control));
    }

    pub(super) fn deliver_control(&mut self, end: &EndId, control: Control) {
        let Some(open) = self.connections.with_end(end) else {
            return;
        };
        let (connection, flow) = (open.end.connection, open.end.flow);
        let waiting = match control.kind {
            ControlKind::TraceRouteAnswer => control
                .user_value
                .and_then(|number| self.traces.take(number)),
            _ => None,
        };
        match (control.kind, flow, waiting) {
            (ControlKind::TraceRouteAnswer, Flow::Router, Some(reply_to)) => {
                let answer = TraceRouteResponse {
                    connection,
                    hops: control.hops,
                    time_millis: control.time_millis,
                    hop_kind: control.hop_kind,
                    hop_id: control.hop_id,
                    source_request: None,
                    error: control.error,
                };
                self.reply(EdgeMessage::TraceRouteResponse(answer), reply_to);
            },
            (ControlKind::TraceRouteAnswer, Flow::Sdk, Some(reply_to)) => {
                let control = addressed(control, Some(connection));
                self.reply(EdgeMessage::Control(control), reply_to);
            },
            (ControlKind::TraceRoute, Flow::Sdk, _) => {
                let control = addressed(control, Some(connection));
                self.send(EdgeMessage::Control(control));
            },
            (ControlKind::TraceRoute, Flow::Router, _) => {
                self.trace_to_host(end, connection, control);
            },
            _ => {},
        }
    }

    /// A trace from the other end of a circuit that ends here: it stops here, or goes on to the host.
    fn trace_to_host(&mut self, end: &EndId, connection: ConnectionId, control: Control) {
        let hops = control.hops.unwrap_or_default().saturating_sub(1);
        if hops == 0 || end.side == Side::Initiator {
            let answer = Control {
                kind: ControlKind::TraceRouteAnswer,
                hops: Some(hops),
                hop_kind: Some(HOP_KIND.to_owned()),
                hop_id: Some(self.router.to_string()),
                ..control
            };
            return self.put(end.clone(), FromSdk::Control(answer));
        }
        self.send(EdgeMessage::TraceRoute(TraceRoute {
            connection,
            hops,
            time_millis: control.time_millis.unwrap_or_default(),
            source_request: control.user_value,
        }));
    }
}
