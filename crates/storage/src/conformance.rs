//! Conformance test suite for [`Engine`] implementations.

mod after_commit;
mod groups;
mod rows;

use crate::engine::{CommitError, Engine, StoreError, Ticket};
use crate::key::Kind;
use std::error::Error;
use std::ops::ControlFlow;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

/// Maximum time until a due body starts.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);
/// The kind used by the suite.
const KIND: Kind = Kind::new::<0xEF>();

/// Limits of the engines under test.
#[derive(Debug, Clone, Copy)]
pub struct EngineLimits {
    /// Queue capacity in bodies, at least 32.
    pub queue_capacity: usize,
    pub feed_capacity: usize,
}

/// An engine violated its contract.
#[derive(Debug, thiserror::Error)]
#[error("{rule}: {what}")]
pub struct ConformanceError {
    /// The violated rule.
    pub rule: &'static str,
    /// The observed behavior.
    pub what: String,
}

type BoxError = Box<dyn Error + Send + Sync>;
type RuleResult = Result<(), BoxError>;
type Rows = Vec<(Vec<u8>, Vec<u8>)>;

/// Opens the store under test; called again after the previous engine was dropped.
pub type OpenEngine<'o, N> = dyn Fn() -> Result<N, BoxError> + 'o;

/// Returns an error unless a condition holds.
macro_rules! ensure {
    ($condition:expr, $($text:tt)+) => {
        if !$condition {
            return Err(format!($($text)+).into());
        }
    };
}
use ensure;

/// Runs the whole suite against the engine that `open` opens.
///
/// The store may contain data; keys that begin with `EF` are overwritten.
///
/// # Errors
///
/// The first [`ConformanceError`] found.
pub fn check<N: Engine<u64> + 'static>(
    limits: EngineLimits,
    open: &OpenEngine<'_, N>,
) -> Result<(), ConformanceError> {
    type Rule<'o, N> = fn(EngineLimits, &OpenEngine<'o, N>) -> RuleResult;
    let rules: &[(&'static str, Rule<'_, N>)] = &[
        ("a committed body is visible", rows::committed_is_visible),
        ("a snapshot does not change", rows::snapshot_is_isolated),
        (
            "a snapshot is shared until the next commit at most",
            rows::sharing_ends_with_commit,
        ),
        ("a body reads its own writes", rows::body_reads_own_writes),
        ("scans merge writes in order", rows::scans_merge_in_order),
        ("a discarded body leaves nothing", groups::discards_alone),
        ("bodies run in order", groups::runs_in_order),
        (
            "an error of a body is returned",
            groups::refusal_is_handed_out,
        ),
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
            after_commit::observers_before_tickets,
        ),
        (
            "the feed returns later groups",
            after_commit::feed_tells_what_followed,
        ),
        ("numbers only grow", after_commit::numbers_only_grow),
        (
            "a reopened store is the same",
            after_commit::reopened_is_the_same,
        ),
        (
            "closing commits what is queued",
            after_commit::closing_commits_the_queue,
        ),
    ];
    for (rule, run) in rules {
        run(limits, open).map_err(|fault| ConformanceError {
            rule,
            what: fault.to_string(),
        })?;
    }
    Ok(())
}

/// A key of one rule; begins with the byte of [`KIND`] and `scope`.
fn key(scope: u8, name: &[u8]) -> Vec<u8> {
    let mut key = vec![KIND.byte(), scope];
    key.extend_from_slice(name);
    key
}

/// Commits one row.
fn put<N: Engine<u64>>(engine: &N, key: Vec<u8>, value: &[u8]) -> Result<u64, BoxError> {
    let value = value.to_vec();
    let ticket = engine.submit(Box::new(move |tx| {
        tx.put(&key, &value);
        Ok(())
    }))?;
    Ok(ticket.wait()?.revision)
}

/// Blocks the writer until the sender is used or dropped, so that bodies queue up.
fn block_writer<N: Engine<u64>>(engine: &N) -> Result<(Sender<()>, Ticket), BoxError> {
    let (begun, begins) = channel();
    let (release, released) = channel::<()>();
    let ticket = engine.submit(Box::new(move |_| {
        // On a second run of the body the receiver is gone, which does not matter.
        let _ = begun.send(());
        let _ = released.recv();
        Ok(())
    }))?;
    begins.recv_timeout(BODY_TIMEOUT)?;
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

/// Describes an outcome for messages.
fn describe<T>(outcome: &Result<T, CommitError>) -> String {
    match outcome {
        Ok(_) => "committed".into(),
        Err(error) => error.to_string(),
    }
}
