//! Ports that stand for services.

mod claims;

use crate::command::Command;
use crate::mode::ProxyPort;
use crate::service::ServiceId;
use claims::Claims;
use portcullis_channel::Moment;
use portcullis_tunnel_config::Protocol;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Which service each port stands for. A service that wants a port which another one has gets it when that one
/// lets go of it.
#[derive(Debug, Default)]
pub(crate) struct Proxies {
    claims: BTreeMap<PortNumber, Claims>,
    of_services: BTreeMap<ServiceId, BTreeSet<ProxyPort>>,
    /// What is to be settled.
    unsettled: BTreeSet<PortNumber>,
    /// When to listen again; it may have changed since.
    timers: BTreeSet<(Moment, ProxyPort)>,
}

/// What ports with one number have in common. They may be in each other's way.
type PortNumber = (Protocol, u16);

/// A port that another service has.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PortTaken {
    pub(crate) service: ServiceId,
    pub(crate) port: ProxyPort,
    pub(crate) holder: ServiceId,
}

impl Proxies {
    /// Which ports are to stand for a service. They do so when that has been [settled](Self::settle).
    pub(crate) fn set(&mut self, service: &ServiceId, ports: BTreeSet<ProxyPort>) {
        let before = self.of_services.remove(service).unwrap_or_default();
        for port in before.difference(&ports) {
            self.unsettled.insert(number(port));
            if let Some(claims) = self.claims.get_mut(&number(port)) {
                claims.release(service, port);
            }
        }
        for port in ports.difference(&before) {
            self.unsettled.insert(number(port));
            let claims = self.claims.entry(number(port)).or_default();
            claims.claim(service, port);
        }
        if !ports.is_empty() {
            self.of_services.insert(service.clone(), ports);
        }
    }

    /// Gives ports to those who want them, after all who let go of one have done so. The answer is which ports
    /// cannot be had that were not wanted before.
    pub(crate) fn settle(
        &mut self,
        commands: &mut VecDeque<Command>,
        now: Moment,
    ) -> Vec<PortTaken> {
        let mut taken = Vec::new();
        for number in std::mem::take(&mut self.unsettled) {
            let Some(claims) = self.claims.get_mut(&number) else {
                continue;
            };
            taken.extend(claims.settle(commands, now));
            if claims.is_empty() {
                self.claims.remove(&number);
            }
        }
        taken
    }

    /// The service that a port stands for.
    pub(crate) fn holder(&self, port: &ProxyPort) -> Option<&ServiceId> {
        self.claims.get(&number(port))?.holder(port)
    }

    /// Nobody listens at a port any more that should be open. The answer is the service that it stands for, if
    /// that is not known yet.
    pub(crate) fn listen_ended(&mut self, port: &ProxyPort, now: Moment) -> Option<ServiceId> {
        let claims = self.claims.get_mut(&number(port))?;
        let ended = claims.listen_ended(port, now)?;
        self.timers.insert((ended.again, port.clone()));
        ended.untold
    }

    pub(crate) fn handle_timeout(&mut self, commands: &mut VecDeque<Command>, now: Moment) {
        while let Some((due, port)) = self.timers.pop_first() {
            if now < due {
                self.timers.insert((due, port));
                return;
            }
            if let Some(claims) = self.claims.get_mut(&number(&port)) {
                claims.listen_again(due, &port, commands, now);
            }
        }
    }

    pub(crate) fn poll_timeout(&self) -> Option<Moment> {
        self.timers.first().map(|(at, _)| *at)
    }
}

const fn number(port: &ProxyPort) -> PortNumber {
    (port.protocol, port.port)
}
