//! How often services are dialed, and how that ends.
//!
//! Dials are counted by the minute in which they end, and told when the minute is over for some time: what
//! ended last may still be on its way here. Each ends in one or two counters:
//!
//! | End | Counters |
//! |---|---|
//! | circuit | `success` |
//! | the router does not answer | `timeout` |
//! | the router answers with a failure | `fail`, and what it says of the terminator: `timeout`, `connection_refused`, `invalid`, `misconfigured`; `error_other` if it says nothing of that |
//! | anything else, such as no terminator or no path | `error_other` |
//!
//! `error_other` has no terminator.

use crate::translate;
use portcullis_app::App;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::{ServiceId, TerminatorId};
use portcullis_events::{Body, Namespace, ServiceCount, ServiceCountKind};
use portcullis_fabric::{CircuitEvent, FailureCause, RouteErrorCode, Target};
use std::collections::BTreeMap;
use std::time::Duration;

/// Seconds of an interval.
const LENGTH: i64 = 60;
/// Counters of one interval, at most; dials beyond it are not counted.
const MAX_COUNTERS: usize = 100_000;

/// Dials that were not told of yet, by the start of their interval.
#[derive(Debug, Default)]
pub(super) struct DialCounters(BTreeMap<i64, Interval>);

type Interval = BTreeMap<Counter, u64>;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Counter {
    kind: ServiceCountKind,
    service: ServiceId,
    terminator: Option<TerminatorId>,
}

impl DialCounters {
    /// Counts a dial that has ended, if somebody wants to know.
    pub(super) fn count(&mut self, app: &App, time: Timestamp, event: &CircuitEvent) {
        if app.wants_events(Namespace::Service) {
            self.add(time, event);
        }
    }

    fn add(&mut self, time: Timestamp, event: &CircuitEvent) {
        let (service, target, kinds) = match event {
            CircuitEvent::Created(circuit) => {
                let kinds = vec![ServiceCountKind::Success];
                (&circuit.right.service, circuit.target.as_deref(), kinds)
            },
            CircuitEvent::Failed { attempt, cause } => {
                let course = attempt.course.as_ref();
                let target = course.map(|course| &*course.target);
                (&attempt.right.service, target, kinds(*cause, target))
            },
            CircuitEvent::Adopted(_)
            | CircuitEvent::PathChanged(_)
            | CircuitEvent::Ended { .. } => return,
        };
        let start = time.as_second().div_euclid(LENGTH) * LENGTH;
        let interval = self.0.entry(start).or_default();
        for kind in kinds {
            let terminator = target.map(|target| target.terminator.clone());
            let counter = Counter {
                kind,
                service: service.clone(),
                terminator: terminator.filter(|_| kind != ServiceCountKind::OtherError),
            };
            if interval.len() < MAX_COUNTERS || interval.contains_key(&counter) {
                *interval.entry(counter).or_default() += 1;
            }
        }
    }

    /// Tells of the intervals that have begun so long ago, and are over.
    pub(super) fn publish(&mut self, app: &App, age: Duration) {
        let now = app.env().now();
        for count in self.take(now, age) {
            app.publish_at(now, Body::Service(count));
        }
    }

    fn take(&mut self, now: Timestamp, age: Duration) -> Vec<ServiceCount> {
        // One that is not over would be told of twice.
        let age = i64::try_from(age.as_secs()).unwrap_or(i64::MAX).max(LENGTH);
        let youngest = now.as_second().saturating_sub(age);
        let open = self.0.split_off(&youngest.saturating_add(1));
        let over = std::mem::replace(&mut self.0, open);
        let counts = over.into_iter().flat_map(|(start, interval)| {
            interval
                .into_iter()
                .map(move |(counter, count)| ServiceCount {
                    kind: counter.kind,
                    terminator_id: counter
                        .terminator
                        .as_ref()
                        .map(TerminatorId::as_str)
                        .unwrap_or_default()
                        .into(),
                    service_id: counter.service.as_str().into(),
                    count,
                    interval_start: start,
                    interval_length: LENGTH.unsigned_abs(),
                })
        });
        counts.collect()
    }
}

fn kinds(cause: FailureCause, target: Option<&Target>) -> Vec<ServiceCountKind> {
    use ServiceCountKind as Kind;
    match cause {
        FailureCause::Timeout => vec![Kind::Timeout],
        FailureCause::Router(code) => {
            let of_terminator = match code {
                RouteErrorCode::InvalidTerminator
                    if target.is_some_and(|target| translate::is_hosted(&target.binding)) =>
                {
                    Kind::InvalidTerminator
                },
                RouteErrorCode::InvalidTerminator | RouteErrorCode::MisconfiguredTerminator => {
                    Kind::MisconfiguredTerminator
                },
                RouteErrorCode::DialTimedOut => Kind::TerminatorTimeout,
                RouteErrorCode::ConnectionRefused => Kind::ConnectionRefused,
                RouteErrorCode::Generic
                | RouteErrorCode::RejectedByApplication
                | RouteErrorCode::DnsResolutionFailed
                | RouteErrorCode::PortNotAllowed
                | RouteErrorCode::InvalidLinkDestination
                | RouteErrorCode::ResourcesNotAvailable => Kind::OtherError,
            };
            vec![Kind::Failure, of_terminator]
        },
        FailureCause::InvalidService
        | FailureCause::NamesInUse
        | FailureCause::Choice(_)
        | FailureCause::LinkLost
        | FailureCause::RouterLost
        | FailureCause::NoHostKey
        | FailureCause::TooManyCircuits
        | FailureCause::TooManyDials
        | FailureCause::RightEnded
        | FailureCause::Cancelled => vec![Kind::OtherError],
    }
}

#[cfg(test)]
mod tests;
