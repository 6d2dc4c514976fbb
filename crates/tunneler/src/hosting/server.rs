//! A server that is offered, and what its checks say.

use super::Named;
use crate::command::{CheckId, Command, Offer, ServerCheck};
use crate::service::ServerKey;
use portcullis_channel::Moment;
use portcullis_tunnel_config::{HostTerminator, TerminatorHealth};
use std::collections::VecDeque;
use std::time::Duration;

/// How long after the end of an offer the next one follows.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
/// It doubles with each offer that was never taken, up to this.
const LONGEST_PAUSE: Duration = Duration::from_mins(3);

#[derive(Debug)]
pub(super) struct Server {
    pub(super) config: HostTerminator,
    /// With its own precedence and cost.
    offer: Offer,
    phase: Phase,
    /// Before the next offer, if this one ends before it is taken.
    pause: Duration,
    health: TerminatorHealth,
    checks: Vec<Check>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// It is offered, or being offered.
    Offered,
    /// The offer has ended.
    Waiting { until: Moment },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Check {
    Due(Moment),
    Running { number: u64, next: Moment },
}

impl Server {
    /// A server whose checks are due.
    pub(super) fn new(named: Named, now: Moment) -> Self {
        let Named { config, offer } = named;
        let checks = config.health_checks.len();
        Self {
            health: TerminatorHealth::new(offer.precedence, offer.cost, checks, now),
            checks: vec![Check::Due(now); checks],
            phase: Phase::Offered,
            pause: FIRST_PAUSE,
            config,
            offer,
        }
    }

    /// What to do to offer it.
    pub(super) fn command(&self, key: &ServerKey) -> Command {
        let (precedence, cost) = self.health.current();
        let offer = Offer {
            precedence,
            cost,
            ..self.offer.clone()
        };
        Command::Offer(key.clone(), offer)
    }

    /// Whether an offer differs from the present one by precedence and cost alone.
    pub(super) fn is_offered_as(&self, offer: &Offer) -> bool {
        let alike = Offer {
            precedence: self.offer.precedence,
            cost: self.offer.cost,
            ..offer.clone()
        };
        self.offer == alike
    }

    /// Takes another configuration with the same offer but for precedence and cost. Whether its checks are due,
    /// because they are others.
    pub(super) fn replace(
        &mut self,
        named: Named,
        key: &ServerKey,
        commands: &mut VecDeque<Command>,
        now: Moment,
    ) -> bool {
        let Named { config, offer } = named;
        let has_same_checks = self.config.health_checks == config.health_checks;
        let is_as_dear = (self.offer.precedence, self.offer.cost) == (offer.precedence, offer.cost);
        self.config = config;
        self.offer = offer;
        if has_same_checks && is_as_dear {
            return false;
        }
        let before = self.health.current();
        let checks = self.config.health_checks.len();
        self.health = TerminatorHealth::new(self.offer.precedence, self.offer.cost, checks, now);
        if self.health.current() != before {
            self.reprice(key, commands);
        }
        if !has_same_checks {
            self.checks = vec![Check::Due(now); checks];
        }
        !has_same_checks
    }

    fn reprice(&self, key: &ServerKey, commands: &mut VecDeque<Command>) {
        if self.waits() {
            return;
        }
        let (precedence, cost) = self.health.current();
        commands.push_back(Command::Reprice {
            server: key.clone(),
            precedence,
            cost,
        });
    }

    /// Whether it is not offered at the moment.
    pub(super) const fn waits(&self) -> bool {
        matches!(self.phase, Phase::Waiting { .. })
    }

    pub(super) const fn offered(&mut self) {
        self.pause = FIRST_PAUSE;
    }

    /// When to offer it again, if it was offered.
    pub(super) fn offer_ended(&mut self, now: Moment) -> Option<Moment> {
        if self.waits() {
            return None;
        }
        let until = now + self.pause;
        self.phase = Phase::Waiting { until };
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        Some(until)
    }

    pub(super) fn offer_again(
        &mut self,
        due: Moment,
        key: &ServerKey,
        commands: &mut VecDeque<Command>,
    ) {
        if self.phase == (Phase::Waiting { until: due }) {
            self.phase = Phase::Offered;
            commands.push_back(self.command(key));
        }
    }

    pub(super) const fn checks(&self) -> usize {
        self.checks.len()
    }

    pub(super) fn start_check(
        &mut self,
        due: Moment,
        id: CheckId,
        now: Moment,
    ) -> Option<ServerCheck> {
        let config = self.config.health_checks.get(id.index)?;
        let check = self.checks.get_mut(id.index)?;
        if *check != Check::Due(due) {
            return None;
        }
        *check = Check::Running {
            number: id.number,
            next: now + config.interval,
        };
        Some(ServerCheck {
            probe: config.probe.clone(),
            timeout: config.timeout,
            id,
        })
    }

    /// When to check again, if the check is one that runs.
    pub(super) fn checked(
        &mut self,
        id: &CheckId,
        is_passing: bool,
        commands: &mut VecDeque<Command>,
        now: Moment,
    ) -> Option<Moment> {
        let config = self.config.health_checks.get(id.index)?;
        let check = self.checks.get_mut(id.index)?;
        let next = match *check {
            Check::Running { number, next } if number == id.number => next.max(now),
            Check::Running { .. } | Check::Due(_) => return None,
        };
        *check = Check::Due(next);
        let outcome = self.health.record(id.index, config, is_passing, now);
        if outcome.changed.is_some() {
            self.reprice(&id.server, commands);
        }
        if let Some(is_healthy) = outcome.event
            && !self.waits()
        {
            commands.push_back(Command::TellHealth {
                server: id.server.clone(),
                is_healthy,
            });
        }
        Some(next)
    }
}
