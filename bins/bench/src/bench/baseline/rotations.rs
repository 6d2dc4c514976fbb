//! Refresh tokens: the row that one writes when it is spent.

use super::groups::submit;
use crate::bench::load::{Budget, Pace, Tally};
use crate::bench::seed::{Person, Seed};
use anyhow::{Context as _, bail};
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::clock::{Clock as _, SignedDuration, Timestamp};
use portcullis_domain::oidc_session::{
    OidcClient, OidcSession, Presented, Presenter, RefreshToken, TokenId, Wanted,
};
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::RowsMut;
use portcullis_system::{SystemClock, SystemEntropy};
use std::path::Path;
use std::time::Instant;

const CLIENT: OidcClient = OidcClient::Native;
const PRESENTER: Presenter = Presenter {
    client: CLIENT,
    is_console: false,
};

/// Sessions of OIDC logins in a store of their own, with nothing above it.
pub(in crate::bench) struct Rotations {
    seed: Seed,
    sessions: Vec<Session>,
    expires_at: Timestamp,
}

/// A session, and the refresh token that it accepts.
struct Session {
    key: RecordKey,
    record: ApiSession,
    current: TokenId,
}

impl Rotations {
    /// Makes a store in `directory` with so many sessions.
    pub(in crate::bench) fn open(directory: &Path, count: usize) -> anyhow::Result<Self> {
        let seed = Seed::open(directory)?;
        let expires_at = SystemClock.now() + SignedDuration::from_hours(24);
        let people = seed.people(count)?;
        let sessions = people
            .into_iter()
            .map(|person| Session::begin(&seed, person, expires_at))
            .collect::<anyhow::Result<_>>()?;
        Ok(Self {
            seed,
            sessions,
            expires_at,
        })
    }

    /// Spends the tokens of all sessions as one group, again and again, each committed before the
    /// next begins.
    pub(in crate::bench) fn measure(&mut self, budget: Budget) -> anyhow::Result<Tally> {
        let pace = Pace::new(budget);
        let start = Instant::now();
        let mut done = 0;
        while pace.next().is_some() {
            let mut bodies = Vec::with_capacity(self.sessions.len());
            for session in &mut self.sessions {
                let (key, before) = (session.key, session.record.clone());
                session.rotate(self.expires_at)?;
                let after = session.record.clone();
                bodies.push(move |rows: &mut RowsMut<'_>| rows.replace(&key, &before, &after));
            }
            done += u64::try_from(bodies.len())?;
            submit(self.seed.engine(), bodies)?.wait()?;
        }
        Ok(Tally {
            done,
            elapsed: start.elapsed(),
        })
    }
}

impl Session {
    fn begin(seed: &Seed, person: Person, expires_at: Timestamp) -> anyhow::Result<Self> {
        let (key, before) = person.session;
        let current = TokenId::generate(&SystemEntropy)?;
        let begun = OidcSession::pending(CLIENT, expires_at);
        let mut record = before.clone();
        let first = RefreshToken {
            id: current.clone(),
            expires_at,
        };
        record.oidc = Some(begun.issued(expires_at, Some(first)));
        let after = record.clone();
        let body = move |rows: &mut RowsMut<'_>| rows.replace(&key, &before, &after);
        submit(seed.engine(), [body])?.wait()?;
        Ok(Self {
            key,
            record,
            current,
        })
    }

    fn rotate(&mut self, expires_at: Timestamp) -> anyhow::Result<()> {
        let next = TokenId::generate(&SystemEntropy)?;
        let wanted = rotation(next.clone(), expires_at);
        let family = self.record.oidc.as_ref().context("a session has tokens")?;
        match family.present(&self.current, PRESENTER, wanted, SystemClock.now()) {
            Presented::Served(oidc) => self.record.oidc = Some(oidc),
            Presented::JustSpent => bail!("the token was spent by another tab"),
            Presented::Ended(reason) => bail!("the session ended: {reason}"),
        }
        self.current = next;
        Ok(())
    }
}

/// A rotation whose tokens expire at the same time.
fn rotation(next: TokenId, expires_at: Timestamp) -> Wanted {
    let next = RefreshToken {
        id: next,
        expires_at,
    };
    Wanted::Rotation {
        next,
        access_expires_at: expires_at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_storage::engine::Engine as _;
    use portcullis_storage::tables::Rows;
    use std::time::Duration;

    #[test]
    fn store_accepts_the_last_tokens_of_all_sessions() {
        let directory = tempfile::tempdir().unwrap();
        let mut rotations = Rotations::open(directory.path(), 3).unwrap();
        let budget = Budget {
            time: Duration::from_mins(1),
            count: 4,
        };
        assert_eq!(rotations.measure(budget).unwrap().done, 12);
        let snapshot = rotations.seed.engine().snapshot().unwrap();
        for session in &rotations.sessions {
            let stored: ApiSession = Rows::new(&*snapshot).get(&session.key).unwrap().unwrap();
            let next = TokenId::generate(&SystemEntropy).unwrap();
            let wanted = rotation(next, rotations.expires_at);
            let answer = stored.oidc.unwrap().present(
                &session.current,
                PRESENTER,
                wanted,
                SystemClock.now(),
            );
            assert!(matches!(answer, Presented::Served(_)), "{answer:?}");
        }
    }
}
