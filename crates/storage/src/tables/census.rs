//! How many records of each kind there must be.
//!
//! The engine underneath can lose rows to bit rot without noticing. A count per kind, written with
//! every insertion and removal, turns a silent loss into a finding of the scan at the start.

use super::dispatch::{ForEntity, KINDS, dispatch};
use super::kind::{Entity, ROOTS, UniqueValue};
use super::read::parse;
use crate::engine::{KeyRange, ReadTx, StoreError, WriteTx};
use crate::frame;
use crate::key::{Kind, META_TAG, RecordKey, ReferenceKey, UniqueKey};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// A count that does not hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Shortfall {
    /// There are not as many records as were written.
    #[error("{found} records of kind {kind} are there, {stated} were written")]
    Records {
        /// The kind.
        kind: u8,
        /// Records found.
        found: u64,
        /// Records that there must be.
        stated: u64,
    },
    /// There are not as many values of an index as records have; a value that is missing could be
    /// given a second time.
    #[error("{found} values of index {index} are there, records have {stated}")]
    Values {
        /// The index.
        index: u8,
        /// Values found.
        found: u64,
        /// Values that there must be.
        stated: u64,
    },
    /// There are not as many references as records have; what one of them guards could be deleted.
    #[error("{found} references are there, records have {stated}")]
    References {
        /// References found.
        found: u64,
        /// References that there must be.
        stated: u64,
    },
    /// A unique value leads to a record that is not there.
    #[error("a value of index {index} leads to record {record}, which is lost")]
    Dangling {
        /// The index.
        index: u8,
        /// The lost record.
        record: String,
    },
}

/// Counts records.
pub struct Census;

impl Census {
    fn key(kind: Kind) -> [u8; 3] {
        [META_TAG, b'#', kind.byte()]
    }

    /// How many records of `kind` there must be.
    pub fn stated(tx: &(impl ReadTx + ?Sized), kind: Kind) -> Result<u64, StoreError> {
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

    /// Notes that records of `kind` were added or removed.
    pub(super) fn adjust<C>(
        tx: &mut dyn WriteTx<C>,
        kind: Kind,
        by: i64,
    ) -> Result<(), StoreError> {
        let key = Self::key(kind);
        let count = Self::stated(&*tx, kind)?.saturating_add_signed(by);
        tx.put(&key, &frame::encode(&key, &count.to_be_bytes()));
        Ok(())
    }

    /// Compares what is there with what must be there.
    ///
    /// Reads every record and every unique row. Records that cannot be read are left to those who
    /// need them.
    pub fn check(tx: &dyn ReadTx) -> Result<Vec<Shortfall>, StoreError> {
        let mut shortfalls = Vec::new();
        let inventory = Inventory::take(tx)?;
        for kind in KINDS {
            let stated = Self::stated(tx, kind)?;
            let found = inventory.records.get(&kind).copied().unwrap_or(0);
            if found != stated {
                shortfalls.push(Shortfall::Records {
                    kind: kind.byte(),
                    found,
                    stated,
                });
            }
        }
        let values = Self::follow_unique_rows(tx, &mut shortfalls)?;
        for (index, stated) in inventory.values {
            let found = values.get(&index).copied().unwrap_or(0);
            if found < stated {
                shortfalls.push(Shortfall::Values {
                    index,
                    found,
                    stated,
                });
            }
        }
        let found = Self::count_references(tx)?;
        if found < inventory.references {
            shortfalls.push(Shortfall::References {
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

    /// Reports unique values that lead nowhere; counts them all, by index.
    fn follow_unique_rows(
        tx: &dyn ReadTx,
        shortfalls: &mut Vec<Shortfall>,
    ) -> Result<BTreeMap<u8, u64>, StoreError> {
        let mut values = BTreeMap::new();
        let range: KeyRange = UniqueKey::every_index();
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
                shortfalls.push(Shortfall::Dangling { index, record });
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(values)
    }
}

/// What the records of a store are and have.
#[derive(Default)]
struct Inventory {
    /// How many records of each kind.
    records: BTreeMap<Kind, u64>,
    /// How many unique values they have, by index.
    values: BTreeMap<u8, u64>,
    /// How many references they have.
    references: u64,
}

impl Inventory {
    fn take(tx: &dyn ReadTx) -> Result<Self, StoreError> {
        let mut inventory = Self::default();
        for root in ROOTS {
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
        let Some(Holdings { values, references }) = dispatch(kind, HoldingsOf { key, frame })
        else {
            return;
        };
        for value in values {
            *self.values.entry(value.index as u8).or_insert(0) += 1;
        }
        self.references += references;
    }
}

/// What a record has in other rows.
#[derive(Default)]
struct Holdings {
    values: Vec<UniqueValue>,
    references: u64,
}

/// Reads what a record has; a damaged one has nothing that is known.
struct HoldingsOf<'a> {
    key: &'a RecordKey,
    frame: &'a [u8],
}

impl ForEntity for HoldingsOf<'_> {
    type Output = Holdings;

    fn run<E: Entity>(self) -> Holdings {
        parse::<E>(self.key, self.frame).map_or_else(
            |_damaged| Holdings::default(),
            |entity| Holdings {
                values: entity.unique_values(),
                references: u64::try_from(entity.references().len()).unwrap_or(u64::MAX),
            },
        )
    }
}
