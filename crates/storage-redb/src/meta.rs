//! The engine's own rows: the schema version, and the state that each group commits.

use portcullis_storage::engine::{ReadTx, StoreError};
use portcullis_storage::frame;
use portcullis_storage::key::META_TAG;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const SCHEMA_KEY: &[u8] = &[META_TAG, 0];
const STATE_KEY: &[u8] = &[META_TAG, 1];

/// State written with every group.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct State {
    /// Revision of the last group.
    pub(crate) revision: u64,
    /// The last allocated number by kind.
    pub(crate) counters: BTreeMap<u8, u64>,
}

#[derive(Serialize, Deserialize)]
struct SchemaRow {
    version: u32,
}

/// A row as it is stored.
pub(crate) struct Row {
    pub(crate) key: &'static [u8],
    pub(crate) value: Vec<u8>,
}

impl State {
    pub(crate) fn read(tx: &dyn ReadTx) -> Result<Self, StoreError> {
        read(tx, STATE_KEY, "the revision row is missing")
    }

    pub(crate) fn row(&self) -> Result<Row, StoreError> {
        row(STATE_KEY, self)
    }
}

pub(crate) fn read_schema(tx: &dyn ReadTx) -> Result<u32, StoreError> {
    let row: SchemaRow = read(tx, SCHEMA_KEY, "the schema version row is missing")?;
    Ok(row.version)
}

pub(crate) fn schema_row(version: u32) -> Result<Row, StoreError> {
    row(SCHEMA_KEY, &SchemaRow { version })
}

/// Reads a mandatory row; if it is missing, the store has lost rows.
fn read<T: DeserializeOwned>(tx: &dyn ReadTx, key: &[u8], missing: &str) -> Result<T, StoreError> {
    let value = tx.get(key)?.ok_or_else(|| StoreError::corrupt(missing))?;
    let body = frame::decode(key, &value)?;
    serde_json::from_slice(body).map_err(|error| StoreError::corrupt(error.to_string()))
}

fn row(key: &'static [u8], body: &impl Serialize) -> Result<Row, StoreError> {
    let body = serde_json::to_vec(body).map_err(|error| StoreError::corrupt(error.to_string()))?;
    let value = frame::encode(key, &body);
    Ok(Row { key, value })
}
