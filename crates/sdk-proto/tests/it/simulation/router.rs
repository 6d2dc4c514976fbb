//! As much of a network as two SDKs need: it pairs dials with binds and carries what circuits carry.

use super::way::{Packet, Way, Weather};
use bytes::Bytes;
use portcullis_channel::{HeaderKey, Message, Moment, Now};
use portcullis_wire::edge::{
    Bind, BindSuccess, CircuitClosed, ConnectionId, Data, DataFlags, Dial, EdgeMessage,
    StateClosed, StateConnected,
};
use portcullis_wire::xgress::{Acknowledgement, Payload, payload_header};
use portcullis_wire::{ErrorCode, Token};
use portcullis_xgress::{Endpoint, EndpointEvent, Options, Received, Segment, Side};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// From a lost end until the controller has taken the circuit away.
const UNROUTE: Duration = Duration::from_secs(5);
/// Messages that may wait for an SDK before payloads are dropped, and before a circuit's end waits.
const QUEUE: usize = 200;
const SHORT_QUEUE: usize = 20;
const REPLY_FOR: HeaderKey = HeaderKey(1);

#[derive(Debug)]
pub(super) struct Router {
    weather: Weather,
    seed: u64,
    options: Arc<Options>,
    binds: Vec<(usize, Bind)>,
    pub(super) circuits: Vec<Circuit>,
    /// Offers by the numbers of their messages.
    offers: BTreeMap<i32, usize>,
    /// To each SDK.
    pub(super) out: [VecDeque<(i32, Message)>; 2],
    sent: i32,
}

#[derive(Debug)]
pub(super) struct Circuit {
    id: String,
    pub(super) is_encrypted: bool,
    /// The dialing one, then the hosting one.
    ends: [End; 2],
    /// From each end.
    pub(super) ways: [Way; 2],
    unroute_at: Option<Moment>,
    is_gone: bool,
}

#[derive(Debug)]
struct End {
    sdk: usize,
    connection: ConnectionId,
    /// The end of the circuit, if it is in the router.
    own: Option<OwnEnd>,
    /// The SDK knows of it, and has not closed it.
    is_open: bool,
}

#[derive(Debug)]
struct OwnEnd {
    endpoint: Endpoint,
    backlog: VecDeque<Segment>,
    is_closing: bool,
    has_told_end: bool,
}

impl Circuit {
    pub(super) fn kind(&self) -> String {
        let kind = |end: &End| match end.own {
            Some(_) => "router",
            None => "sdk",
        };
        let [dialing, hosting] = &self.ends;
        let encrypted = if self.is_encrypted {
            "encrypted"
        } else {
            "clear"
        };
        format!("{} to {}, {encrypted}", kind(dialing), kind(hosting))
    }
}

const SIDES: [Side; 2] = [Side::Initiator, Side::Terminator];

impl Router {
    pub(super) fn new(weather: Weather, seed: u64, options: Arc<Options>) -> Self {
        Self {
            weather,
            seed,
            options,
            binds: Vec::new(),
            circuits: Vec::new(),
            offers: BTreeMap::new(),
            out: [VecDeque::new(), VecDeque::new()],
            sent: 0,
        }
    }

    fn send(&mut self, sdk: usize, message: &EdgeMessage) -> i32 {
        self.sent += 1;
        self.out[sdk].push_back((self.sent, message.encode().unwrap()));
        self.sent
    }

    fn close(&mut self, sdk: usize, connection: ConnectionId, reason: &str) {
        let closed = StateClosed {
            connection: Some(connection),
            reason: reason.to_owned(),
            ..StateClosed::default()
        };
        self.send(sdk, &EdgeMessage::StateClosed(closed));
    }

