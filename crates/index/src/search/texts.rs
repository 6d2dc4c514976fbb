//! Tests on text columns.

use super::leaf::{SlotScope, equality_operands, filter_slots};
use super::ranks::by_ranks;
use crate::order::Order;
use crate::slot_bits::SlotBits;
use crate::slots::Slot;
use crate::text::TextColumn;
use memchr::memmem::Finder;
use portcullis_filter::{Test, Value};
use roaring::RoaringBitmap;

/// Number of bytes that are scanned in the time of one look at a text: about forty nanoseconds.
const BYTES_PER_LOOK: u64 = 1024;

/// The slots whose text passes; the result is only defined for candidates.
pub(super) fn run(
    texts: &TextColumn,
    order: Option<&Order>,
    test: &Test,
    scope: &SlotScope<'_>,
    candidates: Option<&RoaringBitmap>,
) -> RoaringBitmap {
    if let (Some(order), Test::Text(comparison)) = (order, test) {
        let before = |limit: &String| {
            order.partition_point(|slot| texts.text_or_empty(slot) < limit.as_str())
        };
        let up_to = |limit: &String| {
            order.partition_point(|slot| texts.text_or_empty(slot) <= limit.as_str())
        };
        return by_ranks(order, comparison, scope, before, up_to);
    }
    let candidates = candidates.unwrap_or(scope.live);
    if let Test::Null | Test::Present = test {
        let is_wanted = matches!(test, Test::Present);
        return filter_slots(candidates, scope, |slot| texts.has(slot) == is_wanted);
    }
    let is_scan_cheaper =
        candidates.len().saturating_mul(BYTES_PER_LOOK) > texts.arena_bytes() as u64;
    is_scan_cheaper
        .then(|| scan_all(texts, test, scope))
        .flatten()
        .unwrap_or_else(|| test_each(texts, test, scope, candidates))
}

/// Scans all texts at once; `None` for tests that need each text.
fn scan_all(texts: &TextColumn, test: &Test, scope: &SlotScope<'_>) -> Option<RoaringBitmap> {
    if let Some([operand]) = equality_operands(test) {
        let mut found = SlotBits::with_width(scope.width);
        texts.for_each_equal(operand, |slot| found.set(slot));
        return Some(found.into_bitmap());
    }
    let Test::Contains {
        needle,
        ignore_case,
        negated,
    } = test
    else {
        return None;
    };
    let mut found = SlotBits::with_width(scope.width);
    if *ignore_case {
        texts.for_each_containing_folded(needle, |slot| found.set(slot));
        for slot in texts.non_ascii().iter().map(Slot::from_bit) {
            if test.accepts(&texts.get(slot).into()) != *negated {
                found.set(slot);
            }
        }
    } else {
        texts.for_each_containing(needle, |slot| found.set(slot));
    }
    let found = found.into_bitmap();
    Some(if *negated { scope.live - found } else { found })
}

/// Tests the text of each candidate.
fn test_each(
    texts: &TextColumn,
    test: &Test,
    scope: &SlotScope<'_>,
    candidates: &RoaringBitmap,
) -> RoaringBitmap {
    if let Test::Contains {
        needle,
        ignore_case: false,
        negated,
    } = test
    {
        let finder = Finder::new(needle);
        let contains = |text: &str| finder.find(text.as_bytes()).is_some();
        return filter_slots(candidates, scope, |slot| {
            texts.get(slot).is_some_and(contains) != *negated
        });
    }
    let accepts_missing = test.accepts(&Value::Missing);
    filter_slots(candidates, scope, |slot| {
        texts
            .get(slot)
            .map_or(accepts_missing, |text| test.accepts(&text.into()))
    })
}
