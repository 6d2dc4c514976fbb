//! SDKs, controllers and hosts that do what they should not.

use super::super::judge::service_token;
use super::super::world::{
    World, bind, connect, connect_v2, controller, initiating, offer, terminating,
};
use super::books::{Books, Owed};
use bytes::Bytes;
use portcullis_channel::{ContentType, HeaderKey, Headers, Message, Sequence};
use portcullis_domain::policies::ServiceGrant;
use portcullis_router::edge::{
    Action, AskId, BindKey, ChannelId, CircuitEnded, CircuitId, EndId, Outgoing, RequestFailure,
    RequestId, SdkChannel, SessionKind, ToSdk,
};
use portcullis_seeded_random::Random;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::circuit::CreateCircuitAnswer;
use portcullis_wire::control::refusal::Refusal;
use portcullis_wire::control::route::RouteOutcome;
use portcullis_wire::control::terminator::{CreateTerminatorAnswerV2, CreateTerminatorResult};
use portcullis_wire::edge::{
    CircuitClosed, ConnectionId, ConnectionInspectResponse, ConnectionKind, Data, DialFailed,
    DialSuccess, EdgeMessage, HealthEvent, ServiceSubscription, StateClosed, TraceRoute, Unbind,
    UpdateBind, UpdateToken,
};
use portcullis_wire::xgress::{Acknowledgement, Control, Payload, PayloadFlags};
use portcullis_wire::{ErrorCode, RetryHint, Secret, Token};
use portcullis_xgress::Side;
use std::time::Duration;

/// A question to an SDK that it has not answered.
type Question = (ChannelId, AskId, EdgeMessage);

pub(super) struct People {
    pub(super) world: World,
    pub(super) books: Books,
    random: Random,
    sequence: i32,
    circuits: u64,
    questions: Vec<Question>,
    requests: Vec<(ChannelId, RequestId)>,
    /// Terminators that controllers were asked for.
    terminators: Vec<String>,
    removals: Vec<RequestId>,
    binds: Vec<BindKey>,
}

impl People {
    pub(super) fn new(world: World, books: Books, seed: u64) -> Self {
        Self {
            world,
            books,
            random: Random::from_seed(seed),
            sequence: 0,
            circuits: 0,
            questions: Vec::new(),
            requests: Vec::new(),
            terminators: Vec::new(),
            removals: Vec::new(),
            binds: Vec::new(),
        }
    }

    pub(super) fn step(&mut self) {
        match self.random.below(20) {
            0 => self.channel_comes(),
            1 if self.random.one_in(4) => self.channel_goes(),
            2..=9 => self.sdk_speaks(),
            10 | 11 => self.host_answers(),
            12 | 13 => self.controller_answers(),
            14 | 15 => self.controller_answers_for_terminators(),
            16 => self.fabric_offers(),
            17 => self.circuit_delivers(),
            18 => self.rights_change(),
            _ => {
                let time = Duration::from_millis(1 + self.random.below(8_000));
                self.world.wait(time);
            },
        }
        self.settle();
        self.remove_finished();
        self.check_limits();
    }

    /// Channels that the router has ended.
    fn remove_finished(&mut self) {
        for id in self.channels() {
            if self.world.channel(id).is_finished() {
                self.remove(id);
            }
        }
    }

    fn remove(&mut self, id: ChannelId) {
        let unanswered = self.books.owed.keys().filter(|(owner, _)| *owner == id);
        assert_eq!(unanswered.count(), 0, "{}", self.books.log);
        self.world.channels.remove(&id);
    }

