//! Rules about concurrent transaction bodies.

use super::{
    BoxError, EngineLimits, OpenEngine, RuleResult, block_writer, describe, ensure, key, put,
};
use crate::engine::{
    Abort, CommitError, Committed, Engine, StoreError, Ticket, TxBody, submit_with,
};

pub(super) fn discards_alone<N: Engine<u64>>(
    _: EngineLimits,
    open: &OpenEngine<'_, N>,
) -> RuleResult {
    let engine = open()?;
    let feed = engine.feed().revision();
    let (release, blocker) = block_writer(&engine)?;
    let bodies: [TxBody<u64>; 5] = [
        Box::new(|tx| {
            tx.put(&key(10, b"shared"), b"first");
            tx.record(1);
            Ok(())
        }),
        Box::new(|tx| {
            tx.put(&key(10, b"shared"), b"aborted");
            tx.put(&key(10, b"aborted"), b"");
            tx.record(2);
            Err(Abort)
        }),
        Box::new(|tx| {
            let seen = tx.get(&key(10, b"shared")).map_err(|_error| Abort)?;
            tx.put(&key(10, b"seen"), &seen.unwrap_or_default());
            tx.record(3);
            Ok(())
        }),
        Box::new(|tx| {
            tx.delete(&key(10, b"shared"));
            tx.put(&key(10, b"panicked"), b"");
            tx.record(4);
            // Unwinds like a panic, without a message in the log.
            std::panic::resume_unwind(Box::new("a body that panics"));
        }),
        Box::new(|tx| {
            tx.put(&key(10, b"last"), b"");
            tx.record(5);
            Ok(())
        }),
    ];
    let tickets = bodies.map(|body| engine.submit(body));
    drop(release);
    blocker.wait()?;
    let mut outcomes = Vec::new();
    for ticket in tickets {
        outcomes.push(ticket?.wait());
    }
    let right = matches!(
        outcomes.as_slice(),
        [
            Ok(_),
            Err(CommitError::Aborted(_)),
            Ok(_),
            Err(CommitError::Panicked),
            Ok(_)
        ]
    );
    let all: Vec<_> = outcomes.iter().map(describe).collect();
    ensure!(right, "the bodies were answered {all:?}");
    let snapshot = engine.snapshot()?;
    for (name, expected) in [
        (&b"shared"[..], Some(&b"first"[..])),
        (b"aborted", None),
        (b"seen", Some(b"first")),
        (b"panicked", None),
        (b"last", Some(b"")),
    ] {
        let value = snapshot.get(&key(10, name))?;
        ensure!(value.as_deref() == expected, "{name:?} is {value:?}");
    }
    let groups = engine.feed().since(feed)?;
    let changes: Vec<u64> = groups
        .iter()
        .flat_map(|group| group.changes.clone())
        .collect();
    ensure!(changes == [1, 3, 5], "the changes are {changes:?}");
    Ok(())
}

pub(super) fn runs_in_order<N: Engine<u64>>(
    _: EngineLimits,
    open: &OpenEngine<'_, N>,
) -> RuleResult {
    let engine = open()?;
    let row = key(11, b"list");
    put(&engine, row.clone(), b"")?;
    let (release, blocker) = block_writer(&engine)?;
    let mut tickets = Vec::new();
    for number in 0..20_u8 {
        let row = row.clone();
        tickets.push(engine.submit(Box::new(move |tx| {
            let mut list = tx.get(&row).map_err(|_error| Abort)?.ok_or(Abort)?;
            list.push(number);
            tx.put(&row, &list);
            tx.record(number.into());
            Ok(())
        }))?);
    }
    drop(release);
    blocker.wait()?;
    let revisions = committed(tickets)?;
    ensure!(revisions.is_sorted(), "the revisions are {revisions:?}");
    let list = engine.snapshot()?.get(&row)?.unwrap_or_default();
    ensure!(list == (0..20).collect::<Vec<u8>>(), "the list is {list:?}");
    Ok(())
}

