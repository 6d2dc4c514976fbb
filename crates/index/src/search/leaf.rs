//! Single tests evaluated on columns.

use super::{ranks, texts};
use crate::column::{ColumnData, Constant};
use crate::postings::Postings;
use crate::slot_bits::SlotBits;
use crate::slots::Slot;
use portcullis_filter::{Collection, CompareOp, Comparison, FieldExpr, Test, Value};
use roaring::RoaringBitmap;

/// Number of slots that are read from an order in the time of one look at a value.
const SLOTS_PER_LOOK: u64 = 16;

#[derive(Debug, Clone, Copy)]
pub(super) struct SlotScope<'c> {
    /// The slots in use.
    pub(super) live: &'c RoaringBitmap,
    /// One more than the largest slot ever used.
    pub(super) width: usize,
}

impl SlotScope<'_> {
    /// Whether testing each candidate is cheaper than reading slots from an order.
    fn are_few(&self, candidates: Option<&RoaringBitmap>) -> bool {
        candidates.is_some_and(|candidates| candidates.len() < self.live.len() / SLOTS_PER_LOOK)
    }
}

/// Rough cost of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cost {
    /// A search in an order, or existing bitmaps.
    Lookup,
    /// The matching slots, read from an order.
    Range,
    /// A number per slot.
    PerSlot,
    /// A text per slot, or a scan of all texts.
    PerText,
    /// Nothing; the test is not decided.
    Undecided,
}

/// A test with its column.
#[derive(Debug)]
pub(super) enum Leaf<'a> {
    Value(ColumnData<'a>, &'a Test),
    AnyOf(&'a Postings, &'a Test),
    AllOf(&'a Postings, &'a Test),
    Count(&'a Postings, &'a Test),
    IsEmpty(&'a Postings),
}

impl<'a> Leaf<'a> {
    /// `None` when the subject has no column.
    pub(super) fn test(
        subject: &'a FieldExpr,
        test: &'a Test,
        column: &impl Fn(&str) -> Option<ColumnData<'a>>,
    ) -> Option<Self> {
        match subject {
            FieldExpr::Value(symbol) => match column(symbol.name())? {
                ColumnData::Set(_) => None,
                source => Some(Self::Value(source, test)),
            },
            FieldExpr::AnyOf(symbol) => Some(Self::AnyOf(find_set(symbol.name(), column)?, test)),
            FieldExpr::AllOf(symbol) => Some(Self::AllOf(find_set(symbol.name(), column)?, test)),
            FieldExpr::Count(Collection::Set(symbol)) => {
                Some(Self::Count(find_set(symbol.name(), column)?, test))
            },
            FieldExpr::Entry { .. } | FieldExpr::Count(Collection::SubQuery { .. }) => None,
        }
    }

    /// `None` when the collection has no column.
    pub(super) fn is_empty(
        collection: &'a Collection,
        column: &impl Fn(&str) -> Option<ColumnData<'a>>,
    ) -> Option<Self> {
        match collection {
            Collection::Set(symbol) => Some(Self::IsEmpty(find_set(symbol.name(), column)?)),
            Collection::SubQuery { .. } => None,
        }
    }

    pub(super) const fn cost(&self) -> Cost {
        match self {
            Self::Value(ColumnData::Constants { .. } | ColumnData::Single(_), _) => Cost::Lookup,
            Self::Value(source, test) => match (is_ordered(source), test) {
                (true, Test::Text(comparison)) => comparison_cost(comparison),
                (true, Test::Datetime(comparison)) => comparison_cost(comparison),
                (true, Test::DatetimeBetween { .. }) => Cost::Range,
                (_, Test::Null | Test::Present) => Cost::PerSlot,
                _ if matches!(source, ColumnData::Time { .. }) => Cost::PerSlot,
                _ => Cost::PerText,
            },
            Self::AnyOf(_, test) => match equality_operands(test) {
                Some(_) => Cost::Lookup,
                None => Cost::PerSlot,
            },
            Self::AllOf(..) | Self::Count(..) | Self::IsEmpty(_) => Cost::PerSlot,
        }
    }

