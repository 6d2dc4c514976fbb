//! Single tests, answered by the column that they are about.

use super::{ranks, texts};
use crate::bits::Bits;
use crate::held::{Source, Word};
use crate::postings::Postings;
use crate::slots::Slot;
use portcullis_filter::{Collection, CompareOp, Comparison, Subject, Test, Value};
use roaring::RoaringBitmap;

/// As many slots are collected out of an order in the time that it takes to look at one value.
const ORDERED_PER_LOOK: u64 = 16;

/// The slots of a catalog.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scope<'c> {
    /// Those in use.
    pub(super) live: &'c RoaringBitmap,
    /// One more than the largest that was ever in use.
    pub(super) width: usize,
}

impl Scope<'_> {
    /// Whether looking at each candidate is cheaper than collecting slots out of an order.
    fn is_few(&self, candidates: Option<&RoaringBitmap>) -> bool {
        candidates.is_some_and(|candidates| candidates.len() < self.live.len() / ORDERED_PER_LOOK)
    }
}

/// How much a test costs, roughly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cost {
    /// A look at an order, or bitmaps that are there.
    LookedUp,
    /// The slots that match, out of an order.
    Ranked,
    /// A look at a number per slot.
    Counted,
    /// A look at a text per slot, or at all texts.
    Read,
    /// Nothing, and nothing is learnt.
    Undecided,
}

/// A test with the column that it is about.
#[derive(Debug)]
pub(super) enum Leaf<'a> {
    Value(Source<'a>, &'a Test),
    AnyOf(&'a Postings, &'a Test),
    AllOf(&'a Postings, &'a Test),
    Count(&'a Postings, &'a Test),
    IsEmpty(&'a Postings),
}

impl<'a> Leaf<'a> {
    /// `None` when no column holds the subject.
    pub(super) fn test(
        subject: &'a Subject,
        test: &'a Test,
        held: &impl Fn(&str) -> Option<Source<'a>>,
    ) -> Option<Self> {
        match subject {
            Subject::Value(symbol) => match held(symbol.name())? {
                Source::Set(_) => None,
                source => Some(Self::Value(source, test)),
            },
            Subject::AnyOf(symbol) => Some(Self::AnyOf(set(symbol.name(), held)?, test)),
            Subject::AllOf(symbol) => Some(Self::AllOf(set(symbol.name(), held)?, test)),
            Subject::Count(Collection::Set(symbol)) => {
                Some(Self::Count(set(symbol.name(), held)?, test))
            },
            Subject::Entry { .. } | Subject::Count(Collection::SubQuery { .. }) => None,
        }
    }

    /// `None` when no column holds the collection.
    pub(super) fn is_empty(
        collection: &'a Collection,
        held: &impl Fn(&str) -> Option<Source<'a>>,
    ) -> Option<Self> {
        match collection {
            Collection::Set(symbol) => Some(Self::IsEmpty(set(symbol.name(), held)?)),
            Collection::SubQuery { .. } => None,
        }
    }

    pub(super) const fn cost(&self) -> Cost {
        match self {
            Self::Value(Source::Cases { .. } | Source::Single(_), _) => Cost::LookedUp,
            Self::Value(source, test) => match (is_ordered(source), test) {
                (true, Test::Text(comparison)) => compared(comparison),
                (true, Test::Datetime(comparison)) => compared(comparison),
                (true, Test::DatetimeBetween { .. }) => Cost::Ranked,
                (_, Test::Null | Test::Present) => Cost::Counted,
                _ if matches!(source, Source::Time { .. }) => Cost::Counted,
                _ => Cost::Read,
            },
            Self::AnyOf(_, test) => match equals(test) {
                Some(_) => Cost::LookedUp,
                None => Cost::Counted,
            },
            Self::AllOf(..) | Self::Count(..) | Self::IsEmpty(_) => Cost::Counted,
        }
    }