    /// Everybody leaves, and controllers answer what is left.
    pub(super) fn go_home(&mut self) {
        for id in self.channels() {
            if self.random.one_in(2) {
                self.world.channel(id).lost();
                self.books.forgive(id);
            } else {
                self.world.channel(id).end("the router stops");
            }
            self.settle();
        }
        for (channel, request) in std::mem::take(&mut self.requests) {
            assert!(!self.world.channel(channel).is_finished());
            let answer = self.created();
            self.world.controller_answers(channel, request, answer);
            self.settle();
        }
        for _ in 0..200 {
            for request in std::mem::take(&mut self.removals) {
                let now = self.world.now;
                self.world.hosting.removal_answered(request, true, now);
                self.settle();
            }
            self.world.wait(Duration::from_secs(1));
            self.settle();
        }
        for channel in self.world.channels.values() {
            assert_eq!(channel.connections(), 0);
            assert!(channel.is_finished());
        }
    }

    fn channels(&self) -> Vec<ChannelId> {
        self.world.channels.keys().copied().collect()
    }

    fn any<T: Clone>(&mut self, all: &[T]) -> Option<T> {
        let at = self.random.index(all.len());
        all.get(at).cloned()
    }

    fn channel_comes(&mut self) {
        if self.world.channels.len() < 8 {
            let identity = self.any(&["alice", "bob"]).unwrap_or_default();
            let kind = if self.random.one_in(4) {
                SessionKind::Legacy(controller())
            } else {
                SessionKind::Oidc
            };
            self.world.connect(identity, kind);
        }
    }

    fn channel_goes(&mut self) {
        let Some(id) = self.any(&self.channels()) else {
            return;
        };
        if self.random.one_in(2) {
            self.world.channel(id).lost();
            self.books.forgive(id);
            self.books.reach("channel lost");
        } else {
            self.world.channel(id).end("no reason");
        }
        self.settle();
        assert_eq!(self.world.channel(id).connections(), 0);
    }

    fn connection(&mut self) -> ConnectionId {
        let ids = [
            0,
            1,
            2,
            3,
            4,
            5,
            6,
            7,
            8,
            0x8000_0000,
            0x8000_0001,
            u32::MAX,
        ];
        ConnectionId(self.any(&ids).unwrap_or_default())
    }

    fn token(&mut self, grant: ServiceGrant) -> Token {
        match self.random.below(12) {
            0 => Token::new("garbage".to_owned()),
            1 => Token::new("eygarbage".to_owned()),
            2 => service_token(ServiceGrant::Dial, "svc1"),
            3 => service_token(ServiceGrant::Bind, "svc2"),
            _ => service_token(grant, "svc1"),
        }
    }

    /// One of the ends that there are, or none.
    fn end(&mut self) -> EndId {
        let open: Vec<EndId> = self.books.open.keys().cloned().collect();
        self.any(&open).unwrap_or_else(|| initiating("unknown"))
    }

    fn sdk_speaks(&mut self) {
        let channels = self.world.channels.iter();
        let living = channels.filter(|(_, channel)| !channel.has_ended());
        let living: Vec<ChannelId> = living.map(|(id, _)| *id).collect();
        let Some(channel) = self.any(&living) else {
            return;
        };
        if self.random.one_in(12) {
            return self.sdk_stammers(channel);
        }
        let message = self.message();
        let owed = match &message {
            EdgeMessage::Connect(_) | EdgeMessage::ConnectV2(_) => Some(Owed::Dial),
            EdgeMessage::Bind(_) => Some(Owed::Bind),
            _ => None,
        };
        self.say(channel, message.encode().unwrap(), owed);
    }

    /// A message that is none.
    fn sdk_stammers(&mut self, channel: ChannelId) {
        let kinds = [
            1100, 1101, 1102, 1103, 10_800, 60_783, 60_788, 60_790, 60_791, 60_806, 7,
        ];
        let kind = self.any(&kinds).unwrap_or_default();
        let headers = match self.random.below(3) {
            0 => Headers::empty(),
            1 => Headers::builder().u16(HeaderKey(1000), 1).build(),
            _ => Headers::builder().u32(HeaderKey(1000), 1).build(),
        };
        let body: Vec<u8> = (0..self.random.below(6))
            .map(|_| u8::try_from(self.random.below(256)).unwrap_or_default())
            .collect();
        let message = Message::new(ContentType(kind)).with_headers(headers);
        self.books.reach("malformed");
        self.say(channel, message.with_body(body), None);
    }

