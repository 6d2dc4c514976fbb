//! Session certificates, and the login certificate.
//!
//! Issued certificates are records that are deleted with their session. The login certificate is
//! stored with its authenticator, so a login writes nothing for it.

use crate::action::actions;
use crate::app::App;
use crate::error::{AppError, CsrDeniedError, NotAllowedError};
use crate::listing::{self, Parameters, kinds, kinds::SessionCertificateRow};
use crate::records::{login_authenticator, own_session_key};
use portcullis_domain::access::{Access, AccessDeniedError, Caller, Permit};
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::authenticator::Credential;
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::ids::{self, SessionCertificateId};
use portcullis_domain::quota::StoredSize as _;
use portcullis_domain::session_certificate::{CertificateInfo, SessionCertificate};
use portcullis_domain::view::{Page, SessionCertificateView};
use portcullis_pki::{Certificate, Csr, SpiffePath};
use portcullis_storage::engine::StoreError;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{
    Found, Rows, RowsMut, SESSION_CERTIFICATE, UniqueIndex, UniqueValue, identity_key,
};

actions! {
    ReadCertificates = Access::Full;
    CreateCertificate = Access::Full;
    DeleteCertificate = Access::Full;
}

/// Maximum number of certificates of one session. They are valid for twelve hours, and a client
/// that needs more than a few at a time has lost the others.
const MAX_CERTIFICATES: usize = 8;

/// How long a certificate is valid, counted from a little before it is issued.
const LIFETIME: SignedDuration = SignedDuration::from_hours(12);

/// Domain of the keyed hash that yields the ids of login certificates.
const LOGIN_DOMAIN: &str = "certificate of a login";

#[derive(Debug)]
pub struct NewCertificate {
    pub id: SessionCertificateId,
    /// PEM of the certificate and its intermediates, without the root.
    pub chain: String,
}

/// Issues a certificate for the caller's own session. The oldest ones are deleted when the session
/// has too many or the identity exceeds its quota.
pub async fn create_certificate(
    app: &App,
    permit: &Permit<CreateCertificate>,
    csr: &str,
) -> Result<NewCertificate, AppError> {
    let caller = permit.caller();
    // The subject of the CSR is ignored.
    let csr = Csr::from_pem(csr).map_err(|error| CsrDeniedError::Invalid(error.to_string()))?;
    app.count_own_change(caller)?;
    let id = SessionCertificateId::generate(&*app.env().entropy)?;
    let leaf = issue(app, caller, &id, &csr)?;
    let chain = app.network().signing().chain_pem(&leaf);
    let facts = certificate_info(&leaf, chain.clone());
    let number = app.next_number(SESSION_CERTIFICATE);
    let (now, new) = (app.env().now(), id.clone());
    let quota = app.settings().storage_quota.session_certificates();
    app.commit_for(permit, move |rows, caller| {
        let session = own_session(rows.rows(), caller)?;
        evict_from_session(rows, &session.key)?;
        let certificate = SessionCertificate {
            id: new.clone(),
            created_at: now,
            session: session.entity.token_hash,
            certificate: facts.clone(),
        };
        let identity = identity_key(caller.identity_number);
        let remaining_quota = quota.saturating_sub(certificate.stored_bytes());
        evict_from_identity(rows, &identity, remaining_quota)?;
        let key = identity.dependent(SESSION_CERTIFICATE, number.0);
        Ok(rows.insert(&key, &certificate)?)
    })
    .await?;
    Ok(NewCertificate { id, chain })
}

fn issue(
    app: &App,
    caller: &Caller,
    id: &SessionCertificateId,
    csr: &Csr,
) -> Result<Certificate, AppError> {
    let network = app.network();
    let path = SpiffePath::ApiSessionCertificate {
        identity: caller.identity.clone(),
        session: caller.session.clone(),
        certificate: id.to_string(),
    };
    Ok(network.signing().issue_session_certificate(
        csr,
        network.trust_domain(),
        path,
        LIFETIME,
        app.env().now(),
        &*app.env().entropy,
    )?)
}

fn certificate_info(leaf: &Certificate, pem: String) -> CertificateInfo {
    CertificateInfo {
        fingerprint: leaf.fingerprint().to_string(),
        subject: leaf.subject(),
        not_before: leaf.not_before(),
        not_after: leaf.not_after(),
        pem,
    }
}

/// Deletes the oldest certificates of a session until another one fits.
fn evict_from_session(rows: &mut RowsMut<'_>, session: &RecordKey) -> Result<(), StoreError> {
    let present = rows
        .rows()
        .referrers(session, SESSION_CERTIFICATE, usize::MAX)?;
    let excess = (present.len() + 1).saturating_sub(MAX_CERTIFICATES);
    for oldest in present.iter().take(excess) {
        rows.remove_at::<SessionCertificate>(oldest)?;
    }
    Ok(())
}

