//! Disks that fill up, fail, or lose what was not synced.

use crate::support::{Fatals, Random, put};
use portcullis_storage::disk::{Disk, MemoryDisk};
use portcullis_storage::engine::{CommitError, Engine as _, StoreError};
use portcullis_storage::redb_engine::RedbEngine;
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// Which call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Call {
    Read,
    Write,
    Sync,
}

/// A disk whose calls fail from a given one on, for as long as it is told to.
#[derive(Debug)]
struct FaultyDisk {
    inner: MemoryDisk,
    call: Call,
    kind: io::ErrorKind,
    /// Calls of the kind that still succeed.
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

/// Checks that exactly the rows of `model` are there.
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
    let mut random = Random(5);
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
        // There is room again: the next write succeeds, without a restart.
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
    // Next to no cache, or nothing would be read from the disk.
    options.cache_bytes = 4096;
    let engine = RedbEngine::on_disk(disk_of(&disk), options).unwrap();
    let mut model = BTreeMap::new();
    for number in 0..400_u64 {
        let mut key = vec![1];
        key.extend(number.to_be_bytes());
        put(&engine, &key, &[3; 500]).unwrap();
        model.insert(key, vec![3; 500]);
    }
    let (mut random, mut hits) = (Random(7), 0);
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

/// A disk that keeps a copy of itself as it may look after a loss of power at one call.
#[derive(Debug)]
struct FragileDisk {
    inner: MemoryDisk,
    state: Mutex<Fragile>,
}

#[derive(Debug)]
struct Fragile {
    /// What has been synced.
    synced: Vec<u8>,
    /// Written since then, in sectors.
    unsynced: Vec<(u64, Vec<u8>)>,
    calls: u64,
    crash_at: u64,
    random: Random,
    /// The disk after the crash, and whether it has taken place.
    crashed: Option<Vec<u8>>,
}

const SECTOR: usize = 512;

impl FragileDisk {
    fn new(crash_at: u64, seed: u64) -> Arc<Self> {
        Arc::new(Self {
            inner: MemoryDisk::default(),
            state: Mutex::new(Fragile {
                synced: Vec::new(),
                unsynced: Vec::new(),
                calls: 0,
                crash_at,
                random: Random(seed),
                crashed: None,
            }),
        })
    }

    fn crashed(&self) -> Option<Vec<u8>> {
        self.state.lock().unwrap().crashed.clone()
    }
}

impl Fragile {
    /// Counts a call; at the fatal one, any part of what was not synced is lost.
    fn count(&mut self) {
        self.calls += 1;
        if self.calls != self.crash_at {
            return;
        }
        let mut bytes = self.synced.clone();
        let unsynced = std::mem::take(&mut self.unsynced);
        for (offset, data) in &unsynced {
            if self.random.below(2) == 0 {
                apply(&mut bytes, *offset, data);
            }
        }
        self.crashed = Some(bytes);
    }
}

fn apply(bytes: &mut Vec<u8>, offset: u64, data: &[u8]) {
    let start = usize::try_from(offset).unwrap();
    let end = start + data.len();
    if bytes.len() < end {
        bytes.resize(end, 0);
    }
    bytes[start..end].copy_from_slice(data);
}

impl Disk for FragileDisk {
    fn size(&self) -> io::Result<u64> {
        self.inner.size()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.inner.read(offset, out)
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut state = self.state.lock().unwrap();
        for (sector, at) in data.chunks(SECTOR).zip((offset..).step_by(SECTOR)) {
            state.unsynced.push((at, sector.to_vec()));
        }
        state.count();
        self.inner.write(offset, data)
    }

    fn resize(&self, size: u64) -> io::Result<()> {
        self.inner.resize(size)?;
        // The length is taken to be durable at once: what a file system journals.
        let mut state = self.state.lock().unwrap();
        state.synced.resize(usize::try_from(size).unwrap(), 0);
        state.count();
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let mut state = self.state.lock().unwrap();
        // A crash during a sync finds some of it done.
        state.count();
        let unsynced = std::mem::take(&mut state.unsynced);
        for (offset, data) in unsynced {
            apply(&mut state.synced, offset, &data);
        }
        Ok(())
    }

    fn try_lock(&self) -> io::Result<bool> {
        self.inner.try_lock()
    }

    fn unlock(&self) -> io::Result<()> {
        self.inner.unlock()
    }
}

#[test]
fn power_loss_at_any_call_keeps_what_was_acknowledged() {
    // A store that exists already; making one is atomic by the name it appears under.
    let base = Arc::new(MemoryDisk::default());
    let options = Fatals::default().options();
    let engine = RedbEngine::on_disk(Arc::<MemoryDisk>::clone(&base), options).unwrap();
    put(&engine, b"\x01base", b"base").unwrap();
    drop(engine);
    let mut bytes = vec![0; usize::try_from(base.size().unwrap()).unwrap()];
    base.read(0, &mut bytes).unwrap();
    let mut crash_at = 1;
    while lose_power(&bytes, crash_at) {
        crash_at += 1;
    }
    assert!(crash_at > 100, "the workload makes only {crash_at} calls");
}

/// Loses power at one call of a workload and checks what is left; `false` when the workload makes
/// fewer calls.
fn lose_power(base: &[u8], crash_at: u64) -> bool {
    let disk = FragileDisk::new(crash_at, crash_at);
    disk.inner.write(0, base).unwrap();
    disk.state.lock().unwrap().synced = base.to_vec();
    let dyn_disk: Arc<dyn Disk> = Arc::<FragileDisk>::clone(&disk);
    let engine = RedbEngine::on_disk(dyn_disk, Fatals::default().options()).unwrap();
    let mut random = Random(1);
    let (mut acknowledged, mut attempted) = (BTreeMap::new(), BTreeMap::new());
    for round in 0..12_u64 {
        let key = vec![1, u8::try_from(random.below(6)).unwrap()];
        let value =
            vec![u8::try_from(round).unwrap(); usize::try_from(random.below(3000)).unwrap()];
        attempted = acknowledged.clone();
        attempted.insert(key.clone(), value.clone());
        put(&engine, &key, &value).unwrap();
        if disk.crashed().is_some() {
            break;
        }
        acknowledged.clone_from(&attempted);
    }
    drop(engine);
    let Some(left) = disk.crashed() else {
        return false;
    };
    let disk = MemoryDisk::default();
    disk.write(0, &left).unwrap();
    let engine = RedbEngine::on_disk(Arc::new(disk), Fatals::default().options())
        .unwrap_or_else(|error| panic!("power lost at call {crash_at}: {error}"));
    let snapshot = engine.snapshot().unwrap();
    let matches = |model: &BTreeMap<Vec<u8>, Vec<u8>>| {
        (0..6).all(|name| snapshot.get(&[1, name]).unwrap().as_ref() == model.get(&vec![1, name]))
    };
    // The transaction at hand is there as a whole or not at all.
    assert!(
        matches(&acknowledged) || matches(&attempted),
        "power lost at call {crash_at}: acknowledged rows differ"
    );
    put(&engine, b"\x01after", b"").unwrap();
    true
}
