//! From a record to the rows that it has to have beside it.

use super::super::dispatch::{ForEntity, dispatch};
use super::super::kind::{Entity, UniqueValue};
use super::super::read::parse;
use super::finding::{Fault, Finding};
use super::lead::{Held, Lead};
use super::leading::has_value;
use crate::engine::{ReadTx, StoreError};
use crate::key::{RecordKey, ReferenceKey};

/// What is wrong with the record at `key`, and with what has to be beside it.
pub(super) fn faults(
    tx: &dyn ReadTx,
    key: &RecordKey,
    frame: &[u8],
) -> Result<Vec<Finding>, StoreError> {
    let asked = dispatch(key.id().0, Faults { tx, key, frame });
    asked.unwrap_or_else(|| {
        let fault = Fault::NoRecord(key.to_string());
        Ok(vec![Finding::beside(key, fault)])
    })
}

struct Faults<'a> {
    tx: &'a dyn ReadTx,
    key: &'a RecordKey,
    frame: &'a [u8],
}

impl ForEntity for Faults<'_> {
    type Output = Result<Vec<Finding>, StoreError>;

    fn run<E: Entity>(self) -> Self::Output {
        let Self { tx, key, frame } = self;
        let entity = match parse::<E>(key, frame) {
            Ok(entity) => entity,
            Err(error) => {
                let fault = Fault::Unreadable(error.to_string());
                return Ok(vec![Finding::beside(key, fault)]);
            },
        };
        let mut faults = Vec::new();
        for value in entity.unique_values() {
            faults.extend(value_fault(tx, key, &value)?);
        }
        for target in entity.references() {
            faults.extend(reference_fault(tx, key, &target)?);
        }
        let findings = faults.into_iter().map(|fault| Finding::beside(key, fault));
        Ok(findings.collect())
    }
}

/// What is wrong with the row of a unique value of a record.
pub(super) fn value_fault(
    tx: &dyn ReadTx,
    key: &RecordKey,
    value: &UniqueValue,
) -> Result<Option<Fault>, StoreError> {
    let (record, index) = (*key, value.index);
    let unique = value.key();
    Ok(match Lead::under(tx, unique.as_bytes())? {
        Lead::To(holder) if holder == record => None,
        Lead::To(holder) => match has_value(tx, &holder, unique.as_bytes())? {
            Held::No | Held::Lost => Some(Fault::WrongValue { record, index }),
            Held::Yes | Held::Unknown => Some(Fault::Contested {
                record,
                holder,
                index,
            }),
        },
        Lead::Unreadable => Some(Fault::WrongValue { record, index }),
        Lead::Missing => Some(Fault::NoValue { record, index }),
    })
}

/// What is wrong with a reference of a record.
pub(super) fn reference_fault(
    tx: &dyn ReadTx,
    key: &RecordKey,
    reference: &UniqueValue,
) -> Result<Option<Fault>, StoreError> {
    let record = *key;
    let nothing = Fault::NoTarget {
        record,
        index: reference.index,
    };
    let Lead::To(target) = Lead::under(tx, reference.key().as_bytes())? else {
        return Ok(Some(nothing));
    };
    if tx.get(target.as_bytes())?.is_none() {
        return Ok(Some(nothing));
    }
    let row = ReferenceKey::new(target.id(), record.id());
    Ok(match Lead::under(tx, row.as_bytes())? {
        Lead::To(referrer) if referrer == record => None,
        _ => Some(Fault::NoReference { record, target }),
    })
}
