//! A power loss at any moment loses nothing that was acknowledged.

use crate::support::{Fatals, put};
use portcullis_seeded_random::Random;
use portcullis_storage::engine::Engine as _;
use portcullis_storage_redb::RedbEngine;
use portcullis_storage_redb::disk::{Disk, MemoryDisk};
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex};

/// A disk that records its possible contents after a power loss at one call.
#[derive(Debug)]
struct FragileDisk {
    inner: MemoryDisk,
    state: Mutex<Fragile>,
}

#[derive(Debug)]
struct Fragile {
    /// Synced contents.
    synced: Vec<u8>,
    /// Later writes by sector.
    unsynced: Vec<(u64, Vec<u8>)>,
    calls: u64,
    crash_at: u64,
    random: Random,
    /// The contents after the crash, once it has happened.
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
                random: Random::from_seed(seed),
                crashed: None,
            }),
        })
    }

    fn crashed(&self) -> Option<Vec<u8>> {
        self.state.lock().unwrap().crashed.clone()
    }
}

impl Fragile {
    /// Counts a call; at the crash, a random part of the unsynced writes is lost.
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
        // The length is durable at once, as with a journaling file system.
        let mut state = self.state.lock().unwrap();
        state.synced.resize(usize::try_from(size).unwrap(), 0);
        state.count();
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let mut state = self.state.lock().unwrap();
        // A crash during a sync may find parts of it done.
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
    // Start from an existing store; creation is atomic by its final link.
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

/// Simulates a power loss at one call of a workload and checks the result; `false` when the
/// workload makes fewer calls.
fn lose_power(base: &[u8], crash_at: u64) -> bool {
    let disk = FragileDisk::new(crash_at, crash_at);
    disk.inner.write(0, base).unwrap();
    disk.state.lock().unwrap().synced = base.to_vec();
    let dyn_disk: Arc<dyn Disk> = Arc::<FragileDisk>::clone(&disk);
    let engine = RedbEngine::on_disk(dyn_disk, Fatals::default().options()).unwrap();
    let mut random = Random::from_seed(1);
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
    // The current transaction is stored completely or not at all.
    assert!(
        matches(&acknowledged) || matches(&attempted),
        "power lost at call {crash_at}: acknowledged rows differ"
    );
    put(&engine, b"\x01after", b"").unwrap();
    true
}
