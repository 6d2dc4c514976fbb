//! Checks of the secondary rows of a record.

use super::super::dispatch::{EntityVisitor, dispatch};
use super::super::kind::{Entity, UniqueValue};
use super::super::read::parse;
use super::finding::{Finding, IntegrityError};
use super::index_row::{IndexRow, Presence};
use super::index_rows::has_value;
use crate::engine::{ReadTx, StoreError};
use crate::key::{RecordKey, ReferenceKey};

/// Errors of the record at `key` and its secondary rows.
pub(super) fn record_errors(
    tx: &dyn ReadTx,
    key: &RecordKey,
    frame: &[u8],
) -> Result<Vec<Finding>, StoreError> {
    let result = dispatch(key.id().0, RecordCheck { tx, key, frame });
    result.unwrap_or_else(|| {
        let fault = IntegrityError::InvalidRecord(key.to_string());
        Ok(vec![Finding::at_record(key, fault)])
    })
}

struct RecordCheck<'a> {
    tx: &'a dyn ReadTx,
    key: &'a RecordKey,
    frame: &'a [u8],
}

impl EntityVisitor for RecordCheck<'_> {
    type Output = Result<Vec<Finding>, StoreError>;

    fn visit<E: Entity>(self) -> Self::Output {
        let Self { tx, key, frame } = self;
        let entity = match parse::<E>(key, frame) {
            Ok(entity) => entity,
            Err(error) => {
                let fault = IntegrityError::Unreadable(error.to_string());
                return Ok(vec![Finding::at_record(key, fault)]);
            },
        };
        let mut faults = Vec::new();
        for value in entity.unique_values() {
            faults.extend(value_error(tx, key, &value)?);
        }
        for target in entity.references() {
            faults.extend(reference_error(tx, key, &target)?);
        }
        let findings = faults
            .into_iter()
            .map(|fault| Finding::at_record(key, fault));
        Ok(findings.collect())
    }
}

/// The error of the row of a unique value of a record, if any.
pub(super) fn value_error(
    tx: &dyn ReadTx,
    key: &RecordKey,
    value: &UniqueValue,
) -> Result<Option<IntegrityError>, StoreError> {
    let (record, index) = (*key, value.index);
    let unique = value.key();
    Ok(match IndexRow::read(tx, unique.as_bytes())? {
        IndexRow::Record(holder) if holder == record => None,
        IndexRow::Record(holder) => match has_value(tx, &holder, unique.as_bytes())? {
            Presence::No | Presence::Lost => Some(IntegrityError::WrongValue { record, index }),
            Presence::Yes | Presence::Unknown => Some(IntegrityError::ConflictingValue {
                record,
                holder,
                index,
            }),
        },
        IndexRow::Unreadable => Some(IntegrityError::WrongValue { record, index }),
        IndexRow::Missing => Some(IntegrityError::MissingValue { record, index }),
    })
}

/// The error of a reference of a record, if any.
pub(super) fn reference_error(
    tx: &dyn ReadTx,
    key: &RecordKey,
    reference: &UniqueValue,
) -> Result<Option<IntegrityError>, StoreError> {
    let record = *key;
    let nothing = IntegrityError::MissingTarget {
        record,
        index: reference.index,
    };
    let IndexRow::Record(target) = IndexRow::read(tx, reference.key().as_bytes())? else {
        return Ok(Some(nothing));
    };
    if tx.get(target.as_bytes())?.is_none() {
        return Ok(Some(nothing));
    }
    let row = ReferenceKey::new(target.id(), record.id());
    Ok(match IndexRow::read(tx, row.as_bytes())? {
        IndexRow::Record(referrer) if referrer == record => None,
        _ => Some(IntegrityError::MissingReference { record, target }),
    })
}
