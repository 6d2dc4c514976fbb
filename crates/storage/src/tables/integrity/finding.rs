//! What an inspection finds.

use super::super::census::Shortfall;
use super::super::kind::Index;
use crate::key::RecordKey;

/// Something in a store that does not agree with the rest of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{fault}")]
pub struct Finding {
    /// What is wrong.
    pub fault: Fault,
    /// Where it is seen.
    pub(super) place: Place,
}

/// Where a fault is seen, and so where one looks again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// Beside this record, which says what has to be there.
    Beside(RecordKey),
    /// In the row with this key.
    Row(Vec<u8>),
    /// In the store as a whole.
    Everywhere,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A row among the records is none, or is of no known kind.
    #[error("the row {0} is no record of a known kind")]
    NoRecord(String),
    /// Something cannot be read; the text says what and why.
    #[error("{0}")]
    Unreadable(String),
    /// A record lies under one that is not there.
    #[error("record {0} lies under a record that is lost")]
    Orphan(RecordKey),
    /// A unique value of a record has no row; it could be given a second time.
    #[error("record {record} is not found by its {index:?}")]
    NoValue {
        /// The record.
        record: RecordKey,
        /// The index of the value.
        index: Index,
    },
    /// The row of a unique value of a record cannot be read, or leads to one that does not have it.
    #[error("the {index:?} of record {record} does not lead to it")]
    WrongValue {
        /// The record.
        record: RecordKey,
        /// The index of the value.
        index: Index,
    },
    /// Two records may have the same unique value.
    #[error("records {record} and {holder} have the same {index:?}")]
    Contested {
        /// The record that the row does not lead to.
        record: RecordKey,
        /// The one that it leads to.
        holder: RecordKey,
        /// The index of the value.
        index: Index,
    },
    /// A record refers to what does not exist.
    #[error("what record {record} names by {index:?} is not there")]
    NoTarget {
        /// The record.
        record: RecordKey,
        /// The index of the value by which it refers.
        index: Index,
    },
    /// A reference of a record has no row that can be read; what it guards could be removed.
    #[error("the reference from record {record} to record {target} is lost")]
    NoReference {
        /// The record.
        record: RecordKey,
        /// What it refers to.
        target: RecordKey,
    },
    /// A row leads to a record that is lost.
    #[error("a row leads to record {0}, which is lost")]
    Dangling(RecordKey),
    /// A row carries a value or a reference that its record does not have.
    #[error("a row leads to record {0}, which does not say so")]
    LeftOver(RecordKey),
    /// A row beside the records does not tell which record it belongs to.
    #[error("the row {0} does not tell where it leads")]
    Meaningless(String),
    /// A count does not hold.
    #[error(transparent)]
    Count(#[from] Shortfall),
}

impl Finding {
    pub(super) fn beside(record: &RecordKey, fault: Fault) -> Self {
        let place = Place::Beside(*record);
        Self { fault, place }
    }

    pub(super) fn in_row(key: &[u8], fault: Fault) -> Self {
        let place = Place::Row(key.to_vec());
        Self { fault, place }
    }

    pub(super) fn everywhere(fault: Fault) -> Self {
        let place = Place::Everywhere;
        Self { fault, place }
    }
}
