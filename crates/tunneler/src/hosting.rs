//! The servers that are hosted.

mod terminator;

use crate::command::{CheckId, Command, TerminatorOptions};
use crate::service::{ServiceId, TerminatorId, TerminatorKey};
use portcullis_channel::Moment;
use portcullis_tunnel_config::HostTerminator;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use terminator::{Replaced, Terminator};

/// A server that a configuration names, and how its terminator is to be created.
#[derive(Debug)]
pub(crate) struct PlannedTerminator {
    pub(crate) config: HostTerminator,
    /// With its own precedence and cost.
    pub(crate) options: TerminatorOptions,
}

/// Terminators for all servers that are hosted.
#[derive(Debug, Default)]
pub(crate) struct Hosting {
    terminators: BTreeMap<TerminatorKey, Terminator>,
    /// When what is due; it may have changed since.
    timers: BTreeSet<(Moment, Timer)>,
    next_terminator: u64,
    next_check: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Timer {
    /// Create it again.
    Create(TerminatorKey),
    /// Check its server.
    Check(TerminatorKey, usize),
}

impl Hosting {
    /// Which servers of a service are hosted from now on, by their places.
    pub(crate) fn set(
        &mut self,
        service: &ServiceId,
        planned: BTreeMap<usize, PlannedTerminator>,
        commands: &mut VecDeque<Command>,
        now: Moment,
    ) {
        for key in self.keys_of(service) {
            if !planned.contains_key(&key.index)
                && let Some(terminator) = self.terminators.remove(&key)
            {
                terminator.remove(commands);
            }
        }
        for (index, planned) in planned {
            let key = TerminatorKey {
                service: service.clone(),
                index,
            };
            let replaced = if let Some(terminator) = self.terminators.get_mut(&key) {
                terminator.replace(planned, commands, now)
            } else {
                let terminator = Terminator::new(key.clone(), planned, now);
                self.terminators.insert(key.clone(), terminator);
                Replaced {
                    is_another: true,
                    has_other_checks: true,
                }
            };
            if replaced.is_another {
                self.create(&key, commands);
            }
            if replaced.has_other_checks {
                self.time_checks(&key);
            }
        }
    }

    pub(crate) fn config(&self, key: &TerminatorKey) -> Option<&HostTerminator> {
        let terminator = self.terminators.get(key);
        terminator.map(|terminator| &terminator.config)
    }

    pub(crate) fn created(&mut self, id: &TerminatorId, commands: &mut VecDeque<Command>) {
        if let Some(terminator) = self.terminators.get_mut(&id.key) {
            terminator.created(id.number, commands);
        }
    }

    pub(crate) fn ended(&mut self, id: &TerminatorId, now: Moment) {
        let again = self
            .terminators
            .get_mut(&id.key)
            .and_then(|terminator| terminator.ended(id.number, now));
        if let Some(again) = again {
            self.timers.insert((again, Timer::Create(id.key.clone())));
        }
    }

    pub(crate) fn checked(
        &mut self,
        check: &CheckId,
        is_passing: bool,
        commands: &mut VecDeque<Command>,
        now: Moment,
    ) {
        let Some(terminator) = self.terminators.get_mut(&check.terminator) else {
            return;
        };
        if let Some(next) = terminator.checked(check, is_passing, commands, now) {
            let timer = Timer::Check(check.terminator.clone(), check.index);
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
                Timer::Create(key) => {
                    let terminator = self.terminators.get(&key);
                    if terminator.is_some_and(|terminator| terminator.waits_until(due)) {
                        self.create(&key, commands);
                    }
                },
                Timer::Check(key, index) => self.check(due, key, index, commands, now),
            }
        }
    }

    fn check(
        &mut self,
        due: Moment,
        key: TerminatorKey,
        index: usize,
        commands: &mut VecDeque<Command>,
        now: Moment,
    ) {
        let Some(terminator) = self.terminators.get_mut(&key) else {
            return;
        };
        let id = CheckId {
            terminator: key,
            index,
            number: self.next_check,
        };
        if let Some(check) = terminator.start_check(due, id, now) {
            self.next_check += 1;
            commands.push_back(Command::Check(check));
        }
    }

    pub(crate) fn poll_timeout(&self) -> Option<Moment> {
        self.timers.first().map(|(at, _)| *at)
    }

    fn keys_of(&self, service: &ServiceId) -> Vec<TerminatorKey> {
        let first = TerminatorKey {
            service: service.clone(),
            index: 0,
        };
        let from_first = self.terminators.range(first..);
        from_first
            .map(|(key, _)| key)
            .take_while(|key| key.service == *service)
            .cloned()
            .collect()
    }

    fn create(&mut self, key: &TerminatorKey, commands: &mut VecDeque<Command>) {
        if let Some(terminator) = self.terminators.get_mut(key) {
            terminator.create(self.next_terminator, commands);
            self.next_terminator += 1;
        }
    }

    fn time_checks(&mut self, key: &TerminatorKey) {
        if let Some(terminator) = self.terminators.get(key) {
            let checks = terminator.due_checks();
            let timers = checks.map(|(due, index)| (due, Timer::Check(key.clone(), index)));
            self.timers.extend(timers);
        }
    }
}
