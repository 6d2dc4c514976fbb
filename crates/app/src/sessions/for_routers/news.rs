//! What commits change of what routers know about sessions.

use super::{RouterApiSession, certificates_of, load_sound, session_key};
use crate::app::{App, StoreView};
use crate::error::AppError;
use crate::session_validity::{AffectedSessions, affected_sessions};
use crate::sessions::sealed_token::open_token;
use portcullis_domain::api_session::{ApiSession, TokenHash};
use portcullis_domain::authenticator::Authenticator;
use portcullis_domain::change::{Change, EntityChange, Owner};
use portcullis_domain::ids::{ApiSessionId, RecordNumber, SessionId};
use portcullis_domain::session::Session;
use portcullis_domain::session_certificate::SessionCertificate;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{UniqueIndex, UniqueValue};
use secrecy::SecretString;
use std::sync::Arc;

/// What routers are to be told.
#[derive(Debug)]
pub enum SessionNews {
    /// Clients may connect with it from now on, or may go on to.
    Added(RouterApiSession),
    /// Its certificates are others now.
    Updated(RouterApiSession),
    /// Clients may not connect with it any more.
    Removed {
        id: ApiSessionId,
        token: SecretString,
    },
    /// It is over, whether or not its API session is.
    ServiceSessionRemoved(SessionId),
    /// So much may have changed that [`all`](super::all) has to be told again.
    Everything,
}

/// What is new to routers after a group of changes was committed, in the order of the changes.
///
/// Groups have to be passed in their order. What a session is at the time of the call is told, which
/// may be what it has become since; then that is told once more with a later group. Most groups (logins
/// that lack a factor, activity, changes of entities that sessions do not depend on) have no news, and
/// cost nothing.
///
/// That an identity is not disabled any more because the time is over is no commit, and no news:
/// its clients log in again.
///
/// # Errors
///
/// What the store reports; nothing is told then, and the group can be passed again.
pub fn news(app: &App, changes: &[Change]) -> Result<Vec<SessionNews>, AppError> {
    let mut reporter = Reporter {
        app,
        view: None,
        news: Vec::new(),
    };
    for change in changes {
        reporter.report(change)?;
    }
    Ok(reporter.news)
}

struct Reporter<'a> {
    app: &'a App,
    /// Opened when it is needed.
    view: Option<StoreView>,
    news: Vec<SessionNews>,
}

impl Reporter<'_> {
    fn report(&mut self, change: &Change) -> Result<(), AppError> {
        match change {
            Change::ApiSession(change) => self.report_session(change),
            Change::SessionCertificate(change) => self.report_certificate(change),
            Change::Session(change) => {
                self.report_service_session(change);
                Ok(())
            },
            Change::Authenticator(change) if are_certificates_other(change) => match change.owner {
                Some(Owner::Identity(identity)) => self.review_sessions(identity),
                Some(Owner::Router(_)) | None => Ok(()),
            },
            change => self.report_validity(affected_sessions(change)),
        }
    }

    fn report_validity(&mut self, affected: AffectedSessions) -> Result<(), AppError> {
        match affected {
            AffectedSessions::None => Ok(()),
            AffectedSessions::OwnedBy(identity) => self.review_sessions(identity),
            AffectedSessions::All => {
                self.news.push(SessionNews::Everything);
                Ok(())
            },
        }
    }

    fn report_session(&mut self, change: &EntityChange<ApiSession>) -> Result<(), AppError> {
        let Some(Owner::Identity(owner)) = change.owner else {
            return Ok(());
        };
        let key = session_key(owner, change.number);
        match (&change.before, &change.entity) {
            (Some(before), None) => self.report_end(&key, before),
            (None, Some(_)) => {
                let added = self.load(&key)?;
                self.news.extend(added.map(SessionNews::Added));
                Ok(())
            },
            (Some(before), Some(now))
                if before.totp != now.totp || before.certificate != now.certificate =>
            {
                self.review(&key, now)
            },
            _ => Ok(()),
        }
    }

    /// Tells whether clients may connect with a session, since that may have changed.
    fn review(&mut self, key: &RecordKey, session: &ApiSession) -> Result<(), AppError> {
        match self.load(key)? {
            Some(usable) => {
                self.news.push(SessionNews::Added(usable));
                Ok(())
            },
            None => self.report_end(key, session),
        }
    }

    fn report_end(&mut self, key: &RecordKey, session: &ApiSession) -> Result<(), AppError> {
        let token = open_token(self.app, key, session)?;
        let removed = token.map(|token| SessionNews::Removed {
            id: session.id.clone(),
            token,
        });
        self.news.extend(removed);
        Ok(())
    }

    fn report_certificate(
        &mut self,
        change: &EntityChange<SessionCertificate>,
    ) -> Result<(), AppError> {
        let certificate = change.entity.as_ref().or(change.before.as_ref());
        let Some(certificate) = certificate else {
            return Ok(());
        };
        if let Some(key) = self.locate(certificate.session)? {
            let updated = self.load(&key)?;
            self.news.extend(updated.map(SessionNews::Updated));
        }
        Ok(())
    }

    fn report_service_session(&mut self, change: &EntityChange<Session>) {
        if let (Some(before), None) = (&change.before, &change.entity) {
            let removed = SessionNews::ServiceSessionRemoved(before.id.clone());
            self.news.push(removed);
        }
    }

    /// Tells of all sessions of an identity what they are now.
    fn review_sessions(&mut self, owner: RecordNumber) -> Result<(), AppError> {
        let recorded: Vec<_> = {
            let sessions = self.app.require_lists()?.sessions();
            let numbers = sessions.owned_by(owner, 0, usize::MAX);
            let found = numbers
                .into_iter()
                .filter_map(|number| sessions.get(number));
            found
                .map(|session| (session.number, session.record.clone()))
                .collect()
        };
        for (number, session) in recorded {
            self.review(&session_key(owner, number), &session)?;
        }
        Ok(())
    }

    fn load(&mut self, key: &RecordKey) -> Result<Option<RouterApiSession>, AppError> {
        let app = self.app;
        load_sound(app, self.view()?.rows(), key)
    }

    fn locate(&mut self, session: TokenHash) -> Result<Option<RecordKey>, AppError> {
        let by_token = UniqueValue::new(UniqueIndex::ApiSessionToken, session.0);
        Ok(self.view()?.rows().locate(&by_token)?)
    }

    fn view(&mut self) -> Result<&StoreView, AppError> {
        let view = match self.view.take() {
            Some(view) => view,
            None => self.app.snapshot()?,
        };
        Ok(self.view.insert(view))
    }
}

/// Whether an authenticator has other certificates than before.
fn are_certificates_other(change: &EntityChange<Authenticator>) -> bool {
    let of = |version: &Option<Arc<Authenticator>>| -> Vec<String> {
        let certificates = version.iter().flat_map(|one| certificates_of(one));
        certificates.map(str::to_owned).collect()
    };
    of(&change.before) != of(&change.entity)
}

#[cfg(test)]
mod tests;
