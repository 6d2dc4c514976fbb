//! Record counts, to detect lost rows.
//!
//! The engine can lose rows to bit rot without noticing. A count per kind, updated with every
//! insertion and removal, lets the scan at startup detect silent losses.

use super::dispatch::{EntityVisitor, KINDS, dispatch};
use super::kind::{Entity, UniqueValue, roots};
use super::read::parse;
use crate::engine::{KeyRange, ReadTx, StoreError, WriteTx};
use crate::frame;
use crate::key::{Kind, META_TAG, RecordKey, ReferenceKey, UniqueKey};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// A mismatch between expected and actual counts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CountMismatch {
    /// Fewer or more records than counted.
    #[error("{found} records of kind {kind} found, {stated} expected")]
    Records {
        kind: u8,
        found: u64,
        /// Expected records.
        stated: u64,
    },
    /// Fewer unique values than records have; a missing value could be assigned twice.
    #[error("{found} values of index {index} found, at least {stated} expected")]
    Values {
        index: u8,
        found: u64,
        /// Expected values.
        stated: u64,
    },
    /// Fewer references than records have; the target of a missing one could be deleted.
    #[error("{found} references found, at least {stated} expected")]
    References {
        found: u64,
        /// Expected references.
        stated: u64,
    },
    /// A unique value points to a missing record.
    #[error("a value of index {index} points to record {record}, which is missing")]
    Dangling {
        index: u8,
        /// The missing record.
        record: String,
    },
}

/// Record counts by kind.
pub struct RecordCounts;

impl RecordCounts {
    fn key(kind: Kind) -> [u8; 3] {
        [META_TAG, b'#', kind.byte()]
    }

    /// Expected number of records of `kind`.
    pub fn expected(tx: &(impl ReadTx + ?Sized), kind: Kind) -> Result<u64, StoreError> {
        let key = Self::key(kind);
        let Some(row) = tx.get(&key)? else {
            return Ok(0);
        };
        let body = frame::decode(&key, &row)?;
        let bytes = body
            .try_into()
            .map_err(|_length| StoreError::corrupt("a count is damaged"))?;
        Ok(u64::from_be_bytes(bytes))
    }

    /// Adjusts the count of `kind`.
    pub(super) fn adjust<C>(
        tx: &mut dyn WriteTx<C>,
        kind: Kind,
        by: i64,
    ) -> Result<(), StoreError> {
        let key = Self::key(kind);
        let count = Self::expected(&*tx, kind)?.saturating_add_signed(by);
        tx.put(&key, &frame::encode(&key, &count.to_be_bytes()));
        Ok(())
    }

    /// Compares the actual with the expected counts.
    ///
    /// Reads every record and every unique row. Unreadable records are reported when they are used.
    pub fn verify(tx: &dyn ReadTx) -> Result<Vec<CountMismatch>, StoreError> {
        let mut shortfalls = Vec::new();
        let inventory = Inventory::take(tx)?;
        for &kind in KINDS {
            let stated = Self::expected(tx, kind)?;
            let found = inventory.records.get(&kind).copied().unwrap_or(0);
            if found != stated {
                shortfalls.push(CountMismatch::Records {
                    kind: kind.byte(),
                    found,
                    stated,
                });
            }
        }
        let values = Self::check_unique_rows(tx, &mut shortfalls)?;
        for (index, stated) in inventory.values {
            let found = values.get(&index).copied().unwrap_or(0);
            if found < stated {
                shortfalls.push(CountMismatch::Values {
                    index,
                    found,
                    stated,
                });
            }
        }
        let found = Self::count_references(tx)?;
        if found < inventory.references {
            shortfalls.push(CountMismatch::References {
                found,
                stated: inventory.references,
            });
        }
        Ok(shortfalls)
    }

    fn count_references(tx: &dyn ReadTx) -> Result<u64, StoreError> {
        let mut count = 0;
        tx.scan(&ReferenceKey::all(), &mut |_key, _row| {
            count += 1;
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(count)
    }

    /// Counts unique values by index and reports dangling ones.
    fn check_unique_rows(
        tx: &dyn ReadTx,
        shortfalls: &mut Vec<CountMismatch>,
    ) -> Result<BTreeMap<u8, u64>, StoreError> {
        let mut values = BTreeMap::new();
        let range: KeyRange = UniqueKey::all_indexes();
        tx.scan(&range, &mut |bytes, row| {
            let index = UniqueKey::parse_index(bytes).unwrap_or_default();
            *values.entry(index).or_insert(0) += 1;
            let body = frame::decode(bytes, row)?;
            let record = RecordKey::parse(body);
            let is_there = match &record {
                Some(record) => tx.get(record.as_bytes())?.is_some(),
                None => false,
            };
            if !is_there {
                let record = record.map_or_else(|| "?".to_owned(), |record| record.to_string());
                shortfalls.push(CountMismatch::Dangling { index, record });
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(values)
    }
}

/// Actual counts of a store.
#[derive(Default)]
struct Inventory {
    /// Records by kind.
    records: BTreeMap<Kind, u64>,
    /// Unique values by index.
    values: BTreeMap<u8, u64>,
    references: u64,
}

impl Inventory {
    fn take(tx: &dyn ReadTx) -> Result<Self, StoreError> {
        let mut inventory = Self::default();
        for root in roots() {
            tx.scan(&RecordKey::all(root), &mut |bytes, frame| {
                if let Some(key) = RecordKey::parse(bytes) {
                    inventory.count(&key, frame);
                }
                Ok(ControlFlow::Continue(()))
            })?;
        }
        Ok(inventory)
    }

    fn count(&mut self, key: &RecordKey, frame: &[u8]) {
        let kind = key.id().0;
        *self.records.entry(kind).or_insert(0) += 1;
        let Some(SecondaryRows { values, references }) =
            dispatch(kind, ReadSecondaryRows { key, frame })
        else {
            return;
        };
        for value in values {
            *self.values.entry(value.index as u8).or_insert(0) += 1;
        }
        self.references += references;
    }
}

/// The secondary rows of a record.
#[derive(Default)]
struct SecondaryRows {
    values: Vec<UniqueValue>,
    references: u64,
}

/// Reads the secondary rows of a record; none for a damaged one.
struct ReadSecondaryRows<'a> {
    key: &'a RecordKey,
    frame: &'a [u8],
}

impl EntityVisitor for ReadSecondaryRows<'_> {
    type Output = SecondaryRows;

    fn visit<E: Entity>(self) -> SecondaryRows {
        parse::<E>(self.key, self.frame).map_or_else(
            |_damaged| SecondaryRows::default(),
            |entity| SecondaryRows {
                values: entity.unique_values(),
                references: u64::try_from(entity.references().len()).unwrap_or(u64::MAX),
            },
        )
    }
}
