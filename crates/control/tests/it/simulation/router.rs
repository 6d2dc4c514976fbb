//! A router: what it has, and what it says when it is told something.

use super::circuits::{Entry, carried};
use super::knowledge::Knowledge;
use super::line::Line;
use super::trace;
use bytes::Bytes;
use parking_lot::Mutex;
use portcullis_channel::{
    ChannelKind, ChannelOptions, ChannelSide, Frame, REQUEST_TIMEOUT, ReplyTo, ResultMessage,
    ResultStatus, UnixNanos,
};
use portcullis_transport::{
    ChannelHandle, Clock, Group, GroupSettings, Transport, TransportLimits,
};
use portcullis_wire::Secret;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::circuit::CircuitConfirmation;
use portcullis_wire::control::edge_hello::ClientHello;
use portcullis_wire::control::hello::RouterHello;
use portcullis_wire::control::link::{Fault, FaultSubject, RouterLink, RouterLinks};
use portcullis_wire::control::route::{Route, RouteOutcome, RouteResult};
use portcullis_wire::control::terminator::{
    CreateTerminatorResult, RemoveTerminators, TerminatorState, ValidateTerminators,
    ValidatedTerminators,
};
use portcullis_wire::control::tunnel::{CreateTunnelCircuit, CreateTunnelTerminator};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::sleep;

/// Of the key of each end, without which there are no circuits to services that require encryption.
const PUBLIC_KEY: u32 = 1003;
/// How long what is under way may take after the end of a circuit.
const DRAIN: Duration = Duration::from_secs(5);
/// When a router asks again for what it did not get.
const RETRY: Duration = Duration::from_secs(5);

/// A router from one start to its end. Clones are the same.
#[derive(Clone)]
pub(crate) struct Router(Arc<Running>);

struct Running {
    id: String,
    hello: RouterHello,
    wall: UnixNanos,
    channel: Mutex<Option<ChannelHandle>>,
    mind: Mutex<Mind>,
    task: Mutex<Option<JoinHandle<()>>>,
}

/// What a router knows and has.
#[derive(Default)]
pub(crate) struct Mind {
    pub(crate) links: BTreeMap<String, LinkEnd>,
    /// Links that the controller wants closed, with their iterations.
    pub(crate) to_close: Vec<(String, u32)>,
    pub(crate) circuits: BTreeMap<String, Entry>,
    /// Terminators, by address, that have a host here.
    pub(crate) hosted: BTreeSet<String>,
    /// Those of them that the controller has confirmed.
    pub(crate) created: BTreeSet<String>,
    pub(crate) knowledge: Knowledge,
    /// Routes are not answered: whoever hosts does not.
    pub(crate) is_stuck: bool,
    pub(crate) heard: Heard,
    controller: String,
}

/// How often the router was told something.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Heard {
    pub(crate) greetings: usize,
    pub(crate) peers: usize,
    pub(crate) unroutes: usize,
}

/// One end of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LinkEnd {
    pub(crate) peer: usize,
    pub(crate) peer_id: String,
    pub(crate) iteration: u32,
    pub(crate) is_source: bool,
}

impl Router {
    /// Starts a router; its clock is at `wall` when it connects.
    pub(crate) fn start(id: &str, hello: RouterHello, wall: UnixNanos, line: Line) -> Self {
        let router = Self(Arc::new(Running {
            id: id.to_owned(),
            hello,
            wall,
            channel: Mutex::default(),
            mind: Mutex::default(),
            task: Mutex::default(),
        }));
        let running = router.clone();
        let task = tokio::spawn(async move { running.run(line).await });
        *router.0.task.lock() = Some(task);
        router
    }

    /// Ends it, with everything that it has.
    pub(crate) fn crash(&self) {
        if let Some(task) = self.0.task.lock().take() {
            task.abort();
        }
        *self.0.channel.lock() = None;
    }

    pub(crate) fn with<T>(&self, change: impl FnOnce(&mut Mind) -> T) -> T {
        change(&mut self.0.mind.lock())
    }

