//! Repair of findings.

use super::super::dispatch::{EntityVisitor, dispatch};
use super::super::kind::Entity;
use super::super::read::parse;
use super::super::write::RowsMut;
use super::finding::{Finding, IntegrityError, Location};
use super::index_rows;
use super::secondary_rows::{self, reference_error, value_error};
use crate::engine::StoreError;
use crate::key::RecordKey;

impl RowsMut<'_> {
    /// Repairs a finding as far as records determine the correct state; returns whether it is gone.
    ///
    /// Checks the store again first, so that stale findings do no harm.
    pub fn repair(&mut self, finding: &Finding) -> Result<bool, StoreError> {
        match &finding.location {
            Location::Record(record) => self.repair_record(record, finding),
            Location::Row(key) => self.repair_row(key),
            Location::Store => Ok(false),
        }
    }

    fn repair_record(&mut self, record: &RecordKey, finding: &Finding) -> Result<bool, StoreError> {
        let Some(frame) = self.rows().tx().get(record.as_bytes())? else {
            // Removed meanwhile, with its secondary rows.
            return Ok(true);
        };
        if let IntegrityError::Orphan(_) = finding.fault {
            let (kind, number) = record.root_id();
            let root = RecordKey::root(kind, number);
            return Ok(self.rows().tx().get(root.as_bytes())?.is_some());
        }
        let restore = RestoreRows {
            rows: self,
            record,
            frame: &frame,
        };
        dispatch(record.id().0, restore).unwrap_or(Ok(()))?;
        let remaining = secondary_rows::record_errors(self.rows().tx(), record, &frame)?;
        Ok(!remaining.iter().any(|other| finding.remains_in(other)))
    }

    fn repair_row(&mut self, key: &[u8]) -> Result<bool, StoreError> {
        let Some(row) = self.rows().tx().get(key)? else {
            return Ok(true);
        };
        if RecordKey::all_kinds().contains(key) {
            return Ok(false);
        }
        match index_rows::row_error(self.rows().tx(), key, &row)? {
            Some(IntegrityError::StaleRow(_)) => {
                self.delete_row(key);
                Ok(true)
            },
            fault => Ok(fault.is_none()),
        }
    }
}

impl Finding {
    /// Whether the error remains after a repair. A dangling value may turn out to conflict between
    /// two records.
    fn remains_in(&self, other: &Self) -> bool {
        self == other || matches!(other.fault, IntegrityError::ConflictingValue { .. })
    }
}

/// Restores the secondary rows of a record.
struct RestoreRows<'a, 't> {
    rows: &'a mut RowsMut<'t>,
    record: &'a RecordKey,
    frame: &'a [u8],
}

impl EntityVisitor for RestoreRows<'_, '_> {
    type Output = Result<(), StoreError>;

    fn visit<E: Entity>(self) -> Self::Output {
        let Self {
            rows,
            record,
            frame,
        } = self;
        let Ok(entity) = parse::<E>(record, frame) else {
            return Ok(());
        };
        for value in entity.unique_values() {
            let fault = value_error(rows.rows().tx(), record, &value)?;
            if let Some(IntegrityError::MissingValue { .. } | IntegrityError::WrongValue { .. }) =
                fault
            {
                rows.insert_unique_value(record, &value);
            }
        }
        for reference in entity.references() {
            let fault = reference_error(rows.rows().tx(), record, &reference)?;
            if let Some(IntegrityError::MissingReference { target, .. }) = fault {
                rows.insert_reference(&target, record);
            }
        }
        Ok(())
    }
}