    pub(super) fn handle(&mut self, sdk: usize, message: &Message, now: Now) {
        match EdgeMessage::decode(message).unwrap() {
            EdgeMessage::Connect(connect) => {
                let (id, key) = (connect.connection, connect.public_key);
                self.dialed(sdk, id, key, connect.app_data, connect.uses_xgress, now);
            },
            EdgeMessage::ConnectV2(connect) => {
                let (id, key) = (connect.connection, connect.public_key);
                self.dialed(sdk, id, key, connect.app_data, connect.uses_xgress, now);
            },
            EdgeMessage::Bind(bind) => {
                let connection = bind.connection;
                self.binds.push((sdk, bind));
                self.send(
                    sdk,
                    &EdgeMessage::StateConnected(StateConnected {
                        connection,
                        router_provides_connections: true,
                        ..StateConnected::default()
                    }),
                );
                let success = BindSuccess { connection };
                self.send(sdk, &EdgeMessage::BindSuccess(success));
            },
            EdgeMessage::DialSuccess(success) => self.taken(message, success.public_key, now),
            EdgeMessage::DialFailed(failed) => self.declined(message, failed.reason),
            EdgeMessage::Data(data) => self.data(sdk, data),
            EdgeMessage::Payload(payload) => self.forward(
                &payload.circuit_id.clone(),
                Side::of(payload.flags),
                &Packet::Payload(payload),
                now,
            ),
            EdgeMessage::Acknowledgement(acknowledgement) => self.forward(
                &acknowledgement.circuit_id.clone(),
                Side::of(acknowledgement.flags),
                &Packet::Acknowledgement(acknowledgement),
                now,
            ),
            EdgeMessage::CircuitClosed(CircuitClosed { circuit_id }) => {
                let at = self.circuits.iter().position(|one| one.id == circuit_id);
                if let Some(at) = at {
                    self.end_closed(at, sdk, now);
                }
            },
            EdgeMessage::StateClosed(closed) => {
                if let Some((at, _)) = self.find(sdk, closed.connection.unwrap()) {
                    self.end_closed(at, sdk, now);
                }
            },
            EdgeMessage::Unknown(message) if message.content_type.0 == 3 => {
                let result = Message::new(portcullis_channel::ContentType::RESULT);
                self.sent += 1;
                self.out[sdk].push_back((self.sent, result.with_headers(message.headers)));
            },
            other => panic!("{other:?}"),
        }
    }

    fn dialed(
        &mut self,
        sdk: usize,
        connection: ConnectionId,
        public_key: Option<Bytes>,
        app_data: Option<portcullis_wire::Secret<Bytes>>,
        uses_xgress: bool,
        now: Now,
    ) {
        let Some((host, bind)) = self.binds.first().cloned() else {
            return self.close(sdk, connection, "no terminators");
        };
        let at = self.circuits.len();
        let id = format!("circuit-{at}");
        let child = ConnectionId((1 << 31) + u32::try_from(at).unwrap());
        let own = |is_in_sdk: bool, side| {
            (!is_in_sdk).then(|| OwnEnd {
                endpoint: Endpoint::new(side, id.clone(), self.options.clone(), now),
                backlog: VecDeque::new(),
                is_closing: false,
                has_told_end: false,
            })
        };
        let ends = [
            End {
                sdk,
                connection,
                own: own(uses_xgress, Side::Initiator),
                is_open: false,
            },
            End {
                sdk: host,
                connection: child,
                own: own(bind.uses_xgress, Side::Terminator),
                is_open: true,
            },
        ];
        let way = |name: &str| Way::new(self.weather, self.seed, &format!("{name} {at}"));
        self.circuits.push(Circuit {
            ways: [way("there"), way("back")],
            id: id.clone(),
            is_encrypted: public_key.is_some(),
            ends,
            unroute_at: None,
            is_gone: false,
        });
        let dial = Dial {
            connection: bind.connection,
            session_token: Token::clone(&bind.session_token),
            new_connection: Some(child),
            circuit_id: Some(id),
            public_key,
            app_data,
            uses_xgress: bind.uses_xgress,
            ..Dial::default()
        };
        let sequence = self.send(host, &EdgeMessage::Dial(dial));
        self.offers.insert(sequence, at);
    }

    fn offer(&mut self, reply: &Message) -> usize {
        let request = reply.headers.i32(REPLY_FOR).unwrap();
        self.offers.remove(&request).expect("each is answered once")
    }

    fn taken(&mut self, reply: &Message, public_key: Option<Bytes>, now: Now) {
        let at = self.offer(reply);
        let circuit = &mut self.circuits[at];
        let end = &mut circuit.ends[0];
        end.is_open = true;
        let (sdk, connected) = (
            end.sdk,
            StateConnected {
                connection: end.connection,
                circuit_id: Some(circuit.id.clone()),
                public_key,
                uses_xgress: end.own.is_none(),
                ..StateConnected::default()
            },
        );
        self.send(sdk, &EdgeMessage::StateConnected(connected));
        self.pump(now);
    }

