//! The tunneler: services and results in, commands and events out.

mod dialing;
mod planning;

use crate::command::{CheckId, Command};
use crate::event::{Event, Fault};
use crate::hosting::Hosting;
use crate::interception::Interception;
use crate::mode::{Mode, ProxyPort, ProxyRule};
use crate::proxies::Proxies;
use crate::rules::InterceptRule;
use crate::service::{Service, ServiceId, TerminatorId, TerminatorKey};
use planning::Side;
use portcullis_channel::Moment;
use portcullis_domain::identity::Precedence;
use portcullis_name_server::InterceptedNames;
use portcullis_tunnel_config::{
    AppData, HostTerminator, Intercept, Target, TargetError, TunnelerIdentity,
};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::IpAddr;
use std::sync::Arc;

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
    services: BTreeMap<ServiceId, Arc<Service>>,
    /// Which connections belong to services that are dialed, and how they are dialed.
    intercepts: BTreeMap<ServiceId, Intercept>,
    hosting: Hosting,
    proxies: Proxies,
    /// Ports that the mode names.
    proxy_rules: Vec<ProxyRule>,
    /// `None` if nothing is intercepted.
    interception: Option<Interception>,
    commands: VecDeque<Command>,
    events: VecDeque<Event>,
    /// What is wrong with services, and has been told.
    told: BTreeMap<(ServiceId, Side), Vec<Fault>>,
}

impl Tunneler {
    pub fn new(identity: TunnelerIdentity, mode: Mode) -> Self {
        let (proxy_rules, interception) = match mode {
            Mode::Host => (Vec::new(), None),
            Mode::Proxy(rules) => (rules, None),
            Mode::Intercept(options) => (Vec::new(), Some(Interception::new(&options))),
        };
        Self {
            identity,
            terms: (Precedence::Default, 0),
            services: BTreeMap::new(),
            intercepts: BTreeMap::new(),
            hosting: Hosting::default(),
            proxies: Proxies::default(),
            proxy_rules,
            interception,
            commands: VecDeque::new(),
            events: VecDeque::new(),
            told: BTreeMap::new(),
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
            self.plan_hosting(&service, now);
        }
    }

    /// The identity may use a service, or something about the service has changed.
    pub fn set_service(&mut self, service: Service, now: Moment) {
        self.change(service, now);
        self.settle_ports(now);
    }

    /// The identity may not use a service any more, or there is no such service any more.
    pub fn remove_service(&mut self, id: &ServiceId, now: Moment) {
        self.forget(id, now);
        self.settle_ports(now);
    }

    /// These are all services that the identity may use.
    pub fn set_services(&mut self, services: Vec<Service>, now: Moment) {
        let kept: BTreeSet<_> = services.iter().map(|service| service.id.clone()).collect();
        let all: Vec<_> = self.services.keys().cloned().collect();
        for gone in all.iter().filter(|id| !kept.contains(*id)) {
            self.forget(gone, now);
        }
        for service in services {
            self.change(service, now);
        }
        self.settle_ports(now);
    }

    fn change(&mut self, service: Service, now: Moment) {
        let before = self.services.get(&service.id);
        if before.is_some_and(|before| **before == service) {
            return;
        }
        let (has_dialed, has_hosted) =
            before.map_or((false, false), |before| (before.may_dial, before.may_host));
        self.plan_hosting(&service, now);
        self.plan_dialing(&service);
        self.end_connections(&service, has_dialed, has_hosted);
        self.services.insert(service.id.clone(), Arc::new(service));
    }

