//! The contract of an [`Engine`], as one call that any engine's test makes.

mod groups;
mod rows;
mod tail;

use crate::engine::{CommitError, Engine, StoreError, Ticket};
use crate::key::Kind;
use std::error::Error;
use std::ops::ControlFlow;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

/// How long a body that is due may take to begin.
const PATIENCE: Duration = Duration::from_secs(30);
/// The kind whose numbers the suite draws.
const KIND: Kind = Kind::of::<0xEF>();

/// How the engines under test are set up.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bodies that may wait before an engine is overloaded; at least 32.
    pub queue_capacity: usize,
    /// Groups that the feed keeps.
    pub feed_capacity: usize,
}

/// An engine broke its contract.
#[derive(Debug, thiserror::Error)]
#[error("{rule}: {what}")]
pub struct Violation {
    /// The rule that was broken.
    pub rule: &'static str,
    /// What was seen.
    pub what: String,
}

type Fault = Box<dyn Error + Send + Sync>;
type Verdict = Result<(), Fault>;
type Rows = Vec<(Vec<u8>, Vec<u8>)>;

/// Opens the store under test; called again after the engine it gave has been dropped.
pub type Open<'o, N> = dyn Fn() -> Result<N, Fault> + 'o;

/// Returns with an error when a condition does not hold.
macro_rules! ensure {
    ($condition:expr, $($text:tt)+) => {
        if !$condition {
            return Err(format!($($text)+).into());
        }
    };
}
use ensure;

/// Runs the whole contract against the engine that `open` opens.
///
/// The store may hold anything; keys that begin with `EF` are overwritten.
///
/// # Errors
///
/// The first [`Violation`] found.
pub fn check<N: Engine<u64> + 'static>(
    limits: Limits,
    open: &Open<'_, N>,
) -> Result<(), Violation> {
    type Rule<'o, N> = fn(Limits, &Open<'o, N>) -> Verdict;
    let rules: &[(&'static str, Rule<'_, N>)] = &[
        ("a committed body is visible", rows::committed_is_visible),
        ("a snapshot does not change", rows::snapshot_is_isolated),
        ("readings end with their state", rows::readings_end),
        ("a body reads its own writes", rows::body_reads_own_writes),
        ("scans merge writes in order", rows::scans_merge_in_order),
        ("a discarded body leaves nothing", groups::discards_alone),
        ("bodies run in order", groups::runs_in_order),
        ("a refusal is handed out", groups::refusal_is_handed_out),
        (
            "idle bodies do not advance",
            groups::idle_bodies_do_not_advance,
        ),
        (
            "a full queue is overloaded",
            groups::full_queue_is_overloaded,
        ),
        ("a dropped ticket commits", groups::dropped_ticket_commits),
        (
            "observers come before tickets",
            tail::observers_before_tickets,
        ),
        (
            "the feed tells what followed",
            tail::feed_tells_what_followed,
        ),
        ("numbers only grow", tail::numbers_only_grow),
        ("a reopened store is the same", tail::reopened_is_the_same),
        (
            "closing commits what is queued",
            tail::closing_commits_the_queue,
        ),
    ];
    for (rule, run) in rules {
        run(limits, open).map_err(|fault| Violation {
            rule,
            what: fault.to_string(),
        })?;
    }
    Ok(())
}

/// Keys of one rule: all begin with the byte of [`KIND`] and `scope`.
fn key(scope: u8, name: &[u8]) -> Vec<u8> {
    let mut key = vec![KIND.byte(), scope];
    key.extend_from_slice(name);
    key
}

/// Commits one row.
fn put<N: Engine<u64>>(engine: &N, key: Vec<u8>, value: &[u8]) -> Result<u64, Fault> {
    let value = value.to_vec();
    let ticket = engine.submit(Box::new(move |tx| {
        tx.put(&key, &value);
        Ok(())
    }))?;
    Ok(ticket.wait()?.revision)
}

/// Keeps the writer busy until the sender is used or dropped, so that bodies queue up.
fn hold<N: Engine<u64>>(engine: &N) -> Result<(Sender<()>, Ticket), Fault> {
    let (begun, begins) = channel();
    let (release, released) = channel::<()>();
    let ticket = engine.submit(Box::new(move |_| {
        // Nobody listens any more when the body runs a second time, and then nobody has to.
        let _ = begun.send(());
        let _ = released.recv();
        Ok(())
    }))?;
    begins.recv_timeout(PATIENCE)?;
    Ok((release, ticket))
}

/// Collects the rows of a range.
fn collect(
    tx: &(impl crate::engine::ReadTx + ?Sized),
    range: &crate::engine::KeyRange,
) -> Result<Rows, StoreError> {
    let mut rows = Rows::new();
    tx.scan(range, &mut |key, value| {
        rows.push((key.to_vec(), value.to_vec()));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(rows)
}

/// Tells an outcome in words, for messages.
fn told<T>(outcome: &Result<T, CommitError>) -> String {
    match outcome {
        Ok(_) => "committed".into(),
        Err(error) => error.to_string(),
    }
}
