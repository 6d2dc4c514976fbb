//! Bit flips on the disk never change what is read.

use crate::support::Fatals;
use portcullis_seeded_random::Random;
use portcullis_storage::engine::{Engine as _, KeyRange, StoreError};
use portcullis_storage::frame;
use portcullis_storage::key::{Kind, RecordKey};
use portcullis_storage_redb::disk::{Disk as _, MemoryDisk};
use portcullis_storage_redb::{OpenError, RedbEngine};
use std::ops::ControlFlow;
use std::sync::Arc;

const ROUNDS: &str = "PORTCULLIS_ROT_ROUNDS";
const SEED: &str = "PORTCULLIS_ROT_SEED";
const KIND: Kind = Kind::new::<1>();
const ROWS: u64 = 1500;

fn value(number: u64, version: u64) -> Vec<u8> {
    format!("{{\"number\":{number},\"version\":{version}}}")
        .repeat(4)
        .into_bytes()
}

fn write(engine: &RedbEngine<u64>, number: u64, version: u64) {
    let ticket = engine.submit(Box::new(move |tx| {
        let key = RecordKey::root(KIND, number);
        tx.put(
            key.as_bytes(),
            &frame::encode(key.as_bytes(), &value(number, version)),
        );
        Ok(())
    }));
    // A damaged store may refuse writes; accepted ones are read back.
    if number.is_multiple_of(50) {
        let _ = ticket.unwrap().wait();
    }
}

/// The bytes of a closed store.
fn store() -> Vec<u8> {
    let disk = Arc::new(MemoryDisk::default());
    let engine =
        RedbEngine::on_disk(Arc::<MemoryDisk>::clone(&disk), Fatals::default().options()).unwrap();
    for version in 1..=2 {
        for number in 0..ROWS {
            write(&engine, number, version);
        }
    }
    drop(engine);
    let mut bytes = vec![0; usize::try_from(disk.size().unwrap()).unwrap()];
    disk.read(0, &mut bytes).unwrap();
    bytes
}

/// Outcomes of bit flips.
#[derive(Default, Debug)]
struct Tally {
    refused: u32,
    failed: u32,
    damaged: u32,
    absent: u32,
    harmless: u32,
}

#[test]
fn flipped_bits_never_give_a_wrong_value() {
    let rounds = std::env::var(ROUNDS).map_or(300, |rounds| rounds.parse().unwrap());
    let sound = store();
    // Pages in use are rare in a grown file: draw from nonzero bytes.
    let used: Vec<u64> = (0..sound.len() as u64)
        .filter(|at| sound[usize::try_from(*at).unwrap()] != 0)
        .collect();
    let seed = std::env::var(SEED).map_or(6, |seed| seed.parse().unwrap());
    let mut random = Random::from_seed(seed);
    let mut tally = Tally::default();
    for round in 0..rounds {
        let at = match round % 8 {
            // The header is only one page, so draw from it more often.
            0 => random.below(320),
            1 => random.below(sound.len() as u64),
            _ => used[usize::try_from(random.below(used.len() as u64)).unwrap()],
        };
        let bit = random.below(8);
        flip(&sound, at, bit, &mut tally);
    }
    println!("{rounds} flips from seed {seed}: {tally:?}");
    assert!(tally.damaged > 0, "the frame was never needed: {tally:?}");
}

fn flip(sound: &[u8], at: u64, bit: u64, tally: &mut Tally) {
    let disk = MemoryDisk::default();
    disk.write(0, sound).unwrap();
    let index = usize::try_from(at).unwrap();
    disk.write(at, &[sound[index] ^ (1 << bit)]).unwrap();
    let fatals = Fatals::default();
    let engine = match RedbEngine::on_disk(Arc::new(disk), fatals.options()) {
        Ok(engine) => engine,
        Err(OpenError::Corrupt { .. } | OpenError::Io { .. }) => {
            tally.refused += 1;
            return;
        },
        Err(error) => panic!("bit {bit} of byte {at}: {error}"),
    };
    let (mut failed, mut damaged, mut right) = (false, false, 0);
    for number in 0..ROWS {
        match read(&engine, number) {
            Ok(None) => {},
            Ok(Some(found)) => {
                let expected = value(number, 2);
                assert_eq!(
                    found, expected,
                    "bit {bit} of byte {at}: row {number} is wrong"
                );
                right += 1;
            },
            Err(StoreError::Corrupt { what }) if what.contains("checksum") => damaged = true,
            Err(_) => failed = true,
        }
    }
    scan(&engine, at, bit);
    match (failed, damaged, right) {
        (true, ..) => tally.failed += 1,
        (_, true, _) => tally.damaged += 1,
        (_, _, ROWS) => tally.harmless += 1,
        _ => tally.absent += 1,
    }
    assert_eq!(fatals.all(), [""; 0], "reading never ends the process");
    // A write may be fatal, but must not turn damage into a wrong value.
    for number in ROWS..ROWS + 20 {
        write(&engine, number, 2);
    }
    for number in 0..ROWS + 20 {
        if let Ok(Some(found)) = read(&engine, number) {
            let expected = value(number, 2);
            assert_eq!(
                found, expected,
                "bit {bit} of byte {at}: row {number} is wrong after a write"
            );
        }
    }
}

fn read(engine: &RedbEngine<u64>, number: u64) -> Result<Option<Vec<u8>>, StoreError> {
    let key = RecordKey::root(KIND, number);
    let Some(row) = engine.snapshot()?.get(key.as_bytes())? else {
        return Ok(None);
    };
    Ok(Some(frame::decode(key.as_bytes(), &row)?.to_vec()))
}

/// Scans all rows: each is right or reported as damaged.
fn scan(engine: &RedbEngine<u64>, at: u64, bit: u64) {
    let Ok(snapshot) = engine.snapshot() else {
        return;
    };
    // The result of the scan does not matter: errors are allowed.
    let _ = snapshot.scan(&KeyRange::prefix(&[KIND.byte()]), &mut |key, row| {
        if let Ok(body) = frame::decode(key, row) {
            let (_, number) = RecordKey::parse(key).unwrap().id();
            assert_eq!(
                body,
                value(number, 2),
                "bit {bit} of byte {at}: row {number} is wrong"
            );
        }
        Ok(ControlFlow::Continue(()))
    });
}
