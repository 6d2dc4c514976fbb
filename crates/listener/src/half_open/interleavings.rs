//! Unfinished handshakes in every interleaving of their threads with up to three preemptions.
//!
//! The registry is built once more here, around the lock of loom.
#![expect(clippy::duplicate_mod, reason = "the locks are others")]

#[path = "registry.rs"]
mod registry;

use super::pending;
use loom::future::block_on;
use loom::sync;
use loom::thread;
use registry::{HalfOpenRegistry, HandshakeSlot};
use std::sync::Arc;

fn explore(scenario: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(scenario);
}

/// Admits `count` connections of an address, each of which keeps its slot.
fn enter(registry: &Arc<HalfOpenRegistry>, last: u8, count: usize) -> Vec<HandshakeSlot> {
    let enter = |_| registry.admit([192, 0, 2, last].into());
    (0..count).map(enter).collect()
}

fn count_evicted(places: &[HandshakeSlot]) -> usize {
    let evicted = places.iter().filter(|slot| slot.evicted.is_cancelled());
    evicted.count()
}

#[test]
fn flood_of_one_peer_costs_nobody_else_a_handshake() {
    explore(|| {
        let registry = HalfOpenRegistry::new(4);
        let others = [(1, 1), (66, 3)].map(|(last, count)| {
            let registry = Arc::clone(&registry);
            thread::spawn(move || enter(&registry, last, count))
        });
        let own = enter(&registry, 2, 1);
        let [honest, flood] = others.map(|other| other.join().unwrap());
        let evicted = [&own, &honest, &flood].map(|slots| count_evicted(slots));
        assert_eq!(evicted, [0, 0, 1]);
        assert_eq!(registry.lock().len(), 4);
        drop((own, honest, flood));
        assert!(registry.lock().is_empty());
    });
}

#[test]
fn place_that_is_given_up_while_it_is_taken_away_is_free_once() {
    explore(|| {
        let registry = HalfOpenRegistry::new(1);
        let others = [drop, HandshakeSlot::finish].map(|give_up| {
            let registry = Arc::clone(&registry);
            thread::spawn(move || give_up(registry.admit([192, 0, 2, 1].into())))
        });
        registry.evict();
        let own = enter(&registry, 3, 1);
        assert!(registry.lock().len() <= 1);
        for other in others {
            other.join().unwrap();
        }
        assert_eq!(registry.lock().len(), 1 - count_evicted(&own));
        drop(own);
        assert!(registry.lock().is_empty());
    });
}

#[test]
fn connection_that_loses_its_place_is_told() {
    explore(|| {
        let registry = HalfOpenRegistry::new(1);
        let [place] = enter(&registry, 1, 1).try_into().unwrap();
        let waits = thread::spawn(move || block_on(place.evicted()));
        let newcomer = enter(&registry, 2, 1);
        waits.join().unwrap();
        assert_eq!(count_evicted(&newcomer), 0);
    });
}
