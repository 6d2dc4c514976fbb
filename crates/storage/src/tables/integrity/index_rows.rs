//! Checks of secondary rows against their records.

use super::super::dispatch::{EntityVisitor, dispatch};
use super::super::kind::Entity;
use super::super::read::parse;
use super::finding::IntegrityError;
use super::index_row::{IndexRow, Presence};
use crate::engine::{ReadTx, StoreError};
use crate::frame;
use crate::key::{Kind, RecordKey, ReferenceKey, UniqueKey};

/// The error of a row for a unique value or a reference, if any.
pub(super) fn row_error(
    tx: &dyn ReadTx,
    key: &[u8],
    row: &[u8],
) -> Result<Option<IntegrityError>, StoreError> {
    let meaningless = || Some(IntegrityError::InvalidRow(frame::hex(key)));
    let IndexRow::Record(record) = IndexRow::decode(key, row) else {
        return Ok(meaningless());
    };
    let presence = match ReferenceKey::parse(key) {
        Some((target, referrer)) if referrer == record.id() => has_reference(tx, &record, target)?,
        None if UniqueKey::parse_index(key).is_some() => has_value(tx, &record, key)?,
        _ => return Ok(meaningless()),
    };
    Ok(match presence {
        // An unreadable record is reported separately.
        Presence::Yes | Presence::Unknown => None,
        Presence::No => Some(IntegrityError::StaleRow(record)),
        Presence::Lost => Some(IntegrityError::Dangling(record)),
    })
}

/// Whether a record has the unique value of the row under `unique`.
pub(super) fn has_value(
    tx: &dyn ReadTx,
    record: &RecordKey,
    unique: &[u8],
) -> Result<Presence, StoreError> {
    check_presence(tx, record, Expectation::Value(unique))
}

/// Whether a record refers to `target`.
fn has_reference(
    tx: &dyn ReadTx,
    record: &RecordKey,
    target: (Kind, u64),
) -> Result<Presence, StoreError> {
    check_presence(tx, record, Expectation::Reference(target))
}

fn check_presence(
    tx: &dyn ReadTx,
    record: &RecordKey,
    has: Expectation<'_>,
) -> Result<Presence, StoreError> {
    let Some(frame) = tx.get(record.as_bytes())? else {
        return Ok(Presence::Lost);
    };
    let check = PresenceCheck {
        tx,
        record,
        frame: &frame,
        has,
    };
    dispatch(record.id().0, check).unwrap_or(Ok(Presence::Unknown))
}

enum Expectation<'a> {
    Value(&'a [u8]),
    Reference((Kind, u64)),
}

struct PresenceCheck<'a> {
    tx: &'a dyn ReadTx,
    record: &'a RecordKey,
    frame: &'a [u8],
    has: Expectation<'a>,
}

impl EntityVisitor for PresenceCheck<'_> {
    type Output = Result<Presence, StoreError>;

    fn visit<E: Entity>(self) -> Self::Output {
        let Ok(entity) = parse::<E>(self.record, self.frame) else {
            return Ok(Presence::Unknown);
        };
        match self.has {
            Expectation::Value(unique) => {
                let values = entity.unique_values();
                let has = values.iter().any(|value| value.key().as_bytes() == unique);
                Ok(if has { Presence::Yes } else { Presence::No })
            },
            Expectation::Reference(target) => refers(self.tx, &entity, target),
        }
    }
}

/// Whether an entity refers to `target`; unknown if a reference cannot be resolved.
fn refers<E: Entity>(
    tx: &dyn ReadTx,
    entity: &E,
    target: (Kind, u64),
) -> Result<Presence, StoreError> {
    let mut presence = Presence::No;
    for reference in entity.references() {
        match IndexRow::read(tx, reference.key().as_bytes())? {
            IndexRow::Record(found) if found.id() == target => return Ok(Presence::Yes),
            IndexRow::Record(_) => {},
            IndexRow::Unreadable | IndexRow::Missing => presence = Presence::Unknown,
        }
    }
    Ok(presence)
}
