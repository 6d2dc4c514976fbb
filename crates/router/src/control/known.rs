//! The controllers that a router knows, and how it learns of others.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use portcullis_domain::clock::Timestamp;
use portcullis_wire::control::address::{Controller, ControllerAddresses, Endpoint};

use super::address::ControlAddress;
use super::endpoints_file::EndpointsFile;
use crate::edge::ControllerId;
use crate::time::after;

/// How many controllers are taken from a list.
const MAX_CONTROLLERS: usize = 100;

/// How often the leader is asked for a list.
const ASK_INTERVAL: Duration = Duration::from_secs(30);

/// What is dialed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// Whatever controller is there.
    Address(ControlAddress),
    Controller(ControllerId),
}

/// Who has answered at a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Identified {
    /// The target is now this controller.
    Accepted,
    /// This controller is reached by another target as well.
    Duplicate,
}

/// Which controllers there are.
///
/// At first there are addresses only, or what the endpoints file says. Controllers tell who all of them
/// are; the list of their leader is complete, those of others only add to it.
#[derive(Debug, Clone)]
pub struct KnownControllers {
    controllers: BTreeMap<ControllerId, Vec<Endpoint>>,
    /// Addresses whose controllers have not said who they are.
    unnamed: BTreeSet<ControlAddress>,
    /// Of the last list; 0 without one.
    index: u64,
    leader: Option<ControllerId>,
    /// Of the last change of the leader.
    leader_index: u64,
    /// When the leader is asked for a list.
    asks_at: Option<Timestamp>,
    /// Controllers have said where they are, so the file is theirs.
    is_told: bool,
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(address) => address.fmt(formatter),
            Self::Controller(controller) => controller.fmt(formatter),
        }
    }
}

impl KnownControllers {
    /// The endpoints file wins over the addresses of the configuration, unless there is nothing in it.
    pub fn new(configured: Vec<ControlAddress>, file: Option<EndpointsFile>) -> Self {
        let mut known = Self {
            controllers: BTreeMap::new(),
            unnamed: BTreeSet::new(),
            index: 0,
            leader: None,
            leader_index: 0,
            asks_at: None,
            is_told: false,
        };
        let file = file.unwrap_or_default();
        known.controllers = by_id(file.controllers);
        let named: BTreeSet<_> = known
            .controllers
            .values()
            .flat_map(|endpoints| addresses(endpoints))
            .collect();
        let listed = file.endpoints.iter().filter_map(|text| text.parse().ok());
        known.unnamed = listed.filter(|address| !named.contains(address)).collect();
        if known.targets().is_empty() {
            known.unnamed = configured.into_iter().collect();
        }
        known
    }

    /// What is to be dialed, with the addresses of each.
    pub fn targets(&self) -> BTreeMap<Target, Vec<ControlAddress>> {
        let named = self.controllers.iter().map(|(id, endpoints)| {
            let target = Target::Controller(id.clone());
            (target, addresses(endpoints).collect::<Vec<_>>())
        });
        let unnamed = self.unnamed.iter().map(|address| {
            let target = Target::Address(address.clone());
            (target, vec![address.clone()])
        });
        let dialed = named.filter(|(_, addresses)| !addresses.is_empty());
        dialed.chain(unnamed).collect()
    }

    /// A controller has answered at a target.
    pub fn identify(&mut self, target: &Target, id: &ControllerId) -> Identified {
        match target {
            Target::Controller(known) if known == id => Identified::Accepted,
            Target::Controller(_) if self.controllers.contains_key(id) => Identified::Duplicate,
            Target::Controller(known) => match self.controllers.remove(known) {
                // Another controller took its place, as after a new installation.
                Some(endpoints) => {
                    self.controllers.insert(id.clone(), endpoints);
                    Identified::Accepted
                },
                None => Identified::Duplicate,
            },
            Target::Address(address) => self.identify_address(address, id),
        }
    }

