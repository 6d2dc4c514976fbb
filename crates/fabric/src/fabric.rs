//! The whole: network, terminators and circuits, and what follows from one for the others.

mod adopt;
mod carried;
mod dial;
mod end;
mod faults;
mod orphans;
mod questions;
mod reports;
mod reroute;
mod results;
mod smart;
mod topology;
mod unroute;

use crate::circuits::{Action, CircuitEvent, CircuitTable, CircuitView};
use crate::{CircuitId, LinkEvent, Network, NetworkOptions, RouterEvent, Terminator, Terminators};
use adopt::Adoption;
use orphans::Orphans;
use portcullis_channel::Moment;
use portcullis_domain::ids::{ServiceId, TerminatorId};
use portcullis_domain::service::TerminatorStrategy;
use questions::Questions;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;
use unroute::OwedUnroutes;

pub use smart::SmartRerouting;

/// Times and limits.
///
/// Worst-case memory: that of [`NetworkOptions`], and for circuits the number of routers times
/// `max_circuits_per_router` times about 1 KB (a path over four routers), twice that while circuits are
/// adopted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FabricOptions {
    pub network: NetworkOptions,
    /// How often a dial is tried; at least once, even if this is 0.
    pub attempts: u32,
    /// How long routers may take to answer a route.
    pub route_timeout: Duration,
    /// How long a circuit without a path waits for one.
    pub path_wait: Duration,
    /// How long after its start a controller adopts circuits of an earlier run.
    pub adoption_time: Duration,
    /// `None` leaves circuits on their paths as long as those work.
    pub smart_rerouting: Option<SmartRerouting>,
    /// Maximum number of circuits that are dialed at one router.
    pub max_circuits_per_router: usize,
    /// Maximum number of dials that wait for the answer of one router. A further one is refused: a router
    /// that falls behind would answer it too late.
    pub max_dials_per_router: usize,
    /// Maximum number of circuits to one service.
    pub max_circuits_per_service: usize,
    /// Maximum number of circuits that a router is told to forget when it connects again. Beyond it,
    /// the oldest are left to the router's own search for idle circuits.
    pub max_owed_unroutes: usize,
}

impl Default for FabricOptions {
    fn default() -> Self {
        Self {
            network: NetworkOptions::default(),
            attempts: 2,
            route_timeout: Duration::from_secs(10),
            path_wait: Duration::from_secs(10),
            adoption_time: Duration::from_mins(5),
            smart_rerouting: Some(SmartRerouting::default()),
            max_circuits_per_router: 100_000,
            max_dials_per_router: 4096,
            max_circuits_per_service: 1_000_000,
            max_owed_unroutes: 10_000,
        }
    }
}

/// What circuits need to know of a service.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Service {
    pub strategy: TerminatorStrategy,
    /// Whether circuits need the keys of both ends.
    pub encryption_required: bool,
    /// How long a circuit may be idle; `None` for ever.
    pub max_idle: Option<Duration>,
}

/// News for those who watch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FabricEvent {
    Router(RouterEvent),
    Link(LinkEvent),
    Circuit(CircuitEvent),
}

/// The controller's picture of the network.
///
/// After each call, poll actions and events until there are none, and ask for the next deadline.
#[derive(Debug)]
pub struct Fabric {
    options: FabricOptions,
    network: Network,
    terminators: Terminators,
    services: BTreeMap<ServiceId, Service>,
    circuits: CircuitTable,
    owed: OwedUnroutes,
    adoption: Adoption,
    orphans: Orphans,
    questions: Questions,
    next_smart_rerouting: Option<Moment>,
    /// Number of routes that were sent.
    routes: u64,
    actions: VecDeque<Action>,
    events: VecDeque<FabricEvent>,
}

impl Fabric {
    /// A picture without routers, services and terminators; the caller adds what its store has.
    pub fn new(options: FabricOptions, now: Moment) -> Self {
        let smart = options.smart_rerouting;
        Self {
            options,
            network: Network::new(options.network),
            terminators: Terminators::new(),
            services: BTreeMap::new(),
            circuits: CircuitTable::default(),
            owed: OwedUnroutes::new(options.max_owed_unroutes),
            adoption: Adoption::new(now + options.adoption_time),
            orphans: Orphans::default(),
            questions: Questions::default(),
            next_smart_rerouting: smart.map(|smart| now + smart.cycle),
            routes: 0,
            actions: VecDeque::new(),
            events: VecDeque::new(),
        }
    }

    pub const fn network(&self) -> &Network {
        &self.network
    }

    pub const fn terminators(&self) -> &Terminators {
        &self.terminators
    }

    pub fn has_service(&self, id: &ServiceId) -> bool {
        self.services.contains_key(id)
    }

    pub fn circuit(&self, id: &CircuitId) -> Option<CircuitView<'_>> {
        self.circuits.get(id).map(|circuit| circuit.view())
    }

    /// All circuits by id, those that are being dialed included.
    pub fn circuits(&self) -> impl Iterator<Item = CircuitView<'_>> {
        self.circuits.iter().map(|circuit| circuit.view())
    }

    /// Number of circuits that are established.
    pub const fn open_circuits(&self) -> usize {
        self.circuits.open()
    }

    /// Those of [`circuits`](Self::circuits) after an id, for whoever reads them in parts.
    pub fn circuits_after(
        &self,
        after: Option<&CircuitId>,
    ) -> impl Iterator<Item = CircuitView<'_>> {
        self.circuits
            .iter_after(after)
            .map(|circuit| circuit.view())
    }

    /// Creates a service, or changes it.
    pub fn set_service(&mut self, id: ServiceId, service: Service) {
        self.services.insert(id, service);
    }

    /// Creates a terminator, or changes it.
    pub fn set_terminator(&mut self, terminator: Terminator) {
        self.terminators.set(terminator);
    }

    /// Removes a terminator. Its circuits go on: [`retain_circuits`](Self::retain_circuits) ends those
    /// that may not.
    pub fn remove_terminator(&mut self, id: &TerminatorId) {
        self.terminators.remove(id);
    }

    /// When to call [`handle_timeout`](Self::handle_timeout).
    pub fn poll_timeout(&self) -> Option<Moment> {
        let network = self.network.poll_timeout();
        let circuits = self.circuits.next_deadline();
        let adoption = self.adoption.deadline();
        let questions = self.questions.deadline();
        network
            .into_iter()
            .chain(circuits)
            .chain(adoption)
            .chain(questions)
            .chain(self.next_smart_rerouting)
            .min()
    }

    /// Handles deadlines that have passed. Early calls change nothing, late ones lose nothing.
    pub fn handle_timeout(&mut self, now: Moment) {
        self.network.handle_timeout(now);
        self.follow_network(now);
        while let Some(circuit) = self.circuits.expired(now) {
            self.expire(&circuit, now);
        }
        self.adoption.handle_timeout(now);
        self.ask_again(now);
        self.reroute_smartly(now);
    }

    /// What is to be done, until there is nothing.
    pub fn poll_action(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    /// What has happened, until there is nothing.
    pub fn poll_event(&mut self) -> Option<FabricEvent> {
        self.events.pop_front()
    }

    fn announce(&mut self, event: CircuitEvent) {
        self.events.push_back(FabricEvent::Circuit(event));
    }
}
