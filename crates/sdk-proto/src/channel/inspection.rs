//! Questions of the router about the insides of this SDK.

use super::EdgeChannel;
use crate::connection::Connection;
use crate::event::BindId;
use crate::stream::{Flow, Stream};
use portcullis_channel::ReplyTo;
use portcullis_wire::Secret;
use portcullis_wire::edge::{
    ConnectionId, ConnectionInspectResponse, ConnectionKind, EdgeMessage, InspectRequest,
    InspectResponse,
};
use portcullis_xgress::Side;
use serde_json::{Map, Value, json};

/// Connections that are listed.
const LISTED: usize = 1_024;
/// Names that are answered.
const NAMES: usize = 64;

impl EdgeChannel {
    /// Routers take the terminator of a bind away if it is not called one.
    pub(super) fn connection_inspected(&mut self, id: ConnectionId, reply_to: ReplyTo) {
        let kind = if self.connections.binds.contains_key(&BindId(id)) {
            ConnectionKind::Bind
        } else if self.connections.contains(id) {
            ConnectionKind::Dial
        } else {
            ConnectionKind::Invalid
        };
        let response = ConnectionInspectResponse {
            connection: id,
            kind,
            detail: String::new(),
        };
        self.reply(&EdgeMessage::ConnectionInspectResponse(response), reply_to);
    }

    pub(super) fn inspected(&mut self, request: &InspectRequest, reply_to: ReplyTo) {
        let mut values = Map::new();
        let mut errors = Vec::new();
        for name in request.names.iter().take(NAMES) {
            match self.inspect(request.connection, name) {
                Some(value) => {
                    values.insert(name.clone(), value);
                },
                None => errors.push(format!("nothing is known of {name}")),
            }
        }
        let json = json!({ "success": errors.is_empty(), "errors": errors, "values": values });
        let response = InspectResponse {
            json: Secret::new(json.to_string()),
            connection: request.connection,
            kind: None,
        };
        self.reply(&EdgeMessage::InspectResponse(response), reply_to);
    }

    fn inspect(&self, connection: Option<ConnectionId>, name: &str) -> Option<Value> {
        let prefixes = ["circuit:", "circuitAndStacks:"];
        match (connection, name) {
            (None, "circuits") => Some(self.circuits()),
            (None, "context") => Some(self.context()),
            (id, _) => {
                let mut circuit = prefixes.iter().filter_map(|text| name.strip_prefix(text));
                let circuit = circuit.next()?;
                let mut streams = self.streams();
                let is_meant = |stream: &&Stream| {
                    stream.circuit_id.as_deref() == Some(circuit)
                        && id.is_none_or(|id| id == stream.connection)
                };
                streams.find(is_meant).map(shown)
            },
        }
    }

    fn circuits(&self) -> Value {
        let streams = self.streams().take(LISTED);
        let circuits =
            streams.filter_map(|stream| Some((stream.circuit_id.clone()?, shown(stream))));
        json!({ "circuits": circuits.collect::<Map<_, _>>() })
    }

    fn context(&self) -> Value {
        let dialed = self
            .connections
            .iter()
            .take(LISTED)
            .map(|(id, connection)| {
                let (state, circuit) = match connection {
                    Connection::Dialing(_) => ("dialing", None),
                    Connection::Offered(offered) => ("offered", offered.circuit_id.as_deref()),
                    Connection::Open(stream) => ("open", stream.circuit_id.as_deref()),
                };
                json!({ "connId": id.0, "sinkType": "dial", "state": state, "circuitId": circuit })
            });
        let binds = self.connections.binds.keys().take(LISTED);
        let hosted = binds.map(|bind| json!({ "connId": bind.0.0, "sinkType": "host" }));
        json!({
            "routerId": self.terms.router_id,
            "closed": self.end.is_some(),
            "supportsConnectV2": self.terms.knows_services(),
            "virtualConns": dialed.chain(hosted).collect::<Vec<_>>(),
        })
    }

    fn streams(&self) -> impl Iterator<Item = &Stream> {
        self.connections
            .iter()
            .filter_map(|(id, _)| self.connections.stream(id))
    }
}

/// What an end of a circuit is doing.
fn shown(stream: &Stream) -> Value {
    let id = stream.connection.0;
    let Flow::Sdk(flow) = &stream.flow else {
        return json!({
            "circuitId": stream.circuit_id,
            "connId": id,
            "endsIn": "router",
            "isXgress": false,
        });
    };
    let (endpoint, stats) = (flow.endpoint(), flow.endpoint().stats());
    json!({
        "circuitId": stream.circuit_id,
        "connId": id,
        "endsIn": "sdk",
        "isXgress": true,
        "originator": match endpoint.side() {
            Side::Initiator => "Initiator",
            Side::Terminator => "Terminator",
        },
        "sendBufferDetail": {
            "windowSize": stats.window,
            "linkSendBufferSize": stats.outstanding_bytes,
            "linkRecvBufferSize": stats.peer_held_bytes,
            "queuedPayloadCount": stats.outstanding_payloads,
            "successfulAcks": stats.counters.acknowledgements,
            "duplicateAcks": stats.counters.duplicate_acknowledgements,
            "retransmits": stats.counters.retransmissions,
            "blockedByLocalWindow": stats.is_blocked_by_window,
            "blockedByRemoteWindow": stats.is_blocked_by_peer,
        },
        "recvBufferDetail": {
            "size": stats.held_bytes,
            "payloadCount": stats.held_payloads,
            "sequence": stats.next_received,
            "maxSequence": stats.highest_received,
        },
        "sequence": stats.next_sent,
    })
}
