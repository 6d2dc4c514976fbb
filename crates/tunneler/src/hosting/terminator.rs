//! The terminator for a server, and what the checks of the server say.

use super::PlannedTerminator;
use crate::command::{CheckId, Command, ServerCheck, TerminatorOptions};
use crate::pause::{Pause, spread};
use crate::service::{TerminatorId, TerminatorKey};
use portcullis_channel::Moment;
use portcullis_domain::identity::Precedence;
use portcullis_tunnel_config::{HealthCheck, HostTerminator, TerminatorHealth};
use std::collections::VecDeque;

#[derive(Debug)]
pub(super) struct Terminator {
    key: TerminatorKey,
    pub(super) config: HostTerminator,
    /// With its own precedence and cost.
    options: TerminatorOptions,
    phase: Phase,
    /// Before it is created again, if it ends before it is created.
    pause: Pause,
    health: TerminatorHealth,
    /// What the controller is to be told when there is a terminator.
    unreported: Option<bool>,
    checks: Vec<Check>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// It is being created with this precedence and cost.
    Creating {
        number: u64,
        sent: (Precedence, u16),
    },
    Created {
        number: u64,
    },
    /// There is none until it is created again.
    Waiting {
        until: Moment,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Check {
    Due(Moment),
    Running { number: u64, next: Moment },
}

/// What another configuration has changed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Replaced {
    /// It has to be created anew.
    pub(super) is_another: bool,
    pub(super) has_other_checks: bool,
}

impl Terminator {
    /// A terminator that is to be created.
    pub(super) fn new(key: TerminatorKey, planned: PlannedTerminator, now: Moment) -> Self {
        let PlannedTerminator { config, options } = planned;
        let checks = config.health_checks.len();
        Self {
            health: TerminatorHealth::new(options.precedence, options.cost, checks, now),
            checks: first_checks(&key, &config.health_checks, now),
            phase: Phase::Waiting { until: now },
            pause: Pause::FIRST,
            unreported: None,
            key,
            config,
            options,
        }
    }

    pub(super) fn create(&mut self, number: u64, commands: &mut VecDeque<Command>) {
        let sent = self.health.current();
        let (precedence, cost) = sent;
        let options = TerminatorOptions {
            precedence,
            cost,
            ..self.options.clone()
        };
        self.phase = Phase::Creating { number, sent };
        commands.push_back(Command::CreateTerminator(self.id(number), options));
    }

    /// Takes another configuration, as far as that is possible without another terminator.
    pub(super) fn replace(
        &mut self,
        planned: PlannedTerminator,
        commands: &mut VecDeque<Command>,
        now: Moment,
    ) -> Replaced {
        let PlannedTerminator { config, options } = planned;
        let replaced = Replaced {
            is_another: !self.can_become(&options),
            has_other_checks: self.config.health_checks != config.health_checks,
        };
        if replaced.is_another {
            self.remove(commands);
            self.phase = Phase::Waiting { until: now };
            self.pause = Pause::FIRST;
        }
        let before = self.health.current();
        let (precedence, cost) = (options.precedence, options.cost);
        self.config = config;
        self.options = options;
        if replaced.has_other_checks {
            let checks = &self.config.health_checks;
            self.health = TerminatorHealth::new(precedence, cost, checks.len(), now);
            self.checks = first_checks(&self.key, checks, now);
            self.unreported = None;
        } else {
            self.health.set_own(precedence, cost);
        }
        if self.health.current() != before {
            self.update(commands);
        }
        replaced
    }

    /// Whether these options differ from the present ones by what can change while the terminator is there. The
    /// name of the service is none of them, because the network knows it by its id.
    fn can_become(&self, options: &TerminatorOptions) -> bool {
        let own = &self.options;
        own.is_encrypted == options.is_encrypted
            && own.identity == options.identity
            && own.max_connections == options.max_connections
    }

    /// Removes the terminator, if there is one.
    pub(super) fn remove(&self, commands: &mut VecDeque<Command>) {
        if let Some(number) = self.number() {
            commands.push_back(Command::RemoveTerminator(self.id(number)));
        }
    }

    pub(super) fn created(&mut self, created: u64, commands: &mut VecDeque<Command>) {
        let Phase::Creating { number, sent } = self.phase else {
            return;
        };
        if number != created {
            return;
        }
        self.phase = Phase::Created { number };
        self.pause = Pause::FIRST;
        if self.health.current() != sent {
            self.update(commands);
        }
        if let Some(is_healthy) = self.unreported.take() {
            self.report_health(is_healthy, commands);
        }
    }

    /// When to create it again, if it is this one that has ended.
    pub(super) fn ended(&mut self, ended: u64, now: Moment) -> Option<Moment> {
        if self.number() != Some(ended) {
            return None;
        }
        let until = now + self.pause.take(&self.key);
        self.phase = Phase::Waiting { until };
        Some(until)
    }

    pub(super) fn waits_until(&self, due: Moment) -> bool {
        self.phase == Phase::Waiting { until: due }
    }

    /// When which checks are due.
    pub(super) fn due_checks(&self) -> impl Iterator<Item = (Moment, usize)> {
        let checks = self.checks.iter().enumerate();
        checks.filter_map(|(index, check)| match check {
            Check::Due(due) => Some((*due, index)),
            Check::Running { .. } => None,
        })
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
            self.update(commands);
        }
        if let Some(is_healthy) = outcome.event {
            self.report_health(is_healthy, commands);
        }
        Some(next)
    }

    /// Tells the present precedence and cost, unless they will be part of the next command.
    fn update(&self, commands: &mut VecDeque<Command>) {
        let Phase::Created { number } = self.phase else {
            return;
        };
        let (precedence, cost) = self.health.current();
        commands.push_back(Command::UpdateTerminator {
            terminator: self.id(number),
            precedence,
            cost,
        });
    }

    /// Tells it now, or when the terminator has been created.
    fn report_health(&mut self, is_healthy: bool, commands: &mut VecDeque<Command>) {
        match self.phase {
            Phase::Created { number } => commands.push_back(Command::ReportHealth {
                terminator: self.id(number),
                is_healthy,
            }),
            Phase::Creating { .. } | Phase::Waiting { .. } => self.unreported = Some(is_healthy),
        }
    }

    /// That of the terminator, if there is one.
    const fn number(&self) -> Option<u64> {
        match self.phase {
            Phase::Creating { number, .. } | Phase::Created { number } => Some(number),
            Phase::Waiting { .. } => None,
        }
    }

    fn id(&self, number: u64) -> TerminatorId {
        TerminatorId {
            key: self.key.clone(),
            number,
        }
    }
}

/// Checks that are due soon, each at an instant of its own.
fn first_checks(key: &TerminatorKey, checks: &[HealthCheck], now: Moment) -> Vec<Check> {
    let checks = checks.iter().enumerate();
    checks
        .map(|(index, check)| Check::Due(now + spread(&(key, index), check.interval / 2)))
        .collect()
}
