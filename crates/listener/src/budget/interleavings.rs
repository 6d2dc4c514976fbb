//! Holders of one budget in every interleaving of their threads with up to three preemptions.
//!
//! The account is compiled a second time here, around loom's lock.
#![expect(
    clippy::duplicate_mod,
    unreachable_pub,
    reason = "the locks are others"
)]

#[path = "account.rs"]
mod account;

use super::{Evictable, ledger};
use account::{Budget, Charge};
use loom::sync;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;
use portcullis_domain::peer::Peer;
use std::cmp::Reverse;
use std::sync::Arc;

use crate::Quota;

fn explore(scenario: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(scenario);
}

/// A holder that is evicted by amount, the largest first, and how often it was evicted.
#[derive(Clone, Default)]
struct Bytes(Arc<AtomicUsize>);

impl Bytes {
    fn evictions(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Evictable for Bytes {
    type Rank = Reverse<usize>;

    fn rank(&self, amount: usize) -> Self::Rank {
        Reverse(amount)
    }

    fn evict(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

type Shared = Arc<Budget<Bytes>>;

fn at(last: u8) -> Peer {
    Peer::from_address([192, 0, 2, last].into())
}

fn budget(total: usize, per_peer: usize) -> Shared {
    Budget::new(Quota { total, per_peer }, ["all", "each"])
}

/// Sets growing amounts; reports whether the holder was kept.
fn charge_amounts(budget: &Shared, last: u8, amounts: &[usize]) -> (Charge<Bytes>, bool) {
    let mut charge = budget.charge(at(last), Bytes::default());
    let mut is_kept = true;
    for &amount in amounts {
        is_kept = charge.set(amount);
        assert!(budget.in_use() <= 4, "more is in use than there is");
    }
    (charge, is_kept)
}

#[test]
fn whoever_holds_most_gives_way_and_nobody_else() {
    explore(|| {
        let budget = budget(4, 4);
        let others = [(1, [3, 4]), (2, [1, 1])].map(|(last, amounts)| {
            let budget = Arc::clone(&budget);
            thread::spawn(move || charge_amounts(&budget, last, &amounts))
        });
        let (own, is_kept) = charge_amounts(&budget, 3, &[1]);
        let [(heavy, _), (light, is_light_kept)] = others.map(|other| other.join().unwrap());
        assert!(is_kept && is_light_kept);
        let evictions = [&heavy, &light, &own].map(|charge| charge.holder().evictions());
        assert_eq!(evictions, [1, 0, 0]);
        assert_eq!(budget.in_use(), 2);
        drop((heavy, light, own));
        assert_eq!(budget.in_use(), 0);
    });
}

#[test]
fn what_is_given_back_while_it_is_taken_away_is_counted_once() {
    explore(|| {
        let budget = budget(4, 3);
        let others = [1, 1].map(|last| {
            let budget = Arc::clone(&budget);
            thread::spawn(move || {
                let (charge, is_kept) = charge_amounts(&budget, last, &[2]);
                let holder = charge.holder().clone();
                drop(charge);
                let evictions = holder.evictions();
                assert!(evictions <= 1 && (is_kept || evictions == 1));
                (holder, evictions)
            })
        });
        let (own, is_kept) = charge_amounts(&budget, 2, &[1, 2]);
        assert!(is_kept, "the other peer keeps within its share");
        for other in others {
            let (holder, evictions) = other.join().unwrap();
            assert_eq!(
                holder.evictions(),
                evictions,
                "it had given everything back"
            );
        }
        assert_eq!(budget.in_use(), 2);
        drop(own);
        assert_eq!(budget.in_use(), 0);
    });
}

#[test]
fn newcomers_are_admitted_whatever_others_hold() {
    explore(|| {
        let budget = budget(1, 1);
        let others = [1, 2].map(|last| {
            let budget = Arc::clone(&budget);
            thread::spawn(move || budget.admit(at(last), Bytes::default(), 1))
        });
        let admitted = others.map(|other| other.join().unwrap());
        let evictions = admitted.each_ref().map(|it| it.holder().evictions());
        assert_eq!(evictions.iter().sum::<usize>(), 1);
        assert_eq!(budget.in_use(), 1);
        drop(admitted);
        assert_eq!(budget.in_use(), 0);
    });
}
