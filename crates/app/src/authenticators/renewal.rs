//! Renewal of certificates: a new one is issued, and replaces the old one once its holder confirms
//! it.
//!
//! Until then the old one is valid and the new one is not; afterwards it is the reverse. A client
//! that loses the response is therefore not locked out.

use super::{Renew, Update, find, find_own};
use crate::app::App;
use crate::error::{AppError, AuthenticatorError, CsrDeniedError};
use crate::session_revocation::SessionRevocation;
use crate::sessions;
use portcullis_domain::access::{AccessDeniedError, Caller, Permit};
use portcullis_domain::authenticator::{
    Authenticator, CertCredential, Credential, Renewal, RenewalError,
};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::AuthenticatorId;
use portcullis_pki::{Certificate, certificates_from_pem};
use portcullis_storage::tables::{Found, RowsMut};

/// Requests that the holder of a certificate renews it, with a new key if `roll_key` is set.
pub async fn request_extension(
    app: &App,
    permit: &Permit<Update>,
    id: &AuthenticatorId,
    roll_key: bool,
) -> Result<(), AppError> {
    let wanted = id.clone();
    let now = app.env().now();
    app.commit_for(permit, move |rows, _caller| {
        rows.set_operation("authenticator.request-extend", wanted.as_str());
        let found = find(rows.rows(), &wanted)?;
        let mut after = found.entity.clone();
        let Credential::Cert(cert) = &mut after.credential else {
            return Err(AppError::Denied {
                rule: Some(
                    "only certificates can be extended; this authenticator has the method updb",
                ),
            });
        };
        cert.request_extension(roll_key, now);
        after.updated_at = now;
        Ok(rows.replace(&found.key, &found.entity, &after)?)
    })
    .await?;
    Ok(())
}

/// Error for a CSR with the old key.
const NEW_KEY_REQUIRED: &str = "a new key is required, but this CSR has the current key; generate a new key pair \
     and send its CSR, or have an administrator cancel the key roll (request-extend with rollKeys \
     false)";

/// Issues the successor of the certificate of one of the caller's authenticators. The caller proves
/// to hold it by `chain`, in DER, leaf first. Returns the PEM of the new certificate and its
/// intermediates. An unconfirmed earlier one is discarded.
pub async fn extend(
    app: &App,
    permit: &Permit<Renew>,
    id: &AuthenticatorId,
    chain: &[&[u8]],
    csr: &str,
) -> Result<String, AppError> {
    let (current, fingerprint) = {
        let view = app.snapshot()?;
        let found = find_own(view.rows(), permit.caller(), id, |_id| {
            AccessDeniedError.into()
        })?;
        verify_holder(app, found.entity, chain)?
    };
    let csr = app
        .network()
        .parse_csr(csr)
        .map_err(|error| CsrDeniedError::Invalid(error.to_string()))?;
    let rolls_key = !current
        .public_key()
        .is_ok_and(|key| key.has_same_private_key(csr.public_key()));
    app.network()
        .serving_state()
        .reserved_names
        .check_certificate(&current)
        .map_err(|error| CsrDeniedError::Invalid(error.to_string()))?;
    app.count_own_change(permit.caller())?;
    let now = app.env().now();
    let signing = app.network().signing();
    let leaf = signing.renew_identity(&csr, &current, now, &*app.env().entropy)?;
    let renewal = Renewal {
        fingerprint: leaf.fingerprint().to_string(),
        pem: leaf.to_pem(),
        rolls_key,
    };
    let wanted = id.clone();
    app.commit_for(permit, move |rows, caller| {
        rows.set_operation("authenticator.extend", wanted.as_str());
        let found = find_own(rows.rows(), caller, &wanted, |_id| AccessDeniedError.into())?;
        let mut after = found.entity.clone();
        match &mut after.credential {
            Credential::Cert(cert) if cert.fingerprint == fingerprint => {
                if cert.must_roll_key() && !renewal.rolls_key {
                    return Err(CsrDeniedError::Invalid(NEW_KEY_REQUIRED.to_owned()).into());
                }
                cert.renewal = Some(renewal.clone());
            },
            // It was renewed in the meantime: the caller holds an old certificate.
            Credential::Cert(_) | Credential::Updb(_) => return Err(AccessDeniedError.into()),
        }
        after.updated_at = now;
        Ok(rows.replace(&found.key, &found.entity, &after)?)
    })
    .await?;
    Ok(signing.chain_pem(&leaf))
}

