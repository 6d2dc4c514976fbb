//! Binding of sessions to the certificate that opened them.

use crate::app::App;
use crate::error::AppError;
use crate::records::{login_authenticator, own_session_key};
use crate::session_revocation::SessionRevocation;
use portcullis_domain::access::Caller;
use portcullis_domain::api_session::{ApiSession, LoginCertificate, OpenedBy};
use portcullis_domain::authenticator::{Authenticator, Credential};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::session_certificate::SessionCertificate;
use portcullis_oidc::claims::SessionFacts;
use portcullis_pki::{Fingerprint, SpiffePath};
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{Found, Rows, RowsMut, UniqueIndex, UniqueValue, identity_key};
use std::sync::Arc;

/// Whether a client with this certificate chain, in DER and leaf first, may use a session.
///
/// A session that was opened by a certificate is refused to clients that prove to be somebody else.
/// Accepted are that certificate, its predecessor or successor, another authenticator of the same
/// identity, and a certificate issued for this session. Clients without a certificate are accepted,
/// since some only have the token; so is any client of a session that was opened in another way.
pub(super) fn is_satisfied(
    app: &App,
    rows: Rows<'_>,
    session: &Found<Arc<ApiSession>>,
    certificates: &[&[u8]],
) -> Result<bool, StoreError> {
    let session = &session.entity;
    let (Some(bound), Some(leaf)) = (&session.certificate, certificates.first()) else {
        return Ok(true);
    };
    let fingerprint = Fingerprint::of_der(leaf).to_string();
    if bound.is_or_replaced(&fingerprint) {
        return Ok(true);
    }
    let by_fingerprint =
        UniqueValue::new(UniqueIndex::AuthenticatorFingerprint, fingerprint.as_str());
    let authenticator: Option<Found<Arc<Authenticator>>> = rows.find_shared(&by_fingerprint)?;
    if let Some(authenticator) = authenticator {
        return Ok(authenticator.entity.identity == session.identity);
    }
    Ok(is_pending_renewal(rows, session, &fingerprint)?
        || is_session_certificate(app, rows, session, certificates)?)
}

/// Whether a token counts on a connection with this chain, in DER and leaf first. A token that is
/// bound to no certificate counts everywhere.
///
/// The certificate of the login is the one that the session names now: it may have been renewed
/// through the session since the token was issued, also more than once. The one before it counts
/// for the lifetime of an access token, for connections that are open and the tokens they use.
pub(crate) fn is_bound_to(
    app: &App,
    rows: Rows<'_>,
    session: &ApiSession,
    token: &SessionFacts,
    certificates: &[&[u8]],
) -> Result<bool, StoreError> {
    if !token.is_bound() {
        return Ok(true);
    }
    let Some(leaf) = certificates.first() else {
        return Ok(false);
    };
    let fingerprint = Fingerprint::of_der(leaf).to_string();
    let (grace, now) = (app.oidc.access_token_lifetime, app.env().now());
    let is_of_login = session.certificate.as_ref().is_some_and(|certificate| {
        token.is_bound_to_login() && certificate.is_or_replaced_within(&fingerprint, grace, now)
    });
    Ok(is_of_login
        || token.is_bound_to_issued(&fingerprint)
        || is_session_certificate(app, rows, session, certificates)?)
}

/// Whether a certificate is the pending renewal of the one that opened a session.
fn is_pending_renewal(
    rows: Rows<'_>,
    session: &ApiSession,
    fingerprint: &str,
) -> Result<bool, StoreError> {
    let authenticator = login_authenticator(rows, session)?;
    Ok(
        match authenticator.as_ref().map(|found| &found.entity.credential) {
            Some(Credential::Cert(cert)) => cert
                .renewal
                .as_ref()
                .is_some_and(|renewal| renewal.fingerprint == fingerprint),
            Some(Credential::Updb(_)) | None => false,
        },
    )
}

/// Whether a certificate was issued for a session and still belongs to it.
fn is_session_certificate(
    app: &App,
    rows: Rows<'_>,
    session: &ApiSession,
    certificates: &[&[u8]],
) -> Result<bool, StoreError> {
    let issued_to = app
        .network()
        .find_client_chain(certificates, app.env().now())
        .ok()
        .and_then(|chain| chain.issued_to);
    let Some(SpiffePath::ApiSessionCertificate { certificate, .. }) = issued_to.as_deref() else {
        return Ok(false);
    };
    let by_id = UniqueValue::new(UniqueIndex::SessionCertificateId, certificate.as_str());
    let found: Option<Found<SessionCertificate>> = rows.find(&by_id)?;
    Ok(found.is_some_and(|found| found.entity.session == session.token_hash))
}

/// Binds the caller's session to the successor of the certificate with the fingerprint `old`, if
/// that one opened it. The successor is given by its fingerprint and the end of its validity.
pub(crate) fn rebind(
    rows: &mut RowsMut<'_>,
    caller: &Caller,
    old: &str,
    (fingerprint, not_after): (String, Timestamp),
    now: Timestamp,
) -> Result<(), AppError> {
    let key = own_session_key(caller);
    let Some(session) = rows.rows().get::<ApiSession>(&key)? else {
        return Ok(());
    };
    let is_by_old = |bound: &LoginCertificate| bound.fingerprint == old;
    if !session.certificate.as_ref().is_some_and(is_by_old) {
        return Ok(());
    }
    let mut after = session.clone();
    after.certificate = Some(LoginCertificate {
        fingerprint,
        previous: Some(old.to_owned()),
        replaced_at: Some(now),
        not_after,
        ca: None,
    });
    // The new certificate comes with its full chain.
    after.improper_client_cert_chain = false;
    Ok(rows.replace(&key, &session, &after)?)
}

/// Ends the sessions that an authenticator opened, except the caller's own.
pub(crate) fn end_other_sessions(
    rows: &mut RowsMut<'_>,
    caller: &Caller,
    authenticator: &Found<Authenticator>,
    revocation: &SessionRevocation,
) -> Result<(), AppError> {
    let owner = identity_key(authenticator.root_number());
    let opened_by = OpenedBy::Authenticator(authenticator.entity.id.clone());
    revocation.end_those_of(rows, &owner, |session| {
        session.opened_by == opened_by && session.id != caller.session
    })
}

#[cfg(test)]
mod tests;