    async fn run(self, line: Line) {
        loop {
            self.keep_channel(line.clone()).await;
            // It was told where its controllers are, and so dials again.
            sleep(Duration::from_secs(1)).await;
        }
    }

    /// Opens a channel, and listens until it is closed, as by heartbeats that are not answered.
    async fn keep_channel(&self, line: Line) {
        let transport = Transport::new(Clock::start(self.0.wall), TransportLimits::default());
        let options = ChannelOptions::new(ChannelKind::Control, ChannelSide::Dialer);
        let headers = self.0.hello.to_headers();
        let settings = GroupSettings::new(self.0.id.clone(), headers, options);
        let mut group = Group::open(&transport, settings, line, |_| {}).await;
        self.with(|mind| mind.controller = group.answer.responder.unwrap_or_default());
        *self.0.channel.lock() = Some(group.handle);
        while let Some(frame) = group.inbox.next().await {
            let message = ControlMessage::decode(&frame.clone().into_message()).unwrap();
            self.take(&frame, message);
        }
    }

    fn channel(&self) -> Option<ChannelHandle> {
        self.0.channel.lock().clone()
    }

    /// Says something; what the channel does not take is lost.
    pub(crate) fn say(&self, message: &ControlMessage) {
        trace(|| format!("{} says {message:?}", self.0.id));
        if let Some(channel) = self.channel() {
            let _ = channel.send(message.priority(), message.encode().unwrap());
        }
    }

    fn reply(&self, to: &ReplyTo, message: &ControlMessage) {
        trace(|| format!("{} answers {message:?}", self.0.id));
        if let Some(channel) = self.channel() {
            let _ = channel.reply(to, message.priority(), message.encode().unwrap());
        }
    }

    /// Asks something; `None` if there is no answer.
    async fn ask(&self, message: &ControlMessage) -> Option<ControlMessage> {
        let reply = self.reply_to(message).await?;
        ControlMessage::decode(&reply.into_message()).ok()
    }

    /// Asks for something to be done; whether it was.
    async fn is_done(&self, message: &ControlMessage) -> bool {
        let reply = self.reply_to(message).await;
        let result = reply.and_then(|reply| ResultMessage::from_frame(&reply));
        result.is_some_and(|result| result.status == ResultStatus::Success)
    }

    async fn reply_to(&self, message: &ControlMessage) -> Option<Frame> {
        let encoded = message.encode().unwrap();
        let channel = self.channel()?;
        let reply = channel.request(message.priority(), encoded, REQUEST_TIMEOUT);
        reply.ok()?.await.ok()
    }

    fn take(&self, frame: &Frame, message: ControlMessage) {
        trace(|| format!("{} hears {message:?}", self.0.id));
        let to = frame.reply_to();
        match message {
            ControlMessage::ServerHello(_) => {
                self.with(|mind| mind.heard.greetings += 1);
                self.introduce();
            },
            ControlMessage::PeerStateChanges(_) => self.with(|mind| mind.heard.peers += 1),
            ControlMessage::Route(_) if self.with(|mind| mind.is_stuck) => {},
            ControlMessage::Route(route) => {
                let result = self.with(|mind| mind.set_up(&route));
                self.reply(&to, &ControlMessage::RouteResult(result));
            },
            ControlMessage::Unroute(unroute) => {
                self.with(|mind| mind.heard.unroutes += 1);
                if unroute.is_immediate {
                    return self.forget(&unroute.circuit_id);
                }
                let router = self.clone();
                tokio::spawn(async move {
                    sleep(DRAIN).await;
                    router.forget(&unroute.circuit_id);
                });
            },
            ControlMessage::Fault(fault) if fault.subject == FaultSubject::Link => {
                self.with(|mind| mind.to_close.push((fault.id, fault.iteration)));
            },
            ControlMessage::InspectRequest(_) => {
                let response = self.with(|mind| {
                    let ids = (&*mind.controller, &*self.0.id);
                    carried(&mind.circuits, &mind.links, ids)
                });
                self.reply(&to, &ControlMessage::InspectResponse(response));
            },
            ControlMessage::ValidateTerminators(asked) => {
                let states = self.with(|mind| mind.validate(asked));
                self.say(&ControlMessage::ValidatedTerminators(states));
            },
            other => {
                let wanted = self.with(|mind| mind.knowledge.take(other));
                if let Some(subscription) = wanted {
                    self.say(&ControlMessage::Subscription(subscription));
                }
            },
        }
    }

