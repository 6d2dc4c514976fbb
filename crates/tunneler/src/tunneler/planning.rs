//! What follows from a service.

use super::Tunneler;
use crate::command::Offer;
use crate::event::{Event, Fault};
use crate::hosting::Named;
use crate::mode::ProxyPort;
use crate::service::Service;
use portcullis_channel::Moment;
use portcullis_tunnel_config::{ConfigError, Host, HostTerminator, Intercept, Proxy};
use std::collections::{BTreeMap, BTreeSet};

impl Tunneler {
    pub(super) fn host(&mut self, service: &Service, now: Moment) {
        let named = self.servers(service);
        self.hosting
            .set(&service.id, named, &mut self.commands, now);
    }

    /// The servers of a service that can be offered, by their places in the configuration.
    fn servers(&mut self, service: &Service) -> BTreeMap<usize, Named> {
        if !service.may_host {
            return BTreeMap::new();
        }
        let host = match Host::from_configs(|name| service.config(name)) {
            Ok(Some(host)) => host,
            Ok(None) => {
                self.tell(service, Fault::NoHost);
                return BTreeMap::new();
            },
            Err(error) => {
                self.tell(service, Fault::Host(error));
                return BTreeMap::new();
            },
        };
        let mut servers = BTreeMap::new();
        for (index, config) in host.terminators.into_iter().enumerate() {
            match self.offer(service, &config) {
                Ok(offer) => {
                    servers.insert(index, Named { config, offer });
                },
                Err(fault) => self.tell(service, fault),
            }
        }
        servers
    }

    fn offer(&self, service: &Service, config: &HostTerminator) -> Result<Offer, Fault> {
        let of_service = (service.terms.precedence, service.terms.cost);
        let (precedence, cost) = config.listen.precedence_and_cost(self.terms, of_service);
        let identity = config.listen.identity(&self.identity);
        Ok(Offer {
            service_name: service.name.clone(),
            is_encrypted: service.is_encrypted,
            identity: identity.map_err(Fault::Identity)?,
            precedence,
            cost,
            max_connections: config.listen.max_connections,
        })
    }

    pub(super) fn intercept(&mut self, service: &Service) {
        let Some(interception) = &mut self.interception else {
            return;
        };
        let intercept = wanted(
            service,
            Intercept::from_configs(|name| service.config(name)),
        );
        let (intercept, fault) = split(intercept);
        interception.set(&service.id, intercept);
        if let Some(error) = fault {
            self.tell(service, Fault::Intercept(error));
        }
    }

    pub(super) fn listen(&mut self, service: &Service) {
        let mut ports = BTreeSet::new();
        if service.may_dial {
            let rules = self.rules.iter();
            let of_service = rules.filter(|rule| rule.service == service.name);
            ports.extend(of_service.map(|rule| rule.port.clone()));
        }
        if self.interception.is_some() {
            let proxy = wanted(service, Proxy::from_configs(|name| service.config(name)));
            let (proxy, fault) = split(proxy);
            ports.extend(proxy.iter().flat_map(ports_of));
            if let Some(error) = fault {
                self.tell(service, Fault::Proxy(error));
            }
        }
        let taken = self.proxies.set(&service.id, ports, &mut self.commands);
        for taken in taken {
            let holder = self.services.get(&taken.holder);
            let name = holder.map_or_else(|| service.name.clone(), |holder| holder.name.clone());
            let fault = Fault::PortTaken {
                port: taken.port,
                holder: name,
            };
            self.tell(service, fault);
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

/// What a configuration says, if the service may be dialed.
fn wanted<C>(
    service: &Service,
    config: Result<Option<C>, ConfigError>,
) -> Result<Option<C>, ConfigError> {
    if service.may_dial { config } else { Ok(None) }
}

fn split<C>(config: Result<Option<C>, ConfigError>) -> (Option<C>, Option<ConfigError>) {
    match config {
        Ok(config) => (config, None),
        Err(error) => (None, Some(error)),
    }
}

fn ports_of(proxy: &Proxy) -> impl Iterator<Item = ProxyPort> {
    proxy.protocols.iter().map(|protocol| ProxyPort {
        binding: proxy.binding.clone(),
        protocol: *protocol,
        port: proxy.port,
    })
}
