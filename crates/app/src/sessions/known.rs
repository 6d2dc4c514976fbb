//! What memory knows of whether sessions still live.
//!
//! Lists ask about many of them. The read model has the sessions, and of identities and authenticators
//! as much as it takes in most cases; the rules are those of [`judge`](super::judge). What is read are
//! the policies, each once, and the authorities and signers that opened sessions.

use super::judge::{Method, is_way_open};
use crate::app::App;
use crate::error::AppError;
use crate::identities::find_policy;
use crate::remembered::Remembered;
use portcullis_domain::api_session::{ApiSession, TokenHash};
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::{AuthPolicyId, AuthenticatorId, Number};
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::Rows;
use std::sync::Arc;

/// Sessions, as far as memory knows them, each judged once.
pub(crate) struct Known<'a> {
    app: &'a App,
    now: Timestamp,
    policies: Remembered<AuthPolicyId, Option<Arc<AuthPolicy>>>,
    verdicts: Remembered<Number, Option<bool>>,
}

/// A session in memory.
struct Seen {
    number: Number,
    identity: Number,
    session: Arc<ApiSession>,
    last_activity_at: Timestamp,
}

impl<'a> Known<'a> {
    /// As they are at a moment.
    pub(crate) fn new(app: &'a App, now: Timestamp) -> Self {
        Self {
            app,
            now,
            policies: Remembered::default(),
            verdicts: Remembered::default(),
        }
    }

    /// Whether the session of a token still lets its holder in. `None` if the records have to tell.
    pub(crate) fn is_living(
        &self,
        rows: Rows<'_>,
        token: TokenHash,
    ) -> Result<Option<bool>, AppError> {
        let Some(seen) = self.find(token) else {
            return Ok(None);
        };
        self.verdicts
            .try_get(seen.number, || self.judge(rows, &seen))
    }

    fn find(&self, token: TokenHash) -> Option<Seen> {
        let sessions = self.app.projections().sessions();
        sessions.find(token).map(|found| Seen {
            number: found.number,
            identity: found.owner,
            session: Arc::clone(found.record),
            last_activity_at: found.last_activity_at().max(found.record.last_activity_at),
        })
    }

    fn judge(&self, rows: Rows<'_>, seen: &Seen) -> Result<Option<bool>, AppError> {
        let timeout = self.app.settings().session_timeout;
        if self.now >= ApiSession::expires_at(seen.last_activity_at, timeout) {
            return Ok(Some(false));
        }
        let lifetimes = self.app.settings().session_lifetimes;
        if lifetimes.may_be_over(&seen.session, self.now) {
            // It depends on the rank of its identity, which its record tells.
            return Ok(None);
        }
        let policy = match self.governing(seen) {
            Some(id) => self.policy(rows, &id)?,
            None => None,
        };
        let Some(policy) = policy else {
            return Ok(None);
        };
        let method = |id: &AuthenticatorId| Ok(self.method(id));
        let is_open = is_way_open(rows, (&seen.session, &policy), method, self.now)?;
        Ok(Some(is_open))
    }

    /// The policy of the identity of a session; `None` if that may be shut out, for until when is in its
    /// record, or has come by a way that is none for its type.
    fn governing(&self, seen: &Seen) -> Option<AuthPolicyId> {
        let identities = self.app.projections().identities();
        let slot = identities.slot(seen.identity)?;
        let columns = identities.columns();
        let policy = columns.auth_policies().of(slot).next();
        policy
            .filter(|_| !columns.disabled().contains(slot.bit()))
            .filter(|_| seen.session.opened_by.fits(columns.kind(slot)))
            .map(AuthPolicyId::from_wire)
    }

    fn policy(
        &self,
        rows: Rows<'_>,
        id: &AuthPolicyId,
    ) -> Result<Option<Arc<AuthPolicy>>, StoreError> {
        self.policies.try_get(id.clone(), || {
            let found = find_policy(rows, id)?;
            Ok(found.map(|found| found.entity))
        })
    }

    fn method(&self, id: &AuthenticatorId) -> Option<Method> {
        let authenticators = self.app.projections().authenticators();
        let slot = authenticators.slot_by_id(id.as_str())?;
        let columns = authenticators.columns();
        Some(if columns.is_certificate(slot) {
            Method::Certificate
        } else {
            Method::Password
        })
    }
}
