//! Checks and migrations when a store is opened.

use super::{Store, StoreFailure};
use crate::meta::{State, read_schema, schema_row};
use crate::options::{Migration, OpenError, Schema};
use crate::overlay::{Overlay, OverlayTx, OverlayView};
use crate::reader::is_damage;
use portcullis_storage::engine::StoreError;
use redb::{DatabaseError, StorageError};
use std::io::ErrorKind;

/// Converts a redb error on opening.
pub(super) fn open_error(place: &str, error: DatabaseError) -> OpenError {
    let place = place.to_owned();
    match error {
        DatabaseError::DatabaseAlreadyOpen | DatabaseError::LockProtocolMismatch => {
            OpenError::InUse { place }
        },
        DatabaseError::Storage(StorageError::Io(source)) if !is_damage(&source) => {
            OpenError::Io { place, source }
        },
        error => OpenError::Corrupt {
            place,
            what: describe_damage(&error).to_owned(),
        },
    }
}

/// What is wrong with a file that the engine does not take. The texts of redb speak of its internals.
fn describe_damage(error: &DatabaseError) -> &'static str {
    match error {
        DatabaseError::UpgradeRequired(_) => "its format is older than this program reads",
        DatabaseError::Storage(StorageError::Io(cause)) => match cause.kind() {
            ErrorKind::InvalidData => {
                "it does not begin like a store, so it is another file or overwritten"
            },
            _ => "it ends too early, so it was cut short",
        },
        _ => "its content is damaged",
    }
}

/// Initializes a fresh store, or migrates an older one.
pub(super) fn prepare(
    store: &Store,
    place: &str,
    fresh: bool,
    schema: Schema,
) -> Result<State, OpenError> {
    if fresh {
        let state = State::default();
        write(store, &Overlay::default(), schema.version, &state)
            .map_err(|error| prepare_error(place, error))?;
        return Ok(state);
    }
    let (found, state) = read(store).map_err(|error| prepare_error(place, error))?;
    if found > schema.version {
        return Err(OpenError::Newer {
            place: place.to_owned(),
            found,
            supported: schema.version,
        });
    }
    if found < schema.version {
        migrate(store, place, found, schema, &state)?;
    }
    Ok(state)
}

fn read(store: &Store) -> Result<(u32, State), StoreError> {
    let reader = store.reader()?;
    Ok((read_schema(&reader)?, State::read(&reader)?))
}

/// Runs the migrations from version `found` in one transaction.
fn migrate(
    store: &Store,
    place: &str,
    found: u32,
    schema: Schema,
    state: &State,
) -> Result<(), OpenError> {
    let failed = |from, source| OpenError::Migration {
        place: place.to_owned(),
        from,
        source,
    };
    let reader = store.reader().map_err(|error| failed(found, error))?;
    let mut overlay = Overlay::default();
    for from in found..schema.version {
        let migration = migration_from(schema, from).map_err(|error| failed(from, error))?;
        let below = OverlayView {
            below: &reader,
            overlay: &overlay,
        };
        let mut tx = OverlayTx::new(&below);
        migration(&mut tx).map_err(|error| failed(from, error))?;
        let (written, _) = tx.finish().map_err(|error| failed(from, error))?;
        overlay.merge(written);
    }
    drop(reader);
    write(store, &overlay, schema.version, state).map_err(|error| failed(found, error))
}

/// The migration that starts from version `from`.
fn migration_from(schema: Schema, from: u32) -> Result<Migration, StoreError> {
    from.checked_sub(1)
        .and_then(|index| usize::try_from(index).ok())
        .and_then(|index| schema.migrations.get(index))
        .copied()
        .ok_or_else(|| StoreError::corrupt(format!("there is no migration from version {from}")))
}

fn write(store: &Store, overlay: &Overlay, schema: u32, state: &State) -> Result<(), StoreError> {
    let rows = [schema_row(schema)?, state.row()?];
    store
        .commit(overlay, &rows)
        .map_err(|failure| match failure {
            StoreFailure::Transient(error) => error,
            StoreFailure::Fatal(fatal) => StoreError::Unavailable(std::sync::Arc::new(fatal)),
        })
}

/// Converts an error on preparing an opened store.
fn prepare_error(place: &str, error: StoreError) -> OpenError {
    let place = place.to_owned();
    match error {
        StoreError::Corrupt { what } => OpenError::Corrupt { place, what },
        StoreError::Full => OpenError::Io {
            place,
            source: ErrorKind::StorageFull.into(),
        },
        error => OpenError::Io {
            place,
            source: std::io::Error::other(error),
        },
    }
}