    fn declined(&mut self, reply: &Message, reason: String) {
        let at = self.offer(reply);
        self.circuits[at].is_gone = true;
        let (sdk, connection) = (
            self.circuits[at].ends[0].sdk,
            self.circuits[at].ends[0].connection,
        );
        let closed = StateClosed {
            connection: Some(connection),
            reason,
            code: Some(ErrorCode::Internal),
            ..StateClosed::default()
        };
        self.send(sdk, &EdgeMessage::StateClosed(closed));
    }

    fn find(&self, sdk: usize, connection: ConnectionId) -> Option<(usize, usize)> {
        let is_meant = |end: &End| end.sdk == sdk && end.connection == connection;
        let mut circuits = self.circuits.iter().enumerate();
        circuits.find_map(|(at, circuit)| {
            let side = circuit.ends.iter().position(is_meant)?;
            Some((at, side))
        })
    }

    fn data(&mut self, sdk: usize, data: Data) {
        let Some((at, side)) = self.find(sdk, data.connection) else {
            return;
        };
        let own = self.circuits[at].ends[side].own.as_mut();
        let own = own.expect("only where the router is the end");
        let mut headers = BTreeMap::new();
        if data.flags != DataFlags::default() {
            let flags = data.flags.bits().to_le_bytes().to_vec();
            headers.insert(payload_header::DATA_FLAGS, flags.into());
        }
        own.backlog.push_back(Segment {
            headers,
            data: data.data,
        });
    }

    fn forward(&mut self, circuit: &str, side: Side, packet: &Packet, now: Now) {
        let circuit = self.circuits.iter_mut().find(|one| one.id == circuit);
        if let Some(circuit) = circuit.filter(|circuit| !circuit.is_gone) {
            circuit.ways[usize::from(side == Side::Terminator)].send(packet, now.mono);
        }
    }

    /// An SDK has closed its end of a circuit.
    fn end_closed(&mut self, at: usize, sdk: usize, now: Now) {
        let circuit = &mut self.circuits[at];
        let Some(end) = circuit.ends.iter_mut().find(|end| end.sdk == sdk) else {
            return;
        };
        end.is_open = false;
        match &mut end.own {
            Some(own) => own.is_closing = true,
            None => {
                circuit.unroute_at.get_or_insert(now.mono + UNROUTE);
            },
        }
    }

    pub(super) fn timeout(&self) -> Option<Moment> {
        let circuits = self.circuits.iter().filter(|circuit| !circuit.is_gone);
        let times = circuits.flat_map(|circuit| {
            let ways = circuit.ways.iter().filter_map(Way::next_arrival);
            let ends = circuit.ends.iter().filter_map(|end| {
                let (at, _) = end.own.as_ref()?.endpoint.poll_timeout()?;
                Some(at)
            });
            ways.chain(ends).chain(circuit.unroute_at)
        });
        times.min()
    }

    /// Does all that can be done now.
    pub(super) fn pump(&mut self, now: Now) {
        for at in 0..self.circuits.len() {
            if self.circuits[at].is_gone {
                continue;
            }
            for side in 0..2 {
                self.arrivals(at, side, now);
                self.pump_own_end(at, side, now);
            }
            if self.circuits[at]
                .unroute_at
                .is_some_and(|due| due <= now.mono)
            {
                self.unroute(at, now);
            }
        }
    }

