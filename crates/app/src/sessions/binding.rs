//! Sessions that a certificate opened are not for whoever holds another one.

use super::own_key;
use crate::app::App;
use crate::error::AppError;
use portcullis_domain::access::Caller;
use portcullis_domain::api_session::{ApiSession, LoginCertificate};
use portcullis_domain::authenticator::Authenticator;
use portcullis_domain::clock::Timestamp;
use portcullis_pki::Fingerprint;
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{Found, Index, Rows, RowsMut, UniqueValue};

/// Whether a connection with the given client certificates, in DER and leaf first, may use a session.
///
/// A session that was opened by a certificate is refused to a client that proves to be somebody
/// else: it may present that certificate or another one of the same identity, such as its renewal.
/// A client that presents none is let in, since clients that only have the token are in use; so is
/// any client of a session that was opened in another way.
pub(super) fn is_kept(
    app: &App,
    rows: Rows<'_>,
    session: &Found<ApiSession>,
    certificates: &[&[u8]],
) -> Result<bool, StoreError> {
    let (Some(bound), Some(leaf)) = (&session.entity.certificate, certificates.first()) else {
        return Ok(true);
    };
    let fingerprint = Fingerprint::of_der(leaf).to_string();
    if bound.fingerprint == fingerprint {
        return Ok(true);
    }
    let by_fingerprint = UniqueValue::new(Index::AuthenticatorFingerprint, fingerprint);
    let authenticator: Option<Found<Authenticator>> = rows.find(&by_fingerprint)?;
    if let Some(authenticator) = authenticator {
        return Ok(authenticator.entity.identity == session.entity.identity);
    }
    let issued_to = app
        .network()
        .judge(certificates)
        .ok()
        .and_then(|chain| chain.issued_to);
    Ok(issued_to.is_some_and(|identity| *identity == session.entity.identity))
}

/// Binds the caller's session to the successor of the certificate with the fingerprint `old`, if it
/// was opened by that one: the new fingerprint, and the last second of its validity.
pub(crate) fn move_to(
    rows: &mut RowsMut<'_>,
    caller: &Caller,
    old: &str,
    (fingerprint, not_after): (String, Timestamp),
) -> Result<(), AppError> {
    let key = own_key(caller);
    let Some(session) = rows.rows().get::<ApiSession>(&key)? else {
        return Ok(());
    };
    let is_by_old = |bound: &LoginCertificate| bound.fingerprint == old;
    if !session.certificate.as_ref().is_some_and(is_by_old) {
        return Ok(());
    }
    let after = ApiSession {
        certificate: Some(LoginCertificate {
            fingerprint,
            not_after,
            ca: None,
        }),
        ..session.clone()
    };
    Ok(rows.replace(&key, &session, &after)?)
}
