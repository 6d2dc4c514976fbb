//! What is remembered about posture: what sessions reported, and which requests were refused for it.
//!
//! Nothing of it is stored. It goes with the sessions and identities that it is about, and takes
//! bounded memory.

use super::rationed::{Rationed, Rations};
use portcullis_domain::FieldError;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::Number;
use portcullis_domain::posture::{Actual, CheckFailure, FailedRequest, PolicyFailure};
use portcullis_posture::{Outcome, Posture, Settled};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What sessions reported takes 256 MiB at most, and 4 MiB for one identity.
const REPORTS: Rations = Rations {
    bytes: 256 << 20,
    bytes_of_one: 4 << 20,
    parts_of_one: 4096,
};

/// The last 100 refused requests of an identity are remembered; less if they are large.
const REFUSALS: Rations = Rations {
    bytes: 64 << 20,
    bytes_of_one: 1 << 20,
    parts_of_one: 100,
};

/// Estimate of what a thing takes besides its texts, bytes.
const ONE: usize = 256;
/// Estimate of what a posture check takes, bytes.
const CHECK: usize = 1024;

/// A session: the number of its identity's record, and that of its own.
pub(crate) type SessionNumbers = (Number, Number);

/// What is remembered about posture.
#[derive(Debug)]
pub(crate) struct Kept(Mutex<State>);

#[derive(Debug)]
struct State {
    reports: Rationed<Arc<Posture>>,
    refusals: Rationed<Arc<FailedRequest>>,
    /// How many requests were refused.
    refused: u64,
}

impl Default for Kept {
    fn default() -> Self {
        Self(Mutex::new(State {
            reports: Rationed::new(REPORTS),
            refusals: Rationed::new(REFUSALS),
            refused: 0,
        }))
    }
}

impl Kept {
    /// What a session reported; nothing, if it is not known.
    pub(crate) fn of(&self, (identity, session): SessionNumbers) -> Arc<Posture> {
        let state = self.lock();
        let reported = state.reports.get(identity, session).cloned();
        reported.unwrap_or_default()
    }

    /// What the sessions of an identity reported, by the numbers of their records.
    pub(super) fn of_identity(&self, identity: Number) -> Vec<(Number, Arc<Posture>)> {
        let state = self.lock();
        let reported = state.reports.of(identity);
        reported
            .map(|(session, posture)| (session, Arc::clone(posture)))
            .collect()
    }

    /// Takes in what a session reports, all or nothing.
    pub(super) fn record(
        &self,
        (identity, session): SessionNumbers,
        now: Timestamp,
        reports: Settled,
    ) -> Result<Outcome, FieldError> {
        let mut state = self.lock();
        let before = state.reports.get(identity, session);
        let mut posture = before.map(|before| (**before).clone()).unwrap_or_default();
        let outcome = posture.take_in(reports, now)?;
        let bytes = ONE + ONE * posture.processes().count() + posture.bytes();
        let part = (bytes, Arc::new(posture));
        state.reports.put(identity, session, part);
        Ok(outcome)
    }

    /// The requests of an identity that were refused, the oldest first.
    pub(super) fn refusals(&self, identity: Number) -> Vec<Arc<FailedRequest>> {
        let state = self.lock();
        let refusals = state.refusals.of(identity);
        refusals
            .map(|(_number, request)| Arc::clone(request))
            .collect()
    }

    /// Remembers that a request of an identity was refused.
    pub(crate) fn note_refusal(&self, identity: Number, request: FailedRequest) {
        let mut state = self.lock();
        state.refused += 1;
        let number = Number(state.refused);
        let part = (size(&request), Arc::new(request));
        state.refusals.put(identity, number, part);
    }

    /// Some of the identities about whom something is remembered, from a number on.
    pub(super) fn identities(&self, from: Number, most: usize) -> Vec<Number> {
        let state = self.lock();
        let reports = state.reports.identities(from).take(most);
        let refusals = state.refusals.identities(from).take(most);
        let mut all: Vec<_> = reports.chain(refusals).collect();
        all.sort_unstable();
        all.dedup();
        all.truncate(most);
        all
    }

    /// Forgets what sessions of an identity reported that are `gone`.
    pub(super) fn forget_sessions(&self, identity: Number, gone: &[Number]) {
        let mut state = self.lock();
        let reports = &mut state.reports;
        reports.retain(identity, |session| !gone.contains(&session));
    }

    /// Forgets everything about an identity.
    pub(super) fn forget_identity(&self, identity: Number) {
        let mut state = self.lock();
        state.reports.retain(identity, |_session| false);
        state.refusals.retain(identity, |_number| false);
    }

    /// The numbers of an identity's sessions about which something is remembered.
    pub(super) fn sessions(&self, identity: Number) -> Vec<Number> {
        let state = self.lock();
        let sessions = state.reports.of(identity);
        sessions.map(|(session, _posture)| session).collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Estimate of the bytes that a refused request takes.
fn size(request: &FailedRequest) -> usize {
    let policies = request.policies.iter();
    ONE + policies.map(size_of_policy).sum::<usize>()
}

fn size_of_policy(failure: &PolicyFailure) -> usize {
    ONE + failure.checks.iter().map(size_of_check).sum::<usize>()
}

fn size_of_check(failure: &CheckFailure) -> usize {
    let process = |process: &portcullis_domain::posture::ActualProcess| {
        let signers = process.process.signers.iter().map(String::len);
        ONE + process.path.len() + signers.sum::<usize>()
    };
    let actual = match &failure.actual {
        Actual::Os(_) | Actual::Domain(_) | Actual::Mfa(..) => ONE,
        Actual::Mac(addresses) => addresses
            .iter()
            .flat_map(|all| all.iter())
            .map(String::len)
            .sum(),
        Actual::Process(one) => one.as_ref().map_or(0, process),
        Actual::ProcessMulti(several) => several.iter().map(process).sum(),
    };
    CHECK + actual
}
