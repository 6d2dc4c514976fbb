//! Columns of a catalog by filter symbol.

use crate::catalog::{BaseColumns, timestamp_from_millis};
use crate::order::Order;
use crate::postings::Postings;
use crate::slots::Slot;
use crate::text::TextColumn;
use portcullis_domain::clock::Timestamp;
use portcullis_filter::Value;
use roaring::RoaringBitmap;
use std::borrow::Cow;

/// The column of a symbol. Its values have to be the same as in a row of the record: a list may be
/// answered from either.
#[derive(Debug, Clone)]
pub struct ColumnRef<'c>(pub(crate) ColumnData<'c>);

/// A value of a column with few distinct values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Constant {
    /// No value; sorts first.
    Missing,
    /// A truth value.
    Boolean(bool),
    /// A text.
    Text(&'static str),
}

/// Representations of columns.
#[derive(Debug, Clone)]
pub(crate) enum ColumnData<'c> {
    /// Each slot has the constant of the set that contains it, or `otherwise`.
    Constants {
        cases: Vec<(&'c RoaringBitmap, Constant)>,
        default: Constant,
    },
    /// Optional texts, and the order of the slots that have one.
    Text {
        texts: &'c TextColumn,
        order: Option<&'c Order>,
    },
    /// Times, and the order of all slots by them.
    Time {
        times: Times<'c>,
        order: Option<&'c Order>,
    },
    /// At most one of few distinct terms.
    Single(&'c Postings),
    /// A set of terms.
    Set(&'c Postings),
}

/// One of the times that every entity has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times<'c> {
    pub(crate) rows: &'c BaseColumns,
    /// Reads the milliseconds since 1970.
    pub(crate) read: fn(&BaseColumns, Slot) -> i64,
}

impl Times<'_> {
    pub(crate) fn millisecond(&self, slot: Slot) -> i64 {
        (self.read)(self.rows, slot)
    }

    pub(crate) fn timestamp(&self, slot: Slot) -> Timestamp {
        timestamp_from_millis(self.millisecond(slot))
    }
}

impl<'c> ColumnRef<'c> {
    /// The same value for all slots.
    pub const fn constant(constant: Constant) -> Self {
        Self(ColumnData::Constants {
            cases: Vec::new(),
            default: constant,
        })
    }

    /// A value per set of slots; the sets are disjoint.
    pub fn constants(
        cases: impl IntoIterator<Item = (&'c RoaringBitmap, Constant)>,
        default: Constant,
    ) -> Self {
        Self(ColumnData::Constants {
            cases: cases.into_iter().collect(),
            default,
        })
    }

    /// `true` for the slots in `flag`.
    pub fn flag(flag: &'c RoaringBitmap) -> Self {
        Self::constants([(flag, Constant::Boolean(true))], Constant::Boolean(false))
    }

    /// At most one term per slot.
    pub const fn single(terms: &'c Postings) -> Self {
        Self(ColumnData::Single(terms))
    }

    /// A set of terms per slot.
    pub const fn set(terms: &'c Postings) -> Self {
        Self(ColumnData::Set(terms))
    }

    /// An optional text per slot.
    pub(crate) const fn text(texts: &'c TextColumn) -> Self {
        Self(ColumnData::Text { texts, order: None })
    }
}

impl<'c> ColumnData<'c> {
    /// The value of a slot; missing for a set, which has no single value.
    pub(crate) fn value(&self, slot: Slot) -> Value<'c> {
        match self {
            Self::Constants { .. } => self.constant(slot).into(),
            Self::Text { texts, .. } => texts.get(slot).into(),
            Self::Time { times, .. } => Value::Datetime(times.timestamp(slot)),
            Self::Single(terms) => terms.terms_of(slot).next().into(),
            Self::Set(_) => Value::Missing,
        }
    }

    /// Whether all slots have the same value.
    pub(crate) const fn is_constant(&self) -> bool {
        matches!(self, Self::Constants { cases, .. } if cases.is_empty())
    }

    /// The constant of a slot; missing for other representations.
    pub(crate) fn constant(&self, slot: Slot) -> Constant {
        let Self::Constants { cases, default } = self else {
            return Constant::Missing;
        };
        cases
            .iter()
            .find(|(slots, _)| slots.contains(slot.bit()))
            .map_or(*default, |(_, constant)| *constant)
    }
}

impl From<Constant> for Value<'_> {
    fn from(constant: Constant) -> Self {
        match constant {
            Constant::Missing => Self::Missing,
            Constant::Boolean(value) => Self::Boolean(value),
            Constant::Text(text) => Self::Text(Cow::Borrowed(text)),
        }
    }
}