    fn say(&mut self, channel: ChannelId, message: Message, owed: Option<Owed>) {
        self.sequence += 1;
        self.books
            .note(&format!("{channel:?} {} says {message:?}", self.sequence));
        if let Some(owed) = owed {
            self.books.owed.insert((channel, self.sequence), owed);
        }
        let frame = super::super::world::frame_of(message, self.sequence);
        self.world.says_frame(channel, frame);
    }

    fn message(&mut self) -> EdgeMessage {
        let connection = self.connection();
        match self.random.below(18) {
            0..=3 => {
                let mut message = connect(connection.0);
                message.session_token = self.token(ServiceGrant::Dial);
                message.uses_xgress = self.random.one_in(2);
                EdgeMessage::Connect(message)
            },
            4 => EdgeMessage::ConnectV2(connect_v2(connection.0, "svc1")),
            5..=7 => {
                let listener = self.any(&["one", "two", ""]).unwrap_or_default();
                let mut message = bind(connection.0, listener);
                message.session_token = self.token(ServiceGrant::Bind);
                message.listener_id = message.listener_id.filter(|id| !id.is_empty());
                message.router_provides_connections = !self.random.one_in(3);
                message.uses_xgress = self.random.one_in(2);
                message.cost = self.any(&[None, Some(1), Some(2)]).unwrap_or_default();
                EdgeMessage::Bind(message)
            },
            8 => EdgeMessage::Unbind(Unbind {
                session_token: self.token(ServiceGrant::Bind),
                connection,
                sequence: None,
            }),
            9 => EdgeMessage::UpdateBind(UpdateBind {
                session_token: self.token(ServiceGrant::Bind),
                connection,
                cost: Some(5),
                ..UpdateBind::default()
            }),
            10 => EdgeMessage::HealthEvent(HealthEvent {
                session_token: self.token(ServiceGrant::Bind),
                connection,
                ..HealthEvent::default()
            }),
            11 | 12 => EdgeMessage::StateClosed(StateClosed {
                connection: Some(connection),
                ..StateClosed::default()
            }),
            13 => EdgeMessage::Data(Data {
                connection,
                data: Secret::new(Bytes::from(vec![0; 30])),
                ..Data::default()
            }),
            14 => self.xgress_message(),
            15 => EdgeMessage::TraceRoute(TraceRoute {
                connection,
                hops: 3,
                ..TraceRoute::default()
            }),
            16 => EdgeMessage::DialSuccess(DialSuccess {
                connection,
                new_connection: self.connection(),
                ..DialSuccess::default()
            }),
            _ => self.seldom_message(),
        }
    }

    fn seldom_message(&mut self) -> EdgeMessage {
        match self.random.below(4) {
            0 => EdgeMessage::ServiceSubscription(ServiceSubscription { index: -1 }),
            1 => EdgeMessage::ResyncPostureState,
            2 if self.random.one_in(10) => EdgeMessage::UpdateToken(UpdateToken {
                access_token: Token::new("garbage".to_owned()),
            }),
            _ => EdgeMessage::ServiceUnsubscription,
        }
    }

    fn xgress_message(&mut self) -> EdgeMessage {
        let end = self.end();
        let circuit_id = end.circuit.to_string();
        let flags = match end.side {
            Side::Initiator => PayloadFlags::default(),
            Side::Terminator => PayloadFlags::FROM_TERMINATOR,
        };
        match self.random.below(4) {
            0 => EdgeMessage::Payload(Payload {
                circuit_id,
                flags,
                ..Payload::default()
            }),
            1 => EdgeMessage::Acknowledgement(Acknowledgement {
                circuit_id,
                flags,
                ..Acknowledgement::default()
            }),
            2 => EdgeMessage::Control(Control {
                circuit_id,
                ..Control::default()
            }),
            _ => EdgeMessage::CircuitClosed(CircuitClosed { circuit_id }),
        }
    }

