//! The picture, and what was promised about it so far.

use super::bytes::Bytes;
use portcullis_domain::ids::{IdentityId, RouterId, ServiceId};
use portcullis_fabric::{
    Action, Address, CircuitEvent, CircuitId, DialId, Fabric, FabricEvent, FabricOptions, LinkId,
    Moment, NetworkOptions, Right, RouteId, RouterSession,
};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

pub(super) const ROUTERS: u8 = 4;

/// Small limits, so that programs reach them.
fn options() -> FabricOptions {
    FabricOptions {
        network: NetworkOptions {
            max_links_per_router: 5,
            ..NetworkOptions::default()
        },
        max_circuits_per_router: 5,
        max_circuits_per_service: 7,
        ..FabricOptions::default()
    }
}

pub(super) struct World<'a> {
    pub(super) bytes: Bytes<'a>,
    pub(super) fabric: Fabric,
    pub(super) now: Moment,
    /// All that there have been, the latest last.
    pub(super) sessions: Vec<RouterSession>,
    /// Routes that were sent, the latest last.
    pub(super) routes: Vec<(RouterSession, RouteId, CircuitId)>,
    /// Clients whose right has ended.
    pub(super) revoked: BTreeSet<u8>,
    /// Dials without an answer.
    waiting: BTreeMap<DialId, RouterSession>,
    /// Circuits that routers were told to carry and not to forget, unless they say that they do not.
    pub(super) carried: BTreeSet<(RouterSession, CircuitId)>,
    pub(super) dials: u64,
    reached: BTreeSet<String>,
}

pub(super) fn router(number: u8) -> RouterId {
    RouterId::from_wire(format!("r{number}"))
}

pub(super) fn service(number: u8) -> ServiceId {
    ServiceId::from_wire(format!("s{number}"))
}

pub(super) fn link(number: u8) -> LinkId {
    LinkId::new(&format!("l{number}")).unwrap()
}

pub(super) fn address(number: u8) -> Address {
    Address::new(&format!("l{number}")).unwrap()
}

pub(super) fn circuit(number: u8) -> CircuitId {
    CircuitId::new(&format!("c{number}")).unwrap()
}

pub(super) fn right(client: u8, of: u8) -> Right {
    Right {
        client: IdentityId::from_wire(client.to_string()),
        service: service(of),
        session: None,
        tokens: Vec::new(),
        until: None,
    }
}

impl<'a> World<'a> {
    pub(super) fn new(program: &'a [u8]) -> Self {
        Self {
            bytes: Bytes::new(program),
            fabric: Fabric::new(options(), Moment::ZERO),
            now: Moment::ZERO,
            sessions: Vec::new(),
            routes: Vec::new(),
            revoked: BTreeSet::new(),
            waiting: BTreeMap::new(),
            carried: BTreeSet::new(),
            dials: 0,
            reached: BTreeSet::new(),
        }
    }

    /// A session, mostly one that has not ended.
    pub(super) fn session(&mut self) -> Option<RouterSession> {
        let number = usize::from(self.bytes.next());
        let current = self.sessions.iter().copied();
        let network = self.fabric.network();
        let current: Vec<_> = current.filter(|each| network.is_current(*each)).collect();
        let among = if number < 224 && !current.is_empty() {
            &current
        } else {
            &self.sessions
        };
        among.get(number % among.len().max(1)).copied()
    }

    pub(super) fn await_answer(&mut self, dial: DialId, from: RouterSession) {
        if self.fabric.network().is_current(from) {
            self.waiting.insert(dial, from);
        }
    }

    pub(super) fn has_right(&self, right: &Right) -> bool {
        let client = right.client.as_str().parse().unwrap();
        !self.revoked.contains(&client)
    }