    /// Tells a controller that has greeted what there is.
    fn introduce(&self) {
        let (links, subscription) = self.with(|mind| {
            let subscription = mind.knowledge.subscribe(&self.0.id);
            (mind.dialed(|_| true), subscription)
        });
        let is_full = true;
        self.say(&ControlMessage::RouterLinks(RouterLinks { links, is_full }));
        self.say(&ControlMessage::ClientHello(ClientHello::default()));
        self.say(&ControlMessage::Subscription(subscription));
    }

    /// Forgets a circuit; its ends are closed, and say so.
    fn forget(&self, circuit: &str) {
        let Some(entry) = self.with(|mind| mind.circuits.remove(circuit)) else {
            return;
        };
        let ingress = entry.ingress.map(|_| FaultSubject::Ingress);
        let egress = entry.egress.map(|_| FaultSubject::Egress);
        for subject in ingress.into_iter().chain(egress) {
            self.say(&fault(subject, circuit, 0));
        }
    }

    /// Closes an end of a circuit, and says so.
    pub(crate) fn close_end(&self, circuit: &str, end: FaultSubject) {
        let was_there = self.with(|mind| {
            let entry = mind.circuits.get_mut(circuit);
            entry.is_some_and(|entry| entry.close(end))
        });
        if was_there {
            self.say(&fault(end, circuit, 0));
        }
    }

    /// Loses its end of a link, and says so; whether it was there.
    pub(crate) fn lose_link(&self, id: &str, iteration: u32) -> bool {
        let was_there = self.with(|mind| {
            let end = mind.links.get(id);
            let is_there = end.is_some_and(|end| end.iteration == iteration);
            is_there && mind.links.remove(id).is_some()
        });
        if was_there {
            self.say(&fault(FaultSubject::Link, id, iteration));
        }
        was_there
    }

    /// Has an end of a new link, of which its source tells.
    pub(crate) fn gain_link(&self, id: &str, end: LinkEnd) {
        let is_source = end.is_source;
        let links = self.with(|mind| {
            mind.links.insert(id.to_owned(), end);
            mind.dialed(|of| of == id)
        });
        if is_source {
            let is_full = false;
            self.say(&ControlMessage::RouterLinks(RouterLinks { links, is_full }));
        }
    }

    /// Hosts a service, and tells the controller until that knows.
    pub(crate) fn host(&self, service: &str, address: &str) {
        self.with(|mind| mind.hosted.insert(address.to_owned()));
        let request = ControlMessage::CreateTunnelTerminator(CreateTunnelTerminator {
            service_id: service.to_owned(),
            address: address.to_owned(),
            peer_data: key(),
            ..CreateTunnelTerminator::default()
        });
        let (router, address) = (self.clone(), address.to_owned());
        tokio::spawn(async move {
            while router.is_running() && router.with(|mind| mind.hosted.contains(&address)) {
                let answer = router.ask(&request).await;
                if let Some(ControlMessage::CreateTunnelTerminatorAnswer(answer)) = answer
                    && answer.result == CreateTerminatorResult::Success
                {
                    router.with(|mind| mind.created.insert(address));
                    return;
                }
                sleep(RETRY).await;
            }
        });
    }

    /// Hosts no more, and tells the controller until that knows.
    pub(crate) fn unhost(&self, address: &str) {
        self.lose_host(address);
        let terminator_ids = vec![address.to_owned()];
        let remove = ControlMessage::RemoveTerminators(RemoveTerminators { terminator_ids });
        let router = self.clone();
        tokio::spawn(async move {
            while router.is_running() && !router.is_done(&remove).await {
                sleep(RETRY).await;
            }
        });
    }