    fn host_answers(&mut self) {
        if self.questions.is_empty() {
            return;
        }
        let at = self.random.index(self.questions.len());
        // Some are answered twice.
        let (channel, ask, question) = if self.random.one_in(8) {
            self.questions[at].clone()
        } else {
            self.questions.swap_remove(at)
        };
        if !self.world.channels.contains_key(&channel) {
            return;
        }
        if self.random.one_in(8) {
            self.world.channel(channel).not_answered(ask);
            return;
        }
        let answer = match question {
            EdgeMessage::Dial(dial) => {
                let chosen = dial.new_connection.unwrap_or_default();
                let id = match self.random.below(6) {
                    0 => self.connection(),
                    _ if dial.new_connection.is_none() => self.connection(),
                    _ => chosen,
                };
                match self.random.below(5) {
                    0 => EdgeMessage::DialFailed(DialFailed {
                        connection: dial.connection,
                        reason: "rejected by application".to_owned(),
                        sequence: None,
                    }),
                    _ => EdgeMessage::DialSuccess(DialSuccess {
                        connection: dial.connection,
                        new_connection: id,
                        ..DialSuccess::default()
                    }),
                }
            },
            _ => EdgeMessage::ConnectionInspectResponse(ConnectionInspectResponse {
                connection: ConnectionId(1),
                kind: if self.random.one_in(6) {
                    ConnectionKind::Invalid
                } else {
                    ConnectionKind::Bind
                },
                detail: String::new(),
            }),
        };
        self.books
            .note(&format!("{channel:?} answers {ask:?} {answer:?}"));
        self.world.answers(channel, ask, answer);
    }

    /// The answer with a new circuit.
    fn created(&mut self) -> ControlMessage {
        let circuit_id = self.served_by_somebody().unwrap_or_else(|| {
            self.circuits += 1;
            format!("dialed-{}", self.circuits)
        });
        self.books.created.insert(circuit_id.clone());
        ControlMessage::CreateCircuitAnswerV3(CreateCircuitAnswer {
            circuit_id,
            address: "ingress".to_owned(),
            ..CreateCircuitAnswer::default()
        })
    }

    /// A circuit that has only the other end so far, or none.
    fn served_by_somebody(&mut self) -> Option<String> {
        let ends = self.books.open.keys();
        let served = ends.filter(|end| end.side == Side::Terminator);
        let served = served.map(|end| end.circuit.to_string());
        let served = served.filter(|circuit| {
            let is_dialed = self.books.open.contains_key(&initiating(circuit));
            !is_dialed && !self.books.created.contains(circuit)
        });
        let served: Vec<String> = served.collect();
        self.any(&served)
    }

    fn controller_answers(&mut self) {
        if self.requests.is_empty() {
            return;
        }
        let at = self.random.index(self.requests.len());
        let (channel, request) = self.requests.swap_remove(at);
        if !self.world.channels.contains_key(&channel) {
            return;
        }
        match self.random.below(6) {
            0 => {
                let failure = RequestFailure::Lost;
                self.world
                    .channel(channel)
                    .controller_failed(request, failure);
            },
            1 => {
                let refusal = ControlMessage::Refusal(Refusal {
                    reason: "no".to_owned(),
                    code: Some(ErrorCode::AccessDenied),
                    ..Refusal::default()
                });
                self.world.controller_answers(channel, request, refusal);
            },
            _ => {
                let answer = self.created();
                self.books
                    .note(&format!("{channel:?} {request:?} gets {answer:?}"));
                self.world.controller_answers(channel, request, answer);
            },
        }
    }

