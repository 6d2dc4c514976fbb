//! A network whose routers do as they are told by the test.

use crate::support::{at, link, report, router};
use portcullis_domain::identity::Precedence;
use portcullis_domain::ids::{IdentityId, ServiceId, TerminatorId};
use portcullis_fabric::{
    Action, Address, CircuitEvent, CircuitId, CircuitNames, CircuitSnapshot, Dial, DialFailure,
    DialId, EndReason, Established, Fabric, FabricEvent, FabricOptions, FailureCause, Forward,
    ForwardKind, LinkFault, PeerData, Right, Route, RouteErrorCode, RouteFailure, RouteId,
    RouteResult, RouterSession, RouterSpec, Service, Terminator,
};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// A route as it was sent.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    pub(crate) id: RouteId,
    pub(crate) route: Route,
}

impl std::ops::Deref for Sent {
    type Target = Route;

    fn deref(&self) -> &Route {
        &self.route
    }
}

pub(crate) struct Stage {
    pub(crate) fabric: Fabric,
    pub(crate) sessions: BTreeMap<String, RouterSession>,
    pub(crate) now: u64,
}

pub(crate) fn service() -> ServiceId {
    ServiceId::from_wire("s")
}

pub(crate) fn circuit(id: &str) -> CircuitId {
    CircuitId::new(id).unwrap()
}

pub(crate) fn address(id: &str) -> Address {
    Address::new(id).unwrap()
}

pub(crate) fn right() -> Right {
    Right {
        client: IdentityId::from_wire("client"),
        service: service(),
        session: None,
        tokens: Vec::new(),
        until: None,
    }
}

pub(crate) fn terminator(id: &str, place: &str) -> Terminator {
    Terminator {
        id: TerminatorId::from_wire(id),
        service: service(),
        router: router(place),
        binding: "edge".to_owned(),
        address: format!("to-{id}"),
        instance: String::new(),
        cost: 0,
        precedence: Precedence::Default,
        host: "host".to_owned(),
        peer_data: Arc::new(PeerData::from([(1003, b"key".to_vec())])),
    }
}

impl Stage {
    /// Connected routers, and links that cost nothing by themselves: `ab` from a to b.
    pub(crate) fn new(routers: &[&str], links: &[&str], options: FabricOptions) -> Self {
        let mut fabric = Fabric::new(options, at(0));
        let mut sessions = BTreeMap::new();
        for name in routers {
            fabric.set_router(router(name), RouterSpec::default(), at(0));
            let session = fabric.connect(&router(name), at(0)).unwrap();
            sessions.insert((*name).to_owned(), session);
        }
        fabric.set_service(service(), Service::default());
        let mut stage = Self {
            fabric,
            sessions,
            now: 0,
        };
        for name in links {
            stage.link(name, 1);
        }
        stage.actions();
        stage.events();
        stage
    }

    /// Routers a, b and c with links between all of them, and a terminator `t` at c.
    pub(crate) fn triangle() -> Self {
        let mut stage = Self::new(
            &["a", "b", "c"],
            &["ab", "bc", "ac"],
            FabricOptions::default(),
        );
        stage.fabric.set_terminator(terminator("t", "c"));
        stage
    }

    /// One router a, with other options than usual.
    pub(crate) fn new_with(change: impl FnOnce(&mut FabricOptions)) -> Self {
        let mut options = FabricOptions::default();
        change(&mut options);
        Self::new(&["a"], &[], options)
    }

    pub(crate) fn link(&mut self, name: &str, iteration: u32) {
        let (from, to) = name.split_at(1);
        let ends = [from, to].map(|end| self.sessions[end]);
        let now = at(self.now);
        self.fabric
            .report_links(ends[0], vec![report(name, to, iteration)], false, now);
        for end in ends {
            self.fabric.report_latency(end, &link(name), Duration::ZERO);
        }
    }

    pub(crate) fn lose_link(&mut self, name: &str) {
        let fault = LinkFault {
            id: link(name),
            iteration: 0,
            kind: portcullis_fabric::FaultKind::Fault,
        };
        let reporter = self.sessions[&name[..1]];
        self.fabric.report_link_fault(reporter, fault, at(self.now));
    }

    pub(crate) fn disconnect(&mut self, name: &str) {
        let session = self.sessions[name];
        self.fabric.disconnect(session, at(self.now));
    }

    pub(crate) fn connect(&mut self, name: &str) {
        let session = self.fabric.connect(&router(name), at(self.now)).unwrap();
        self.sessions.insert(name.to_owned(), session);
    }

    pub(crate) fn pass(&mut self, seconds: u64) {
        self.now += seconds;
        self.fabric.handle_timeout(at(self.now));
    }

    pub(crate) fn dial_of(&self, from: &str, id: &str) -> Dial {
        Dial {
            id: DialId(7),
            from: self.sessions[from],
            names: CircuitNames {
                circuit: circuit(id),
                ingress: address(&format!("{id}-in")),
                egress: address(&format!("{id}-out")),
            },
            right: right(),
            instance: String::new(),
            sticky: None,
            peer_data: Arc::default(),
            tags: Arc::default(),
            random: 0,
        }
    }

