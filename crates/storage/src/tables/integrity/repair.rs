//! Putting right what records tell.

use super::super::dispatch::{ForEntity, dispatch};
use super::super::kind::Entity;
use super::super::read::parse;
use super::super::write::RowsMut;
use super::beside::{self, reference_fault, value_fault};
use super::finding::{Fault, Finding, Place};
use super::leading;
use crate::engine::StoreError;
use crate::key::RecordKey;

impl RowsMut<'_> {
    /// Puts right what was found, as far as the store tells what is right; answers whether the
    /// fault is gone.
    ///
    /// The store is looked at once more, so that a finding of long ago does no harm.
    pub fn put_right(&mut self, finding: &Finding) -> Result<bool, StoreError> {
        match &finding.place {
            Place::Beside(record) => self.put_right_beside(record, finding),
            Place::Row(key) => self.put_right_row(key),
            Place::Everywhere => Ok(false),
        }
    }

    fn put_right_beside(
        &mut self,
        record: &RecordKey,
        finding: &Finding,
    ) -> Result<bool, StoreError> {
        let Some(frame) = self.rows().tx().get(record.as_bytes())? else {
            // It has been removed meanwhile, and what was beside it too.
            return Ok(true);
        };
        if let Fault::Orphan(_) = finding.fault {
            let (kind, number) = record.root_id();
            let root = RecordKey::root(kind, number);
            return Ok(self.rows().tx().get(root.as_bytes())?.is_some());
        }
        let restoring = Restoring {
            rows: self,
            record,
            frame: &frame,
        };
        dispatch(record.id().0, restoring).unwrap_or(Ok(()))?;
        let left = beside::faults(self.rows().tx(), record, &frame)?;
        Ok(!left.iter().any(|other| finding.lasts_in(other)))
    }

    fn put_right_row(&mut self, key: &[u8]) -> Result<bool, StoreError> {
        let Some(row) = self.rows().tx().get(key)? else {
            return Ok(true);
        };
        if RecordKey::every_kind().contains(key) {
            return Ok(false);
        }
        match leading::fault(self.rows().tx(), key, &row)? {
            Some(Fault::LeftOver(_)) => {
                self.erase(key);
                Ok(true)
            },
            fault => Ok(fault.is_none()),
        }
    }
}

impl Finding {
    /// Whether the fault is still there in what is found after a repair. A value that was nobody's
    /// may turn out to be that of two records.
    fn lasts_in(&self, other: &Self) -> bool {
        self == other || matches!(other.fault, Fault::Contested { .. })
    }
}

/// Writes the rows anew that a record has to have.
struct Restoring<'a, 't> {
    rows: &'a mut RowsMut<'t>,
    record: &'a RecordKey,
    frame: &'a [u8],
}

impl ForEntity for Restoring<'_, '_> {
    type Output = Result<(), StoreError>;

    fn run<E: Entity>(self) -> Self::Output {
        let Self {
            rows,
            record,
            frame,
        } = self;
        let Ok(entity) = parse::<E>(record, frame) else {
            return Ok(());
        };
        for value in entity.unique_values() {
            let fault = value_fault(rows.rows().tx(), record, &value)?;
            if let Some(Fault::NoValue { .. } | Fault::WrongValue { .. }) = fault {
                rows.claim(record, &value);
            }
        }
        for reference in entity.references() {
            let fault = reference_fault(rows.rows().tx(), record, &reference)?;
            if let Some(Fault::NoReference { target, .. }) = fault {
                rows.refer(&target, record);
            }
        }
        Ok(())
    }
}