    /// Takes what was decided, and holds it against the promises.
    pub(super) fn settle(&mut self) -> Result<(), String> {
        while let Some(action) = self.fabric.poll_action() {
            self.take(action)?;
        }
        while let Some(event) = self.fabric.poll_event() {
            if let FabricEvent::Circuit(event) = event {
                self.reached.insert(match event {
                    CircuitEvent::Failed { cause, .. } => cause.name().to_owned(),
                    CircuitEvent::Ended { reason, .. } => format!("{reason:?}"),
                    CircuitEvent::Created(_) => "created".to_owned(),
                    CircuitEvent::Adopted(_) => "adopted".to_owned(),
                    CircuitEvent::PathChanged(_) => "moved".to_owned(),
                });
            }
        }
        let network = self.fabric.network();
        self.waiting.retain(|_, from| network.is_current(*from));
        self.carried.retain(|(to, _)| network.is_current(*to));
        let circuits = self.fabric.circuits();
        for circuit in circuits.filter(|circuit| circuit.is_open) {
            if !self.has_right(circuit.right) {
                return Err(format!("{:?} has no right", circuit.names.circuit));
            }
        }
        Ok(())
    }

    fn take(&mut self, action: Action) -> Result<(), String> {
        let network = self.fabric.network();
        let (to, kind) = match &action {
            Action::Route { to, .. } => (*to, "route"),
            Action::Unroute { to, .. } => (*to, "unroute"),
            Action::CloseLink { to, .. } => (*to, "close"),
            Action::Answer { to, .. } => (*to, "answer"),
            Action::AskForCircuits { to } => (*to, "ask"),
            Action::DeleteTerminator { .. } | Action::DegradeTerminator { .. } => {
                self.reached.insert("terminator".to_owned());
                return Ok(());
            },
        };
        let is_current = network.is_current(to);
        match action {
            // The dialing router may be gone.
            Action::Answer { .. } if !is_current => {},
            action if !is_current => return Err(format!("{action:?} is for nobody")),
            Action::Route { id, route, .. } => {
                self.carried.insert((to, route.circuit.clone()));
                self.routes.push((to, id, route.circuit));
            },
            Action::Unroute { circuit, .. } => {
                self.carried.remove(&(to, circuit));
            },
            Action::Answer { dial, .. } if self.waiting.remove(&dial) != Some(to) => {
                return Err(format!("{dial:?} is answered twice, or to another router"));
            },
            _ => {},
        }
        self.reached.insert(kind.to_owned());
        Ok(())
    }

    /// Lets time pass, deadline by deadline.
    pub(super) fn pass(&mut self, time: Duration) -> Result<(), String> {
        let end = self.now + time;
        while let Some(deadline) = self.fabric.poll_timeout().filter(|at| *at <= end) {
            self.now = self.now.max(deadline);
            self.fabric.handle_timeout(self.now);
            self.settle()?;
            let next = self.fabric.poll_timeout();
            if next.is_some_and(|next| next <= self.now) {
                return Err(format!("{next:?} is due at {:?}, and not done", self.now));
            }
        }
        self.now = end;
        Ok(())
    }

    /// Nothing happens any more, then all rights end, then all routers are gone.
    pub(super) fn calm_down(&mut self) -> Result<(), String> {
        self.pass(Duration::from_mins(10))?;
        if let Some(dial) = self.waiting.keys().next() {
            return Err(format!("{dial:?} is never answered"));
        }
        self.fabric.retain_circuits(|_, _| false);
        self.settle()?;
        if self.fabric.circuits().next().is_some() {
            return Err("a circuit stays without a right".to_owned());
        }
        if let Some((to, circuit)) = self.carried.iter().next() {
            return Err(format!("{circuit:?} is left behind at {to:?}"));
        }
        for number in 0..ROUTERS {
            self.fabric.remove_router(&router(number), self.now);
        }
        self.settle()?;
        if self.fabric.network().links().next().is_some() {
            return Err("a link stays without its routers".to_owned());
        }
        Ok(())
    }

    /// What was reached.
    pub(super) fn place(&self) -> String {
        format!("{:?}", self.reached)
    }
}
