use super::*;
use node::{INNER_MAX, LEAF_MAX};
use proptest::prelude::*;

/// The key of a slot is its bit, mixed so that slots come in no order.
fn key(slot: Slot) -> u32 {
    slot.bit().wrapping_mul(0x9E37_79B1)
}

fn insert(order: &mut Order, slot: Slot) -> bool {
    order.insert(slot, |other| key(other).cmp(&key(slot)))
}

fn remove(order: &mut Order, slot: Slot) -> Option<Slot> {
    order.remove(|other| key(other).cmp(&key(slot)))
}

/// Checks depth, fill, counts and first slots of every node, and returns the depth.
fn check(node: &Node, is_root: bool) -> usize {
    match node {
        Node::Leaf(slots) => {
            assert!(slots.len() <= LEAF_MAX);
            assert!(is_root || !slots.is_empty());
            0
        },
        Node::Inner(children) => {
            assert!(children.len() <= INNER_MAX);
            assert!(children.len() >= if is_root { 2 } else { 1 });
            let depths: Vec<usize> = children
                .iter()
                .map(|child| {
                    let slots = flatten(&child.node);
                    assert_eq!((child.len, child.first), (slots.len(), slots[0]));
                    check(&child.node, false)
                })
                .collect();
            assert!(depths.iter().all(|depth| *depth == depths[0]));
            depths[0] + 1
        },
    }
}

fn flatten(node: &Node) -> Vec<Slot> {
    match node {
        Node::Leaf(slots) => slots.clone(),
        Node::Inner(children) => children
            .iter()
            .flat_map(|child| flatten(&child.node))
            .collect(),
    }
}

fn assert_same(order: &Order, model: &[Slot]) {
    check(&order.root, true);
    assert_eq!(order.len(), model.len());
    assert_eq!(order.iter_from(0).collect::<Vec<_>>(), model);
    for (rank, slot) in model.iter().enumerate().step_by(model.len() / 50 + 1) {
        assert_eq!(order.select(rank), Some(*slot));
        assert_eq!(order.rank(|other| key(other).cmp(&key(*slot))), Ok(rank));
        assert_eq!(order.partition_point(|other| key(other) < key(*slot)), rank);
        assert_eq!(order.iter_from(rank).next(), Some(*slot));
    }
    assert_eq!(order.select(model.len()), None);
}

fn sorted(bits: impl IntoIterator<Item = u32>) -> Vec<Slot> {
    let mut slots: Vec<Slot> = bits.into_iter().map(Slot::from_bit).collect();
    slots.sort_by_key(|slot| key(*slot));
    slots.dedup();
    slots
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Waves of insertions and removals over few slots, so that nodes split, join and empty.
    #[test]
    fn it_behaves_as_a_sorted_vector(
        built in 0_u32..3_000,
        waves in prop::collection::vec((any::<bool>(), 0_u32..4_000, 0_u32..3_000, 1_u32..7), 1..6),
    ) {
        let mut model = sorted(0..built);
        let mut order = Order::from_sorted(&model);
        assert_same(&order, &model);
        for (is_insert, start, count, step) in waves {
            for bit in (start..).step_by(step as usize).take(count as usize) {
                let slot = Slot::from_bit(bit);
                let place = model.binary_search_by_key(&key(slot), |other| key(*other));
                match (is_insert, place) {
                    (true, Err(at)) => {
                        prop_assert!(insert(&mut order, slot));
                        model.insert(at, slot);
                    },
                    (true, Ok(_)) => prop_assert!(!insert(&mut order, slot)),
                    (false, Ok(at)) => {
                        prop_assert_eq!(remove(&mut order, slot), Some(slot));
                        model.remove(at);
                    },
                    (false, Err(at)) => {
                        prop_assert_eq!(remove(&mut order, slot), None);
                        prop_assert_eq!(order.rank(|other| key(other).cmp(&key(slot))), Err(at));
                    },
                }
            }
            assert_same(&order, &model);
        }
    }
}

#[test]
fn three_levels_hold_up_to_being_emptied() {
    let model = sorted(0..40_000);
    let mut order = Order::default();
    for bit in 0..40_000 {
        insert(&mut order, Slot::from_bit(bit));
    }
    assert_same(&order, &model);
    assert!(
        check(&order.root, true) >= 2,
        "the tree is deep enough to tell"
    );
    for (index, slot) in model.iter().enumerate() {
        assert_eq!(remove(&mut order, *slot), Some(*slot));
        if index % 4_000 == 0 {
            check(&order.root, true);
        }
    }
    assert_same(&order, &[]);
}

#[test]
fn ascending_insertion_fills_the_leaves() {
    let mut order = Order::default();
    for bit in 0..50_000 {
        order.insert(Slot::from_bit(bit), |other| other.bit().cmp(&bit));
    }
    check(&order.root, true);
    assert!(
        order.heap_bytes() < 50_000 * 5,
        "{} bytes",
        order.heap_bytes()
    );
}

/// Each lands behind a full leaf that is not the last one, which must not leave a leaf for each.
#[test]
fn descending_insertion_into_a_gap_fills_the_leaves() {
    let full = u32::try_from(LEAF_MAX).unwrap();
    let built = (0..full * 3 / 4).chain([u32::MAX]).map(Slot::from_bit);
    let mut order = Order::from_sorted(&built.collect::<Vec<_>>());
    for bit in (full * 3 / 4..full).chain((full..40_000).rev()) {
        order.insert(Slot::from_bit(bit), |other| other.bit().cmp(&bit));
    }
    check(&order.root, true);
    assert!(
        order.heap_bytes() < 40_000 * 9,
        "{} bytes",
        order.heap_bytes()
    );
}

#[test]
fn removal_gives_memory_back() {
    let mut order = Order::from_sorted(&sorted(0..100_000));
    let full = order.heap_bytes();
    for bit in (0..100_000).filter(|bit| bit % 50 != 0) {
        remove(&mut order, Slot::from_bit(bit));
    }
    assert_same(&order, &sorted((0..100_000).step_by(50)));
    assert!(
        order.heap_bytes() < full / 5,
        "{} of {full} bytes",
        order.heap_bytes()
    );
}

/// Nodes at the right end may be nearly empty; the last of them vanish when they are emptied.
#[test]
fn the_right_end_can_be_taken_off_at_every_seam() {
    let full = u32::try_from(LEAF_MAX * INNER_MAX).unwrap();
    for count in [257, full + 1, full + 2, full + 257, full * 2 + 1] {
        let mut order = Order::default();
        for bit in 0..count {
            order.insert(Slot::from_bit(bit), |other| other.bit().cmp(&bit));
        }
        for bit in (count - 300.min(count)..count).rev() {
            let removed = order.remove(|other| other.bit().cmp(&bit));
            assert_eq!(removed, Some(Slot::from_bit(bit)));
            check_right_end(&order.root, bit.checked_sub(1));
        }
        check(&order.root, true);
    }
}

fn check_right_end(node: &Node, last: Option<u32>) {
    match node {
        Node::Leaf(slots) => assert_eq!(slots.last().map(|slot| slot.bit()), last),
        Node::Inner(children) => check_right_end(&children.last().unwrap().node, last),
    }
}

#[test]
fn linear_building_equals_insertion_at_every_seam() {
    for count in [
        0,
        1,
        191,
        192,
        193,
        192 * 64,
        192 * 64 + 1,
        192 * 48 * 64 + 1,
    ] {
        let model = sorted(0..count);
        assert_same(&Order::from_sorted(&model), &model);
    }
}
