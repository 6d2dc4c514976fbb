//! Tests of columns of texts.

use super::leaf::{Scope, equals, keep};
use super::ranks::by_ranks;
use crate::bits::Bits;
use crate::order::Order;
use crate::slots::Slot;
use crate::text::TextColumn;
use memchr::memmem::Finder;
use portcullis_filter::{Test, Value};
use roaring::RoaringBitmap;

/// As many bytes of the arena are passed over in the time that it takes to look at one text: about
/// forty nanoseconds.
const BYTES_PER_LOOK: u64 = 1024;

/// The slots whose text passes; those that are no candidates mean nothing.
pub(super) fn run(
    texts: &TextColumn,
    order: Option<&Order>,
    test: &Test,
    scope: &Scope<'_>,
    candidates: Option<&RoaringBitmap>,
) -> RoaringBitmap {
    if let (Some(order), Test::Text(comparison)) = (order, test) {
        let before =
            |limit: &String| order.partition_point(|slot| texts.text(slot) < limit.as_str());
        let up_to =
            |limit: &String| order.partition_point(|slot| texts.text(slot) <= limit.as_str());
        return by_ranks(order, comparison, scope, before, up_to);
    }
    let candidates = candidates.unwrap_or(scope.live);
    if let Test::Null | Test::Present = test {
        let is_wanted = matches!(test, Test::Present);
        return keep(candidates, scope, |slot| texts.has(slot) == is_wanted);
    }
    let is_scan_cheaper =
        candidates.len().saturating_mul(BYTES_PER_LOOK) > texts.arena_bytes() as u64;
    is_scan_cheaper
        .then(|| scan(texts, test, scope))
        .flatten()
        .unwrap_or_else(|| look(texts, test, scope, candidates))
}

/// Looks through all texts at once; `None` for tests of which only looking at each text tells.
fn scan(texts: &TextColumn, test: &Test, scope: &Scope<'_>) -> Option<RoaringBitmap> {
    if let Some([operand]) = equals(test) {
        let mut found = Bits::none_of(scope.width);
        texts.each_equal(operand, |slot| found.set(slot));
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
    let mut found = Bits::none_of(scope.width);
    if *ignore_case {
        texts.each_containing_folded(needle, |slot| found.set(slot));
        for slot in texts.wide().iter().map(Slot::from_bit) {
            if test.accepts(&texts.get(slot).into()) != *negated {
                found.set(slot);
            }
        }
    } else {
        texts.each_containing(needle, |slot| found.set(slot));
    }
    let found = found.into_bitmap();
    Some(if *negated { scope.live - found } else { found })
}

/// Looks at the text of each candidate.
fn look(
    texts: &TextColumn,
    test: &Test,
    scope: &Scope<'_>,
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
        return keep(candidates, scope, |slot| {
            texts.get(slot).is_some_and(contains) != *negated
        });
    }
    let accepts_missing = test.accepts(&Value::Missing);
    keep(candidates, scope, |slot| {
        texts
            .get(slot)
            .map_or(accepts_missing, |text| test.accepts(&text.into()))
    })
}