    /// The addresses at which a service is hosted.
    pub(crate) fn hosts(&self, service: &str) -> Vec<String> {
        let is_of = |address: &&String| address.split('-').next() == Some(service);
        self.with(|mind| mind.hosted.iter().filter(is_of).cloned().collect())
    }

    /// Hosts a service no more.
    pub(crate) fn lose_hosts(&self, service: &str) {
        for address in self.hosts(service) {
            self.lose_host(&address);
        }
    }

    fn lose_host(&self, address: &str) {
        self.with(|mind| {
            mind.hosted.remove(address);
            mind.created.remove(address);
        });
    }

    pub(crate) fn dial(&self, name: &str) {
        let request = ControlMessage::CreateTunnelCircuit(CreateTunnelCircuit {
            service_name: name.to_owned(),
            peer_data: key(),
            ..CreateTunnelCircuit::default()
        });
        let router = self.clone();
        tokio::spawn(async move {
            if let Some(ControlMessage::CreateTunnelCircuitAnswer(answer)) =
                router.ask(&request).await
            {
                router.with(|mind| {
                    let entry = mind.circuits.entry(answer.circuit_id).or_default();
                    entry.ingress = Some((answer.address, answer.tags));
                });
            }
        });
    }

    /// Says that a circuit that it carries has been idle for long.
    pub(crate) fn report_idle(&self) {
        let idle = Duration::from_mins(2).as_nanos();
        let idle = i64::try_from(idle).unwrap();
        let ids: Vec<_> = self.with(|mind| mind.circuits.keys().cloned().collect());
        let times = ids.iter().map(|id| (id.clone(), idle)).collect();
        self.say(&ControlMessage::CircuitConfirmation(CircuitConfirmation {
            circuit_ids: ids,
            idle_nanos: times,
        }));
    }

    /// Goes on following the model.
    pub(crate) fn renew_subscription(&self) {
        let subscription = self.with(|mind| mind.knowledge.renew());
        self.say(&ControlMessage::Subscription(subscription));
    }

    pub(crate) fn report_forward_fault(&self, circuit: &str) {
        self.say(&fault(FaultSubject::Forward, circuit, 0));
    }

    fn is_running(&self) -> bool {
        self.0.task.lock().is_some()
    }
}

/// The key of an end of a circuit.
fn key() -> BTreeMap<u32, Secret<Bytes>> {
    BTreeMap::from([(PUBLIC_KEY, Secret::new(vec![7; 32].into()))])
}

fn fault(subject: FaultSubject, id: &str, iteration: u32) -> ControlMessage {
    ControlMessage::Fault(Fault {
        subject,
        id: id.to_owned(),
        iteration,
    })
}

impl Mind {
    fn set_up(&mut self, route: &Route) -> RouteResult {
        let entry = self.circuits.entry(route.circuit_id.clone()).or_default();
        let set_up = entry.set_up(route, &self.hosted, &self.links);
        RouteResult {
            circuit_id: route.circuit_id.clone(),
            attempt: route.attempt,
            outcome: match set_up {
                Ok(()) => RouteOutcome::Routed(BTreeMap::new()),
                Err(failure) => RouteOutcome::Failed {
                    reason: String::new(),
                    failure,
                },
            },
        }
    }

    fn dialed(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<RouterLink> {
        let links = self.links.iter();
        let dialed = links.filter(|(id, end)| end.is_source && is_wanted(id));
        dialed
            .map(|(id, end)| RouterLink {
                id: id.clone(),
                destination: end.peer_id.clone(),
                protocol: "tls".to_owned(),
                iteration: end.iteration,
                ..RouterLink::default()
            })
            .collect()
    }

    fn validate(&self, asked: ValidateTerminators) -> ValidatedTerminators {
        let states = asked.terminators.into_iter().map(|terminator| {
            let state = TerminatorState {
                is_valid: self.hosted.contains(&terminator.address),
                marker: terminator.marker,
                ..TerminatorState::default()
            };
            (terminator.id, state)
        });
        ValidatedTerminators {
            states: states.collect(),
        }
    }
}