    /// The slots that pass; the result is only defined for candidates. `None` means all slots in
    /// use.
    pub(super) fn run(
        &self,
        scope: &SlotScope<'_>,
        candidates: Option<&RoaringBitmap>,
    ) -> RoaringBitmap {
        match self {
            Self::Value(source, test)
                if self.cost() == Cost::Range && scope.are_few(candidates) =>
            {
                filter_slots(candidates.unwrap_or(scope.live), scope, |slot| {
                    test.accepts(&source.value(slot))
                })
            },
            Self::Value(
                ColumnData::Constants {
                    cases,
                    default: otherwise,
                },
                test,
            ) => run_constants(cases, *otherwise, test, scope),
            Self::Value(ColumnData::Single(terms), test) => run_single(terms, test, scope),
            Self::Value(ColumnData::Time { times, order }, test) => order
                .and_then(|order| ranks::by_time(order, test, scope, &|slot| times.timestamp(slot)))
                .unwrap_or_else(|| {
                    filter_slots(candidates.unwrap_or(scope.live), scope, |slot| {
                        test.accepts(&Value::Datetime(times.timestamp(slot)))
                    })
                }),
            Self::Value(ColumnData::Text { texts, order }, test) => {
                texts::run(texts, *order, test, scope, candidates)
            },
            Self::Value(ColumnData::Set(_), _) => RoaringBitmap::new(),
            Self::AnyOf(terms, test) => run_any_of(terms, test, scope, candidates),
            Self::AllOf(terms, test) => {
                candidates.unwrap_or(scope.live)
                    - terms.candidates_with_term(
                        candidates.unwrap_or(scope.live),
                        |word| !test.accepts(&word.into()),
                        scope.width,
                    )
            },
            Self::Count(terms, test) => {
                terms.candidates_with_set(candidates.unwrap_or(scope.live), scope.width, |set| {
                    let count = i64::try_from(set.len()).unwrap_or(i64::MAX);
                    test.accepts(&Value::Integer(count))
                })
            },
            Self::IsEmpty(terms) => terms.candidates_with_set(
                candidates.unwrap_or(scope.live),
                scope.width,
                <[Box<str>]>::is_empty,
            ),
        }
    }
}

/// The candidates that pass a predicate.
pub(super) fn filter_slots(
    candidates: &RoaringBitmap,
    scope: &SlotScope<'_>,
    is: impl Fn(Slot) -> bool,
) -> RoaringBitmap {
    let mut bits = SlotBits::with_width(scope.width);
    let slots = candidates.iter().map(Slot::from_bit);
    slots
        .filter(|slot| is(*slot))
        .for_each(|slot| bits.set(slot));
    bits.into_bitmap()
}

/// The operands, if the test is text equality with any of them.
pub(super) const fn equality_operands(test: &Test) -> Option<&[String]> {
    match test {
        Test::Text(Comparison::Is {
            op: CompareOp::Equal,
            operand,
        }) => Some(std::slice::from_ref(operand)),
        Test::Text(Comparison::OneOf(operands)) => Some(operands.as_slice()),
        _ => None,
    }
}

const fn is_ordered(source: &ColumnData<'_>) -> bool {
    matches!(
        source,
        ColumnData::Text { order: Some(_), .. } | ColumnData::Time { order: Some(_), .. }
    )
}

const fn comparison_cost<T>(comparison: &Comparison<T>) -> Cost {
    match comparison {
        Comparison::OneOf(_)
        | Comparison::Is {
            op: CompareOp::Equal | CompareOp::NotEqual,
            ..
        } => Cost::Lookup,
        Comparison::Is { .. } => Cost::Range,
    }
}

fn find_set<'a>(
    symbol: &str,
    column: &impl Fn(&str) -> Option<ColumnData<'a>>,
) -> Option<&'a Postings> {
    match column(symbol)? {
        ColumnData::Set(terms) => Some(terms),
        _ => None,
    }
}

fn run_constants(
    cases: &[(&RoaringBitmap, Constant)],
    otherwise: Constant,
    test: &Test,
    scope: &SlotScope<'_>,
) -> RoaringBitmap {
    let mut slots = RoaringBitmap::new();
    if test.accepts(&otherwise.into()) {
        slots.clone_from(scope.live);
    }
    for (of, constant) in cases {
        if test.accepts(&(*constant).into()) {
            slots |= *of;
        } else {
            slots -= *of;
        }
    }
    slots
}

fn run_single(terms: &Postings, test: &Test, scope: &SlotScope<'_>) -> RoaringBitmap {
    if let Some(operands) = equality_operands(test) {
        return terms.slots_with_one_of(operands);
    }
    if test.accepts(&Value::Missing) {
        return scope.live - terms.slots_with_matching_term(|term| !test.accepts(&term.into()));
    }
    terms.slots_with_matching_term(|term| test.accepts(&term.into()))
}

fn run_any_of(
    terms: &Postings,
    test: &Test,
    scope: &SlotScope<'_>,
    candidates: Option<&RoaringBitmap>,
) -> RoaringBitmap {
    if let Some(operands) = equality_operands(test) {
        return terms.slots_with_one_of(operands);
    }
    let candidates = candidates.unwrap_or(scope.live);
    terms.candidates_with_term(candidates, |term| test.accepts(&term.into()), scope.width)
}
