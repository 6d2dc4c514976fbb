//! API sessions: login, the session behind a token, logout, expiry.

mod binding;
mod certificates;
mod judge;
mod known;
mod list;
mod login;
mod look;
mod room;
mod second_token;
mod totp;
mod upkeep;

pub(crate) use binding::{end_others, move_to};
pub use certificates::{
    CreateCertificate, DeleteCertificate, NewCertificate, ReadCertificates, create_certificate,
    delete_certificate, list_certificates, read_certificate,
};
pub(crate) use known::Known;
pub(crate) use list::check_endable;
pub use list::{Delete, ForeignSession, Read, delete, list, read};
pub(crate) use login::{Attempt, Guess, forgive, note_refusal};
pub use login::{Login, LoginError, NewSession, with_certificate, with_password, with_token};
pub(crate) use totp::{enroll_in_totp, pass_totp};
pub(crate) use upkeep::Round;
pub use upkeep::{flush_activity, sweep};

use judge::{Live, authenticator_of, judge};
use look::{StillOpen, look, questions};

use crate::action::actions;
use crate::app::App;
use crate::error::AppError;
use crate::identities::policy_of;
use crate::signers::BearerTokens;
use portcullis_domain::access::{Access, Caller, Denied, Origin, Permit, Standing};
use portcullis_domain::api_session::{ApiSession, OpenFactor, SessionLifetimes, TokenHash};
use portcullis_domain::audit::Actor;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::Identity;
use portcullis_domain::view::ApiSessionView;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{API_SESSION, Found, Index, Rows, UniqueValue, identity_key};
use std::sync::Arc;

actions! {
    /// Reads the caller's own session.
    ReadOwn = Access::Partial;
    /// Ends the caller's own session.
    End = Access::Partial;
}

const TOKEN_DOMAIN: &str = "api session token";

/// The hash under which a session's token is found.
pub(crate) fn hash(app: &App, token: &str) -> TokenHash {
    TokenHash(app.vault.lookup_hash(TOKEN_DOMAIN, token.as_bytes()))
}

/// What a request presents to be taken for the holder of a session.
#[derive(Debug, Clone, Copy)]
pub struct Presented<'p> {
    /// The token of the session.
    pub token: &'p str,
    /// The certificates of the connection, in DER, the one whose key was proved first.
    pub certificates: &'p [&'p [u8]],
    /// The tokens of external signers that came along.
    pub tokens: &'p BearerTokens,
}

/// Finds out who presents the token of a session, and counts it as activity.
///
/// Everything is read from the store as it is now: a session whose identity was deleted, disabled
/// or demoted a moment ago has that effect at once. `None` for a token that opens nothing.
pub async fn resolve(
    app: &App,
    presented: Presented<'_>,
    origin: Origin,
) -> Result<Option<Arc<Caller>>, AppError> {
    let Some(live) = find_kept(app, presented)? else {
        return Ok(None);
    };
    let (identity, policy) = (&live.identity.entity, &live.policy);
    let proof = second_token::prove(app, identity, policy, presented.tokens).await?;
    Ok(Some(Arc::new(
        live.into_caller(origin, proof.ok().flatten()),
    )))
}

/// Finds the session of a request, if whoever presents its token may use it.
fn find_kept(app: &App, presented: Presented<'_>) -> Result<Option<Live>, AppError> {
    let view = app.snapshot()?;
    let hash = hash(app, presented.token);
    let Some(live) = find_live(app, view.rows(), hash)? else {
        return Ok(None);
    };
    if !binding::is_kept(app, view.rows(), &live.session, presented.certificates)? {
        return Ok(None);
    }
    app.projections().sessions().touch(hash, app.env().now());
    Ok(Some(live))
}

/// Finds out what a caller is now, inside a transaction that acts for it.
///
/// # Errors
///
/// [`AppError::Denied`] when its session is over.
pub(crate) fn again(
    rows: Rows<'_>,
    caller: &Caller,
    lifetimes: SessionLifetimes,
    now: Timestamp,
) -> Result<Caller, AppError> {
    let key = own_key(caller);
    let session = rows.share(&key)?.map(|entity| Found { key, entity });
    match session
        .map(|session| judge(rows, session, lifetimes, now))
        .transpose()?
        .flatten()
    {
        Some(live) => {
            let proof = match &caller.proof {
                Some(proof) if second_token::holds(rows, &live.identity.entity, proof)? => {
                    Some(proof.clone())
                },
                Some(_) | None => None,
            };
            Ok(live.into_caller(caller.origin.clone(), proof))
        },
        None => Err(Denied.into()),
    }
}