    /// What has come from the other side.
    fn arrivals(&mut self, at: usize, side: usize, now: Now) {
        while let Some(packet) = self.circuits[at].ways[1 - side].arrive(now.mono) {
            let end = &mut self.circuits[at].ends[side];
            let (sdk, connection) = (end.sdk, Some(end.connection));
            match (&mut end.own, packet) {
                (Some(own), Packet::Payload(payload)) => {
                    own.endpoint.handle_payload(payload, now);
                },
                (Some(own), Packet::Acknowledgement(acknowledgement)) => {
                    own.endpoint.handle_acknowledgement(&acknowledgement, now);
                },
                (None, _) if !end.is_open || self.out[sdk].len() > QUEUE => {},
                (None, Packet::Payload(payload)) => {
                    let payload = Payload {
                        connection,
                        ..payload
                    };
                    self.send(sdk, &EdgeMessage::Payload(payload));
                },
                (None, Packet::Acknowledgement(acknowledgement)) => {
                    let acknowledgement = Acknowledgement {
                        connection,
                        ..acknowledgement
                    };
                    self.send(sdk, &EdgeMessage::Acknowledgement(acknowledgement));
                },
            }
        }
    }

    fn pump_own_end(&mut self, at: usize, side: usize, now: Now) {
        let circuit = &mut self.circuits[at];
        let End {
            sdk,
            connection,
            own,
            is_open,
        } = &mut circuit.ends[side];
        let Some(own) = own else {
            return;
        };
        let endpoint = &mut own.endpoint;
        assert_eq!(endpoint.side(), SIDES[side]);
        if endpoint
            .poll_timeout()
            .is_some_and(|(due, _)| due <= now.mono)
        {
            endpoint.handle_timeout(now);
        }
        let mut messages = Vec::new();
        while *is_open && self.out[*sdk].len() + messages.len() < SHORT_QUEUE {
            let (flags, data) = match endpoint.read(now) {
                Some(Received::Segment(segment)) => {
                    let flags = segment.data_flags().unwrap_or_default();
                    (flags, segment.data)
                },
                Some(Received::EndOfStream) if !own.has_told_end => {
                    (DataFlags::FIN, portcullis_wire::Secret::default())
                },
                Some(Received::EndOfStream) => continue,
                None => break,
            };
            own.has_told_end |= flags.contains(DataFlags::FIN);
            messages.push(EdgeMessage::Data(Data {
                connection: *connection,
                flags,
                data,
                ..Data::default()
            }));
        }
        while let Some(segment) = own.backlog.pop_front() {
            if let Err(error) = endpoint.write(segment, now) {
                if error.why == portcullis_xgress::WriteErrorKind::Blocked {
                    own.backlog.push_front(error.segment);
                    break;
                }
                own.backlog.clear();
            }
        }
        if own.is_closing && own.backlog.is_empty() {
            endpoint.close(now);
        }
        while let Some(acknowledgement) = endpoint.poll_acknowledgement() {
            circuit.ways[side].send(&Packet::Acknowledgement(acknowledgement), now.mono);
        }
        while let Some(payload) = endpoint.poll_payload(now) {
            circuit.ways[side].send(&Packet::Payload(payload), now.mono);
        }
        while let Some(event) = endpoint.poll_event() {
            if let EndpointEvent::Ended(_) = event {
                circuit.unroute_at.get_or_insert(now.mono + UNROUTE);
                if std::mem::take(is_open) {
                    messages.push(EdgeMessage::StateClosed(StateClosed {
                        connection: Some(*connection),
                        reason: "close called".to_owned(),
                        ..StateClosed::default()
                    }));
                }
            }
        }
        let sdk = *sdk;
        for message in messages {
            self.send(sdk, &message);
        }
    }

    /// The controller has taken the circuit away.
    fn unroute(&mut self, at: usize, now: Now) {
        let circuit = &mut self.circuits[at];
        circuit.is_gone = true;
        let mut told = Vec::new();
        for (end, way) in circuit.ends.iter_mut().zip(&mut circuit.ways) {
            way.clear();
            if !std::mem::take(&mut end.is_open) {
                continue;
            }
            let mut rest = Vec::new();
            while let Some(Received::Segment(segment)) =
                end.own.as_mut().and_then(|own| own.endpoint.read(now))
            {
                rest.push(EdgeMessage::Data(Data {
                    connection: end.connection,
                    flags: segment.data_flags().unwrap_or_default(),
                    data: segment.data,
                    ..Data::default()
                }));
            }
            told.push((end.sdk, end.connection, rest));
        }
        for (sdk, connection, rest) in told {
            for message in rest {
                self.send(sdk, &message);
            }
            self.close(sdk, connection, "xgress unrouted");
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.circuits.iter().all(|circuit| circuit.is_gone)
    }
}
