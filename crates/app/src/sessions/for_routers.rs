//! Sessions as routers are told of them.
//!
//! A router lets clients connect with the token of a session only if it was told of it. That concerns
//! sessions of `zt-session` alone; of those of OpenID Connect, routers judge the signed tokens.
//!
//! A router is told everything once ([`all`]), and afterwards what commits change ([`news`]), in
//! their order. Nothing of that is remembered here: what a session is follows from the records.

mod heartbeat;
mod news;

pub use heartbeat::heartbeat;
pub use news::{SessionNews, news};

use super::is_idle;
use super::presented::is_complete;
use super::sealed_token::open_token;
use crate::app::{App, StoreView};
use crate::error::AppError;
use crate::session_validity::validate;
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::authenticator::{Authenticator, Credential};
use portcullis_domain::ids::{ApiSessionId, IdentityId, RecordNumber};
use portcullis_domain::session_certificate::SessionCertificate;
use portcullis_storage::engine::StoreError;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{API_SESSION, Found, Rows, SESSION_CERTIFICATE, identity_key};
use secrecy::SecretString;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A session with which clients may connect to routers.
#[derive(Debug, Clone)]
pub struct RouterApiSession {
    pub id: ApiSessionId,
    pub identity: IdentityId,
    pub token: SecretString,
    /// Fingerprints of the certificates that its client may have, lower-case hex SHA-1, sorted: those
    /// of the identity's authenticators, that of the login, and those issued for the session.
    pub fingerprints: Vec<String>,
}

/// All sessions of one revision of the store, read in chunks.
pub struct AllSessions<'a> {
    app: &'a App,
    view: StoreView,
    revision: u64,
    left: std::vec::IntoIter<RecordKey>,
}

/// All sessions that routers are told of, as of one revision of the store.
///
/// They are read and unsealed chunk by chunk, some twenty thousand a second. Whoever has many routers to
/// tell at a time had better do so once for all of them.
pub fn all(app: &App) -> Result<AllSessions<'_>, AppError> {
    let view = app.snapshot()?;
    let revision = view.revision()?;
    // Later than the view: sessions that it lacks are skipped, and those that have ended since are
    // not missed, for routers would be told to forget them next.
    let sessions = app.require_lists()?.sessions();
    let recorded = sessions
        .iter()
        .filter(|session| session.record.token.is_some());
    let keys: Vec<_> = recorded
        .map(|session| session_key(session.owner, session.number))
        .collect();
    drop(sessions);
    Ok(AllSessions {
        app,
        view,
        revision,
        left: keys.into_iter(),
    })
}

impl AllSessions<'_> {
    /// The revision of the store that the sessions are of. What was committed after it is news.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// At most `most` further sessions; empty at the end.
    ///
    /// # Errors
    ///
    /// What the store reports. A session whose records are damaged is left out.
    pub fn next_chunk(&mut self, most: usize) -> Result<Vec<RouterApiSession>, AppError> {
        let rows = self.view.rows();
        let mut chunk = Vec::new();
        while chunk.len() < most
            && let Some(key) = self.left.next()
        {
            chunk.extend(load_sound(self.app, rows, &key)?);
        }
        Ok(chunk)
    }
}

/// The session with this record number, if routers are to be told of it.
pub fn one(app: &App, session: RecordNumber) -> Result<Option<RouterApiSession>, AppError> {
    let owner = {
        let sessions = app.require_lists()?.sessions();
        sessions.get(session).map(|session| session.owner)
    };
    let Some(owner) = owner else {
        return Ok(None);
    };
    let view = app.snapshot()?;
    load(app, view.rows(), &session_key(owner, session))
}

fn session_key(owner: RecordNumber, session: RecordNumber) -> RecordKey {
    identity_key(owner).dependent(API_SESSION, session.0)
}

/// Like [`load`], without sessions whose records are damaged.
fn load_sound(
    app: &App,
    rows: Rows<'_>,
    key: &RecordKey,
) -> Result<Option<RouterApiSession>, AppError> {
    match load(app, rows, key) {
        Err(AppError::Store(error @ StoreError::Corrupt { .. })) => {
            tracing::error!(%error, session = %key, "routers are not told of a session");
            Ok(None)
        },
        loaded => loaded,
    }
}

/// The session with this key; `None` if it is over, lacks a factor, or has no recorded token.
fn load(app: &App, rows: Rows<'_>, key: &RecordKey) -> Result<Option<RouterApiSession>, AppError> {
    let Some(entity) = rows.get_shared::<ApiSession>(key)? else {
        return Ok(None);
    };
    let Some(token) = open_token(app, key, &entity)? else {
        return Ok(None);
    };
    let now = app.env().now();
    if is_idle(app, &entity, now) {
        return Ok(None);
    }
    let found = Found { key: *key, entity };
    let live = validate(rows, found, app.settings().session_lifetimes, now)?;
    let Some(live) = live.filter(is_complete) else {
        return Ok(None);
    };
    let session = &live.session;
    Ok(Some(RouterApiSession {
        id: session.entity.id.clone(),
        identity: live.identity.entity.id.clone(),
        token,
        fingerprints: fingerprints(rows, session)?,
    }))
}

fn fingerprints(
    rows: Rows<'_>,
    session: &Found<Arc<ApiSession>>,
) -> Result<Vec<String>, StoreError> {
    let mut all = BTreeSet::new();
    let owner = identity_key(session.root_number());
    for authenticator in rows.dependents::<Authenticator>(&owner)? {
        all.extend(certificates_of(&authenticator.entity).map(str::to_owned));
    }
    if let Some(login) = &session.entity.certificate {
        all.insert(login.fingerprint.clone());
        all.extend(login.previous.clone());
    }
    for key in rows.referrers(&session.key, SESSION_CERTIFICATE, usize::MAX)? {
        let issued: Option<SessionCertificate> = rows.get(&key)?;
        all.extend(issued.map(|issued| issued.certificate.fingerprint));
    }
    Ok(all.into_iter().collect())
}

/// The fingerprints of an authenticator, also of a certificate that is to replace its present one.
fn certificates_of(authenticator: &Authenticator) -> impl Iterator<Item = &str> {
    let certificate = match &authenticator.credential {
        Credential::Cert(certificate) => Some(certificate),
        Credential::Updb(_) => None,
    };
    let renewal = certificate.and_then(|certificate| certificate.renewal.as_ref());
    let present = certificate.map(|certificate| certificate.fingerprint.as_str());
    present
        .into_iter()
        .chain(renewal.map(|renewal| renewal.fingerprint.as_str()))
}

#[cfg(test)]
mod tests;
