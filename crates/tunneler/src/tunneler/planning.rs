//! What follows from a service.

use super::Tunneler;
use crate::command::TerminatorOptions;
use crate::event::{Event, Fault};
use crate::hosting::PlannedTerminator;
use crate::interception::networks;
use crate::mode::ProxyPort;
use crate::service::{Service, ServiceId};
use portcullis_channel::Moment;
use portcullis_tunnel_config::{Host, HostTerminator, Intercept, Interfaces, Proxy};
use std::collections::{BTreeMap, BTreeSet};

/// What a fault is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    Dial,
    Host,
}

impl Tunneler {
    pub(super) fn plan_hosting(&mut self, service: &Service, now: Moment) {
        let mut faults = Vec::new();
        let planned = self.terminators(service, &mut faults);
        self.hosting
            .set(&service.id, planned, &mut self.commands, now);
        self.tell_new(service, Side::Host, faults);
    }

    /// The terminators that a service can have, by their places in the configuration.
    fn terminators(
        &self,
        service: &Service,
        faults: &mut Vec<Fault>,
    ) -> BTreeMap<usize, PlannedTerminator> {
        if !service.may_host {
            return BTreeMap::new();
        }
        let host = match Host::from_configs(|name| service.config(name)) {
            Ok(Some(host)) => host,
            Ok(None) => {
                faults.push(Fault::NoHost);
                return BTreeMap::new();
            },
            Err(error) => {
                faults.push(Fault::Host(error));
                return BTreeMap::new();
            },
        };
        let mut planned = BTreeMap::new();
        for (index, config) in host.terminators.into_iter().enumerate() {
            let terminator = config
                .map_err(Fault::Server)
                .and_then(|config| self.planned(service, config));
            match terminator {
                Ok(terminator) => {
                    planned.insert(index, terminator);
                },
                Err(fault) => faults.push(fault),
            }
        }
        planned
    }

    fn planned(
        &self,
        service: &Service,
        config: HostTerminator,
    ) -> Result<PlannedTerminator, Fault> {
        let of_service = (service.terms.precedence, service.terms.cost);
        let (precedence, cost) = config.listen.precedence_and_cost(self.terms, of_service);
        let identity = config.listen.identity(&self.identity);
        let options = TerminatorOptions {
            service_name: service.name.clone(),
            is_encrypted: service.is_encrypted,
            identity: identity.map_err(Fault::Identity)?,
            precedence,
            cost,
            max_connections: config.listen.max_connections,
        };
        Ok(PlannedTerminator { config, options })
    }

    /// Ports are given when all services have said which they want.
    pub(super) fn plan_dialing(&mut self, service: &Service) {
        let mut faults = Vec::new();
        let ports = self.ports(service, &mut faults);
        let intercept = self.intercept(service, !ports.is_empty(), &mut faults);
        if let Some(interception) = &mut self.interception {
            let before = self.intercepts.get(&service.id);
            interception.set(&service.id, before, intercept.as_ref());
        }
        match intercept {
            None => self.intercepts.remove(&service.id),
            Some(intercept) => self.intercepts.insert(service.id.clone(), intercept),
        };
        self.proxies.set(&service.id, ports);
        self.tell_new(service, Side::Dial, faults);
    }

    /// The ports that are to stand for a service.
    fn ports(&self, service: &Service, faults: &mut Vec<Fault>) -> BTreeSet<ProxyPort> {
        let mut ports = BTreeSet::new();
        if !service.may_dial {
            return ports;
        }
        let rules = self.proxy_rules.iter();
        let of_service = rules.filter(|rule| rule.service == service.name);
        ports.extend(of_service.map(|rule| rule.port.clone()));
        if self.interception.is_some() {
            match Proxy::from_configs(|name| service.config(name)) {
                Ok(proxy) => ports.extend(proxy.iter().flat_map(ports_of)),
                Err(error) => faults.push(Fault::Proxy(error)),
            }
        }
        ports
    }

    /// What is intercepted for a service, and how it is dialed.
    fn intercept(
        &self,
        service: &Service,
        has_ports: bool,
        faults: &mut Vec<Fault>,
    ) -> Option<Intercept> {
        let is_needed = has_ports || self.interception.is_some();
        if !service.may_dial || !is_needed {
            return None;
        }
        let intercept = Intercept::from_configs(|name| service.config(name));
        match (intercept, &self.interception) {
            (Ok(intercept), None) => intercept,
            (Ok(None), Some(_)) => {
                faults.extend(only_interfaces(service, has_ports));
                None
            },
            (Ok(Some(intercept)), Some(interception)) => {
                let range = interception.name_range();
                let within = networks(&intercept).filter(|network| {
                    network.prefix() >= range.prefix() && range.contains(network.first())
                });
                faults.extend(within.map(|network| Fault::InNameRange { network, range }));
                Some(intercept)
            },
            (Err(error), interception) => {
                faults.push(match interception {
                    None => Fault::DialOptions(error),
                    Some(_) => Fault::Intercept(error),
                });
                None
            },
        }
    }

    /// Gives ports to the services that want them.
    pub(super) fn settle_ports(&mut self, now: Moment) {
        for taken in self.proxies.settle(&mut self.commands, now) {
            let holder = self.services.get(&taken.holder);
            let Some(holder) = holder.map(|holder| holder.name.clone()) else {
                continue;
            };
            let port = taken.port;
            self.tell_about(&taken.service, Fault::PortTaken { port, holder });
        }
    }

    /// Tells what is wrong with a service now, but not what was so before.
    fn tell_new(&mut self, service: &Service, side: Side, faults: Vec<Fault>) {
        let key = (service.id.clone(), side);
        let before = self.told.remove(&key).unwrap_or_default();
        for fault in faults.iter().filter(|fault| !before.contains(fault)) {
            self.tell(service, fault.clone());
        }
        if !faults.is_empty() {
            self.told.insert(key, faults);
        }
    }

    pub(super) fn tell_about(&mut self, service: &ServiceId, fault: Fault) {
        if let Some(service) = self.services.get(service).cloned() {
            self.tell(&service, fault);
        }
    }

    fn tell(&mut self, service: &Service, fault: Fault) {
        self.events.push_back(Event {
            service: service.id.clone(),
            service_name: service.name.clone(),
            fault,
        });
    }
}

/// What is wrong with a service that is to be intercepted at network interfaces, if nothing else leads to it.
fn only_interfaces(service: &Service, has_ports: bool) -> Option<Fault> {
    if has_ports {
        return None;
    }
    match Interfaces::from_configs(|name| service.config(name)) {
        Ok(interfaces) => {
            let Interfaces(interfaces) = interfaces?;
            Some(Fault::OnlyInterfaces { interfaces })
        },
        Err(error) => Some(Fault::Intercept(error)),
    }
}

fn ports_of(proxy: &Proxy) -> impl Iterator<Item = ProxyPort> {
    proxy.protocols.iter().map(|protocol| ProxyPort {
        binding: proxy.binding.clone(),
        protocol: *protocol,
        port: proxy.port,
    })
}
