//! Bounded list of the sources of password attempts.

use super::{ThrottleRules, WrongPasswords};
use crate::clock::{SignedDuration, Timestamp, to_millisecond};
use crate::peer;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::net::IpAddr;

/// How long a source stays known after a right password.
const KNOWN_FOR: SignedDuration = SignedDuration::from_hours(90 * 24);

/// Minimum interval between updates of `right_at`, so that most logins write nothing.
const SUCCESS_WRITE_INTERVAL: SignedDuration = SignedDuration::from_hours(24);

/// Capacity for known and for unknown sources each. The most recently seen ones stay; unknown
/// sources never displace known ones.
const CAPACITY: usize = 8;

/// Sources of attempts at one password.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Sources(Vec<Source>);

/// An IPv4 address, or an IPv6 network of 64 bits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Source {
    address: IpAddr,
    /// Since its last right password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wrong: Option<WrongPasswords>,
    /// Last right password, to the day.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "jiff::fmt::serde::timestamp::millisecond::optional"
    )]
    right_at: Option<Timestamp>,
}

impl Source {
    fn is_known(&self, now: Timestamp) -> bool {
        self.right_at
            .is_some_and(|right_at| now.duration_since(right_at) < KNOWN_FOR)
    }

    fn last_seen(&self) -> Option<Timestamp> {
        self.right_at.max(self.wrong.map(|wrong| wrong.last_at))
    }
}

impl Sources {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn failures(&self, address: IpAddr) -> Option<WrongPasswords> {
        self.find(address)?.wrong
    }

    pub(super) fn is_known(&self, address: IpAddr, now: Timestamp) -> bool {
        self.find(address)
            .is_some_and(|source| source.is_known(now))
    }

    pub(super) fn record_failure(&mut self, address: IpAddr, rules: ThrottleRules, now: Timestamp) {
        self.update(address, now, |source| {
            source.wrong = Some(WrongPasswords::incremented(source.wrong, rules, now));
        });
    }

    pub(super) fn record_success(&mut self, address: IpAddr, now: Timestamp) {
        self.update(address, now, |source| {
            source.wrong = None;
            let is_recorded = source
                .right_at
                .is_some_and(|at| now.duration_since(at).abs() < SUCCESS_WRITE_INTERVAL);
            if !is_recorded {
                source.right_at = Some(to_millisecond(now));
            }
        });
    }

    pub(super) fn restore_success(&mut self, address: IpAddr, right_at: Timestamp, now: Timestamp) {
        self.update(address, now, |source| {
            source.right_at = source.right_at.max(Some(to_millisecond(right_at)));
        });
    }

    pub(super) fn clear_failures(&mut self) {
        self.0.retain_mut(|source| {
            source.wrong = None;
            source.right_at.is_some()
        });
    }

    fn find(&self, address: IpAddr) -> Option<&Source> {
        let address = peer::network_of(address);
        self.0.iter().find(|source| source.address == address)
    }

    fn update(&mut self, address: IpAddr, now: Timestamp, change: impl FnOnce(&mut Source)) {
        let address = peer::network_of(address);
        let place = self.0.iter().position(|source| source.address == address);
        let mut source = match place {
            Some(place) => self.0.remove(place),
            None => Source {
                address,
                wrong: None,
                right_at: None,
            },
        };
        change(&mut source);
        self.0.push(source);
        self.evict(now);
    }

    /// Evicts the least recently seen known and unknown sources beyond the capacity.
    fn evict(&mut self, now: Timestamp) {
        // Newest first, so that the first of each kind stay; the order is deterministic.
        self.0
            .sort_by_key(|source| (Reverse(source.last_seen()), source.address));
        let (mut known, mut unknown) = (0, 0);
        self.0.retain(|source| {
            let count = if source.is_known(now) {
                &mut known
            } else {
                &mut unknown
            };
            *count += 1;
            *count <= CAPACITY
        });
    }
}
