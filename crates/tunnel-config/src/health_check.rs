//! Health checks of hosted servers, and what follows from their results.

use crate::duration::ConfigDuration;
use portcullis_channel::Moment;
use portcullis_domain::identity::Precedence;
use serde::Deserialize;
use std::time::Duration;

/// A check that is repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HealthCheck {
    pub probe: Probe,
    pub interval: Duration,
    pub timeout: Duration,
    pub actions: Vec<HealthAction>,
}

/// What a check does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Probe {
    /// It opens a TCP connection.
    Port {
        /// Host and port.
        address: String,
    },
    /// It sends a request.
    Http {
        url: String,
        method: HttpMethod,
        body: Option<String>,
        expected_status: u16,
        /// A part of the answer's body.
        expected_in_body: Option<String>,
    },
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum HttpMethod {
    #[default]
    Get,
    Post,
    Put,
    Patch,
}

/// What follows from results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "RawAction")]
pub struct HealthAction {
    pub trigger: Trigger,
    /// How many results of the kind there must have been without another one.
    pub consecutive: Option<u16>,
    /// For how long results must have been of the kind.
    pub duration: Option<Duration>,
    pub effect: Effect,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Trigger {
    /// Every failure.
    Fail,
    /// Every success.
    Pass,
    /// The first failure and the first success.
    Change,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The terminator has its own precedence again.
    MarkHealthy,
    /// The terminator is used after all others.
    MarkUnhealthy,
    /// Unless it is marked unhealthy, and up to the highest cost there is.
    IncreaseCost(u16),
    /// Down to its own cost.
    DecreaseCost(u16),
    /// The controller is told.
    SendEvent,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawAction {
    trigger: Trigger,
    action: String,
    consecutive_events: Option<u16>,
    duration: Option<ConfigDuration>,
}

impl TryFrom<RawAction> for HealthAction {
    type Error = String;

    fn try_from(raw: RawAction) -> Result<Self, String> {
        Ok(Self {
            trigger: raw.trigger,
            consecutive: raw.consecutive_events,
            duration: raw.duration.map(|duration| duration.0),
            effect: effect(&raw.action)?,
        })
    }
}

fn effect(text: &str) -> Result<Effect, String> {
    let unknown = || {
        format!(
            "`action` must be `mark healthy`, `mark unhealthy`, `send event`, `increase cost` or `decrease cost` \
             and a number from 1 to 65535, not {text:?}"
        )
    };
    let cost = |number: &str| {
        number
            .parse()
            .ok()
            .filter(|cost| *cost > 0)
            .ok_or_else(unknown)
    };
    match text {
        "mark healthy" => Ok(Effect::MarkHealthy),
        "mark unhealthy" => Ok(Effect::MarkUnhealthy),
        "send event" => Ok(Effect::SendEvent),
        _ => match (
            text.strip_prefix("increase cost "),
            text.strip_prefix("decrease cost "),
        ) {
            (Some(number), _) => Ok(Effect::IncreaseCost(cost(number)?)),
            (_, Some(number)) => Ok(Effect::DecreaseCost(cost(number)?)),
            (None, None) => Err(unknown()),
        },
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RawPortCheck {
    address: String,
    interval: ConfigDuration,
    timeout: ConfigDuration,
    #[serde(default)]
    actions: Vec<HealthAction>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RawHttpCheck {
    url: String,
    interval: ConfigDuration,
    timeout: ConfigDuration,
    #[serde(default)]
    method: HttpMethod,
    body: Option<String>,
    #[serde(default)]
    actions: Vec<HealthAction>,
    #[serde(default = "ok")]
    expect_status: u16,
    expect_in_body: Option<String>,
}

const fn ok() -> u16 {
    200
}

/// No server is asked more often.
const MIN_INTERVAL: Duration = Duration::from_secs(1);

impl From<RawPortCheck> for HealthCheck {
    fn from(raw: RawPortCheck) -> Self {
        Self {
            probe: Probe::Port {
                address: raw.address,
            },
            interval: raw.interval.0.max(MIN_INTERVAL),
            timeout: raw.timeout.0,
            actions: raw.actions,
        }
    }
}

impl From<RawHttpCheck> for HealthCheck {
    fn from(raw: RawHttpCheck) -> Self {
        Self {
            probe: Probe::Http {
                url: raw.url,
                method: raw.method,
                body: raw.body,
                expected_status: raw.expect_status,
                expected_in_body: raw.expect_in_body,
            },
            interval: raw.interval.0.max(MIN_INTERVAL),
            timeout: raw.timeout.0,
            actions: raw.actions,
        }
    }
}

/// Precedence and cost of a terminator as the checks of its server leave them.
#[derive(Debug, Clone)]
pub struct TerminatorHealth {
    own: (Precedence, u16),
    is_marked_unhealthy: bool,
    /// Beyond its own.
    added_cost: u16,
    streaks: Vec<Streak>,
}

/// Results of a check that were alike.
#[derive(Debug, Clone, Copy)]
struct Streak {
    is_passing: bool,
    count: u64,
    since: Moment,
}

/// What is to be told after a check.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[must_use]
pub struct CheckOutcome {
    /// The precedence and the cost that the terminator has from now on, if they have changed.
    pub changed: Option<(Precedence, u16)>,
    /// Whether the server is healthy, if the controller is to be told.
    pub event: Option<bool>,
}

impl TerminatorHealth {
    /// A terminator with its own precedence and cost; all of its checks count as passing.
    pub fn new(precedence: Precedence, cost: u16, checks: usize, now: Moment) -> Self {
        let passing = Streak {
            is_passing: true,
            count: 0,
            since: now,
        };
        Self {
            own: (precedence, cost),
            is_marked_unhealthy: false,
            added_cost: 0,
            streaks: vec![passing; checks],
        }
    }

    /// Gives the terminator another precedence and cost of its own. What checks have found goes on to count.
    pub const fn set_own(&mut self, precedence: Precedence, cost: u16) {
        self.own = (precedence, cost);
    }

    pub const fn current(&self) -> (Precedence, u16) {
        let (precedence, cost) = self.own;
        let precedence = if self.is_marked_unhealthy {
            Precedence::Failed
        } else {
            precedence
        };
        (precedence, cost.saturating_add(self.added_cost))
    }

    /// Takes the result of a check, which has the index that it has in the configuration.
    pub fn record(
        &mut self,
        index: usize,
        check: &HealthCheck,
        is_passing: bool,
        now: Moment,
    ) -> CheckOutcome {
        let Some(streak) = self.streaks.get_mut(index) else {
            return CheckOutcome::default();
        };
        if streak.is_passing != is_passing {
            *streak = Streak {
                is_passing,
                count: 0,
                since: now,
            };
        }
        streak.count += 1;
        let streak = *streak;
        let before = self.current();
        let mut event = None;
        for action in check
            .actions
            .iter()
            .filter(|action| action.follows(&streak, now))
        {
            if action.effect == Effect::SendEvent {
                event = Some(is_passing);
            }
            self.apply(action.effect);
        }
        CheckOutcome {
            changed: Some(self.current()).filter(|current| *current != before),
            event,
        }
    }

    fn apply(&mut self, effect: Effect) {
        let (precedence, cost) = self.current();
        match effect {
            Effect::MarkHealthy => self.is_marked_unhealthy = false,
            Effect::MarkUnhealthy => self.is_marked_unhealthy = true,
            Effect::IncreaseCost(by) if precedence != Precedence::Failed => {
                self.added_cost = cost.saturating_add(by).saturating_sub(self.own.1);
            },
            Effect::DecreaseCost(by) => {
                self.added_cost = cost.saturating_sub(by).saturating_sub(self.own.1);
            },
            Effect::IncreaseCost(_) | Effect::SendEvent => {},
        }
    }
}

impl HealthAction {
    fn follows(&self, streak: &Streak, now: Moment) -> bool {
        let is_triggered = match self.trigger {
            Trigger::Fail => !streak.is_passing,
            Trigger::Pass => streak.is_passing,
            Trigger::Change => self.is_first(streak),
        };
        let lasts = self
            .duration
            .is_none_or(|duration| streak.since + duration <= now);
        is_triggered && lasts && streak.count >= u64::from(self.consecutive.unwrap_or(0))
    }

    /// Whether it is the first result that counts as a change: the one that makes the streak long enough.
    fn is_first(&self, streak: &Streak) -> bool {
        streak.count == u64::from(self.consecutive.unwrap_or(1).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(actions: &serde_json::Value) -> HealthCheck {
        let raw = json!({
            "address": "localhost:80", "interval": "5s", "timeout": "1s", "actions": actions,
        });
        let raw: RawPortCheck = serde_json::from_value(raw).expect("a check");
        raw.into()
    }

    fn at(seconds: u64) -> Moment {
        Moment::ZERO + Duration::from_secs(seconds)
    }

    /// Records results, one in five seconds, and gives what was told after each.
    fn outcomes(check: &HealthCheck, results: &[bool]) -> Vec<CheckOutcome> {
        let mut health = TerminatorHealth::new(Precedence::Default, 10, 1, at(0));
        let record =
            |(index, passing): (u64, &bool)| health.record(0, check, *passing, at(index * 5));
        (0..).zip(results).map(record).collect()
    }

    #[test]
    fn precedence_falls_after_failures_and_comes_back() {
        let check = check(&json!([
            {"trigger": "fail", "consecutiveEvents": 2, "action": "mark unhealthy"},
            {"trigger": "pass", "duration": "10s", "action": "mark healthy"},
        ]));
        let changed: Vec<_> = outcomes(&check, &[false, false, true, true, true])
            .into_iter()
            .map(|outcome| outcome.changed)
            .collect();
        assert_eq!(
            changed,
            [
                None,
                Some((Precedence::Failed, 10)),
                None,
                None,
                Some((Precedence::Default, 10))
            ]
        );
    }

    #[test]
    fn cost_stays_between_its_own_and_the_highest() {
        let check = check(&json!([
            {"trigger": "fail", "action": "increase cost 40000"},
            {"trigger": "pass", "action": "decrease cost 65000"},
        ]));
        let changed: Vec<_> = outcomes(&check, &[false, false, false, true, true])
            .into_iter()
            .map(|outcome| outcome.changed.map(|(_, cost)| cost))
            .collect();
        assert_eq!(
            changed,
            [Some(40_010), Some(65_535), None, Some(535), Some(10)]
        );
    }

    #[test]
    fn another_cost_of_its_own_heals_nothing() {
        let check = check(&json!([
            {"trigger": "fail", "action": "increase cost 40"},
            {"trigger": "fail", "action": "mark unhealthy"},
            {"trigger": "pass", "action": "mark healthy"},
            {"trigger": "pass", "action": "decrease cost 30"},
        ]));
        let mut health = TerminatorHealth::new(Precedence::Default, 10, 1, at(0));
        let _ = health.record(0, &check, false, at(5));
        assert_eq!(health.current(), (Precedence::Failed, 50));
        health.set_own(Precedence::Required, 100);
        assert_eq!(health.current(), (Precedence::Failed, 140));
        let outcome = health.record(0, &check, true, at(10));
        assert_eq!(outcome.changed, Some((Precedence::Required, 110)));
    }

    #[test]
    fn changes_send_one_event_each() {
        let check = check(&json!([{"trigger": "change", "action": "send event"}]));
        let events: Vec<_> = outcomes(&check, &[true, false, false, true])
            .into_iter()
            .map(|outcome| outcome.event)
            .collect();
        assert_eq!(events, [Some(true), Some(false), None, Some(true)]);
    }

    #[test]
    fn bad_actions_are_named() {
        let error = effect("increase cost 0").expect_err("no cost");
        assert!(error.ends_with("not \"increase cost 0\""), "{error}");
        assert!(effect("restart").is_err());
    }
}
