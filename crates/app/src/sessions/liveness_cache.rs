//! Validity of sessions as far as the read model knows it.
//!
//! Lists ask for many sessions. The read model holds the sessions, and of identities and
//! authenticators as much as most cases need; the rules are those of
//! [`validate`](super::validity::validate). Policies are read once each, CAs and signers only for
//! sessions that they opened.

use crate::app::App;
use crate::error::AppError;
use crate::memo::Memo;
use crate::records::find_policy;
use crate::session_validity::{AuthenticatorMethod, is_login_method_allowed};
use portcullis_domain::api_session::{ApiSession, TokenHash};
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::{AuthPolicyId, AuthenticatorId, RecordNumber};
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::Rows;
use std::sync::Arc;

/// Cached validity of sessions, each evaluated once.
pub(crate) struct LivenessCache<'a> {
    app: &'a App,
    now: Timestamp,
    policies: Memo<AuthPolicyId, Option<Arc<AuthPolicy>>>,
    results: Memo<RecordNumber, Option<bool>>,
}

struct CachedSession {
    number: RecordNumber,
    identity: RecordNumber,
    session: Arc<ApiSession>,
    last_activity_at: Timestamp,
}

impl<'a> LivenessCache<'a> {
    /// Creates a cache for one moment.
    pub(crate) fn new(app: &'a App, now: Timestamp) -> Self {
        Self {
            app,
            now,
            policies: Memo::default(),
            results: Memo::default(),
        }
    }

    /// Whether the session of a token is valid. `None` if that depends on records in the store.
    pub(crate) fn is_live(
        &self,
        rows: Rows<'_>,
        token: TokenHash,
    ) -> Result<Option<bool>, AppError> {
        let Some(cached) = self.find(token) else {
            return Ok(None);
        };
        self.results
            .get_or_try_insert_with(cached.number, || self.evaluate(rows, &cached))
    }

    fn find(&self, token: TokenHash) -> Option<CachedSession> {
        let sessions = self.app.projections().sessions();
        sessions.find(token).map(|found| CachedSession {
            number: found.number,
            identity: found.owner,
            session: Arc::clone(found.record),
            last_activity_at: found.last_activity_at().max(found.record.last_activity_at),
        })
    }

    fn evaluate(&self, rows: Rows<'_>, cached: &CachedSession) -> Result<Option<bool>, AppError> {
        let timeout = self.app.settings().session_timeout;
        if self.now >= ApiSession::expires_at(cached.last_activity_at, timeout) {
            return Ok(Some(false));
        }
        let lifetimes = self.app.settings().session_lifetimes;
        if lifetimes.may_have_ended(&cached.session, self.now) {
            // The lifetime depends on the identity's privileges, which are in its record.
            return Ok(None);
        }
        let policy = match self.policy_id(cached) {
            Some(id) => self.policy(rows, &id)?,
            None => None,
        };
        let Some(policy) = policy else {
            return Ok(None);
        };
        let method = |id: &AuthenticatorId| Ok(self.method(id));
        let is_open = is_login_method_allowed(rows, (&cached.session, &policy), method, self.now)?;
        Ok(Some(is_open))
    }

    /// The policy of a session's identity. `None` if the identity may be disabled (the end of that
    /// is in its record), or if its type does not allow this login method.
    fn policy_id(&self, cached: &CachedSession) -> Option<AuthPolicyId> {
        let identities = self.app.projections().identities();
        let slot = identities.slot(cached.identity)?;
        let columns = identities.columns();
        let policy = columns.auth_policies().terms_of(slot).next();
        policy
            .filter(|_| !columns.disabled().contains(slot.bit()))
            .filter(|_| cached.session.opened_by.is_allowed_for(columns.kind(slot)))
            .map(AuthPolicyId::from_wire)
    }

    fn policy(
        &self,
        rows: Rows<'_>,
        id: &AuthPolicyId,
    ) -> Result<Option<Arc<AuthPolicy>>, StoreError> {
        self.policies.get_or_try_insert_with(id.clone(), || {
            let found = find_policy(rows, id)?;
            Ok(found.map(|found| found.entity))
        })
    }

    fn method(&self, id: &AuthenticatorId) -> Option<AuthenticatorMethod> {
        let authenticators = self.app.projections().authenticators();
        let slot = authenticators.slot_by_id(id.as_str())?;
        let columns = authenticators.columns();
        Some(if columns.is_certificate(slot) {
            AuthenticatorMethod::Certificate
        } else {
            AuthenticatorMethod::Password
        })
    }
}

#[cfg(test)]
mod tests;
