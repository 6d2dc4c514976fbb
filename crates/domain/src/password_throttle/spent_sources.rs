//! Unknown sources that have used their attempt.
//!
//! A guesser with many addresses is quicker at every free attempt than an owner at a new place, who
//! looks the same. The difference is that guesses are wrong: a source without a wrong password gets
//! the next attempt earlier than one with, so each source of the crowd comes first only once.

use crate::clock::SignedDuration;
use serde::{Deserialize, Serialize};
use std::net::{IpAddr, Ipv6Addr};

/// Capacity; beyond it the oldest entry is evicted.
const CAPACITY: usize = 256;

/// Maximum wait of other unknown sources below the capacity.
const WAIT: SignedDuration = SignedDuration::from_mins(1);

/// Maximum wait of other unknown sources at the capacity: a crowd that large has unused sources
/// left, which would guess at every such wait.
const WAIT_WHEN_FULL: SignedDuration = SignedDuration::from_hours(6);

/// Unknown sources with a wrong password, oldest first: IPv4 addresses and IPv6 networks of 48
/// bits, since a single customer may have more networks of 64 bits than fit here.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct SpentSources(Vec<IpAddr>);

impl SpentSources {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Wait of an unknown source, where used sources wait for `shared_wait`.
    pub(super) fn wait(&self, address: IpAddr, shared_wait: SignedDuration) -> SignedDuration {
        if self.0.contains(&site_of(address)) {
            shared_wait
        } else if self.0.len() < CAPACITY {
            shared_wait.min(WAIT)
        } else {
            shared_wait.min(WAIT_WHEN_FULL)
        }
    }

    pub(super) fn add(&mut self, address: IpAddr) {
        let site = site_of(address);
        if self.0.contains(&site) {
            return;
        }
        if self.0.len() >= CAPACITY {
            self.evict_oldest(1);
        }
        self.0.push(site);
    }

    pub(super) fn remove(&mut self, address: IpAddr) {
        let site = site_of(address);
        self.0.retain(|&spent| spent != site);
    }

    /// Evicts the oldest entries.
    pub(super) fn evict_oldest(&mut self, count: u32) {
        let count = usize::try_from(count).unwrap_or(CAPACITY);
        self.0.drain(..count.min(self.0.len()));
    }
}

/// The smallest block that a provider assigns to one customer.
fn site_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let site = address.to_bits() & (u128::MAX << 80);
            Ipv6Addr::from_bits(site).into()
        },
        v4 @ IpAddr::V4(_) => v4,
    }
}
