//! Conformance of the engines.

use crate::support::Fatals;
use portcullis_storage::conformance::{EngineLimits, check};
use portcullis_storage_redb::disk::{Disk, MemoryDisk};
use portcullis_storage_redb::{Options, RedbEngine};
use std::sync::Arc;

const LIMITS: EngineLimits = EngineLimits {
    queue_capacity: 40,
    feed_capacity: 10,
};

fn options(fatals: &Fatals) -> Options {
    Options {
        queue_capacity: LIMITS.queue_capacity,
        feed_capacity: LIMITS.feed_capacity,
        ..fatals.options()
    }
}

#[test]
fn redb_on_a_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    let fatals = Fatals::default();
    check(LIMITS, &|| Ok(RedbEngine::open(&path, options(&fatals))?)).unwrap();
    assert_eq!(fatals.all(), [""; 0]);
}

#[test]
fn redb_in_memory() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::default());
    let fatals = Fatals::default();
    check(LIMITS, &|| {
        Ok(RedbEngine::on_disk(Arc::clone(&disk), options(&fatals))?)
    })
    .unwrap();
    assert_eq!(fatals.all(), [""; 0]);
}
