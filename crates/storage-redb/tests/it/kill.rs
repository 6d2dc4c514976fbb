//! A process killed at any moment loses nothing that it acknowledged.

use portcullis_seeded_random::Random;
use portcullis_storage::engine::Engine as _;
use portcullis_storage::frame;
use portcullis_storage::key::{Kind, RecordKey};
use portcullis_storage_redb::{Options, RedbEngine};
use std::collections::{BTreeMap, VecDeque};
use std::env;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

const ROUNDS: &str = "PORTCULLIS_KILL_ROUNDS";
const STORE: &str = "PORTCULLIS_KILL_STORE";
const KIND: Kind = Kind::new::<1>();
/// Concurrent bodies.
const UNDER_WAY: usize = 20;

#[test]
fn acknowledged_rows_survive_a_kill() {
    let rounds = env::var(ROUNDS).map_or(10, |rounds| rounds.parse().unwrap());
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    let mut random = Random::from_seed(20);
    let mut acknowledged: BTreeMap<u64, u64> = BTreeMap::new();
    for round in 0..rounds {
        let wanted = random.below(400);
        let rows = run_and_kill(&path, wanted);
        assert!(
            rows.len() as u64 >= wanted,
            "round {round}: only {} rows",
            rows.len()
        );
        for (number, revision) in rows {
            let earlier = acknowledged.insert(number, revision);
            assert_eq!(
                earlier, None,
                "round {round}: the number {number} was drawn twice"
            );
        }
        check(&path, &acknowledged, round);
    }
}

/// Runs a child until it has acknowledged `wanted` rows, kills it and returns all rows it
/// acknowledged.
fn run_and_kill(path: &Path, wanted: u64) -> Vec<(u64, u64)> {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["kill::child", "--exact", "--nocapture"])
        .env(STORE, path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut rows = Vec::new();
    let mut line = String::new();
    let mut killed = false;
    loop {
        if !killed && rows.len() as u64 >= wanted {
            child.kill().unwrap();
            killed = true;
        }
        line.clear();
        if output.read_line(&mut line).unwrap() == 0 {
            break;
        }
        rows.extend(parse(&line));
    }
    child.wait().unwrap();
    rows
}

/// Parses an acknowledgement; truncated lines are ignored.
fn parse(line: &str) -> Option<(u64, u64)> {
    let (number, revision) = line
        .strip_suffix('\n')?
        .strip_prefix("acknowledged ")?
        .split_once(' ')?;
    Some((number.parse().ok()?, revision.parse().ok()?))
}

fn check(path: &Path, acknowledged: &BTreeMap<u64, u64>, round: u32) {
    let engine: RedbEngine<u64> = RedbEngine::open(path, Options::default()).unwrap();
    let snapshot = engine.snapshot().unwrap();
    let revision = snapshot.revision().unwrap();
    for (number, at) in acknowledged {
        assert!(
            *at <= revision,
            "round {round}: revision {at} of {revision} is lost"
        );
        let key = RecordKey::root(KIND, *number);
        let found = snapshot.get(key.as_bytes()).unwrap();
        let row = found.unwrap_or_else(|| panic!("round {round}: row {number} is lost"));
        assert_eq!(
            frame::decode(key.as_bytes(), &row).unwrap(),
            number.to_be_bytes()
        );
    }
    let last = acknowledged.keys().last().copied().unwrap_or(0);
    assert!(
        engine.allocate(KIND) > last,
        "round {round}: a number is drawn again"
    );
}

/// The process that is killed; does nothing unless it was started for that.
#[test]
fn child() {
    let Some(path) = env::var_os(STORE) else {
        return;
    };
    let engine: RedbEngine<u64> = RedbEngine::open(Path::new(&path), Options::default()).unwrap();
    // The test harness has started a line of its own.
    println!();
    let mut under_way = VecDeque::new();
    loop {
        let number = engine.allocate(KIND);
        let ticket = engine.submit(Box::new(move |tx| {
            let key = RecordKey::root(KIND, number);
            tx.put(
                key.as_bytes(),
                &frame::encode(key.as_bytes(), &number.to_be_bytes()),
            );
            tx.record(number);
            Ok(())
        }));
        under_way.push_back((number, ticket.unwrap()));
        if under_way.len() >= UNDER_WAY {
            let (number, ticket) = under_way.pop_front().unwrap();
            let revision = ticket.wait().unwrap().revision;
            println!("acknowledged {number} {revision}");
            std::io::stdout().flush().unwrap();
        }
    }
}
