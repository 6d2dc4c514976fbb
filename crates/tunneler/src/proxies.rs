//! Ports that stand for services.

use crate::command::Command;
use crate::mode::ProxyPort;
use crate::service::ServiceId;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Which service each port stands for. A service that wants a port which another one has gets it when that one
/// lets go of it.
#[derive(Debug, Default)]
pub(crate) struct Proxies {
    ports: BTreeMap<ProxyPort, Claims>,
    of_services: BTreeMap<ServiceId, BTreeSet<ProxyPort>>,
}

/// Who wants a port.
#[derive(Debug)]
struct Claims {
    holder: ServiceId,
    waiting: BTreeSet<ServiceId>,
}

/// A port that another service has.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PortTaken {
    pub(crate) port: ProxyPort,
    pub(crate) holder: ServiceId,
}

impl Proxies {
    /// Which ports stand for a service from now on. The answer is which of them another one has, that it did not
    /// want before.
    pub(crate) fn set(
        &mut self,
        service: &ServiceId,
        ports: BTreeSet<ProxyPort>,
        commands: &mut VecDeque<Command>,
    ) -> Vec<PortTaken> {
        let before = self.of_services.remove(service).unwrap_or_default();
        for port in before.difference(&ports) {
            self.release(service, port, commands);
        }
        let new: Vec<_> = ports.difference(&before).cloned().collect();
        if !ports.is_empty() {
            self.of_services.insert(service.clone(), ports);
        }
        let taken = new
            .into_iter()
            .map(|port| self.claim(service, port, commands));
        taken.flatten().collect()
    }

    /// The service that a port stands for.
    pub(crate) fn holder(&self, port: &ProxyPort) -> Option<&ServiceId> {
        self.ports.get(port).map(|claims| &claims.holder)
    }

    fn claim(
        &mut self,
        service: &ServiceId,
        port: ProxyPort,
        commands: &mut VecDeque<Command>,
    ) -> Option<PortTaken> {
        if let Some(claims) = self.ports.get_mut(&port) {
            claims.waiting.insert(service.clone());
            let holder = claims.holder.clone();
            return Some(PortTaken { port, holder });
        }
        commands.push_back(Command::Listen(port.clone()));
        let claims = Claims {
            holder: service.clone(),
            waiting: BTreeSet::new(),
        };
        self.ports.insert(port, claims);
        None
    }

    fn release(&mut self, service: &ServiceId, port: &ProxyPort, commands: &mut VecDeque<Command>) {
        let Some(claims) = self.ports.get_mut(port) else {
            return;
        };
        if claims.holder != *service {
            claims.waiting.remove(service);
        } else if let Some(next) = claims.waiting.pop_first() {
            claims.holder = next;
        } else {
            self.ports.remove(port);
            commands.push_back(Command::StopListening(port.clone()));
        }
    }
}
