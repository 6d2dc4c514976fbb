//! Findings of an inspection.

use super::super::kind::UniqueIndex;
use super::super::record_counts::CountMismatch;
use crate::key::RecordKey;

/// An inconsistency in a store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{fault}")]
pub struct Finding {
    pub fault: IntegrityError,
    pub(super) location: Location,
}

/// Location of a finding, to check again before a repair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Location {
    /// At this record or its secondary rows.
    Record(RecordKey),
    /// At the row with this key.
    Row(Vec<u8>),
    Store,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IntegrityError {
    /// A record row with an invalid key or unknown kind.
    #[error("row {0} is not a record of a known kind")]
    InvalidRecord(String),
    /// Unreadable data, with description and cause.
    #[error("{0}")]
    Unreadable(String),
    /// A dependent of a missing record.
    #[error("record {0} depends on a record that is missing")]
    Orphan(RecordKey),
    /// A unique value of a record has no row; it could be assigned twice.
    #[error("record {record} has no entry in the index {index:?}")]
    MissingValue {
        record: RecordKey,
        index: UniqueIndex,
    },
    /// The row of a unique value is unreadable, or points to a record without the value.
    #[error("the entry of record {record} in the index {index:?} does not point to it")]
    WrongValue {
        record: RecordKey,
        index: UniqueIndex,
    },
    #[error("records {record} and {holder} have the same {index:?}")]
    ConflictingValue {
        /// The record that the row does not point to.
        record: RecordKey,
        /// The record that the row points to.
        holder: RecordKey,
        index: UniqueIndex,
    },
    /// The target of a reference is missing.
    #[error("record {record} refers by {index:?} to an entity that is missing")]
    MissingTarget {
        record: RecordKey,
        /// The index of the reference.
        index: UniqueIndex,
    },
    /// A reference has no readable row; its target could be deleted.
    #[error("the reference from record {record} to record {target} is missing")]
    MissingReference {
        record: RecordKey,
        target: RecordKey,
    },
    /// A row points to a missing record.
    #[error("a row points to record {0}, which is missing")]
    Dangling(RecordKey),
    /// A row for a value or reference that its record does not have.
    #[error("a row points to record {0}, which does not have its value")]
    StaleRow(RecordKey),
    /// A secondary row without a readable record key.
    #[error("row {0} does not contain the key of a record")]
    InvalidRow(String),
    #[error(transparent)]
    Count(#[from] CountMismatch),
}

impl Finding {
    pub(super) fn at_record(record: &RecordKey, fault: IntegrityError) -> Self {
        let place = Location::Record(*record);
        Self {
            fault,
            location: place,
        }
    }

    pub(super) fn at_row(key: &[u8], fault: IntegrityError) -> Self {
        let place = Location::Row(key.to_vec());
        Self {
            fault,
            location: place,
        }
    }

    pub(super) fn in_store(fault: IntegrityError) -> Self {
        let place = Location::Store;
        Self {
            fault,
            location: place,
        }
    }
}
