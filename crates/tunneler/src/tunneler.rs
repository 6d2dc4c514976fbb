//! The tunneler: services and results in, commands and events out.

mod dialing;
mod planning;

use crate::command::{CheckId, Command};
use crate::event::Event;
use crate::hosting::Hosting;
use crate::interception::Interception;
use crate::mode::{Mode, ProxyPort, ProxyRule};
use crate::proxies::Proxies;
use crate::service::{ServerKey, Service, ServiceId};
use portcullis_channel::Moment;
use portcullis_domain::identity::Precedence;
use portcullis_name_server::InterceptedNames;
use portcullis_tunnel_config::{AppData, Target, TargetError, TunnelerIdentity};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What a tunneler does for the services of its identity.
///
/// After each call that changes something, take [`poll_event`](Self::poll_event) and
/// [`poll_command`](Self::poll_command) until there is nothing, and ask [`poll_timeout`](Self::poll_timeout) when
/// to call [`handle_timeout`](Self::handle_timeout). Instants must not go backwards.
#[derive(Debug)]
pub struct Tunneler {
    identity: TunnelerIdentity,
    /// What the identity says of all services that it hosts.
    terms: (Precedence, u16),
    services: BTreeMap<ServiceId, Service>,
    hosting: Hosting,
    proxies: Proxies,
    /// Ports that the mode names.
    rules: Vec<ProxyRule>,
    /// `None` if nothing is intercepted.
    interception: Option<Interception>,
    commands: VecDeque<Command>,
    events: VecDeque<Event>,
}

impl Tunneler {
    pub fn new(identity: TunnelerIdentity, mode: Mode) -> Self {
        let (rules, interception) = match mode {
            Mode::Host => (Vec::new(), None),
            Mode::Proxy(rules) => (rules, None),
            Mode::Intercept(options) => (Vec::new(), Some(Interception::new(&options))),
        };
        Self {
            identity,
            terms: (Precedence::Default, 0),
            services: BTreeMap::new(),
            hosting: Hosting::default(),
            proxies: Proxies::default(),
            rules,
            interception,
            commands: VecDeque::new(),
            events: VecDeque::new(),
        }
    }

    /// The identity has changed, or what it says of all services that it hosts.
    pub fn set_identity(
        &mut self,
        identity: TunnelerIdentity,
        terms: (Precedence, u16),
        now: Moment,
    ) {
        if (&self.identity, self.terms) == (&identity, terms) {
            return;
        }
        self.identity = identity;
        self.terms = terms;
        for service in self.services.values().cloned().collect::<Vec<_>>() {
            self.host(&service, now);
        }
    }

    /// The identity may use a service, or something about the service has changed.
    pub fn set_service(&mut self, service: Service, now: Moment) {
        let before = self.services.get(&service.id);
        if before == Some(&service) {
            return;
        }
        let (has_dialed, has_hosted) =
            before.map_or((false, false), |before| (before.may_dial, before.may_host));
        self.apply(&service, now);
        self.end_connections(&service, has_dialed, has_hosted);
        self.services.insert(service.id.clone(), service);
    }

    /// The identity may not use a service any more, or there is no such service any more.
    pub fn remove_service(&mut self, id: &ServiceId, now: Moment) {
        let Some(before) = self.services.remove(id) else {
            return;
        };
        let nothing = Service::new(id.clone(), before.name);
        self.apply(&nothing, now);
        self.end_connections(&nothing, before.may_dial, before.may_host);
    }

    /// These are all services that the identity may use.
    pub fn set_services(&mut self, services: Vec<Service>, now: Moment) {
        let kept: BTreeSet<_> = services.iter().map(|service| service.id.clone()).collect();
        let all: Vec<_> = self.services.keys().cloned().collect();
        for gone in all.iter().filter(|id| !kept.contains(*id)) {
            self.remove_service(gone, now);
        }
        for service in services {
            self.set_service(service, now);
        }
    }

    fn apply(&mut self, service: &Service, now: Moment) {
        self.host(service, now);
        self.intercept(service);
        self.listen(service);
    }

    fn end_connections(&mut self, service: &Service, has_dialed: bool, has_hosted: bool) {
        if has_dialed && !service.may_dial {
            let end = Command::EndDialed(service.id.clone());
            self.commands.push_back(end);
        }
        if has_hosted && !service.may_host {
            let end = Command::EndHosted(service.id.clone());
            self.commands.push_back(end);
        }
    }

    /// A server is offered: it can be dialed.
    pub fn offered(&mut self, server: &ServerKey) {
        self.hosting.offered(server);
    }

    /// The offer of a server has ended, or could not be made. It is made again after 5 s, and after twice as long
    /// each time until it is taken, up to 3 min.
    pub fn offer_ended(&mut self, server: &ServerKey, now: Moment) {
        self.hosting.offer_ended(server, now);
    }

    /// A check has passed or failed.
    pub fn checked(&mut self, check: &CheckId, is_passing: bool, now: Moment) {
        self.hosting
            .checked(check, is_passing, &mut self.commands, now);
    }

    pub fn handle_timeout(&mut self, now: Moment) {
        self.hosting.handle_timeout(&mut self.commands, now);
    }

    /// When to call [`handle_timeout`](Self::handle_timeout).
    pub fn poll_timeout(&self) -> Option<Moment> {
        self.hosting.poll_timeout()
    }

    pub fn poll_command(&mut self) -> Option<Command> {
        if let Some(change) = self
            .interception
            .as_mut()
            .and_then(Interception::poll_change)
        {
            return Some(Command::Intercept(change));
        }
        self.commands.pop_front()
    }

    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Names that are intercepted, for a name server; `None` if nothing is intercepted.
    pub fn names(&mut self) -> Option<&mut InterceptedNames<ServiceId>> {
        self.interception.as_mut().map(Interception::names)
    }

    /// The service that a port stands for.
    pub fn service_of(&self, port: &ProxyPort) -> Option<&ServiceId> {
        self.proxies.holder(port)
    }

    /// The server that a dial of the network is for. `None` if the server is not offered any more.
    ///
    /// # Errors
    ///
    /// If the dial does not say what the service takes from it, or asks for what the service does not allow.
    pub fn target(
        &self,
        server: &ServerKey,
        data: &AppData,
    ) -> Option<Result<Target, TargetError>> {
        let config = self.hosting.config(server)?;
        Some(config.target(data))
    }
}
