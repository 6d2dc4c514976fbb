use super::*;
use std::sync::Arc;

fn enter(registry: &Arc<HalfOpenRegistry>, last: u8) -> HandshakeSlot {
    registry.admit([192, 0, 2, last].into())
}

fn is_evicted(place: &HandshakeSlot) -> bool {
    place.evicted.is_cancelled()
}

#[test]
fn one_too_many_costs_the_oldest() {
    let registry = HalfOpenRegistry::new(2);
    let first = enter(&registry, 1);
    let second = enter(&registry, 2);
    assert!(!is_evicted(&first));

    let third = enter(&registry, 3);

    assert!(is_evicted(&first));
    assert!(!is_evicted(&second));
    assert!(!is_evicted(&third));
}

#[test]
fn flood_of_one_peer_costs_nobody_else_a_handshake() {
    let registry = HalfOpenRegistry::new(8);
    let honest = [enter(&registry, 1), enter(&registry, 2)];
    let flood: Vec<_> = (0..100).map(|_| enter(&registry, 66)).collect();
    let newcomer = enter(&registry, 3);
    for place in honest.iter().chain([&newcomer]) {
        assert!(!is_evicted(place));
    }
    assert_eq!(flood.iter().filter(|slot| !is_evicted(slot)).count(), 5);
    drop((honest, flood, newcomer));
    assert!(registry.lock().is_empty());
}

#[test]
fn crowd_of_strangers_costs_no_handshake_of_who_finished_one_lately() {
    let registry = HalfOpenRegistry::new(8);
    enter(&registry, 1).finish();
    let regular: Vec<_> = (0..4).map(|_| enter(&registry, 1)).collect();
    let crowd: Vec<_> = (100..200).map(|last| enter(&registry, last)).collect();
    assert!(!regular.iter().any(is_evicted));
    assert_eq!(crowd.iter().filter(|slot| !is_evicted(slot)).count(), 4);
}

#[test]
fn who_comes_often_loses_before_a_newcomer() {
    let registry = HalfOpenRegistry::new(8);
    let first: Vec<_> = (100..108).map(|last| enter(&registry, last)).collect();
    let newcomer = enter(&registry, 1);
    let again: Vec<_> = (100..200)
        .map(|last| enter(&registry, 100 + last % 8))
        .collect();
    assert!(!is_evicted(&newcomer));
    let left = first.iter().chain(&again).filter(|slot| !is_evicted(slot));
    assert_eq!(left.count(), 7);
}

#[test]
fn who_finished_a_handshake_and_holds_many_loses_before_strangers() {
    let registry = HalfOpenRegistry::new(8);
    enter(&registry, 66).finish();
    let slots: Vec<_> = (0..8).map(|_| enter(&registry, 66)).collect();
    let strangers = [enter(&registry, 1), enter(&registry, 2)];
    assert!(!strangers.iter().any(is_evicted));
    assert_eq!(slots.iter().filter(|slot| is_evicted(slot)).count(), 2);
}

#[test]
fn ended_handshake_makes_room() {
    let registry = HalfOpenRegistry::new(2);
    let first = enter(&registry, 1);
    drop(enter(&registry, 1));

    let third = enter(&registry, 1);

    assert!(!is_evicted(&first));
    assert!(!is_evicted(&third));
}