pub(super) fn refusal_is_handed_out<N: Engine<u64>>(
    _: EngineLimits,
    open: &OpenEngine<'_, N>,
) -> RuleResult {
    let engine = open()?;
    let refused = submit_with(&engine, |tx| {
        tx.put(&key(12, b"refused"), b"");
        Err::<(), _>("no")
    })?;
    ensure!(refused.wait()? == Err("no"), "the refusal was lost");
    ensure!(
        engine.snapshot()?.get(&key(12, b"refused"))?.is_none(),
        "it left a row"
    );
    let done = submit_with(&engine, |_| Ok::<_, StoreError>(7))?;
    ensure!(done.wait()?? == 7, "the result was lost");
    Ok(())
}

pub(super) fn idle_bodies_do_not_advance<N: Engine<u64>>(
    _: EngineLimits,
    open: &OpenEngine<'_, N>,
) -> RuleResult {
    let engine = open()?;
    let before = put(&engine, key(13, b"a"), b"")?;
    let Committed { revision } = engine.submit(Box::new(|_| Ok(())))?.wait()?;
    ensure!(
        revision == before,
        "a body without writes made revision {revision}"
    );
    let aborted = engine.submit(Box::new(|tx| {
        tx.put(&key(13, b"b"), b"");
        Err(Abort)
    }))?;
    ensure!(aborted.wait().is_err(), "an aborted body was committed");
    ensure!(
        engine.feed().revision() == before,
        "an aborted body advanced the store"
    );
    let next = put(&engine, key(13, b"a"), b"x")?;
    ensure!(next == before + 1, "revision {next} follows {before}");
    Ok(())
}

pub(super) fn full_queue_is_overloaded<N: Engine<u64>>(
    limits: EngineLimits,
    open: &OpenEngine<'_, N>,
) -> RuleResult {
    let engine = open()?;
    let (release, blocker) = block_writer(&engine)?;
    let mut tickets = Vec::new();
    let body = |number: usize| -> TxBody<u64> {
        Box::new(move |tx| {
            tx.put(&key(14, &number.to_be_bytes()), b"");
            Ok(())
        })
    };
    while tickets.len() < limits.queue_capacity {
        tickets.push(engine.submit(body(tickets.len()))?);
    }
    let next = tickets.len();
    ensure!(
        engine.submit(body(next)).is_err(),
        "the queue takes more than {next} bodies"
    );
    drop(release);
    blocker.wait()?;
    committed(tickets)?;
    let snapshot = engine.snapshot()?;
    for number in 0..next {
        let found = snapshot.get(&key(14, &number.to_be_bytes()))?;
        ensure!(
            found.is_some(),
            "body {number} of {next} was taken and lost"
        );
    }
    let refused = snapshot.get(&key(14, &next.to_be_bytes()))?;
    ensure!(refused.is_none(), "a refused body was run");
    put(&engine, key(14, b"after"), b"")?;
    Ok(())
}

pub(super) fn dropped_ticket_commits<N: Engine<u64>>(
    _: EngineLimits,
    open: &OpenEngine<'_, N>,
) -> RuleResult {
    let engine = open()?;
    let (release, blocker) = block_writer(&engine)?;
    drop(engine.submit(Box::new(|tx| {
        tx.put(&key(15, b"dropped"), b"");
        Ok(())
    }))?);
    drop(release);
    blocker.wait()?;
    put(&engine, key(15, b"next"), b"")?;
    let found = engine.snapshot()?.get(&key(15, b"dropped"))?;
    ensure!(found.is_some(), "the body went with its ticket");
    Ok(())
}

fn committed(tickets: Vec<Ticket>) -> Result<Vec<u64>, BoxError> {
    let mut revisions = Vec::new();
    for ticket in tickets {
        revisions.push(ticket.wait()?.revision);
    }
    Ok(revisions)
}
