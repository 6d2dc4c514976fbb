//! Renewing certificates: another one is issued, and takes the place of the old one as soon as its
//! holder confirms that it has it.
//!
//! Until then the old one is good and the new one opens nothing; from then on it is the other way
//! round. So a client that loses the answer is not locked out.

use super::{Renew, Update, find, find_own};
use crate::app::App;
use crate::error::AppError;
use crate::network::not_issued;
use crate::sessions;
use portcullis_domain::access::{Caller, Denied, Permit};
use portcullis_domain::authenticator::{
    Authenticator, CertCredential, Credential, NotRenewed, Renewal,
};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::AuthenticatorId;
use portcullis_pki::{Certificate, certificates_from_pem};
use portcullis_storage::tables::{Found, RowsMut};

/// Asks the holder of a certificate to renew it, and to take another key if `roll_key` is set.
pub async fn request_extension(
    app: &App,
    permit: &Permit<Update>,
    id: &AuthenticatorId,
    roll_key: bool,
) -> Result<(), AppError> {
    let wanted = id.clone();
    let now = app.env().now();
    app.commit_for(permit, move |rows, _caller| {
        rows.operation("authenticator.request-extend", wanted.as_str());
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

/// Why a request with the old key is not granted.
const OLD_KEY: &str = "a new key is required, but this CSR has the current key; generate a new key pair \
     and send its CSR, or have an administrator cancel the key roll (request-extend with rollKeys \
     false)";

/// Issues the successor of the certificate of one of the caller's authenticators, whose holder the
/// caller proves to be: `chain`, in DER, is what it presents, leaf first. Answers the new
/// certificate and those between it and the root, PEM. One that was issued before and not confirmed
/// is forgotten.
pub async fn extend(
    app: &App,
    permit: &Permit<Renew>,
    id: &AuthenticatorId,
    chain: &[&[u8]],
    csr: &str,
) -> Result<String, AppError> {
    let (current, fingerprint) = {
        let view = app.snapshot()?;
        let found = find_own(view.rows(), permit.caller(), id, |_id| Denied.into())?;
        prove(app, found.entity, chain)?
    };
    let csr = app
        .network()
        .read_csr(csr)
        .map_err(|error| AppError::Csr(error.to_string()))?;
    let rolls_key = !current
        .public_key()
        .is_ok_and(|key| key.shares_secret_with(csr.public_key()));
    app.network()
        .served()
        .reserved_names
        .check_certificate(&current)
        .map_err(|error| AppError::Csr(error.to_string()))?;
    app.count_own_change(permit.caller())?;
    let now = app.env().now();
    let signing = app.network().signing();
    let leaf = signing
        .renew_identity(&csr, &current, now, &*app.env().entropy)
        .map_err(not_issued)?;
    let renewal = Renewal {
        fingerprint: leaf.fingerprint().to_string(),
        pem: leaf.to_pem(),
        rolls_key,
    };
    let wanted = id.clone();
    app.commit_for(permit, move |rows, caller| {
        rows.operation("authenticator.extend", wanted.as_str());
        let found = find_own(rows.rows(), caller, &wanted, |_id| Denied.into())?;
        let mut after = found.entity.clone();
        match &mut after.credential {
            Credential::Cert(cert) if cert.fingerprint == fingerprint => {
                if cert.must_roll_key() && !renewal.rolls_key {
                    return Err(AppError::Csr(OLD_KEY.to_owned()));
                }
                cert.renewal = Some(renewal.clone());
            },
            // It was renewed meanwhile: what the caller holds is an old certificate.
            Credential::Cert(_) | Credential::Updb(_) => return Err(Denied.into()),
        }
        after.updated_at = now;
        Ok(rows.replace(&found.key, &found.entity, &after)?)
    })
    .await?;
    Ok(signing.chain_pem(&leaf))
}

/// Puts the certificate that was issued last in the place of the current one, if it is the first in
/// `pem`. The caller's session goes over to it; the others that the old one opened end.
pub async fn confirm(
    app: &App,
    permit: &Permit<Renew>,
    id: &AuthenticatorId,
    pem: &str,
) -> Result<(), AppError> {
    let wanted = id.clone();
    let now = app.env().now();
    app.count_own_change(permit.caller())?;
    // What cannot be read is the fingerprint of nothing that is pending.
    let confirmed = certificates_from_pem(pem)
        .ok()
        .and_then(|certificates| certificates.into_iter().next())
        .map(|certificate| Confirmed::new(app, &certificate));
    app.commit_for(permit, move |rows, caller| {
        rows.operation("authenticator.extend-verify", wanted.as_str());
        let found = find_own(rows.rows(), caller, &wanted, |_id| Denied.into())?;
        swap(rows, caller, &found, confirmed.as_ref(), now)
    })
    .await?;
    Ok(())
}

/// A certificate that its holder confirms to have.
struct Confirmed {
    fingerprint: String,
    /// Until when it is good, and all that vouches for it; `None` if it is not of the network.
    not_after: Option<Timestamp>,
}

impl Confirmed {
    fn new(app: &App, certificate: &Certificate) -> Self {
        let network = app.network();
        let above = network.signing().chain().map(Certificate::as_der);
        let chain: Vec<&[u8]> = std::iter::once(certificate.as_der()).chain(above).collect();
        Self {
            fingerprint: certificate.fingerprint().to_string(),
            not_after: network
                .judge(&chain)
                .ok()
                .map(|good| good.validity.not_after),
        }
    }
}

/// Checks that whoever presents `chain` holds the certificate of an authenticator, and that it can
/// be renewed; answers the certificate and its fingerprint.
fn prove(
    app: &App,
    authenticator: Authenticator,
    chain: &[&[u8]],
) -> Result<(Certificate, String), AppError> {
    if chain.is_empty() {
        return Err(Denied.into());
    }
    let cert = match authenticator.credential {
        Credential::Cert(cert) if cert.is_issued_by_network => cert,
        Credential::Cert(_) | Credential::Updb(_) => return Err(AppError::AuthenticatorUnfit),
    };
    // Expired certificates are renewed too: their holder has a session, and proves to hold the key.
    let presented = app.network().judge(chain).map_err(|_bad| Denied)?;
    if presented.fingerprint.to_string() != cert.fingerprint {
        return Err(Denied.into());
    }
    let current = leaf(&cert)?;
    Ok((current, cert.fingerprint))
}

/// The certificate that an authenticator keeps.
fn leaf(cert: &CertCredential) -> Result<Certificate, AppError> {
    Certificate::from_pem(&cert.pem).map_err(|_none| AppError::AuthenticatorUnfit)
}

/// Lets the pending certificate of an authenticator take its place.
fn swap(
    rows: &mut RowsMut<'_>,
    caller: &Caller,
    found: &Found<Authenticator>,
    confirmed: Option<&Confirmed>,
    now: Timestamp,
) -> Result<(), AppError> {
    let mut after = found.entity.clone();
    let Credential::Cert(cert) = &mut after.credential else {
        return Err(AppError::AuthenticatorUnfit);
    };
    let old = cert.fingerprint.clone();
    let new = confirmed.map(|confirmed| &*confirmed.fingerprint);
    cert.renew(new.unwrap_or_default())
        .map_err(|error| match error {
            NotRenewed::NothingPending => AppError::AuthenticatorUnfit,
            NotRenewed::AnotherPending => AppError::UnexpectedCertificate,
        })?;
    let fingerprint = cert.fingerprint.clone();
    let not_after = confirmed
        .and_then(|confirmed| confirmed.not_after)
        .ok_or(AppError::UnexpectedCertificate)?;
    after.updated_at = now;
    rows.replace(&found.key, &found.entity, &after)?;
    sessions::move_to(rows, caller, &old, (fingerprint, not_after))?;
    // Whoever has the old key is not to go on with it.
    Ok(sessions::end_others(rows, caller, found)?)
}