    fn controller_answers_for_terminators(&mut self) {
        if self.random.one_in(3)
            && let Some(request) = self.removals.pop()
        {
            let (is_done, now) = (!self.random.one_in(3), self.world.now);
            self.world.hosting.removal_answered(request, is_done, now);
            return;
        }
        if self.random.one_in(20) {
            let now = self.world.now;
            self.world.hosting.controller_connected(now);
            return;
        }
        let Some(terminator_id) = self.any(&self.terminators.clone()) else {
            return;
        };
        let (result, retry_hint) = match self.random.below(8) {
            0 => (CreateTerminatorResult::FailedBusy, RetryHint::Busy),
            1 => (CreateTerminatorResult::Failed, RetryHint::Default),
            2 => (CreateTerminatorResult::Failed, RetryHint::StartOver),
            _ => (CreateTerminatorResult::Success, RetryHint::Default),
        };
        self.books
            .note(&format!("{terminator_id} {result:?} {retry_hint:?}"));
        self.world.terminator_answered(CreateTerminatorAnswerV2 {
            terminator_id,
            result,
            retry_hint,
            ..CreateTerminatorAnswerV2::default()
        });
    }

    fn fabric_offers(&mut self) {
        let current: Vec<BindKey> = self
            .world
            .hosting
            .terminators()
            .map(|one| one.bind)
            .collect();
        self.binds.extend(&current);
        // Some binds are long gone.
        let bind = if self.random.one_in(4) {
            self.any(&self.binds.clone())
        } else {
            self.any(&current)
        };
        let Some(bind) = bind else { return };
        if !self.world.channels.contains_key(&bind.channel) {
            return;
        }
        self.circuits += 1;
        let circuit = format!("offered-{}", self.circuits);
        self.books
            .note(&format!("{circuit} is offered to {bind:?}"));
        self.books.offers.insert(circuit.as_str().into());
        let now = self.world.now;
        let offer = offer(bind, &circuit);
        self.world.channel(bind.channel).offer(offer, now);
    }

    fn circuit_delivers(&mut self) {
        let end = self.end();
        let owner = self.books.open.get(&end).copied();
        let Some(channel) = owner.or_else(|| self.channels().first().copied()) else {
            return;
        };
        let content = match self.random.below(6) {
            0 => ToSdk::Ended(CircuitEnded::Unrouted),
            1 => ToSdk::EndOfData,
            2 => ToSdk::Payload(Payload::default()),
            3 => ToSdk::Control(Control::default()),
            _ => {
                let bytes = usize::try_from(self.random.below(600)).unwrap_or_default();
                self.world.channel(channel).taken_by(&end, bytes);
                return;
            },
        };
        if matches!(content, ToSdk::Ended(_)) && owner.is_some() {
            self.books.note(&format!("{end:?} has ended"));
            self.books.closed(channel, &end);
        }
        self.world.delivers(channel, &end, content);
    }

    fn rights_change(&mut self) {
        let identity = self.any(&["alice", "bob"]).unwrap_or_default();
        let grant = self
            .any(&[ServiceGrant::Dial, ServiceGrant::Bind])
            .unwrap_or(ServiceGrant::Dial);
        if self.random.one_in(3) {
            self.world.judge.deny(identity, grant, "svc1");
        } else {
            self.world.judge.allow(identity, grant, "svc1");
        }
        if self.random.one_in(2) {
            self.world.review();
        }
    }

    fn check_limits(&self) {
        let limits = &self.world.limits;
        let mut binds = 0;
        for channel in self.world.channels.values() {
            assert!(channel.connections() <= limits.connections);
            assert!(channel.binds() <= limits.binds);
            binds += channel.binds();
        }
        let hosting = &self.world.hosting;
        assert!(hosting.len() <= limits.terminators);
        let log = &self.books.log;
        assert_eq!(hosting.terminators().count(), binds, "{log}");
        let deadlines = self
            .world
            .channels
            .values()
            .filter_map(SdkChannel::deadline);
        let next = deadlines.chain(hosting.deadline()).min();
        assert!(next.is_none_or(|next| next > self.world.now), "{log}");
    }

