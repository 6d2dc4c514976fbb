//! In-memory store of posture data and of requests that failed posture checks.
//!
//! Nothing is persisted. Entries are removed with the sessions and identities they belong to, and
//! memory is bounded.

mod fair_cache;

use fair_cache::{CacheLimits, FairCache};
use parking_lot::{Mutex, MutexGuard};
use portcullis_domain::FieldError;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::RecordNumber;
use portcullis_domain::posture::{ActualValue, CheckFailure, FailedRequest, PolicyFailure};
use portcullis_posture::{NormalizedReports, Posture, ReportOutcome};
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::sync::Notify;

/// Posture data takes at most 256 MiB, and 4 MiB per identity.
const REPORT_LIMITS: CacheLimits = CacheLimits {
    bytes: 256 << 20,
    bytes_per_identity: 4 << 20,
    entries_per_identity: 4096,
};

/// The last 100 failed requests of an identity are kept; fewer if they are large.
const REFUSAL_LIMITS: CacheLimits = CacheLimits {
    bytes: 64 << 20,
    bytes_per_identity: 1 << 20,
    entries_per_identity: 100,
};

/// Estimated bytes of an item besides its strings.
const ITEM_BYTES: usize = 256;
/// Estimated bytes of a posture check.
const CHECK_BYTES: usize = 1024;

/// Record numbers of an identity and of one of its sessions.
pub(crate) type SessionNumbers = (RecordNumber, RecordNumber);

#[derive(Debug)]
pub(crate) struct PostureStore {
    state: Mutex<State>,
    /// Tells followers that the posture of somebody has changed.
    changed: Notify,
}

#[derive(Debug)]
struct State {
    reports: FairCache<Arc<Posture>>,
    refusals: FairCache<Arc<FailedRequest>>,
    /// Number of failed requests so far.
    refused: u64,
    /// The identities whose posture has changed since somebody asked; `None` until somebody watches.
    changed: Option<BTreeSet<RecordNumber>>,
}

impl Default for PostureStore {
    fn default() -> Self {
        Self {
            state: Mutex::new(State {
                reports: FairCache::new(REPORT_LIMITS),
                refusals: FairCache::new(REFUSAL_LIMITS),
                refused: 0,
                changed: None,
            }),
            changed: Notify::new(),
        }
    }
}

impl PostureStore {
    /// The posture of a session; empty if it reported nothing.
    pub(crate) fn get(&self, (identity, session): SessionNumbers) -> Arc<Posture> {
        let state = self.lock();
        let reported = state.reports.get(identity, session).cloned();
        reported.unwrap_or_default()
    }

    /// The postures of an identity's sessions, by session number.
    pub(crate) fn list_by_identity(
        &self,
        identity: RecordNumber,
    ) -> Vec<(RecordNumber, Arc<Posture>)> {
        let state = self.lock();
        let reported = state.reports.entries(identity);
        reported
            .map(|(session, posture)| (session, Arc::clone(posture)))
            .collect()
    }

    /// Records the reports of a session, all or none.
    pub(crate) fn record(
        &self,
        (identity, session): SessionNumbers,
        now: Timestamp,
        reports: NormalizedReports,
    ) -> Result<ReportOutcome, FieldError> {
        let mut state = self.lock();
        let before = state.reports.get(identity, session);
        let mut posture = before.map(|before| (**before).clone()).unwrap_or_default();
        let outcome = posture.apply(reports, now)?;
        let bytes = ITEM_BYTES + ITEM_BYTES * posture.processes().count() + posture.text_bytes();
        let part = (bytes, Arc::new(posture));
        let evicted = state.reports.insert(identity, session, part);
        if let Some(changed) = &mut state.changed {
            changed.extend(evicted);
            changed.insert(identity);
            drop(state);
            self.changed.notify_one();
        }
        Ok(outcome)
    }

    /// Records from now on whose posture changes.
    pub(crate) fn watch(&self) {
        self.lock().changed.get_or_insert_default();
    }

    /// The identities whose posture has changed since the last call. Those that lost reports for want of
    /// memory are among them.
    pub(crate) fn take_changed(&self) -> BTreeSet<RecordNumber> {
        let mut state = self.lock();
        state
            .changed
            .as_mut()
            .map(std::mem::take)
            .unwrap_or_default()
    }

    /// Waits until [`PostureStore::take_changed`] may have something.
    pub(crate) async fn changed(&self) {
        self.changed.notified().await;
    }

    /// The failed requests of an identity, oldest first.
    pub(crate) fn refusals(&self, identity: RecordNumber) -> Vec<Arc<FailedRequest>> {
        let state = self.lock();
        let refusals = state.refusals.entries(identity);
        refusals
            .map(|(_number, request)| Arc::clone(request))
            .collect()
    }

    /// Records a failed request of an identity.
    pub(crate) fn record_refusal(&self, identity: RecordNumber, request: FailedRequest) {
        let mut state = self.lock();
        state.refused += 1;
        let number = RecordNumber(state.refused);
        let part = (size(&request), Arc::new(request));
        state.refusals.insert(identity, number, part);
    }

    /// Up to `most` identities with entries, starting at `from`.
    pub(crate) fn identities(&self, from: RecordNumber, most: usize) -> Vec<RecordNumber> {
        let state = self.lock();
        let reports = state.reports.identities(from).take(most);
        let refusals = state.refusals.identities(from).take(most);
        let mut all: Vec<_> = reports.chain(refusals).collect();
        all.sort_unstable();
        all.dedup();
        all.truncate(most);
        all
    }

    /// Removes the postures of sessions that are `gone`.
    pub(crate) fn remove_sessions(&self, identity: RecordNumber, gone: &[RecordNumber]) {
        let mut state = self.lock();
        let reports = &mut state.reports;
        reports.retain(identity, |session| !gone.contains(&session));
    }

    /// Removes all entries of an identity.
    pub(crate) fn remove_identity(&self, identity: RecordNumber) {
        let mut state = self.lock();
        state.reports.retain(identity, |_session| false);
        state.refusals.retain(identity, |_number| false);
    }

    /// The numbers of an identity's sessions that have a posture.
    pub(crate) fn sessions(&self, identity: RecordNumber) -> Vec<RecordNumber> {
        let state = self.lock();
        let sessions = state.reports.entries(identity);
        sessions.map(|(session, _posture)| session).collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

/// Estimated bytes of a failed request.
fn size(request: &FailedRequest) -> usize {
    let policies = request.policies.iter();
    ITEM_BYTES + policies.map(size_of_policy).sum::<usize>()
}

fn size_of_policy(failure: &PolicyFailure) -> usize {
    ITEM_BYTES + failure.checks.iter().map(size_of_check).sum::<usize>()
}

fn size_of_check(failure: &CheckFailure) -> usize {
    let process = |process: &portcullis_domain::posture::ActualProcess| {
        let signers = process.process.signers.iter().map(String::len);
        ITEM_BYTES + process.path.len() + signers.sum::<usize>()
    };
    let actual = match &failure.actual {
        ActualValue::Os(_) | ActualValue::Domain(_) | ActualValue::Mfa(..) => ITEM_BYTES,
        ActualValue::Mac(addresses) => addresses
            .iter()
            .flat_map(|all| all.iter())
            .map(String::len)
            .sum(),
        ActualValue::Process(one) => one.as_ref().map_or(0, process),
        ActualValue::ProcessMulti(several) => several.iter().map(process).sum(),
    };
    CHECK_BYTES + actual
}