    fn identify_address(&mut self, address: &ControlAddress, id: &ControllerId) -> Identified {
        if !self.unnamed.remove(address) {
            return Identified::Duplicate;
        }
        let is_new = !self.controllers.contains_key(id);
        let endpoints = self.controllers.entry(id.clone()).or_default();
        if !addresses(endpoints).any(|known| known == *address) {
            endpoints.push(Endpoint {
                address: address.to_string(),
                groups: Vec::new(),
            });
        }
        if is_new {
            Identified::Accepted
        } else {
            Identified::Duplicate
        }
    }

    /// A controller tells who all controllers are.
    pub fn receive(&mut self, from: &ControllerId, list: ControllerAddresses, now: Timestamp) {
        if list.is_leader && list.index >= self.index {
            self.leader = Some(from.clone());
            self.asks_at = None;
        }
        if self.index != 0 && list.index <= self.index {
            return;
        }
        let controllers = by_id(list.controllers);
        let is_usable = controllers
            .values()
            .any(|endpoints| addresses(endpoints).next().is_some());
        if !is_usable {
            self.ask_leader(list.is_leader, now);
            return;
        }
        let is_complete = self
            .controllers
            .keys()
            .all(|id| controllers.contains_key(id));
        if list.is_leader {
            self.controllers = controllers;
            self.unnamed.clear();
        } else {
            self.controllers.extend(controllers);
            self.ask_leader(is_complete && self.unnamed.is_empty(), now);
        }
        self.index = list.index;
        self.is_told = true;
    }

    /// A controller is to be reached at another address.
    pub fn relocate(&mut self, controller: &ControllerId, address: &ControlAddress) {
        let endpoint = Endpoint {
            address: address.to_string(),
            groups: Vec::new(),
        };
        self.controllers.insert(controller.clone(), vec![endpoint]);
        self.is_told = true;
    }

    /// A controller leads the others, since the change of the cluster with this index.
    pub fn lead(&mut self, controller: &ControllerId, index: u64) {
        if self.leader_index == 0 || index > self.leader_index {
            self.leader = Some(controller.clone());
            self.leader_index = index;
        }
    }

    /// The controller that leads, if controllers have said which one does.
    pub const fn leader(&self) -> Option<&ControllerId> {
        self.leader.as_ref()
    }

    fn ask_leader(&mut self, is_needless: bool, now: Timestamp) {
        if !is_needless {
            self.asks_at.get_or_insert(now);
        }
    }

    /// The leader, if it is time to ask it for a list.
    pub fn poll(&mut self, now: Timestamp) -> Option<ControllerId> {
        self.asks_at.filter(|at| *at <= now)?;
        self.asks_at = Some(after(now, ASK_INTERVAL));
        self.leader.clone()
    }

    /// When to call [`poll`](Self::poll).
    pub const fn deadline(&self) -> Option<Timestamp> {
        self.asks_at
    }

    /// The file for the next start; `None` as long as no controller has said where it is.
    pub fn file(&self) -> Option<EndpointsFile> {
        let controllers = self.controllers.iter().map(|(id, endpoints)| Controller {
            id: id.to_string(),
            endpoints: endpoints.clone(),
        });
        let mut file = EndpointsFile::new(controllers.collect());
        let unnamed = self.unnamed.iter().map(ControlAddress::to_string);
        file.endpoints.extend(unnamed);
        self.is_told.then_some(file)
    }
}

fn by_id(controllers: Vec<Controller>) -> BTreeMap<ControllerId, Vec<Endpoint>> {
    let controllers = controllers.into_iter().take(MAX_CONTROLLERS);
    controllers
        .filter(|one| !one.id.is_empty())
        .map(|one| (one.id.into(), one.endpoints))
        .collect()
}

/// The addresses that can be dialed.
fn addresses(endpoints: &[Endpoint]) -> impl Iterator<Item = ControlAddress> {
    let addresses = endpoints.iter().map(|endpoint| endpoint.address.parse());
    addresses.filter_map(Result::ok)
}
