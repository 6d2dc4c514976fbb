//! A store in memory, for tests below the routes.

use crate::faulty_disk::FaultyDisk;
use portcullis_domain::change::Change;
use portcullis_storage::engine::Engine;
use portcullis_storage_redb::{Options, RedbEngine};
use std::sync::Arc;

/// Opens an empty store in memory.
pub fn memory_store() -> Arc<dyn Engine<Change>> {
    let options = Options {
        // A fatal error stops the store, not the process with all tests.
        fatal: Arc::new(|fatal| eprintln!("{fatal}")),
        ..Options::default()
    };
    let disk = Arc::new(FaultyDisk::default());
    Arc::new(RedbEngine::<Change>::on_disk(disk, options).unwrap())
}