/// Replaces the current certificate by the pending one, if that is the first in `pem`. The caller's
/// session is rebound to it; other sessions of the old one end.
pub async fn confirm(
    app: &App,
    permit: &Permit<Renew>,
    id: &AuthenticatorId,
    pem: &str,
) -> Result<(), AppError> {
    let (wanted, revocation) = (id.clone(), SessionRevocation::new(app));
    let now = app.env().now();
    app.count_own_change(permit.caller())?;
    // What cannot be parsed does not match the pending certificate.
    let confirmed = certificates_from_pem(pem)
        .ok()
        .and_then(|certificates| certificates.into_iter().next())
        .map(|certificate| ConfirmedCertificate::new(app, &certificate));
    app.commit_for(permit, move |rows, caller| {
        rows.set_operation("authenticator.extend-verify", wanted.as_str());
        let found = find_own(rows.rows(), caller, &wanted, |_id| AccessDeniedError.into())?;
        activate_renewal(rows, caller, &found, confirmed.as_ref(), &revocation, now)
    })
    .await?;
    Ok(())
}

struct ConfirmedCertificate {
    fingerprint: String,
    /// End of validity, if the network's CA verified the certificate.
    not_after: Option<Timestamp>,
}

impl ConfirmedCertificate {
    fn new(app: &App, certificate: &Certificate) -> Self {
        let network = app.network();
        let above = network.signing().chain().map(Certificate::as_der);
        let chain: Vec<&[u8]> = std::iter::once(certificate.as_der()).chain(above).collect();
        Self {
            fingerprint: certificate.fingerprint().to_string(),
            not_after: network
                .find_client_chain(&chain, app.env().now())
                .ok()
                .map(|good| good.validity.not_after),
        }
    }
}

/// Checks that `chain` proves possession of the authenticator's certificate, and that this can be
/// renewed; returns the certificate and its fingerprint.
fn verify_holder(
    app: &App,
    authenticator: Authenticator,
    chain: &[&[u8]],
) -> Result<(Certificate, String), AppError> {
    if chain.is_empty() {
        return Err(AccessDeniedError.into());
    }
    let cert = match authenticator.credential {
        Credential::Cert(cert) if cert.is_issued_by_network => cert,
        Credential::Cert(_) | Credential::Updb(_) => {
            return Err(AuthenticatorError::NotUpdatable.into());
        },
    };
    // Expired certificates are renewed too: their holder has a session and proves possession of the
    // key.
    let presented = app
        .network()
        .find_client_chain(chain, app.env().now())
        .map_err(|_bad| AccessDeniedError)?;
    if presented.fingerprint.to_string() != cert.fingerprint {
        return Err(AccessDeniedError.into());
    }
    let current = parse_certificate(&cert)?;
    Ok((current, cert.fingerprint))
}

fn parse_certificate(cert: &CertCredential) -> Result<Certificate, AppError> {
    Ok(Certificate::from_pem(&cert.pem).map_err(|_none| AuthenticatorError::NotUpdatable)?)
}

/// Replaces the certificate of an authenticator by its pending one.
fn activate_renewal(
    rows: &mut RowsMut<'_>,
    caller: &Caller,
    found: &Found<Authenticator>,
    confirmed: Option<&ConfirmedCertificate>,
    revocation: &SessionRevocation,
    now: Timestamp,
) -> Result<(), AppError> {
    let mut after = found.entity.clone();
    let Credential::Cert(cert) = &mut after.credential else {
        return Err(AuthenticatorError::NotUpdatable.into());
    };
    let old = cert.fingerprint.clone();
    let new = confirmed.map(|confirmed| &*confirmed.fingerprint);
    cert.renew(new.unwrap_or_default())
        .map_err(|error| match error {
            RenewalError::NothingPending => AuthenticatorError::NotUpdatable,
            RenewalError::AnotherPending => AuthenticatorError::UnexpectedCertificate,
        })?;
    let fingerprint = cert.fingerprint.clone();
    let not_after = confirmed
        .and_then(|confirmed| confirmed.not_after)
        .ok_or(AuthenticatorError::UnexpectedCertificate)?;
    after.updated_at = now;
    rows.replace(&found.key, &found.entity, &after)?;
    sessions::rebind(rows, caller, &old, (fingerprint, not_after), now)?;
    // Sessions opened with the old key must not continue.
    sessions::end_other_sessions(rows, caller, found, revocation)
}
