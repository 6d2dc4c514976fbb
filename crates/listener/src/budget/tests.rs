use super::*;
use crate::Quota;
use portcullis_domain::peer::Peer;
use std::cmp::Reverse;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A holder that is evicted by amount, the largest first.
#[derive(Clone, Default)]
struct Bytes {
    is_fixed: bool,
    is_evicted: Arc<AtomicBool>,
}

impl Bytes {
    fn is_evicted(&self) -> bool {
        self.is_evicted.load(Ordering::Relaxed)
    }
}

impl Evictable for Bytes {
    type Rank = Reverse<usize>;

    fn rank(&self, amount: usize) -> Self::Rank {
        Reverse(amount)
    }

    fn is_evictable(&self) -> bool {
        !self.is_fixed
    }

    fn evict(&self) {
        assert!(!self.is_evicted.swap(true, Ordering::Relaxed), "once");
    }
}

fn budget(total: usize, per_peer: usize) -> Arc<Budget<Bytes>> {
    Budget::new(Quota { total, per_peer }, ["all", "each"])
}

fn charge(budget: &Arc<Budget<Bytes>>, address: &str) -> Charge<Bytes> {
    let address: IpAddr = address.parse().unwrap();
    budget.charge(Peer::from_address(address), Bytes::default())
}

#[test]
fn whoever_uses_most_gives_way_and_not_the_newcomer() {
    let budget = budget(100, 60);
    let (mut heavy, mut heavier) = (charge(&budget, "192.0.2.1"), charge(&budget, "192.0.2.1"));
    let (mut light, mut newcomer) = (charge(&budget, "192.0.2.2"), charge(&budget, "192.0.2.3"));
    assert!(heavy.set(20) && heavier.set(35) && light.set(40));
    assert!(newcomer.set(10));
    assert!(heavier.holder().is_evicted());
    assert!(!heavy.holder().is_evicted() && !light.holder().is_evicted());
    assert!(!heavier.set(1), "it stays out");
    assert!(light.set(60), "what was given up is there for others");
    assert_eq!(budget.lock().usage.total(), 90);
}

#[test]
fn peer_beyond_its_share_gives_way_to_itself_alone() {
    let budget = budget(100, 10);
    let (mut first, mut second) = (charge(&budget, "192.0.2.1"), charge(&budget, "192.0.2.1"));
    let mut other = charge(&budget, "192.0.2.2");
    assert!(first.set(4) && second.set(6) && other.set(10));
    assert!(!second.set(7), "it holds most");
    assert!(first.set(10) && !first.set(11));
    assert!(!other.holder().is_evicted());
}

#[test]
fn those_that_cannot_give_way_are_passed_over() {
    let budget = budget(100, 100);
    let (mut fixed, mut other) = (charge(&budget, "192.0.2.1"), charge(&budget, "192.0.2.2"));
    fixed.holder.is_fixed = true;
    assert!(fixed.set(80) && other.set(19));
    let mut newcomer = charge(&budget, "192.0.2.3");
    assert!(newcomer.set(15));
    assert!(other.holder().is_evicted());
    assert!(!newcomer.set(21), "nobody else is left");
}

#[test]
fn newcomer_is_admitted_at_the_price_of_somebody_else() {
    let budget = budget(2, 2);
    let peer = |address: &str| Peer::from_address(address.parse().unwrap());
    let first = budget.admit(peer("192.0.2.1"), Bytes::default(), 1);
    let second = budget.admit(peer("192.0.2.2"), Bytes::default(), 1);
    let third = budget.admit(peer("192.0.2.3"), Bytes::default(), 1);
    assert!(!third.holder().is_evicted());
    let revoked = [&first, &second].map(|charge| charge.holder().is_evicted());
    assert_eq!(revoked.iter().filter(|is_revoked| **is_revoked).count(), 1);
}

#[test]
fn what_is_dropped_is_given_back() {
    let budget = budget(100, 50);
    let mut charge = charge(&budget, "2001:db8::1");
    assert!(charge.set(50) && charge.set(0) && charge.set(30));
    drop(charge);
    let books = budget.lock();
    assert_eq!((books.usage.total(), books.holdings.len()), (0, 0));
}