    /// Writes down what the router has done.
    pub(super) fn settle(&mut self) {
        self.world.settle();
        let others = std::mem::take(&mut self.world.done.others);
        for (channel, outgoing) in std::mem::take(&mut self.world.done.sent) {
            self.sent(channel, &outgoing);
        }
        for action in others {
            if let Action::CloseChannel { .. } = action {
                self.books.reach("channel closed");
            }
        }
        for (channel, action) in std::mem::take(&mut self.world.done.opened) {
            self.books.note(&format!("{channel:?} {action:?}"));
            match action {
                Action::Open(end) => self.opened(channel, &end.id),
                Action::Start(dialed) => self.books.check_open(channel, &dialed.end),
                Action::Put { end, .. } => {
                    self.books.check_open(channel, &end);
                    self.books.reach("put");
                },
                Action::Close { end, closing } => {
                    self.books.closed(channel, &end);
                    self.books.reach(&format!("circuit closed {closing:?}"));
                },
                other => panic!("{other:?}"),
            }
        }
        self.world.done.put.clear();
        for (circuit, outcome) in std::mem::take(&mut self.world.done.routed) {
            self.routed(&circuit, &outcome);
        }
        self.questions.extend(self.world.done.asked.drain(..));
        let requests = self.world.done.requests.drain(..);
        self.requests
            .extend(requests.map(|(channel, request, _)| (channel, request)));
        for (request, _) in std::mem::take(&mut self.world.done.removals) {
            self.books.reach("removal");
            self.removals.push(request);
        }
        for message in std::mem::take(&mut self.world.done.told) {
            match message {
                ControlMessage::Fault(fault) => {
                    assert!(self.books.created.remove(&fault.id), "{}", self.books.log);
                    self.books.reach("circuit given back");
                },
                ControlMessage::CreateTerminatorV2(create) => {
                    self.terminators.push(create.address);
                },
                _ => {},
            }
        }
    }

    fn opened(&mut self, channel: ChannelId, end: &EndId) {
        self.books.opened(channel, end);
        let served = terminating(end.circuit.as_str());
        if end.side == Side::Initiator && self.books.open.get(&served) == Some(&channel) {
            self.books.reach("both ends at one channel");
        }
    }

    fn sent(&mut self, channel: ChannelId, outgoing: &Outgoing) {
        let message =
            super::super::world::on_the_wire(&outgoing.message, outgoing.reply_to.as_ref());
        self.books.note(&format!("{channel:?} is sent {message:?}"));
        let Some(reply_for) = message.headers.i32(HeaderKey(1)) else {
            if let EdgeMessage::StateClosed(_) = outgoing.message {
                self.books.reach("terminator ended");
            }
            return;
        };
        let owed = self.books.replied(channel, Sequence(reply_for));
        let is_success = matches!(outgoing.message, EdgeMessage::StateConnected(_));
        match (owed, is_success) {
            (Some(Owed::Dial), true) => self.books.reach("dialed"),
            (Some(Owed::Dial), false) => self.books.reach("dial refused"),
            (Some(Owed::Bind), true) => self.books.reach("bound"),
            (Some(Owed::Bind), false) => self.books.reach("bind refused"),
            // To traces, tokens, malformed messages, and hosts that choose ids.
            (None, _) => {},
        }
    }

    fn routed(&mut self, circuit: &CircuitId, outcome: &RouteOutcome) {
        self.books.note(&format!("{circuit} {outcome:?}"));
        assert!(self.books.offers.remove(circuit), "{}", self.books.log);
        let is_open = self.books.open.contains_key(&terminating(circuit.as_str()));
        match outcome {
            RouteOutcome::Routed(_) => {
                assert!(is_open, "{}", self.books.log);
                self.books.reach("offer taken");
            },
            RouteOutcome::Failed { failure, .. } => {
                assert!(!is_open, "{}", self.books.log);
                self.books.reach(&format!("offer declined {failure:?}"));
            },
        }
    }
}
