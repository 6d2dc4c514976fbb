//! From the rows beside the records to the records that they lead to.

use super::super::dispatch::{ForEntity, dispatch};
use super::super::kind::Entity;
use super::super::read::parse;
use super::finding::Fault;
use super::lead::{Held, Lead};
use crate::engine::{ReadTx, StoreError};
use crate::frame;
use crate::key::{Kind, RecordKey, ReferenceKey, UniqueKey};

/// What is wrong with a row that carries a unique value or a reference.
pub(super) fn fault(tx: &dyn ReadTx, key: &[u8], row: &[u8]) -> Result<Option<Fault>, StoreError> {
    let meaningless = || Some(Fault::Meaningless(frame::hex(key)));
    let Lead::To(record) = Lead::of(key, row) else {
        return Ok(meaningless());
    };
    let held = match ReferenceKey::parse(key) {
        Some((target, referrer)) if referrer == record.id() => has_reference(tx, &record, target)?,
        None if UniqueKey::parse_index(key).is_some() => has_value(tx, &record, key)?,
        _ => return Ok(meaningless()),
    };
    Ok(match held {
        // A record that cannot be asked is a fault of its own.
        Held::Yes | Held::Unknown => None,
        Held::No => Some(Fault::LeftOver(record)),
        Held::Lost => Some(Fault::Dangling(record)),
    })
}

/// Whether a record has the unique value whose row lies under `unique`.
pub(super) fn has_value(
    tx: &dyn ReadTx,
    record: &RecordKey,
    unique: &[u8],
) -> Result<Held, StoreError> {
    ask(tx, record, Has::Value(unique))
}

/// Whether a record refers to `target`.
fn has_reference(
    tx: &dyn ReadTx,
    record: &RecordKey,
    target: (Kind, u64),
) -> Result<Held, StoreError> {
    ask(tx, record, Has::Reference(target))
}

fn ask(tx: &dyn ReadTx, record: &RecordKey, has: Has<'_>) -> Result<Held, StoreError> {
    let Some(frame) = tx.get(record.as_bytes())? else {
        return Ok(Held::Lost);
    };
    let question = Question {
        tx,
        record,
        frame: &frame,
        has,
    };
    dispatch(record.id().0, question).unwrap_or(Ok(Held::Unknown))
}

enum Has<'a> {
    Value(&'a [u8]),
    Reference((Kind, u64)),
}

struct Question<'a> {
    tx: &'a dyn ReadTx,
    record: &'a RecordKey,
    frame: &'a [u8],
    has: Has<'a>,
}

impl ForEntity for Question<'_> {
    type Output = Result<Held, StoreError>;

    fn run<E: Entity>(self) -> Self::Output {
        let Ok(entity) = parse::<E>(self.record, self.frame) else {
            return Ok(Held::Unknown);
        };
        match self.has {
            Has::Value(unique) => {
                let values = entity.unique_values();
                let has = values.iter().any(|value| value.key().as_bytes() == unique);
                Ok(if has { Held::Yes } else { Held::No })
            },
            Has::Reference(target) => refers(self.tx, &entity, target),
        }
    }
}

/// Whether an entity refers to `target`. Where a reference of it cannot be followed, that could be
/// the one.
fn refers<E: Entity>(tx: &dyn ReadTx, entity: &E, target: (Kind, u64)) -> Result<Held, StoreError> {
    let mut held = Held::No;
    for reference in entity.references() {
        match Lead::under(tx, reference.key().as_bytes())? {
            Lead::To(found) if found.id() == target => return Ok(Held::Yes),
            Lead::To(_) => {},
            Lead::Unreadable | Lead::Missing => held = Held::Unknown,
        }
    }
    Ok(held)
}
