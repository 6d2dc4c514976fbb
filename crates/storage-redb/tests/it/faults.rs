//! Full and failing disks.

use crate::support::{Fatals, put};
use portcullis_seeded_random::Random;
use portcullis_storage::engine::{CommitError, Engine as _, StoreError};
use portcullis_storage_redb::RedbEngine;
use portcullis_storage_redb::disk::{Disk, MemoryDisk};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Which call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Call {
    Read,
    Write,
    Sync,
}

/// A disk whose calls fail on demand.
#[derive(Debug)]
struct FaultyDisk {
    inner: MemoryDisk,
    call: Call,
    kind: io::ErrorKind,
    /// Remaining calls that succeed.
    left: AtomicU64,
    armed: AtomicBool,
    hit: AtomicBool,
}

impl FaultyDisk {
    fn new(call: Call, kind: io::ErrorKind) -> Arc<Self> {
        Arc::new(Self {
            inner: MemoryDisk::default(),
            call,
            kind,
            left: AtomicU64::new(0),
            armed: AtomicBool::new(false),
            hit: AtomicBool::new(false),
        })
    }

    fn arm(&self, after: u64) {
        self.left.store(after, Ordering::SeqCst);
        self.hit.store(false, Ordering::SeqCst);
        self.armed.store(true, Ordering::SeqCst);
    }

    fn disarm(&self) {
        self.armed.store(false, Ordering::SeqCst);
    }

    fn was_hit(&self) -> bool {
        self.hit.load(Ordering::SeqCst)
    }

    fn pass(&self, call: Call) -> io::Result<()> {
        if call != self.call || !self.armed.load(Ordering::SeqCst) {
            return Ok(());
        }
        let left = self
            .left
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
                left.checked_sub(1)
            });
        if left.is_ok() {
            return Ok(());
        }
        self.hit.store(true, Ordering::SeqCst);
        Err(self.kind.into())
    }
}

impl Disk for FaultyDisk {
    fn size(&self) -> io::Result<u64> {
        self.inner.size()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.pass(Call::Read)?;
        self.inner.read(offset, out)
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.pass(Call::Write)?;
        self.inner.write(offset, data)
    }

    fn resize(&self, size: u64) -> io::Result<()> {
        self.pass(Call::Write)?;
        self.inner.resize(size)
    }

    fn sync(&self) -> io::Result<()> {
        self.pass(Call::Sync)?;
        self.inner.sync()
    }

    fn try_lock(&self) -> io::Result<bool> {
        self.inner.try_lock()
    }

    fn unlock(&self) -> io::Result<()> {
        self.inner.unlock()
    }
}

fn disk_of(disk: &Arc<FaultyDisk>) -> Arc<dyn Disk> {
    Arc::<FaultyDisk>::clone(disk)
}

/// Asserts that the store contains exactly the rows of `model`.
fn check(engine: &RedbEngine<u64>, model: &BTreeMap<Vec<u8>, Vec<u8>>, context: &str) {
    let snapshot = engine.snapshot().unwrap();
    let mut found = BTreeMap::new();
    let range = portcullis_storage::engine::KeyRange::prefix(b"\x01");
    snapshot
        .scan(&range, &mut |key, value| {
            found.insert(key.to_vec(), value.to_vec());
            Ok(std::ops::ControlFlow::Continue(()))
        })
        .unwrap();
    assert_eq!(&found, model, "{context}");
}