/// Deletes the oldest certificates of an identity, of any session, until the rest takes at most
/// `max_bytes`.
fn evict_from_identity(
    rows: &mut RowsMut<'_>,
    identity: &RecordKey,
    max_bytes: usize,
) -> Result<(), StoreError> {
    let present = rows.rows().dependents::<SessionCertificate>(identity)?;
    let bytes = present.iter().map(|found| found.entity.stored_bytes());
    let mut taken: usize = bytes.sum();
    for oldest in present {
        if taken <= max_bytes {
            break;
        }
        taken -= oldest.entity.stored_bytes();
        rows.remove(&oldest.key, &oldest.entity)?;
    }
    Ok(())
}

pub fn list_certificates(
    app: &App,
    permit: &Permit<ReadCertificates>,
    parameters: &Parameters<'_>,
) -> Result<Page<SessionCertificateView>, AppError> {
    let listing = listing::parse(&kinds::SESSION_CERTIFICATES, parameters)?;
    let rows = list_all(app, permit.caller())?.into_iter();
    let page = listing::select(&listing, rows.map(SessionCertificateRow));
    Ok(page.map(|row| row.0))
}

pub fn read_certificate(
    app: &App,
    permit: &Permit<ReadCertificates>,
    id: &SessionCertificateId,
) -> Result<SessionCertificateView, AppError> {
    let all = list_all(app, permit.caller())?;
    all.into_iter()
        .find(|view| view.id == *id)
        .ok_or_else(|| not_found(id))
}

/// Deletes a certificate of the caller's own session. The login certificate cannot be deleted,
/// since it belongs to an authenticator.
pub async fn delete_certificate(
    app: &App,
    permit: &Permit<DeleteCertificate>,
    id: &SessionCertificateId,
) -> Result<(), AppError> {
    let wanted = id.clone();
    let by_login = {
        let view = app.snapshot()?;
        let session = own_session(view.rows(), permit.caller())?;
        login_certificate(app, view.rows(), &session)?
    };
    if by_login.is_some_and(|view| view.id == *id) {
        return Err(NotAllowedError::Delete { rule: None }.into());
    }
    app.commit_for(permit, move |rows, caller| {
        let session = own_session(rows.rows(), caller)?;
        let by_id = UniqueValue::new(UniqueIndex::SessionCertificateId, wanted.as_str());
        match rows.rows().find::<SessionCertificate>(&by_id)? {
            Some(found) if found.entity.session == session.entity.token_hash => {
                Ok(rows.remove(&found.key, &found.entity)?)
            },
            _ => Err(not_found(&wanted)),
        }
    })
    .await
}

fn not_found(id: &SessionCertificateId) -> AppError {
    AppError::not_found("API session certificate", id.as_str())
}

fn own_session(rows: Rows<'_>, caller: &Caller) -> Result<Found<ApiSession>, AppError> {
    let key = own_session_key(caller);
    match rows.get(&key)? {
        Some(entity) => Ok(Found { key, entity }),
        None => Err(AccessDeniedError.into()),
    }
}

/// All certificates of the caller's own session: the login certificate, then the issued ones,
/// oldest first.
fn list_all(app: &App, caller: &Caller) -> Result<Vec<SessionCertificateView>, AppError> {
    let view = app.snapshot()?;
    let session = own_session(view.rows(), caller)?;
    let mut all = Vec::from_iter(login_certificate(app, view.rows(), &session)?);
    let issued = view
        .rows()
        .referrers(&session.key, SESSION_CERTIFICATE, usize::MAX)?;
    for key in issued {
        let found: Option<SessionCertificate> = view.rows().get(&key)?;
        all.extend(found.map(|found| SessionCertificateView {
            id: found.id,
            session: session.entity.id.clone(),
            created_at: found.created_at,
            certificate: found.certificate,
        }));
    }
    Ok(all)
}

/// The certificate that opened a session, if its authenticator still has it.
fn login_certificate(
    app: &App,
    rows: Rows<'_>,
    session: &Found<ApiSession>,
) -> Result<Option<SessionCertificateView>, AppError> {
    let Some(bound) = &session.entity.certificate else {
        return Ok(None);
    };
    let authenticator = login_authenticator(rows, &session.entity)?;
    let pem = match authenticator.as_ref().map(|found| &found.entity.credential) {
        Some(Credential::Cert(cert)) if cert.fingerprint == bound.fingerprint => &cert.pem,
        _ => return Ok(None),
    };
    let Ok(leaf) = Certificate::from_pem(pem) else {
        return Ok(None);
    };
    let number = session.number().0.to_be_bytes();
    let id = ids::short_from_bytes(app.vault.lookup_hash(LOGIN_DOMAIN, &number));
    Ok(Some(SessionCertificateView {
        id: SessionCertificateId::from_wire(id),
        session: session.entity.id.clone(),
        created_at: session.entity.created_at,
        certificate: certificate_info(&leaf, leaf.to_pem()),
    }))
}

#[cfg(test)]
mod tests;
