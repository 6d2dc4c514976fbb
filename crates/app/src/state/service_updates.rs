//! States of their services that clients were last told about.

use parking_lot::{Mutex, MutexGuard};
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_domain::ids::RecordNumber;
use std::collections::HashMap;

/// The state last reported to the client of each API session, by record number.
#[derive(Debug, Default)]
pub(crate) struct ServiceUpdates(Mutex<HashMap<RecordNumber, ReportedState>>);

/// The state last reported to a client.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReportedState {
    pub(crate) inputs: InputStamp,
    pub(crate) view: ViewDigest,
    /// Number of the last grant change that was taken into account.
    pub(crate) grants: u64,
    pub(crate) changed_at: Timestamp,
}

/// Stamp of the inputs from which a client's services are derived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct InputStamp {
    /// Covers everything but identities.
    pub(crate) stamp: u64,
    /// Digest of the relevant parts of the identity.
    pub(crate) identity: u64,
}

/// Digests of what a client sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ViewDigest {
    /// Digest of the results of posture checks.
    pub(crate) posture: u64,
    pub(crate) services: u64,
}

/// The current state of a client.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CurrentState {
    pub(crate) inputs: InputStamp,
    pub(crate) view: ViewDigest,
    pub(crate) grants: u64,
    /// Whether grants changed since the last report, even if they are the same again.
    pub(crate) has_changed: bool,
}

impl ServiceUpdates {
    /// Records the current state of a session and returns the time of its last change. For a
    /// session without a report, that is `start`. With `has_changed`, the time moves in any case.
    pub(crate) fn record(
        &self,
        session: RecordNumber,
        CurrentState {
            inputs: basis,
            view: seen,
            grants,
            has_changed,
        }: CurrentState,
        (start, now): (Timestamp, Timestamp),
    ) -> Timestamp {
        let mut reported = self.lock();
        let entry = reported.entry(session).or_insert(ReportedState {
            inputs: basis,
            view: seen,
            grants,
            changed_at: start,
        });
        if entry.view != seen || has_changed {
            let next = entry.changed_at + SignedDuration::from_millis(1);
            entry.view = seen;
            // Clients compare the rendered times, which have milliseconds.
            entry.changed_at = now.max(next);
        }
        entry.inputs = basis;
        entry.grants = grants;
        entry.changed_at
    }

    /// The state last reported to the client of a session, if any.
    pub(crate) fn reported(&self, session: RecordNumber) -> Option<ReportedState> {
        self.lock().get(&session).copied()
    }

    /// Drops the sessions that no longer exist.
    pub(crate) fn retain(&self, is_there: impl Fn(RecordNumber) -> bool) {
        self.lock().retain(|session, _told| is_there(*session));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RecordNumber, ReportedState>> {
        self.0.lock()
    }
}
