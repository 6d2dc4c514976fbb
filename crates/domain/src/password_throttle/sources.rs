//! The sources of attempts at one password, bounded in number.

use super::{ThrottleRules, WrongPasswords};
use crate::clock::{SignedDuration, Timestamp, to_millisecond};
use crate::peer;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::net::IpAddr;

/// How long a source is known after a right password.
const KNOWN_FOR: SignedDuration = SignedDuration::from_hours(90 * 24);

/// How often it is written down that a known source gave a right password: most logins write nothing.
const NOTED_EVERY: SignedDuration = SignedDuration::from_hours(24);

/// As many sources as are kept that are known, and as many that are not. Those of each kind that were
/// heard of last stay; unknown ones never take the place of known ones.
const ROOM: usize = 8;

/// Who made attempts at one password.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Sources(Vec<Source>);

/// An IPv4 address, or an IPv6 network of 64 bits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Source {
    address: IpAddr,
    /// Its wrong passwords since its last right one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wrong: Option<WrongPasswords>,
    /// When it gave a right password, to the day.
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

    fn last_heard_of(&self) -> Option<Timestamp> {
        self.right_at.max(self.wrong.map(|wrong| wrong.last_at))
    }
}

impl Sources {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The wrong passwords of a source.
    pub(super) fn wrong(&self, address: IpAddr) -> Option<WrongPasswords> {
        self.find(address)?.wrong
    }

    /// Whether a right password came from there lately.
    pub(super) fn is_known(&self, address: IpAddr, now: Timestamp) -> bool {
        self.find(address)
            .is_some_and(|source| source.is_known(now))
    }

    pub(super) fn note_wrong(&mut self, address: IpAddr, rules: ThrottleRules, now: Timestamp) {
        self.change(address, now, |source| {
            source.wrong = Some(WrongPasswords::one_more(source.wrong, rules, now));
        });
    }

    pub(super) fn note_right(&mut self, address: IpAddr, now: Timestamp) {
        self.change(address, now, |source| {
            source.wrong = None;
            let is_noted = source
                .right_at
                .is_some_and(|at| now.duration_since(at).abs() < NOTED_EVERY);
            if !is_noted {
                source.right_at = Some(to_millisecond(now));
            }
        });
    }

    pub(super) fn recall_right(&mut self, address: IpAddr, right_at: Timestamp, now: Timestamp) {
        self.change(address, now, |source| {
            source.right_at = source.right_at.max(Some(to_millisecond(right_at)));
        });
    }

    pub(super) fn forget_wrong(&mut self) {
        self.0.retain_mut(|source| {
            source.wrong = None;
            source.right_at.is_some()
        });
    }

    fn find(&self, address: IpAddr) -> Option<&Source> {
        let address = peer::network_of(address);
        self.0.iter().find(|source| source.address == address)
    }

    fn change(&mut self, address: IpAddr, now: Timestamp, change: impl FnOnce(&mut Source)) {
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
        self.make_room(now);
    }

    /// Drops what is too much, of known and of unknown sources: those not heard of for longest.
    fn make_room(&mut self, now: Timestamp) {
        // The newest first, to keep the first of each kind, and always in the same order.
        self.0
            .sort_by_key(|source| (Reverse(source.last_heard_of()), source.address));
        let (mut known, mut unknown) = (0, 0);
        self.0.retain(|source| {
            let count = if source.is_known(now) {
                &mut known
            } else {
                &mut unknown
            };
            *count += 1;
            *count <= ROOM
        });
    }
}