/// Checks that nothing is open for a caller but TOTP: what a session may do to answer that factor is
/// not for whoever lacks another one.
pub(crate) fn require_token(rows: Rows<'_>, caller: &Caller) -> Result<(), AppError> {
    if caller.standing == Standing::Full {
        return Ok(());
    }
    let key = own_key(caller);
    let session: ApiSession = rows.get(&key)?.ok_or(Denied)?;
    let identity: Identity = rows
        .get(&identity_key(caller.identity_number))?
        .ok_or(Denied)?;
    let policy = policy_of(rows, &identity)?;
    let proved = caller.proof.as_ref().map(|proof| &proof.signer);
    let lacks_token = session
        .open_factors(&policy, proved)
        .iter()
        .any(|factor| matches!(factor, OpenFactor::Token(_)));
    if lacks_token {
        return Err(AppError::Denied {
            rule: Some(
                "the auth policy requires a JWT of an external signer; send it as a bearer token \
                 in the Authorization header",
            ),
        });
    }
    Ok(())
}

fn find_live(app: &App, rows: Rows<'_>, hash: TokenHash) -> Result<Option<Live>, AppError> {
    let by_token = UniqueValue::new(Index::ApiSessionToken, hash.0);
    let Some(session) = rows.find_shared::<ApiSession>(&by_token)? else {
        return Ok(None);
    };
    living(app, rows, session, app.env().now())
}

/// Whether a session still lets its holder in at a moment, whoever asks.
pub(crate) fn is_living(
    app: &App,
    rows: Rows<'_>,
    session: Found<Arc<ApiSession>>,
    now: Timestamp,
) -> Result<bool, AppError> {
    Ok(living(app, rows, session, now)?.is_some())
}

/// A session with what it depends on; `None` when it is over.
fn living(
    app: &App,
    rows: Rows<'_>,
    session: Found<Arc<ApiSession>>,
    now: Timestamp,
) -> Result<Option<Live>, AppError> {
    let last_activity = last_activity(app, &session.entity);
    if now >= ApiSession::expires_at(last_activity, app.settings().session_timeout) {
        Ok(None)
    } else {
        judge(rows, session, app.settings().session_lifetimes, now)
    }
}

/// The key of a caller's own session.
pub(crate) fn own_key(caller: &Caller) -> RecordKey {
    identity_key(caller.identity_number).dependent(API_SESSION, caller.session_number.0)
}

/// When a session was last used: what memory knows is newer than what the store knows.
fn last_activity(app: &App, session: &ApiSession) -> Timestamp {
    app.projections()
        .sessions()
        .find(session.token_hash)
        .map_or(session.last_activity_at, |seen| {
            seen.last_activity_at().max(session.last_activity_at)
        })
}

/// Reads the caller's own session.
pub fn read_own(app: &App, permit: &Permit<ReadOwn>) -> Result<ApiSessionView, AppError> {
    let caller = permit.caller();
    let view = app.snapshot()?;
    let key = own_key(caller);
    let gone = || AppError::not_found("API session", caller.session.as_str());
    let session: Arc<ApiSession> = view.rows().share(&key)?.ok_or_else(gone)?;
    let identity: Arc<Identity> = view
        .rows()
        .share(&identity_key(caller.identity_number))?
        .ok_or_else(gone)?;
    let policy = policy_of(view.rows(), &identity)?;
    let proved = caller.proof.as_ref().map(|proof| &proof.signer);
    let open = StillOpen::read(view.rows(), &session, &identity, &policy, proved)?;
    Ok(look(app, Arc::unwrap_or_clone(session), &identity, open))
}

/// Ends the caller's own session.
pub async fn end(app: &App, permit: &Permit<End>) -> Result<(), AppError> {
    let caller = permit.caller();
    let key = own_key(caller);
    app.commit(Actor::caller(caller), move |rows| {
        rows.removal("end");
        // It may have ended meanwhile, which is what was wanted.
        let session = rows.rows().get::<ApiSession>(&key)?;
        if let Some(session) = &session {
            rows.remove(&key, session)?;
        }
        Ok::<_, AppError>(())
    })
    .await
}