    /// The slots that pass; those that are no candidates mean nothing. No candidates stand for
    /// all slots in use.
    pub(super) fn run(
        &self,
        scope: &Scope<'_>,
        candidates: Option<&RoaringBitmap>,
    ) -> RoaringBitmap {
        match self {
            Self::Value(source, test)
                if self.cost() == Cost::Ranked && scope.is_few(candidates) =>
            {
                keep(candidates.unwrap_or(scope.live), scope, |slot| {
                    test.accepts(&source.value(slot))
                })
            },
            Self::Value(Source::Cases { cases, otherwise }, test) => {
                in_cases(cases, *otherwise, test, scope)
            },
            Self::Value(Source::Single(words), test) => single(words, test, scope),
            Self::Value(Source::Time { times, order }, test) => order
                .and_then(|order| ranks::in_time(order, test, scope, &|slot| times.instant(slot)))
                .unwrap_or_else(|| {
                    keep(candidates.unwrap_or(scope.live), scope, |slot| {
                        test.accepts(&Value::Datetime(times.instant(slot)))
                    })
                }),
            Self::Value(Source::Text { texts, order }, test) => {
                texts::run(texts, *order, test, scope, candidates)
            },
            Self::Value(Source::Set(_), _) => RoaringBitmap::new(),
            Self::AnyOf(words, test) => any_of(words, test, scope, candidates),
            Self::AllOf(words, test) => {
                candidates.unwrap_or(scope.live)
                    - words.with_any(
                        candidates.unwrap_or(scope.live),
                        |word| !test.accepts(&word.into()),
                        scope.width,
                    )
            },
            Self::Count(words, test) => {
                words.with_set(candidates.unwrap_or(scope.live), scope.width, |set| {
                    let count = i64::try_from(set.len()).unwrap_or(i64::MAX);
                    test.accepts(&Value::Integer(count))
                })
            },
            Self::IsEmpty(words) => words.with_set(
                candidates.unwrap_or(scope.live),
                scope.width,
                <[Box<str>]>::is_empty,
            ),
        }
    }
}

/// The candidates that pass a test of their own.
pub(super) fn keep(
    candidates: &RoaringBitmap,
    scope: &Scope<'_>,
    is: impl Fn(Slot) -> bool,
) -> RoaringBitmap {
    let mut bits = Bits::none_of(scope.width);
    let slots = candidates.iter().map(Slot::from_bit);
    slots
        .filter(|slot| is(*slot))
        .for_each(|slot| bits.set(slot));
    bits.into_bitmap()
}

/// The operands, if a test is of texts that are equal to one of them.
pub(super) const fn equals(test: &Test) -> Option<&[String]> {
    match test {
        Test::Text(Comparison::Is {
            op: CompareOp::Equal,
            operand,
        }) => Some(std::slice::from_ref(operand)),
        Test::Text(Comparison::OneOf(operands)) => Some(operands.as_slice()),
        _ => None,
    }
}

const fn is_ordered(source: &Source<'_>) -> bool {
    matches!(
        source,
        Source::Text { order: Some(_), .. } | Source::Time { order: Some(_), .. }
    )
}

const fn compared<T>(comparison: &Comparison<T>) -> Cost {
    match comparison {
        Comparison::OneOf(_)
        | Comparison::Is {
            op: CompareOp::Equal | CompareOp::NotEqual,
            ..
        } => Cost::LookedUp,
        Comparison::Is { .. } => Cost::Ranked,
    }
}

fn set<'a>(symbol: &str, held: &impl Fn(&str) -> Option<Source<'a>>) -> Option<&'a Postings> {
    match held(symbol)? {
        Source::Set(words) => Some(words),
        _ => None,
    }
}

fn in_cases(
    cases: &[(&RoaringBitmap, Word)],
    otherwise: Word,
    test: &Test,
    scope: &Scope<'_>,
) -> RoaringBitmap {
    let mut slots = RoaringBitmap::new();
    if test.accepts(&otherwise.into()) {
        slots.clone_from(scope.live);
    }
    for (of, word) in cases {
        if test.accepts(&(*word).into()) {
            slots |= *of;
        } else {
            slots -= *of;
        }
    }
    slots
}

fn single(words: &Postings, test: &Test, scope: &Scope<'_>) -> RoaringBitmap {
    if let Some(operands) = equals(test) {
        return words.with_one_of(operands);
    }
    if test.accepts(&Value::Missing) {
        return scope.live - words.with_word(|word| !test.accepts(&word.into()));
    }
    words.with_word(|word| test.accepts(&word.into()))
}

fn any_of(
    words: &Postings,
    test: &Test,
    scope: &Scope<'_>,
    candidates: Option<&RoaringBitmap>,
) -> RoaringBitmap {
    if let Some(operands) = equals(test) {
        return words.with_one_of(operands);
    }
    let candidates = candidates.unwrap_or(scope.live);
    words.with_any(candidates, |word| test.accepts(&word.into()), scope.width)
}
