//! Going through a whole store.

use super::super::census::{Census, Shortfall};
use super::super::dispatch::KINDS;
use super::super::kind::owner_of;
use super::finding::{Fault, Finding};
use super::{beside, leading};
use crate::engine::{KeyRange, ReadTx, StoreError};
use crate::frame;
use crate::key::{Kind, RecordKey, ReferenceKey, UniqueKey};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// What was found in a store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inspection {
    /// The findings, in the order of their rows: records, references, unique values, counts.
    pub findings: Vec<Finding>,
    /// Whether there may be more, since the inspection ended before it had seen everything.
    pub is_cut_short: bool,
}

/// Holds every record against the rows beside it, and those against the records.
///
/// Ends early with `most` findings, or when `is_stopped` says so. It reads everything, and most of
/// it more than once.
///
/// # Errors
///
/// When pages of the store cannot be read; rows that are there and damaged are findings.
pub fn inspect(
    tx: &dyn ReadTx,
    most: usize,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Inspection, StoreError> {
    let mut round = Round {
        tx,
        most,
        is_stopped,
        outcome: Inspection::default(),
        counts: BTreeMap::new(),
        root: None,
    };
    round.each(&RecordKey::every_kind(), Round::record)?;
    round.each(&ReferenceKey::all(), Round::row)?;
    round.each(&UniqueKey::every_index(), Round::row)?;
    // Half a count would only mislead.
    if !round.outcome.is_cut_short {
        round.compare_counts();
    }
    Ok(round.outcome)
}

/// Looks at the key and the value of a row.
type Look<R> = fn(&mut R, &[u8], &[u8]) -> Result<(), StoreError>;

struct Round<'a> {
    tx: &'a dyn ReadTx,
    most: usize,
    is_stopped: &'a dyn Fn() -> bool,
    outcome: Inspection,
    counts: BTreeMap<Kind, u64>,
    /// The root that was come across last: what lies under it follows directly.
    root: Option<(Kind, u64)>,
}

impl Round<'_> {
    /// Looks at each row of a range, unless the round has ended.
    fn each(&mut self, range: &KeyRange, look: Look<Self>) -> Result<(), StoreError> {
        if self.outcome.is_cut_short {
            return Ok(());
        }
        self.tx.scan(range, &mut |key, row| {
            if self.outcome.findings.len() >= self.most || (self.is_stopped)() {
                self.outcome.is_cut_short = true;
                return Ok(ControlFlow::Break(()));
            }
            look(self, key, row)?;
            Ok(ControlFlow::Continue(()))
        })
    }

    fn record(&mut self, bytes: &[u8], frame: &[u8]) -> Result<(), StoreError> {
        let Some(key) = RecordKey::parse(bytes) else {
            let fault = Fault::NoRecord(frame::hex(bytes));
            self.outcome.findings.push(Finding::in_row(bytes, fault));
            return Ok(());
        };
        *self.counts.entry(key.id().0).or_insert(0) += 1;
        if key.is_root() {
            self.root = Some(key.root_id());
        } else if self.root != Some(key.root_id()) {
            self.note(Finding::beside(&key, Fault::Orphan(key)));
        }
        if let Err(error) = owner_of(&key) {
            let fault = Fault::Unreadable(error.to_string());
            self.note(Finding::beside(&key, fault));
        }
        let findings = beside::faults(self.tx, &key, frame)?;
        self.outcome.findings.extend(findings);
        Ok(())
    }

    fn row(&mut self, key: &[u8], row: &[u8]) -> Result<(), StoreError> {
        if let Some(fault) = leading::fault(self.tx, key, row)? {
            self.note(Finding::in_row(key, fault));
        }
        Ok(())
    }

    fn compare_counts(&mut self) {
        for kind in KINDS {
            let found = self.counts.get(&kind).copied().unwrap_or(0);
            let fault = match Census::stated(self.tx, kind) {
                Ok(stated) if stated == found => continue,
                Ok(stated) => Fault::Count(Shortfall::Records {
                    kind: kind.byte(),
                    found,
                    stated,
                }),
                Err(error) => Fault::Unreadable(error.to_string()),
            };
            self.note(Finding::everywhere(fault));
        }
    }

    fn note(&mut self, finding: Finding) {
        self.outcome.findings.push(finding);
    }
}
