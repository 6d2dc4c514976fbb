//! Rules about reads in transactions and snapshots.

use super::{EngineLimits, OpenEngine, Rows, RuleResult, collect, ensure, key, put};
use crate::engine::{Engine, KeyRange, StoreError, submit_with};
use std::ops::ControlFlow;
use std::sync::Arc;

pub(super) fn committed_is_visible<N: Engine<u64>>(
    _: EngineLimits,
    open: &OpenEngine<'_, N>,
) -> RuleResult {
    let engine = open()?;
    let row = key(1, b"a");
    let revision = put(&engine, row.clone(), b"one")?;
    let snapshot = engine.snapshot()?;
    ensure!(
        snapshot.get(&row)?.as_deref() == Some(b"one"),
        "the row is not there"
    );
    ensure!(
        snapshot.revision()? == revision,
        "the snapshot tells another revision"
    );
    put(&engine, row.clone(), b"two")?;
    let value = engine.snapshot()?.get(&row)?;
    ensure!(
        value.as_deref() == Some(b"two"),
        "the row was not overwritten: {value:?}"
    );
    let gone = row.clone();
    let deletion = engine.submit(Box::new(move |tx| {
        tx.delete(&gone);
        tx.delete(b"\xefno such row");
        Ok(())
    }))?;
    deletion.wait()?;
    ensure!(
        engine.snapshot()?.get(&row)?.is_none(),
        "the row was not deleted"
    );
    Ok(())
}

pub(super) fn snapshot_is_isolated<N: Engine<u64>>(
    _: EngineLimits,
    open: &OpenEngine<'_, N>,
) -> RuleResult {
    let engine = open()?;
    let range = KeyRange::prefix(&key(2, b""));
    put(&engine, key(2, b"a"), b"old")?;
    let snapshot = engine.snapshot()?;
    let before = collect(&*snapshot, &range)?;
    let revision = snapshot.revision()?;
    put(&engine, key(2, b"a"), b"new")?;
    put(&engine, key(2, b"b"), b"new")?;
    ensure!(
        collect(&*snapshot, &range)? == before,
        "the snapshot changed"
    );
    ensure!(snapshot.revision()? == revision, "its revision changed");
    ensure!(
        collect(&*engine.snapshot()?, &range)?.len() == 2,
        "the rows are not there"
    );
    Ok(())
}

pub(super) fn sharing_ends_with_commit<N: Engine<u64>>(
    _: EngineLimits,
    open: &OpenEngine<'_, N>,
) -> RuleResult {
    let engine = open()?;
    put(&engine, key(6, b"row"), b"old")?;
    let before = engine.snapshot()?;
    put(&engine, key(6, b"row"), b"new")?;
    ensure!(
        !Arc::ptr_eq(&before, &engine.snapshot()?),
        "the snapshot of the last state is given out again"
    );
    Ok(())
}

pub(super) fn body_reads_own_writes<N: Engine<u64>>(
    _: EngineLimits,
    open: &OpenEngine<'_, N>,
) -> RuleResult {
    let engine = open()?;
    put(&engine, key(3, b"stored"), b"stored")?;
    let outcome = submit_with(&engine, |tx| {
        let (stored, own) = (key(3, b"stored"), key(3, b"own"));
        let first = tx.get(&stored)?;
        tx.put(&own, b"1");
        tx.put(&own, b"2");
        tx.delete(&stored);
        let seen = (first, tx.get(&own)?, tx.get(&stored)?);
        tx.put(&stored, b"again");
        Ok::<_, StoreError>((seen, tx.get(&stored)?))
    })?;
    let ((first, own, deleted), again) = outcome.wait()??;
    ensure!(
        first.as_deref() == Some(b"stored"),
        "what is stored is not read: {first:?}"
    );
    ensure!(
        own.as_deref() == Some(b"2"),
        "the last write is not read: {own:?}"
    );
    ensure!(deleted.is_none(), "a deleted row is read: {deleted:?}");
    ensure!(
        again.as_deref() == Some(b"again"),
        "a row put again is not read: {again:?}"
    );
    Ok(())
}

pub(super) fn scans_merge_in_order<N: Engine<u64>>(
    _: EngineLimits,
    open: &OpenEngine<'_, N>,
) -> RuleResult {
    let engine = open()?;
    let names: [&[u8]; 7] = [b"m", b"", b"\xff\xff", b"a", b"b\x00", b"b", b"c"];
    for name in names {
        put(&engine, key(4, name), name)?;
    }
    // Neighbors on both sides, outside the range.
    put(&engine, key(3, b"\xff\xff"), b"before")?;
    put(&engine, key(5, b""), b"after")?;
    let range = KeyRange::prefix(&key(4, b""));
    let stored = collect(&*engine.snapshot()?, &range)?;
    ensure!(
        stored == rows_of(&[b"", b"a", b"b", b"b\x00", b"c", b"m", b"\xff\xff"]),
        "stored: {stored:?}"
    );

    let outcome = submit_with(&engine, |tx| {
        for name in [&b"b"[..], b"", b"\xff\xff", b"never stored"] {
            tx.delete(&key(4, name));
        }
        for name in [&b"aa"[..], b"z"] {
            tx.put(&key(4, name), name);
        }
        let range = KeyRange::prefix(&key(4, b""));
        let merged = collect(&*tx, &range)?;
        let rest = collect(&*tx, &range.clone().after(&key(4, b"aa")))?;
        let part = collect(&*tx, &KeyRange::between(&key(4, b"aa"), &key(4, b"m")))?;
        let none = collect(&*tx, &KeyRange::between(&key(4, b"m"), &key(4, b"aa")))?;
        let mut first = Rows::new();
        tx.scan(&range, &mut |key, value| {
            first.push((key.to_vec(), value.to_vec()));
            let enough = first.len() == 2;
            Ok(if enough {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        })?;
        Ok::<_, StoreError>([merged, rest, part, none, first])
    })?;
    let [merged, rest, part, none, first] = outcome.wait()??;
    ensure!(
        merged == rows_of(&[b"a", b"aa", b"b\x00", b"c", b"m", b"z"]),
        "merged: {merged:?}"
    );
    ensure!(
        rest == rows_of(&[b"b\x00", b"c", b"m", b"z"]),
        "after a key: {rest:?}"
    );
    ensure!(
        part == rows_of(&[b"aa", b"b\x00", b"c"]),
        "between: {part:?}"
    );
    ensure!(none.is_empty(), "an inverted range has rows: {none:?}");
    ensure!(
        first == rows_of(&[b"a", b"aa"]),
        "the scan did not stop: {first:?}"
    );
    let committed = collect(&*engine.snapshot()?, &range)?;
    ensure!(committed == merged, "committed: {committed:?}");
    Ok(())
}

fn rows_of(names: &[&[u8]]) -> Rows {
    let row = |name: &&[u8]| (key(4, name), name.to_vec());
    names.iter().map(row).collect()
}
