//! A router's edge with SDKs and a controller that tests speak for.

use super::judge::{Judge, certificates, session};
use bytes::{Bytes, BytesMut};
use portcullis_channel::{Frame, FrameLimits, FrameReader, HeaderKey, Message, ReplyTo, Sequence};
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_domain::entropy::{Entropy, EntropyError};
use portcullis_domain::policies::ServiceGrant;
use portcullis_router::edge::{
    Action, ApiSession, AskId, BindKey, ChannelId, CircuitId, Client, Closing, ControllerId,
    EdgeLimits, EndId, FromSdk, HostAction, Hosting, Offer, Outgoing, RequestId, SdkChannel,
    SessionKind, ToSdk,
};
use portcullis_seeded_random::Random;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::circuit::CreateCircuitAnswer;
use portcullis_wire::control::route::RouteOutcome;
use portcullis_wire::control::terminator::{CreateTerminatorAnswerV2, CreateTerminatorV2};
use portcullis_wire::edge::{
    Bind, Connect, ConnectV2, ConnectionId, DialSuccess, EdgeMessage, StateClosed,
};
use portcullis_wire::peer_data::PeerData;
use portcullis_xgress::Side;
use std::borrow::Borrow;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(crate) const SERVICE: &str = "svc1";
pub(crate) const ROUTER: &str = "Q-3v6L3R3";

/// Random numbers that are the same each time.
struct Seeded(Mutex<Random>);

impl Entropy for Seeded {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        let mut random = self.0.lock().unwrap();
        bytes.fill_with(|| u8::try_from(random.below(256)).unwrap());
        Ok(())
    }
}

/// What the router has done.
#[derive(Debug, Default)]
pub(crate) struct Done {
    pub(crate) sent: VecDeque<(ChannelId, Outgoing)>,
    pub(crate) asked: VecDeque<(ChannelId, AskId, EdgeMessage)>,
    pub(crate) requests: VecDeque<(ChannelId, RequestId, ControlMessage)>,
    /// What controllers are told by channels and for terminators.
    pub(crate) told: VecDeque<ControlMessage>,
    pub(crate) removals: VecDeque<(RequestId, Vec<String>)>,
    pub(crate) routed: VecDeque<(CircuitId, RouteOutcome)>,
    pub(crate) put: VecDeque<(EndId, FromSdk)>,
    /// What became of circuits, with their channels, in its order.
    pub(crate) opened: VecDeque<(ChannelId, Action)>,
    /// The rest, in their order.
    pub(crate) others: VecDeque<Action>,
}