#[test]
fn full_disk_fails_writes_and_recovers() {
    let mut random = Random::from_seed(5);
    let (mut hits, fatals) = (0, Fatals::default());
    let disk = FaultyDisk::new(Call::Write, io::ErrorKind::StorageFull);
    let engine = RedbEngine::on_disk(disk_of(&disk), fatals.options()).unwrap();
    let mut model = BTreeMap::new();
    for round in 0..200_u64 {
        let mut key = vec![1];
        key.extend(random.below(300).to_be_bytes());
        let value = vec![7; usize::try_from(random.below(6000)).unwrap()];
        disk.arm(random.below(12));
        let context = format!("round {round}");
        match put(&engine, &key, &value) {
            Ok(_) => _ = model.insert(key, value),
            Err(CommitError::Engine(StoreError::Full)) => {
                assert!(disk.was_hit(), "{context}");
                hits += 1;
            },
            Err(error) => panic!("{context}: {error}"),
        }
        assert_eq!(fatals.all(), [""; 0], "{context}");
        disk.disarm();
        // With room again, the next write succeeds without a restart.
        put(&engine, b"\x01next", &round.to_be_bytes()).unwrap();
        model.insert(b"\x01next".to_vec(), round.to_be_bytes().to_vec());
        check(&engine, &model, &context);
    }
    assert!(hits > 50, "only {hits} of 200 rounds met a full disk");
    drop(engine);
    let engine = RedbEngine::on_disk(disk_of(&disk), fatals.options()).unwrap();
    check(&engine, &model, "reopened");
}

#[test]
fn failed_sync_or_write_ends_the_process() {
    let rows = [
        (Call::Sync, io::ErrorKind::Other),
        (Call::Sync, io::ErrorKind::StorageFull),
        (Call::Write, io::ErrorKind::Other),
        (Call::Write, io::ErrorKind::ReadOnlyFilesystem),
    ];
    for (call, kind) in rows {
        let fatals = Fatals::default();
        let disk = FaultyDisk::new(call, kind);
        let engine = RedbEngine::on_disk(disk_of(&disk), fatals.options()).unwrap();
        put(&engine, b"\x01old", b"old").unwrap();
        disk.arm(0);
        let result = put(&engine, b"\x01new", b"new");
        assert!(result.is_err(), "{call:?} {kind:?}");
        assert_eq!(
            fatals.all().len(),
            1,
            "{call:?} {kind:?}: {:?}",
            fatals.all()
        );
        disk.disarm();
        let after = put(&engine, b"\x01new", b"new");
        let closed = matches!(after, Err(CommitError::Engine(StoreError::Closed)));
        assert!(closed, "{call:?} {kind:?}: {after:?}");
        drop(engine);
        let engine = RedbEngine::<u64>::on_disk(disk_of(&disk), fatals.options()).unwrap();
        let old = engine.snapshot().unwrap().get(b"\x01old").unwrap();
        assert_eq!(old.as_deref(), Some(&b"old"[..]), "{call:?} {kind:?}");
    }
}

#[test]
fn failed_reads_pass() {
    let fatals = Fatals::default();
    let disk = FaultyDisk::new(Call::Read, io::ErrorKind::Other);
    let mut options = fatals.options();
    // A tiny cache, so that reads reach the disk.
    options.cache_bytes = 4096;
    let engine = RedbEngine::on_disk(disk_of(&disk), options).unwrap();
    let mut model = BTreeMap::new();
    for number in 0..400_u64 {
        let mut key = vec![1];
        key.extend(number.to_be_bytes());
        put(&engine, &key, &[3; 500]).unwrap();
        model.insert(key, vec![3; 500]);
    }
    let (mut random, mut hits) = (Random::from_seed(7), 0);
    for round in 0..100 {
        let mut key = vec![1];
        key.extend(random.below(400).to_be_bytes());
        disk.arm(random.below(4));
        let read = engine.snapshot().and_then(|snapshot| snapshot.get(&key));
        match read {
            Ok(value) => assert_eq!(value.as_ref(), model.get(&key), "round {round}"),
            Err(StoreError::Unavailable(_)) => hits += 1,
            Err(error) => panic!("round {round}: {error}"),
        }
        let written = put(&engine, &key, &[4; 500]);
        match written {
            Ok(_) => _ = model.insert(key.clone(), vec![4; 500]),
            Err(CommitError::Engine(StoreError::Unavailable(_))) => {},
            Err(error) => panic!("round {round}: {error}"),
        }
        disk.disarm();
        put(&engine, &key, &[5; 500]).unwrap();
        model.insert(key, vec![5; 500]);
        check(&engine, &model, &format!("round {round}"));
    }
    assert!(hits > 10, "only {hits} of 100 rounds met a failing disk");
    assert_eq!(fatals.all(), [""; 0]);
}
