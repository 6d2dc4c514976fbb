//! Inspection of a whole store.

use super::super::dispatch::KINDS;
use super::super::kind::owner_of;
use super::super::record_counts::{CountMismatch, RecordCounts};
use super::finding::{Finding, IntegrityError};
use super::{index_rows, secondary_rows};
use crate::engine::{KeyRange, ReadTx, StoreError};
use crate::frame;
use crate::key::{Kind, RecordKey, ReferenceKey, UniqueKey};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Result of an inspection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inspection {
    /// In the order of rows: records, references, unique values, counts.
    pub findings: Vec<Finding>,
    /// Whether the inspection ended early.
    pub is_truncated: bool,
}

/// Checks every record against its secondary rows, and vice versa.
///
/// Ends early after `limit` findings, or when `is_stopped` returns `true`. Reads everything, most of
/// it more than once.
///
/// # Errors
///
/// When pages of the store cannot be read; damaged rows are findings.
pub fn inspect(
    tx: &dyn ReadTx,
    limit: usize,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Inspection, StoreError> {
    let mut inspector = Inspector {
        tx,
        limit,
        is_stopped,
        inspection: Inspection::default(),
        counts: BTreeMap::new(),
        root: None,
    };
    inspector.check_rows(&RecordKey::all_kinds(), Inspector::check_record)?;
    inspector.check_rows(&ReferenceKey::all(), Inspector::check_row)?;
    inspector.check_rows(&UniqueKey::all_indexes(), Inspector::check_row)?;
    // Partial counts would be misleading.
    if !inspector.inspection.is_truncated {
        inspector.compare_counts();
    }
    Ok(inspector.inspection)
}

/// Check of one row, by key and value.
type RowCheck<R> = fn(&mut R, &[u8], &[u8]) -> Result<(), StoreError>;

struct Inspector<'a> {
    tx: &'a dyn ReadTx,
    limit: usize,
    is_stopped: &'a dyn Fn() -> bool,
    inspection: Inspection,
    counts: BTreeMap<Kind, u64>,
    /// The last root; its dependents follow directly.
    root: Option<(Kind, u64)>,
}

impl Inspector<'_> {
    /// Checks each row of a range until the inspection ends.
    fn check_rows(&mut self, range: &KeyRange, look: RowCheck<Self>) -> Result<(), StoreError> {
        if self.inspection.is_truncated {
            return Ok(());
        }
        self.tx.scan(range, &mut |key, row| {
            if self.inspection.findings.len() >= self.limit || (self.is_stopped)() {
                self.inspection.is_truncated = true;
                return Ok(ControlFlow::Break(()));
            }
            look(self, key, row)?;
            Ok(ControlFlow::Continue(()))
        })
    }

    fn check_record(&mut self, bytes: &[u8], frame: &[u8]) -> Result<(), StoreError> {
        let Some(key) = RecordKey::parse(bytes) else {
            let fault = IntegrityError::InvalidRecord(frame::hex(bytes));
            self.inspection.findings.push(Finding::at_row(bytes, fault));
            return Ok(());
        };
        *self.counts.entry(key.id().0).or_insert(0) += 1;
        if key.is_root() {
            self.root = Some(key.root_id());
        } else if self.root != Some(key.root_id()) {
            self.report(Finding::at_record(&key, IntegrityError::Orphan(key)));
        }
        if let Err(error) = owner_of(&key) {
            let fault = IntegrityError::Unreadable(error.to_string());
            self.report(Finding::at_record(&key, fault));
        }
        let findings = secondary_rows::record_errors(self.tx, &key, frame)?;
        self.inspection.findings.extend(findings);
        Ok(())
    }

    fn check_row(&mut self, key: &[u8], row: &[u8]) -> Result<(), StoreError> {
        if let Some(fault) = index_rows::row_error(self.tx, key, row)? {
            self.report(Finding::at_row(key, fault));
        }
        Ok(())
    }

    fn compare_counts(&mut self) {
        for &kind in KINDS {
            let found = self.counts.get(&kind).copied().unwrap_or(0);
            let fault = match RecordCounts::expected(self.tx, kind) {
                Ok(stated) if stated == found => continue,
                Ok(stated) => IntegrityError::Count(CountMismatch::Records {
                    kind: kind.byte(),
                    found,
                    stated,
                }),
                Err(error) => IntegrityError::Unreadable(error.to_string()),
            };
            self.report(Finding::in_store(fault));
        }
    }

    fn report(&mut self, finding: Finding) {
        self.inspection.findings.push(finding);
    }
}
