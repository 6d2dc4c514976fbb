//! Rules about observers, the feed, record numbers and reopening.

use super::{
    BoxError, EngineLimits, KIND, OpenEngine, RuleResult, block_writer, collect, ensure, key, put,
};
use crate::engine::{Engine, KeyRange, Observer, submit_with};
use crate::feed::CommitGroup;
use crate::sync::lock;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, Weak};

/// Records each group with the stored revision at that moment.
struct RecordingObserver<N> {
    // Weak, since the engine owns its observers.
    engine: Weak<N>,
    seen: Mutex<Vec<Observation>>,
}

#[derive(Clone)]
struct Observation {
    group: Arc<CommitGroup<u64>>,
    stored: Option<u64>,
}

impl<N: Engine<u64>> Observer<u64> for RecordingObserver<N> {
    fn on_commit(&self, group: &Arc<CommitGroup<u64>>) {
        let engine = self.engine.upgrade();
        let snapshot = engine.and_then(|engine| engine.snapshot().ok());
        let stored = snapshot.and_then(|snapshot| snapshot.revision().ok());
        lock(&self.seen).push(Observation {
            group: Arc::clone(group),
            stored,
        });
    }
}

pub(super) fn observers_before_tickets<N: Engine<u64> + 'static>(
    _: EngineLimits,
    open: &OpenEngine<'_, N>,
) -> RuleResult {
    let engine = Arc::new(open()?);
    let before = engine.feed().revision();
    let watcher = Arc::new(RecordingObserver {
        engine: Arc::downgrade(&engine),
        seen: Mutex::default(),
    });
    engine.observe(Arc::<RecordingObserver<N>>::clone(&watcher));
    observe_rounds(engine.as_ref(), &watcher, before)
}

fn observe_rounds<N: Engine<u64>>(
    engine: &N,
    watcher: &RecordingObserver<N>,
    before: u64,
) -> RuleResult {
    for round in 0..20_u64 {
        let ticket = engine.submit(Box::new(move |tx| {
            tx.put(&key(20, b"round"), &round.to_be_bytes());
            tx.record(round);
            Ok(())
        }))?;
        let revision = ticket.wait()?.revision;
        let seen = lock(&watcher.seen).clone();
        let last = seen.last().map(|seen| seen.group.revision);
        ensure!(
            last == Some(revision),
            "revision {revision} was answered, {last:?} observed"
        );
    }
    let seen = lock(&watcher.seen).clone();
    let changes: Vec<u64> = seen
        .iter()
        .flat_map(|seen| seen.group.changes.clone())
        .collect();
    ensure!(
        changes == (0..20).collect::<Vec<_>>(),
        "observed: {changes:?}"
    );
    for (seen, revision) in seen.iter().zip(before + 1..) {
        let observed = seen.group.revision;
        ensure!(
            observed == revision,
            "revision {observed} was observed instead of {revision}"
        );
        ensure!(
            seen.stored >= Some(observed),
            "revision {observed} was observed before it was stored"
        );
    }
    Ok(())
}

pub(super) fn feed_tells_what_followed<N: Engine<u64>>(
    limits: EngineLimits,
    open: &OpenEngine<'_, N>,
) -> RuleResult {
    let engine = open()?;
    let start = engine.feed().revision();
    ensure!(
        engine.feed().since(start)?.is_empty(),
        "something follows the last revision"
    );
    ensure!(
        engine.feed().since(start + 1).is_err(),
        "a revision to come is followed"
    );
    let ticket = engine.submit(Box::new(|tx| {
        tx.put(&key(21, b"a"), b"");
        tx.record(1);
        tx.record(2);
        Ok(())
    }))?;
    let revision = ticket.wait()?.revision;
    let groups = engine.feed().since(start)?;
    let observed: Vec<_> = groups
        .iter()
        .map(|group| (group.revision, group.changes.clone()))
        .collect();
    ensure!(
        observed == [(revision, vec![1, 2])],
        "after {start} the feed tells {observed:?}"
    );
    for _ in 0..limits.feed_capacity {
        put(&engine, key(21, b"a"), b"")?;
    }
    ensure!(
        engine.feed().since(start).is_err(),
        "the feed keeps more than it should"
    );
    let kept = engine.feed().since(revision)?;
    let count = kept.len();
    ensure!(
        count == limits.feed_capacity,
        "the feed keeps {count} groups"
    );
    let all = kept.iter().zip(revision + 1..);
    ensure!(
        all.into_iter().all(|(group, next)| group.revision == next),
        "there is a gap"
    );
    Ok(())
}

pub(super) fn numbers_only_grow<N: Engine<u64>>(
    _: EngineLimits,
    open: &OpenEngine<'_, N>,
) -> RuleResult {
    let engine = open()?;
    let drawn: Vec<Vec<u64>> = std::thread::scope(|scope| {
        let draw = || (0..100).map(|_| engine.allocate(KIND)).collect();
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(draw)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_default())
            .collect()
    });
    ensure!(
        drawn.iter().all(|numbers| numbers.is_sorted()),
        "numbers shrink: {drawn:?}"
    );
    let distinct: BTreeSet<u64> = drawn.iter().flatten().copied().collect();
    ensure!(
        distinct.len() == 400,
        "{} of 400 numbers are distinct",
        distinct.len()
    );
    ensure!(!distinct.contains(&0), "the number 0 was drawn");

    let last = engine.allocate(KIND);
    put(&engine, key(22, &last.to_be_bytes()), b"")?;
    drop(engine);
    let engine = open()?;
    let next = engine.allocate(KIND);
    ensure!(
        next > last,
        "after reopening, {next} was drawn although {last} is in use"
    );
    Ok(())
}

pub(super) fn reopened_is_the_same<N: Engine<u64>>(
    _: EngineLimits,
    open: &OpenEngine<'_, N>,
) -> RuleResult {
    let engine = open()?;
    for number in 0..50_u8 {
        put(&engine, key(23, &[number]), &[number; 100])?;
    }
    let range = KeyRange::prefix(&[KIND.byte()]);
    let before = collect(&*engine.snapshot()?, &range)?;
    let revision = engine.feed().revision();
    drop(engine);
    let engine = open()?;
    ensure!(
        collect(&*engine.snapshot()?, &range)? == before,
        "the rows differ"
    );
    let found = engine.feed().revision();
    ensure!(found == revision, "revision {revision} became {found}");
    ensure!(
        engine.snapshot()?.revision()? == revision,
        "a snapshot tells another revision"
    );
    let next = put(&engine, key(23, b"next"), b"")?;
    ensure!(next == revision + 1, "revision {next} follows {revision}");
    Ok(())
}

pub(super) fn closing_commits_the_queue<N: Engine<u64> + 'static>(
    _: EngineLimits,
    open: &OpenEngine<'_, N>,
) -> RuleResult {
    let engine = open()?;
    let (release, blocker) = block_writer(&engine)?;
    let queued = submit_with(&engine, |tx| {
        tx.put(&key(24, b"queued"), b"");
        Ok::<_, BoxError>(())
    })?;
    let closing = std::thread::spawn(move || drop(engine));
    drop(release);
    closing.join().map_err(|_panic| "closing panicked")?;
    blocker.wait()?;
    queued.wait()??;
    let found = open()?.snapshot()?.get(&key(24, b"queued"))?;
    ensure!(found.is_some(), "what was queued is lost");
    Ok(())
}