    pub(crate) fn dial(&mut self, from: &str, id: &str) {
        let dial = self.dial_of(from, id);
        self.fabric.dial(dial, at(self.now));
    }

    /// Dials, and has all routers confirm.
    pub(crate) fn open(&mut self, from: &str, id: &str) {
        self.dial(from, id);
        self.confirm();
        assert!(self.answer().unwrap().is_ok());
        self.events();
    }

    /// Confirms all routes that are to be sent, and tells to whom.
    pub(crate) fn confirm(&mut self) -> Vec<String> {
        let mut names = Vec::new();
        for (name, route) in self.routes() {
            self.succeed(&name, &route);
            names.push(name);
        }
        names
    }

    pub(crate) fn succeed(&mut self, name: &str, route: &Sent) {
        self.result(name, route, Ok(PeerData::new()));
    }

    pub(crate) fn fail(&mut self, name: &str, route: &Sent, code: RouteErrorCode) {
        let failure = RouteFailure {
            code,
            text: "no".to_owned(),
        };
        self.result(name, route, Err(failure));
    }

    pub(crate) fn result(
        &mut self,
        name: &str,
        route: &Sent,
        outcome: Result<PeerData, RouteFailure>,
    ) {
        let result = RouteResult {
            route: Some(route.id),
            circuit: route.circuit.clone(),
            outcome,
        };
        let session = self.sessions[name];
        self.fabric
            .handle_route_result(session, result, at(self.now));
    }

    pub(crate) fn name(&self, session: RouterSession) -> String {
        let known = self.sessions.iter().find(|(_, it)| **it == session);
        known.unwrap().0.clone()
    }

    pub(crate) fn actions(&mut self) -> Vec<Action> {
        std::iter::from_fn(|| self.fabric.poll_action()).collect()
    }

    pub(crate) fn events(&mut self) -> Vec<CircuitEvent> {
        std::iter::from_fn(|| self.fabric.poll_event())
            .filter_map(|event| match event {
                FabricEvent::Circuit(event) => Some(event),
                FabricEvent::Router(_) | FabricEvent::Link(_) => None,
            })
            .collect()
    }

    /// The circuit that was created, if that is all that has happened.
    pub(crate) fn created(&mut self) -> Box<CircuitSnapshot> {
        match <[_; 1]>::try_from(self.events()) {
            Ok([CircuitEvent::Created(circuit)]) => circuit,
            other => panic!("{other:?}"),
        }
    }

    /// The circuit that has changed its path, if that is all that has happened.
    pub(crate) fn moved(&mut self) -> Box<CircuitSnapshot> {
        match <[_; 1]>::try_from(self.events()) {
            Ok([CircuitEvent::PathChanged(circuit)]) => circuit,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn failures(&mut self) -> Vec<FailureCause> {
        let events = self.events().into_iter();
        events
            .filter_map(|event| match event {
                CircuitEvent::Failed { cause, .. } => Some(cause),
                _ => None,
            })
            .collect()
    }

    pub(crate) fn ends(&mut self) -> Vec<EndReason> {
        let events = self.events().into_iter();
        events
            .filter_map(|event| match event {
                CircuitEvent::Ended { reason, .. } => Some(reason),
                _ => None,
            })
            .collect()
    }

    pub(crate) fn routes(&mut self) -> Vec<(String, Sent)> {
        let actions = self.actions().into_iter();
        actions
            .filter_map(|action| match action {
                Action::Route { to, id, route } => Some((self.name(to), Sent { id, route })),
                _ => None,
            })
            .collect()
    }

    /// Routers that are told to forget a circuit, and whether at once.
    pub(crate) fn unroutes(&mut self) -> Vec<(String, bool)> {
        let actions = self.actions().into_iter();
        let mut unroutes: Vec<_> = actions
            .filter_map(|action| match action {
                Action::Unroute { to, now, .. } => Some((self.name(to), now)),
                _ => None,
            })
            .collect();
        unroutes.sort();
        unroutes
    }

    pub(crate) fn answer(&mut self) -> Option<Result<Established, DialFailure>> {
        let actions = self.actions().into_iter();
        actions
            .filter_map(|action| match action {
                Action::Answer { result, .. } => Some(result),
                _ => None,
            })
            .next_back()
    }

    /// Names of the routers on the path of a circuit.
    pub(crate) fn path(&self, id: &str) -> Option<Vec<&str>> {
        let view = self.fabric.circuit(&circuit(id))?;
        let names = view.path.routers().iter().map(|router| {
            let id = self.fabric.network().router_id(*router).unwrap();
            id.as_str()
        });
        Some(names.collect())
    }
}

pub(crate) fn forward(from: &str, to: &str, kind: ForwardKind) -> Forward {
    Forward {
        from: address(from),
        to: address(to),
        kind,
    }
}

pub(crate) fn told(routers: &[&str], now: bool) -> Vec<(String, bool)> {
    let all = routers.iter();
    all.map(|name| ((*name).to_owned(), now)).collect()
}
