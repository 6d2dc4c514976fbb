//! The servers that are offered.

mod server;

use crate::command::{CheckId, Command, Offer};
use crate::service::{ServerKey, ServiceId};
use portcullis_channel::Moment;
use portcullis_tunnel_config::HostTerminator;
use server::Server;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A server that a configuration names, and how it is to be offered.
#[derive(Debug)]
pub(crate) struct Named {
    pub(crate) config: HostTerminator,
    /// With its own precedence and cost.
    pub(crate) offer: Offer,
}

/// All servers that are offered.
#[derive(Debug, Default)]
pub(crate) struct Hosting {
    servers: BTreeMap<ServerKey, Server>,
    /// When what is due; it may have changed since.
    timers: BTreeSet<(Moment, Timer)>,
    next_check: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Timer {
    /// Offer it again.
    Offer(ServerKey),
    /// Check it.
    Check(ServerKey, usize),
}

impl Hosting {
    /// Which servers of a service are offered from now on, by their places.
    pub(crate) fn set(
        &mut self,
        service: &ServiceId,
        named: BTreeMap<usize, Named>,
        commands: &mut VecDeque<Command>,
        now: Moment,
    ) {
        for key in self.keys_of(service) {
            if !named.contains_key(&key.index) {
                self.withdraw(&key, commands);
            }
        }
        for (index, named) in named {
            let key = ServerKey {
                service: service.clone(),
                index,
            };
            match self.servers.get_mut(&key) {
                Some(server) if server.is_offered_as(&named.offer) => {
                    if server.replace(named, &key, commands, now) {
                        self.time_checks(&key, now);
                    }
                },
                Some(_) => {
                    self.withdraw(&key, commands);
                    self.offer(&key, named, commands, now);
                },
                None => self.offer(&key, named, commands, now),
            }
        }
    }

    pub(crate) fn config(&self, key: &ServerKey) -> Option<&HostTerminator> {
        self.servers.get(key).map(|server| &server.config)
    }

    pub(crate) fn offered(&mut self, key: &ServerKey) {
        if let Some(server) = self.servers.get_mut(key) {
            server.offered();
        }
    }

    pub(crate) fn offer_ended(&mut self, key: &ServerKey, now: Moment) {
        let again = self
            .servers
            .get_mut(key)
            .and_then(|server| server.offer_ended(now));
        if let Some(again) = again {
            self.timers.insert((again, Timer::Offer(key.clone())));
        }
    }

    pub(crate) fn checked(
        &mut self,
        check: &CheckId,
        is_passing: bool,
        commands: &mut VecDeque<Command>,
        now: Moment,
    ) {
        let Some(server) = self.servers.get_mut(&check.server) else {
            return;
        };
        if let Some(next) = server.checked(check, is_passing, commands, now) {
            let timer = Timer::Check(check.server.clone(), check.index);
            self.timers.insert((next, timer));
        }
    }

    pub(crate) fn handle_timeout(&mut self, commands: &mut VecDeque<Command>, now: Moment) {
        while let Some((due, timer)) = self.timers.pop_first() {
            if now < due {
                self.timers.insert((due, timer));
                return;
            }
            match timer {
                Timer::Offer(key) => {
                    if let Some(server) = self.servers.get_mut(&key) {
                        server.offer_again(due, &key, commands);
                    }
                },
                Timer::Check(key, index) => self.check(due, key, index, commands, now),
            }
        }
    }

    fn check(
        &mut self,
        due: Moment,
        key: ServerKey,
        index: usize,
        commands: &mut VecDeque<Command>,
        now: Moment,
    ) {
        let Some(server) = self.servers.get_mut(&key) else {
            return;
        };
        let id = CheckId {
            server: key,
            index,
            number: self.next_check,
        };
        if let Some(check) = server.start_check(due, id, now) {
            self.next_check += 1;
            commands.push_back(Command::Check(check));
        }
    }

    pub(crate) fn poll_timeout(&self) -> Option<Moment> {
        self.timers.first().map(|(at, _)| *at)
    }

    fn keys_of(&self, service: &ServiceId) -> Vec<ServerKey> {
        let first = ServerKey {
            service: service.clone(),
            index: 0,
        };
        let from_first = self.servers.range(first..);
        from_first
            .map(|(key, _)| key)
            .take_while(|key| key.service == *service)
            .cloned()
            .collect()
    }

    fn offer(
        &mut self,
        key: &ServerKey,
        named: Named,
        commands: &mut VecDeque<Command>,
        now: Moment,
    ) {
        let server = Server::new(named, now);
        commands.push_back(server.command(key));
        self.servers.insert(key.clone(), server);
        self.time_checks(key, now);
    }

    fn withdraw(&mut self, key: &ServerKey, commands: &mut VecDeque<Command>) {
        if let Some(server) = self.servers.remove(key)
            && !server.waits()
        {
            commands.push_back(Command::Withdraw(key.clone()));
        }
    }

    /// All checks of a server are due.
    fn time_checks(&mut self, key: &ServerKey, now: Moment) {
        let checks = self.servers.get(key).map_or(0, Server::checks);
        let timers = (0..checks).map(|index| (now, Timer::Check(key.clone(), index)));
        self.timers.extend(timers);
    }
}
