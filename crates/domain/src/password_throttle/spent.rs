//! Unknown sources that have had their attempt.
//!
//! Whoever guesses from a crowd of addresses is quicker at every attempt that comes free than an owner
//! at a new place, who looks the same. What tells them apart is that guesses are wrong: from a source
//! without a wrong password the next attempt counts earlier than from one with, so each source of the
//! crowd comes first but once.

use crate::clock::SignedDuration;
use serde::{Deserialize, Serialize};
use std::net::{IpAddr, Ipv6Addr};

/// As many as are remembered; then the one that was added first is forgotten.
const ROOM: usize = 256;

/// The longest that all other unknown sources wait, as long as there is room.
const WAIT: SignedDuration = SignedDuration::from_mins(1);

/// The longest that they wait from then on: a crowd that large is not used up, and its guesses would
/// come at every such wait.
const WAIT_WHEN_FULL: SignedDuration = SignedDuration::from_hours(6);

/// Unknown sources that gave a wrong password, the latest last: IPv4 addresses and IPv6 networks of 48
/// bits, since of networks of 64 bits a single customer has as many as there is room for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct SpentSources(Vec<IpAddr>);

impl SpentSources {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How long an unknown source waits, where those that are spent wait for `together`.
    pub(super) fn wait(&self, address: IpAddr, together: SignedDuration) -> SignedDuration {
        if self.0.contains(&site_of(address)) {
            together
        } else if self.0.len() < ROOM {
            together.min(WAIT)
        } else {
            together.min(WAIT_WHEN_FULL)
        }
    }

    pub(super) fn add(&mut self, address: IpAddr) {
        let site = site_of(address);
        if self.0.contains(&site) {
            return;
        }
        if self.0.len() >= ROOM {
            self.forget(1);
        }
        self.0.push(site);
    }

    pub(super) fn remove(&mut self, address: IpAddr) {
        let site = site_of(address);
        self.0.retain(|&spent| spent != site);
    }

    /// Forgets those that were added first.
    pub(super) fn forget(&mut self, count: u32) {
        let count = usize::try_from(count).unwrap_or(ROOM);
        self.0.drain(..count.min(self.0.len()));
    }
}

/// What one customer of a provider has at the least.
fn site_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let site = address.to_bits() & (u128::MAX << 80);
            Ipv6Addr::from_bits(site).into()
        },
        v4 @ IpAddr::V4(_) => v4,
    }
}
