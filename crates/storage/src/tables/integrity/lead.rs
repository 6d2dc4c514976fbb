//! Following a row beside the records to its record.

use crate::engine::{ReadTx, StoreError};
use crate::frame;
use crate::key::RecordKey;

/// Where a row leads.
pub(super) enum Lead {
    /// To a record, which need not be there.
    To(RecordKey),
    /// Nowhere that could be read.
    Unreadable,
    /// There is no such row.
    Missing,
}

/// Whether a record has what a row says that it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    /// It has.
    Yes,
    /// It is there and has not.
    No,
    /// There is no such record.
    Lost,
    /// It is there, and cannot be asked.
    Unknown,
}

impl Lead {
    /// Where the row under `key` leads.
    pub(super) fn under(tx: &dyn ReadTx, key: &[u8]) -> Result<Self, StoreError> {
        Ok(match tx.get(key)? {
            Some(row) => Self::of(key, &row),
            None => Self::Missing,
        })
    }

    /// Where a row leads that is there.
    pub(super) fn of(key: &[u8], row: &[u8]) -> Self {
        match frame::decode(key, row).ok().and_then(RecordKey::parse) {
            Some(record) => Self::To(record),
            None => Self::Unreadable,
        }
    }
}
