//! The engine: durable commits of the rows that the creation of an identity writes.

use crate::bench::load::{Budget, Pace, Tally};
use crate::bench::system::{SystemEntropy, now};
use portcullis_domain::api_session::TokenHash;
use portcullis_domain::change::Change;
use portcullis_domain::enrollment::{Enrollment, Method};
use portcullis_domain::entropy;
use portcullis_domain::identity::{Identity, IdentityName, IdentitySpec};
use portcullis_domain::ids::{EnrollmentId, IdentityId};
use portcullis_domain::tags::Tags;
use portcullis_storage::engine::{Engine as _, Outcome, submit_with};
use portcullis_storage::key::RecordKey;
use portcullis_storage::redb_engine::{Options, RedbEngine};
use portcullis_storage::tables::{
    ENROLLMENT, IDENTITY, RowsMut, StoredEnrollment, WriteError, identity_key,
};
use std::collections::VecDeque;
use std::path::Path;
use std::time::Instant;

/// Creations that wait together: while one half is committed, the other half is the next group.
const WAITING: usize = 128;

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

impl Commits {
    /// Opens a store in `directory`.
    pub(in crate::bench) fn open(directory: &Path) -> anyhow::Result<Self> {
        let engine = RedbEngine::open(&directory.join("commits.redb"), Options::default())?;
        Ok(Self { engine })
    }

    /// Writes such rows in groups of 64; answers also how many went into a group on average.
    #[expect(
        clippy::cast_precision_loss,
        reason = "counts lie far below the 2^52 that a float holds"
    )]
    pub(in crate::bench) fn measure(&self, budget: Budget) -> anyhow::Result<(Tally, f64)> {
        let pace = Pace::new(budget);
        let start = Instant::now();
        let before = self.engine.feed().revision();
        let mut waiting: VecDeque<Outcome<(), WriteError>> = VecDeque::new();
        let mut done = 0;
        while pace.next().is_some() {
            if waiting.len() >= WAITING
                && let Some(oldest) = waiting.pop_front()
            {
                oldest.wait()??;
            }
            let rows = self.rows()?;
            waiting.push_back(submit_with(&self.engine, move |tx| {
                let mut into = RowsMut::new(tx);
                into.insert(&rows.identity.0, &rows.identity.1)?;
                into.insert(&rows.enrollment.0, &rows.enrollment.1)
            })?);
            done += 1;
        }
        for outcome in waiting {
            outcome.wait()??;
        }
        let tally = Tally {
            done,
            elapsed: start.elapsed(),
        };
        let groups = self.engine.feed().revision() - before;
        Ok((tally, done as f64 / groups.max(1) as f64))
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        let now = now();
        let number = self.engine.allocate(IDENTITY);
        let name = IdentityName::new(format!("device-{number}"))
            .map_err(|fault| anyhow::anyhow!("no name: {fault}"))?;
        let id = IdentityId::generate(&SystemEntropy)?;
        let enrollment = Enrollment {
            id: EnrollmentId::generate(&SystemEntropy)?,
            created_at: now,
            updated_at: now,
            tags: Tags::default(),
            identity: id.clone(),
            method: Method::Ott,
            expires_at: now,
        };
        let stored = StoredEnrollment {
            enrollment,
            token: "x".repeat(SEALED_TOKEN),
            jwt: "x".repeat(SEALED_JWT),
            token_hash: TokenHash(entropy::bytes(&SystemEntropy)?),
        };
        let key = identity_key(portcullis_domain::ids::Number(number));
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
    use portcullis_storage::tables::Census;
    use std::time::Duration;

    #[test]
    fn all_that_is_counted_is_in_the_store() {
        let directory = tempfile::tempdir().unwrap();
        let commits = Commits::open(directory.path()).unwrap();
        let budget = Budget {
            time: Duration::from_mins(1),
            count: 300,
        };
        let (tally, _) = commits.measure(budget).unwrap();
        assert_eq!(tally.done, 300);
        let snapshot = commits.engine.snapshot().unwrap();
        for kind in [IDENTITY, ENROLLMENT] {
            assert_eq!(Census::stated(&*snapshot, kind).unwrap(), 300);
        }
    }
}
