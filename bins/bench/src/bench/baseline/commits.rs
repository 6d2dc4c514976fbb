//! The engine: durable commits of the rows that the creation of an identity writes.

use super::groups::submit;
use crate::bench::load::{Budget, Pace, Tally};
use portcullis_domain::api_session::TokenHash;
use portcullis_domain::change::Change;
use portcullis_domain::clock::Clock as _;
use portcullis_domain::enrollment::{Enrollment, EnrollmentMethod, EnrollmentPurpose};
use portcullis_domain::entropy;
use portcullis_domain::identity::{Identity, IdentityName, IdentitySpec};
use portcullis_domain::ids::{EnrollmentId, IdentityId};
use portcullis_storage::engine::Engine as _;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{
    ENROLLMENT, IDENTITY, RowsMut, StoredEnrollment, WriteError, identity_key,
};
use portcullis_storage_redb::{Options, RedbEngine};
use portcullis_system::{SystemClock, SystemEntropy};
use std::path::Path;
use std::time::Instant;

/// Lengths of what the vault makes of a token and of its JWT with a P-256 key.
const SEALED_TOKEN: usize = 110;
const SEALED_JWT: usize = 720;

/// An engine of its own, with nothing above it.
pub(in crate::bench) struct Commits {
    engine: RedbEngine<Change>,
}

/// The rows of one creation: an identity and its enrollment, with two unique values each.
struct Rows {
    identity: (RecordKey, Identity),
    enrollment: (RecordKey, StoredEnrollment),
}

impl Rows {
    fn insert(&self, into: &mut RowsMut<'_>) -> Result<(), WriteError> {
        into.insert(&self.identity.0, &self.identity.1)?;
        into.insert(&self.enrollment.0, &self.enrollment.1)
    }
}

impl Commits {
    /// Opens a store in `directory`.
    pub(in crate::bench) fn open(directory: &Path) -> anyhow::Result<Self> {
        let engine = RedbEngine::open(&directory.join("commits.redb"), Options::default())?;
        Ok(Self { engine })
    }

    /// Writes such rows in groups of `size`, each committed before the next begins.
    pub(in crate::bench) fn measure(&self, size: usize, budget: Budget) -> anyhow::Result<Tally> {
        let pace = Pace::new(budget);
        let start = Instant::now();
        let mut done = 0;
        let mut next = self.group(size)?;
        while pace.next().is_some() {
            let group = std::mem::take(&mut next);
            done += u64::try_from(group.len())?;
            let bodies = group
                .into_iter()
                .map(|rows| move |into: &mut RowsMut<'_>| rows.insert(into));
            let group = submit(&self.engine, bodies)?;
            // Made while the engine is busy, as other requests would be.
            next = self.group(size)?;
            group.wait()?;
        }
        Ok(Tally {
            done,
            elapsed: start.elapsed(),
        })
    }

    fn group(&self, size: usize) -> anyhow::Result<Vec<Rows>> {
        (0..size).map(|_| self.rows()).collect()
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        let now = SystemClock.now();
        let number = self.engine.allocate(IDENTITY);
        let name = IdentityName::new(format!("device-{number}"))
            .map_err(|fault| anyhow::anyhow!("no name: {fault}"))?;
        let id = IdentityId::generate(&SystemEntropy)?;
        let enrollment = Enrollment::new(
            EnrollmentId::generate(&SystemEntropy)?,
            EnrollmentPurpose::Identity {
                identity: id.clone(),
                method: EnrollmentMethod::Ott,
            },
            now,
            now,
        );
        let stored = StoredEnrollment {
            enrollment,
            token: "x".repeat(SEALED_TOKEN),
            jwt: "x".repeat(SEALED_JWT),
            token_hash: TokenHash(entropy::bytes(&SystemEntropy)?),
        };
        let key = identity_key(portcullis_domain::ids::RecordNumber(number));
        let below = key.dependent(ENROLLMENT, self.engine.allocate(ENROLLMENT));
        Ok(Rows {
            identity: (key, Identity::new(id, IdentitySpec::named(name), now)),
            enrollment: (below, stored),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_storage::tables::RecordCounts;
    use std::time::Duration;

    #[test]
    fn all_that_is_counted_is_in_the_store() {
        let directory = tempfile::tempdir().unwrap();
        let commits = Commits::open(directory.path()).unwrap();
        let budget = Budget {
            time: Duration::from_mins(1),
            count: 5,
        };
        let before = commits.engine.feed().revision();
        let tally = commits.measure(60, budget).unwrap();
        assert_eq!(tally.done, 300);
        assert_eq!(commits.engine.feed().revision() - before, 5);
        let snapshot = commits.engine.snapshot().unwrap();
        for kind in [IDENTITY, ENROLLMENT] {
            assert_eq!(RecordCounts::expected(&*snapshot, kind).unwrap(), 300);
        }
    }
}
