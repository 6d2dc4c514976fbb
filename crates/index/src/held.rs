//! What the columns of a kind hold under the symbols of its filters.

use crate::catalog::{Rows, milliseconds};
use crate::order::Order;
use crate::postings::Postings;
use crate::slots::Slot;
use crate::text::TextColumn;
use portcullis_domain::clock::Timestamp;
use portcullis_filter::Value;
use roaring::RoaringBitmap;
use std::borrow::Cow;

/// What stands under a symbol, in the form that its column has. What is said here has to be what
/// a row of the record says: a list is answered by either.
#[derive(Debug, Clone)]
pub struct Held<'c>(pub(crate) Source<'c>);

/// One of few values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Word {
    /// No value. It sorts before all others.
    Missing,
    /// A truth value.
    Boolean(bool),
    /// A text.
    Text(&'static str),
}

/// The forms of columns.
#[derive(Debug, Clone)]
pub(crate) enum Source<'c> {
    /// Each slot has the word of the one set that it is in, or `otherwise`.
    Cases {
        cases: Vec<(&'c RoaringBitmap, Word)>,
        otherwise: Word,
    },
    /// A text or none, and the order of those slots that have one.
    Text {
        texts: &'c TextColumn,
        order: Option<&'c Order>,
    },
    /// A time, and the order of all slots by it.
    Time {
        times: Times<'c>,
        order: Option<&'c Order>,
    },
    /// One of the words that others have too, or none.
    Single(&'c Postings),
    /// A set of words.
    Set(&'c Postings),
}

/// One of the times that every row has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times<'c> {
    pub(crate) rows: &'c Rows,
    /// In milliseconds since 1970.
    pub(crate) of: fn(&Rows, Slot) -> i64,
}

impl Times<'_> {
    pub(crate) fn millisecond(&self, slot: Slot) -> i64 {
        (self.of)(self.rows, slot)
    }

    pub(crate) fn instant(&self, slot: Slot) -> Timestamp {
        milliseconds(self.millisecond(slot))
    }
}

impl<'c> Held<'c> {
    /// The same for all.
    pub const fn same(word: Word) -> Self {
        Self(Source::Cases {
            cases: Vec::new(),
            otherwise: word,
        })
    }

    /// The word of the set that a slot is in; the sets have nothing in common.
    pub fn cases(
        cases: impl IntoIterator<Item = (&'c RoaringBitmap, Word)>,
        otherwise: Word,
    ) -> Self {
        Self(Source::Cases {
            cases: cases.into_iter().collect(),
            otherwise,
        })
    }

    /// `true` for the slots in `flag`.
    pub fn flag(flag: &'c RoaringBitmap) -> Self {
        Self::cases([(flag, Word::Boolean(true))], Word::Boolean(false))
    }

    /// The only word that a slot has, or nothing.
    pub const fn single(words: &'c Postings) -> Self {
        Self(Source::Single(words))
    }

    /// The set of words that a slot has.
    pub const fn set(words: &'c Postings) -> Self {
        Self(Source::Set(words))
    }

    /// A text or nothing.
    pub(crate) const fn text(texts: &'c TextColumn) -> Self {
        Self(Source::Text { texts, order: None })
    }
}

impl<'c> Source<'c> {
    /// What stands there for a slot; a set has no single value.
    pub(crate) fn value(&self, slot: Slot) -> Value<'c> {
        match self {
            Self::Cases { .. } => self.word(slot).into(),
            Self::Text { texts, .. } => texts.get(slot).into(),
            Self::Time { times, .. } => Value::Datetime(times.instant(slot)),
            Self::Single(words) => words.of(slot).next().into(),
            Self::Set(_) => Value::Missing,
        }
    }

    /// Whether all slots have the same.
    pub(crate) const fn is_constant(&self) -> bool {
        matches!(self, Self::Cases { cases, .. } if cases.is_empty())
    }

    /// Which case a slot is; missing for other columns.
    pub(crate) fn word(&self, slot: Slot) -> Word {
        let Self::Cases { cases, otherwise } = self else {
            return Word::Missing;
        };
        cases
            .iter()
            .find(|(slots, _)| slots.contains(slot.bit()))
            .map_or(*otherwise, |(_, word)| *word)
    }
}

impl From<Word> for Value<'_> {
    fn from(word: Word) -> Self {
        match word {
            Word::Missing => Self::Missing,
            Word::Boolean(value) => Self::Boolean(value),
            Word::Text(text) => Self::Text(Cow::Borrowed(text)),
        }
    }
}
