//! Secondary rows and the records they point to.

use crate::engine::{ReadTx, StoreError};
use crate::frame;
use crate::key::RecordKey;

/// The target of a secondary row.
pub(super) enum IndexRow {
    /// Points to a record, which may be missing.
    Record(RecordKey),
    Unreadable,
    Missing,
}

/// Whether a record has the value or reference of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    Yes,
    /// The record exists without it.
    No,
    /// The record is missing.
    Lost,
    /// The record is unreadable.
    Unknown,
}

impl IndexRow {
    /// Reads the row under `key`.
    pub(super) fn read(tx: &dyn ReadTx, key: &[u8]) -> Result<Self, StoreError> {
        Ok(match tx.get(key)? {
            Some(row) => Self::decode(key, &row),
            None => Self::Missing,
        })
    }

    /// Decodes a row.
    pub(super) fn decode(key: &[u8], row: &[u8]) -> Self {
        match frame::decode(key, row).ok().and_then(RecordKey::parse) {
            Some(record) => Self::Record(record),
            None => Self::Unreadable,
        }
    }
}