    fn forget(&mut self, id: &ServiceId, now: Moment) {
        let Some(before) = self.services.get(id) else {
            return;
        };
        let nothing = Service::new(id.clone(), before.name.clone());
        self.change(nothing, now);
        self.services.remove(id);
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

    /// A terminator has been created: the server can be dialed.
    pub fn terminator_created(&mut self, terminator: &TerminatorId) {
        self.hosting.created(terminator, &mut self.commands);
    }

    /// A terminator has ended, or could not be created. It is created again after 5 s, and after twice as long
    /// each time until that succeeds, up to 3 min; up to half as long again is added, another part for each server.
    pub fn terminator_ended(&mut self, terminator: &TerminatorId, now: Moment) {
        self.hosting.ended(terminator, now);
    }

    /// A port that should be open is not: it could not be opened, or has been closed. It is opened again after
    /// the pauses that [terminators](Self::terminator_ended) have, which begin anew when it was open for longer
    /// than the longest of them.
    ///
    /// Not to be called for what happened before the last [`Command::Listen`] for the port was taken.
    pub fn listen_ended(&mut self, port: &ProxyPort, now: Moment) {
        if let Some(service) = self.proxies.listen_ended(port, now) {
            let port = port.clone();
            self.tell_about(&service, Fault::ListenEnded { port });
        }
    }

    /// A check has passed or failed.
    pub fn checked(&mut self, check: &CheckId, is_passing: bool, now: Moment) {
        self.hosting
            .checked(check, is_passing, &mut self.commands, now);
    }

    pub fn handle_timeout(&mut self, now: Moment) {
        self.hosting.handle_timeout(&mut self.commands, now);
        self.proxies.handle_timeout(&mut self.commands, now);
    }

    /// When to call [`handle_timeout`](Self::handle_timeout).
    pub fn poll_timeout(&self) -> Option<Moment> {
        let timeouts = [self.hosting.poll_timeout(), self.proxies.poll_timeout()];
        timeouts.into_iter().flatten().min()
    }

    pub fn poll_command(&mut self) -> Option<Command> {
        if let Some(interception) = &mut self.interception
            && let Some(command) = interception.poll_command(&self.intercepts)
        {
            return Some(command);
        }
        self.commands.pop_front()
    }

    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Lets other names have the addresses of those that nobody has used for the
    /// [idle time](portcullis_name_server::NameLimits::idle_time), if names are short; `is_in_use` says whether
    /// there are connections, or flows of datagrams, to an address. To be called now and then, such as once a
    /// minute.
    pub fn release_idle_names(&mut self, now: Moment, is_in_use: impl Fn(IpAddr) -> bool) {
        if let Some(interception) = &mut self.interception {
            interception.release_idle_names(now, is_in_use);
        }
    }

    /// Names that are intercepted, for a name server; `None` if nothing is intercepted. That
    /// connections begin, or have lasted until now, is told to [`InterceptedNames::touch`].
    pub fn names(&mut self) -> Option<&mut InterceptedNames<ServiceId>> {
        self.interception.as_mut().map(Interception::names)
    }

    /// The service that a port stands for.
    pub fn service_of(&self, port: &ProxyPort) -> Option<&ServiceId> {
        self.proxies.holder(port)
    }

    /// All that the kernel intercepts after the last [`Command::Intercept`], for tables that have to be filled
    /// again.
    pub fn rules(&self) -> &[InterceptRule] {
        let interception = self.interception.as_ref();
        interception.map_or(&[], Interception::rules)
    }

    /// Whether the identity may dial a service.
    pub fn may_dial(&self, service: &ServiceId) -> bool {
        let service = self.services.get(service);
        service.is_some_and(|service| service.may_dial)
    }

    /// Whether the identity may host a service.
    pub fn may_host(&self, service: &ServiceId) -> bool {
        let service = self.services.get(service);
        service.is_some_and(|service| service.may_host)
    }

    /// The server of a terminator, as the configuration has it. `None` if it is not hosted any more.
    pub fn terminator(&self, key: &TerminatorKey) -> Option<&HostTerminator> {
        self.hosting.config(key)
    }

    /// The server that a dial of the network is for. `None` if it is not hosted any more.
    ///
    /// A dial [for the resolver](AppData::is_for_resolver) is for no server: that has to be asked before.
    ///
    /// # Errors
    ///
    /// If the dial does not say what the service takes from it, or asks for what the service does not allow.
    pub fn target(
        &self,
        key: &TerminatorKey,
        data: &AppData,
    ) -> Option<Result<Target, TargetError>> {
        Some(self.terminator(key)?.target(data))
    }
}