pub(crate) struct World {
    pub(crate) now: Timestamp,
    pub(crate) judge: Judge,
    pub(crate) hosting: Hosting,
    pub(crate) channels: BTreeMap<ChannelId, SdkChannel>,
    pub(crate) done: Done,
    pub(crate) limits: EdgeLimits,
    last_channel: u64,
    last_sequence: i32,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with_limits(EdgeLimits::default())
    }

    pub(crate) fn with_limits(limits: EdgeLimits) -> Self {
        Self {
            now: Timestamp::UNIX_EPOCH,
            judge: Judge::default(),
            hosting: Hosting::new(Arc::new(Seeded(Mutex::new(Random::from_seed(7)))), limits),
            channels: BTreeMap::new(),
            done: Done::default(),
            limits,
            last_channel: 0,
            last_sequence: 0,
        }
    }

    /// A channel of an identity that may dial and bind [`SERVICE`].
    pub(crate) fn connect(&mut self, identity: &str, kind: SessionKind) -> ChannelId {
        self.judge.allow(identity, ServiceGrant::Dial, SERVICE);
        self.judge.allow(identity, ServiceGrant::Bind, SERVICE);
        self.open(session(identity, kind))
    }

    pub(crate) fn oidc(&mut self, identity: &str) -> ChannelId {
        self.connect(identity, SessionKind::Oidc)
    }

    pub(crate) fn open(&mut self, session: ApiSession) -> ChannelId {
        self.last_channel += 1;
        let id = ChannelId(self.last_channel);
        let certificates = certificates(session.identity.as_str());
        let client = Client {
            session,
            certificates,
        };
        let channel = SdkChannel::new(id, client, ROUTER.into(), self.limits, self.now);
        self.channels.insert(id, channel);
        id
    }

    pub(crate) fn channel(&mut self, id: ChannelId) -> &mut SdkChannel {
        self.channels.get_mut(&id).unwrap()
    }

    /// The SDK says something. The number of its message.
    pub(crate) fn says(
        &mut self,
        channel: ChannelId,
        message: impl Borrow<EdgeMessage>,
    ) -> Sequence {
        self.says_raw(channel, message.borrow().encode().unwrap())
    }

    pub(crate) fn says_raw(&mut self, channel: ChannelId, message: Message) -> Sequence {
        self.last_sequence += 1;
        self.says_frame(channel, frame_of(message, self.last_sequence))
    }

    pub(crate) fn says_frame(&mut self, channel: ChannelId, frame: Frame) -> Sequence {
        let sequence = frame.sequence();
        let judge = &self.judge;
        let sdk = self.channels.get_mut(&channel).unwrap();
        sdk.handle_frame(frame, judge, self.now);
        self.settle();
        sequence
    }

    /// The SDK answers a question.
    pub(crate) fn answers(
        &mut self,
        channel: ChannelId,
        ask: AskId,
        message: impl Borrow<EdgeMessage>,
    ) {
        self.last_sequence += 1;
        let frame = frame_of(message.borrow().encode().unwrap(), self.last_sequence);
        self.channel(channel).answered(ask, frame);
        self.settle();
    }

    /// The controller answers a request of a channel.
    pub(crate) fn controller_answers(
        &mut self,
        channel: ChannelId,
        request: RequestId,
        answer: ControlMessage,
    ) {
        let judge = &self.judge;
        let sdk = self.channels.get_mut(&channel).unwrap();
        sdk.controller_answered(request, controller(), answer, judge, self.now);
        self.settle();
    }

    pub(crate) fn delivers(&mut self, channel: ChannelId, end: &EndId, content: ToSdk) {
        self.channel(channel).deliver(end, content);
        self.settle();
    }

    /// The controller answers the creation of a terminator.
    pub(crate) fn terminator_answered(&mut self, answer: CreateTerminatorAnswerV2) {
        self.hosting.create_answered(answer, self.now);
        self.settle();
    }

    /// Rights or sessions have changed.
    pub(crate) fn review(&mut self) {
        for channel in self.channels.values_mut() {
            channel.review(&self.judge, self.now);
        }
        self.settle();
    }

    /// Time passes, and every deadline on the way is kept.
    pub(crate) fn wait(&mut self, duration: Duration) {
        let end = self.now + SignedDuration::try_from(duration).unwrap();
        loop {
            let deadlines = self.channels.values().filter_map(SdkChannel::deadline);
            let next = deadlines.chain(self.hosting.deadline()).min();
            let Some(next) = next.filter(|next| *next <= end) else {
                break;
            };
            self.now = self.now.max(next);
            for channel in self.channels.values_mut() {
                channel.handle_timeout(&self.judge, self.now);
            }
            self.hosting.handle_timeout(self.now);
            self.settle();
        }
        self.now = end;
    }

    /// Performs actions until there are none.
    pub(crate) fn settle(&mut self) {
        loop {
            let mut is_quiet = true;
            while let Some(action) = self.hosting.poll() {
                is_quiet = false;
                self.host_action(action);
            }
            let ids: Vec<ChannelId> = self.channels.keys().copied().collect();
            for id in ids {
                while let Some(action) = self.channel(id).poll() {
                    is_quiet = false;
                    self.action(id, action);
                }
            }
            if is_quiet {
                return;
            }
        }
    }

    fn host_action(&mut self, action: HostAction) {
        match action {
            HostAction::Event { bind, event } => {
                if let Some(channel) = self.channels.get_mut(&bind.channel) {
                    channel.host_event(bind, event, self.now);
                }
            },
            HostAction::Tell { message, .. } => self.done.told.push_back(*message),
            HostAction::Remove { request, message } => {
                let ControlMessage::RemoveTerminators(remove) = *message else {
                    panic!("{message:?}");
                };
                let removal = (request, remove.terminator_ids);
                self.done.removals.push_back(removal);
            },
        }
    }

    fn action(&mut self, id: ChannelId, action: Action) {
        if let Action::Open(_) | Action::Start(_) | Action::Put { .. } | Action::Close { .. } =
            action
        {
            self.done.opened.push_back((id, action.clone()));
        }
        match action {
            Action::Host(request) => self.hosting.handle(request, self.now),
            Action::Send(outgoing) => self.done.sent.push_back((id, outgoing)),
            Action::Ask { ask, message } => self.done.asked.push_back((id, ask, message)),
            Action::Request {
                request, message, ..
            } => self.done.requests.push_back((id, request, *message)),
            Action::Tell { message, .. } => self.done.told.push_back(*message),
            Action::Routed {
                circuit, outcome, ..
            } => self.done.routed.push_back((circuit, outcome)),
            Action::Put { end, content } => self.done.put.push_back((end, content)),
            other => self.done.others.push_back(other),
        }
    }

    /// The only message that was sent, and whether it replies to something.
    pub(crate) fn sent(&mut self) -> (EdgeMessage, Option<ReplyTo>) {
        let (_, outgoing) = self.done.sent.pop_front().expect("something was sent");
        assert!(self.done.sent.is_empty(), "{:?}", self.done.sent);
        (outgoing.message, outgoing.reply_to)
    }

    /// The only message that was sent, which must be an end.
    pub(crate) fn closed(&mut self) -> StateClosed {
        match self.sent().0 {
            EdgeMessage::StateClosed(closed) => closed,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn nothing_sent(&self) {
        assert!(self.done.sent.is_empty(), "{:?}", self.done.sent);
    }

    /// The only request to a controller that was made.
    pub(crate) fn request(&mut self) -> (RequestId, ControlMessage) {
        let (_, request, message) = self.done.requests.pop_front().expect("a request");
        assert!(self.done.requests.is_empty(), "{:?}", self.done.requests);
        (request, message)
    }

    /// The only creation of a terminator that was asked for.
    pub(crate) fn created(&mut self) -> CreateTerminatorV2 {
        match self.done.told.pop_front() {
            Some(ControlMessage::CreateTerminatorV2(create)) => create,
            other => panic!("{other:?}"),
        }
    }

    /// The only question that was asked.
    pub(crate) fn asked(&mut self) -> (AskId, EdgeMessage) {
        let (_, ask, message) = self.done.asked.pop_front().expect("a question");
        assert!(self.done.asked.is_empty(), "{:?}", self.done.asked);
        (ask, message)
    }

    /// The only outcome of an offer.
    pub(crate) fn routed(&mut self) -> RouteOutcome {
        let (_, outcome) = self.done.routed.pop_front().expect("an outcome");
        assert!(self.done.routed.is_empty(), "{:?}", self.done.routed);
        outcome
    }

    /// A connection with a circuit, dialed by the SDK.
    pub(crate) fn dialed(&mut self, channel: ChannelId, id: u32, circuit: &str, uses_xgress: bool) {
        let mut connect = connect(id);
        connect.uses_xgress = uses_xgress;
        self.says(channel, EdgeMessage::Connect(connect));
        let (request, _) = self.request();
        self.controller_answers(channel, request, created(circuit));
        self.done.sent.clear();
        self.done.others.clear();
    }

    /// A bind that a controller has a terminator for.
    pub(crate) fn bound(&mut self, channel: ChannelId, bind: Bind) -> BindKey {
        self.says(channel, EdgeMessage::Bind(bind));
        let create = self.created();
        self.terminator_answered(success(&create.address));
        self.done.sent.clear();
        self.done.asked.clear();
        self.hosting.find(&create.address).unwrap()
    }

    /// A connection with a circuit, taken by the host.
    pub(crate) fn served(&mut self, bind: BindKey, circuit: &str) -> ConnectionId {
        self.offers(bind, circuit);
        let (ask, dial) = self.asked();
        let EdgeMessage::Dial(dial) = dial else {
            panic!("{dial:?}");
        };
        let id = dial.new_connection.unwrap();
        let success = EdgeMessage::DialSuccess(DialSuccess {
            connection: dial.connection,
            new_connection: id,
            ..DialSuccess::default()
        });
        self.answers(bind.channel, ask, success);
        assert!(matches!(self.routed(), RouteOutcome::Routed(_)));
        self.done.others.clear();
        id
    }

    pub(crate) fn offers(&mut self, bind: BindKey, circuit: &str) {
        let now = self.now;
        self.channel(bind.channel).offer(offer(bind, circuit), now);
        self.settle();
    }
}

/// The end of a circuit at the SDK that has dialed it.
pub(crate) fn initiating(circuit: &str) -> EndId {
    EndId {
        circuit: circuit.into(),
        side: Side::Initiator,
    }
}

/// The end of a circuit at the SDK that serves it.
pub(crate) fn terminating(circuit: &str) -> EndId {
    EndId {
        circuit: circuit.into(),
        side: Side::Terminator,
    }
}

pub(crate) fn controller() -> ControllerId {
    "instance-1".into()
}

pub(crate) fn offer(bind: BindKey, circuit: &str) -> Offer {
    Offer {
        circuit: circuit.into(),
        attempt: 0,
        address: format!("egress-of-{circuit}"),
        bind,
        controller: controller(),
        peer_data: PeerData::new(),
        time_left: Duration::from_secs(10),
    }
}

/// A dial of [`SERVICE`].
pub(crate) fn connect(id: u32) -> Connect {
    Connect {
        session_token: super::judge::service_token(ServiceGrant::Dial, SERVICE),
        connection: ConnectionId(id),
        ..Connect::default()
    }
}

pub(crate) fn connect_v2(id: u32, service: &str) -> ConnectV2 {
    ConnectV2 {
        connection: ConnectionId(id),
        service: service.to_owned(),
        uses_xgress: true,
        ..ConnectV2::default()
    }
}

/// A bind of [`SERVICE`], as Go SDKs make it.
pub(crate) fn bind(id: u32, listener: &str) -> Bind {
    Bind {
        session_token: super::judge::service_token(ServiceGrant::Bind, SERVICE),
        connection: ConnectionId(id),
        listener_id: Some(Bytes::copy_from_slice(listener.as_bytes())),
        router_provides_connections: true,
        supports_inspect: true,
        supports_bind_success: true,
        ..Bind::default()
    }
}

/// The answer to the request for a circuit.
pub(crate) fn created(circuit: &str) -> ControlMessage {
    ControlMessage::CreateCircuitAnswerV2(CreateCircuitAnswer {
        circuit_id: circuit.to_owned(),
        address: format!("ingress-of-{circuit}"),
        ..CreateCircuitAnswer::default()
    })
}

pub(crate) fn success(terminator: &str) -> CreateTerminatorAnswerV2 {
    CreateTerminatorAnswerV2 {
        terminator_id: terminator.to_owned(),
        ..CreateTerminatorAnswerV2::default()
    }
}

pub(crate) fn frame_of(message: Message, sequence: i32) -> Frame {
    Frame::new(message, Sequence(sequence), &FrameLimits::LARGE).unwrap()
}

/// A frame in hex.
pub(crate) fn frame(hex: &str) -> Frame {
    let pairs = (0..hex.len()).step_by(2).map(|at| &hex[at..at + 2]);
    let mut bytes: BytesMut = pairs
        .map(|pair| u8::from_str_radix(pair, 16).unwrap())
        .collect();
    let frame = FrameReader::new(FrameLimits::LARGE).next(&mut bytes);
    frame.unwrap().unwrap()
}

/// Headers of a message in a fixed order, with its content type and its body.
pub(crate) fn parts(message: &Message) -> (i32, Vec<(HeaderKey, Vec<u8>)>, Bytes) {
    let headers = message.headers.iter();
    let mut headers: Vec<_> = headers.map(|(key, value)| (key, value.to_vec())).collect();
    headers.sort();
    (message.content_type.0, headers, message.body.clone())
}

/// The message as it goes out.
pub(crate) fn on_the_wire(message: &EdgeMessage, reply_to: Option<&ReplyTo>) -> Message {
    let message = message.encode().unwrap();
    match reply_to {
        Some(reply_to) => message.in_reply_to(reply_to),
        None => message,
    }
}

/// How circuits were closed.
pub(crate) fn closings(world: &mut World) -> Vec<(String, Closing)> {
    let others = std::mem::take(&mut world.done.others);
    let closings = others.into_iter().filter_map(|action| match action {
        Action::Close { end, closing } => Some((end.circuit.to_string(), closing)),
        _ => None,
    });
    closings.collect()
}
