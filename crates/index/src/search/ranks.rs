//! Range tests on orders.

use super::leaf::SlotScope;
use crate::order::Order;
use crate::slots::Slot;
use portcullis_domain::clock::Timestamp;
use portcullis_filter::{CompareOp, Comparison, Test};
use roaring::RoaringBitmap;
use std::ops::Range;

/// The slots whose instant passes the test, by the order of all slots by their instants; `None` for
/// tests of other types.
pub(super) fn by_time(
    order: &Order,
    test: &Test,
    scope: &SlotScope<'_>,
    instant: &impl Fn(Slot) -> Timestamp,
) -> Option<RoaringBitmap> {
    let before = |limit: &Timestamp| order.partition_point(|slot| instant(slot) < *limit);
    let up_to = |limit: &Timestamp| order.partition_point(|slot| instant(slot) <= *limit);
    let slots = match test {
        Test::DatetimeBetween { low, high } => {
            let start = before(low);
            slots_between(order, start..before(high).max(start), scope)
        },
        Test::Datetime(comparison) => by_ranks(order, comparison, scope, before, up_to),
        _ => return None,
    };
    Some(slots)
}

/// The slots that pass a comparison, by an order. `before` counts the slots less than an operand,
/// `up_to` those less than or equal to it.
pub(super) fn by_ranks<T>(
    order: &Order,
    comparison: &Comparison<T>,
    scope: &SlotScope<'_>,
    before: impl Fn(&T) -> usize,
    up_to: impl Fn(&T) -> usize,
) -> RoaringBitmap {
    let slots = |ranks: Range<usize>| slots_between(order, ranks, scope);
    match comparison {
        Comparison::OneOf(operands) => operands
            .iter()
            .flat_map(|operand| {
                order
                    .iter_from(before(operand))
                    .take(up_to(operand) - before(operand))
            })
            .map(Slot::bit)
            .collect(),
        Comparison::Is { op, operand } => match op {
            CompareOp::Equal => slots(before(operand)..up_to(operand)),
            CompareOp::NotEqual => scope.live - slots(before(operand)..up_to(operand)),
            CompareOp::Less => slots(0..before(operand)),
            CompareOp::LessOrEqual => slots(0..up_to(operand)),
            CompareOp::Greater => slots(up_to(operand)..order.len()),
            CompareOp::GreaterOrEqual => slots(before(operand)..order.len()),
        },
    }
}

/// The slots between two ranks. If the order has all slots, the complement is collected instead
/// where that is smaller.
fn slots_between(order: &Order, ranks: Range<usize>, scope: &SlotScope<'_>) -> RoaringBitmap {
    let has_all = u64::try_from(order.len()) == Ok(scope.live.len());
    if has_all && ranks.len() > order.len() / 2 {
        let outside = [0..ranks.start, ranks.end..order.len()];
        return scope.live - order.slots_in(&outside, scope.width);
    }
    order.slots_in(&[ranks], scope.width)
}
