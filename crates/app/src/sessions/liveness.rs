//! Validity of sessions by the read model.
//!
//! Lists depend on many sessions of others. The read model has the sessions, and nearly all facts
//! about identities and authenticators; policies, CAs and signers are read from the cache of the
//! view.

use super::{idle_end, is_idle};
use crate::app::App;
use crate::error::AppError;
use crate::records::find_policy;
use crate::session_validity::{AuthenticatorMethod, SessionFacts};
use portcullis_domain::api_session::{ApiSession, OpenFactor, OpenedBy, TokenHash};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{AuthPolicyId, RecordNumber};
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{Rows, identity_key};
use std::sync::Arc;

/// What is known of a valid session.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Standing {
    /// Whether no TOTP code is missing.
    pub(crate) is_complete: bool,
    /// When it ends if it is not used any more and nothing changes; `None` for never.
    pub(crate) ends_at: Option<Timestamp>,
}

/// Whether the session with a token is valid at a moment.
pub(crate) fn is_live(
    app: &App,
    rows: Rows<'_>,
    token: TokenHash,
    now: Timestamp,
) -> Result<bool, AppError> {
    let found = {
        let sessions = app.projections().sessions();
        let found = sessions.find(token);
        found.map(|found| (found.owner, Arc::clone(found.record)))
    };
    match found {
        Some((owner, session)) => Ok(standing(app, rows, (owner, &session), now)?.is_some()),
        None => Ok(false),
    }
}

/// The standing of a session of an identity at a moment; `None` if it is over.
pub(crate) fn standing(
    app: &App,
    rows: Rows<'_>,
    (owner, session): (RecordNumber, &ApiSession),
    now: Timestamp,
) -> Result<Option<Standing>, AppError> {
    if is_idle(app, session, now) {
        return Ok(None);
    }
    let facts = match facts_in_memory(app, rows, owner, session)? {
        Some(facts) => facts,
        None => match rows.get_shared::<Identity>(&identity_key(owner))? {
            Some(identity) => SessionFacts::from_records(rows, session, &identity, now)?,
            None => return Ok(None),
        },
    };
    let lifetimes = app.settings().session_lifetimes;
    if !facts.are_valid(rows, lifetimes, now)? {
        return Ok(None);
    }
    let open = session.open_factors(&facts.policy, None);
    let ends = [facts.ends_at(lifetimes), idle_end(app, session)];
    Ok(Some(Standing {
        is_complete: !open.contains(&OpenFactor::Totp),
        ends_at: ends.into_iter().flatten().min(),
    }))
}

/// The facts about a session. `None` if its identity may be disabled, since the end of that is only
/// in its record, or if its policy is newer than the view.
fn facts_in_memory<'s>(
    app: &App,
    rows: Rows<'_>,
    identity: RecordNumber,
    session: &'s ApiSession,
) -> Result<Option<SessionFacts<'s>>, StoreError> {
    let known = {
        let identities = app.projections().identities();
        let columns = identities.columns();
        let slot = identities.slot(identity);
        slot.filter(|slot| !columns.disabled().contains(slot.bit()))
            .and_then(|slot| {
                let policy = columns.auth_policies().terms_of(slot).next()?;
                let policy = AuthPolicyId::from_wire(policy);
                Some((columns.has_admin_rights(slot), columns.kind(slot), policy))
            })
    };
    let Some((is_admin, kind, policy)) = known else {
        return Ok(None);
    };
    let policy = find_policy(rows, &policy)?;
    Ok(policy.map(|policy| SessionFacts {
        session,
        is_admin,
        is_disabled: false,
        kind,
        policy: policy.entity,
        authenticator: find_method(app, session),
    }))
}

/// The method of the authenticator that opened a session.
fn find_method(app: &App, session: &ApiSession) -> Option<AuthenticatorMethod> {
    let OpenedBy::Authenticator(id) = &session.opened_by else {
        return None;
    };
    let authenticators = app.projections().authenticators();
    let slot = authenticators.slot_by_id(id.as_str())?;
    Some(if authenticators.columns().is_certificate(slot) {
        AuthenticatorMethod::Certificate
    } else {
        AuthenticatorMethod::Password
    })
}

#[cfg(test)]
mod tests;
