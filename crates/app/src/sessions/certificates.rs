//! The certificates of a session: those that were issued for it, and the one that opened it.
//!
//! Those that were issued are records that go with their session, however it ends. The one that
//! opened the session is kept by its authenticator already, so that a login writes nothing for it.

use super::{authenticator_of, own_key};
use crate::action::actions;
use crate::app::App;
use crate::error::AppError;
use crate::listing::{self, Parameters, kinds, kinds::SessionCertificateRow};
use crate::network::not_issued;
use portcullis_domain::access::{Access, Caller, Denied, Permit};
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::authenticator::Credential;
use portcullis_domain::ids::{self, SessionCertificateId};
use portcullis_domain::quota::Stored as _;
use portcullis_domain::session_certificate::{CertificateFacts, SessionCertificate};
use portcullis_domain::view::{Page, SessionCertificateView};
use portcullis_pki::{Certificate, Csr, SpiffePath};
use portcullis_storage::engine::StoreError;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{
    Found, Index, Rows, RowsMut, SESSION_CERTIFICATE, UniqueValue, identity_key,
};

actions! {
    /// Reads the certificates of the caller's own session.
    ReadCertificates = Access::Full;
    /// Has a certificate issued for the caller's own session.
    CreateCertificate = Access::Full;
    /// Deletes a certificate of the caller's own session.
    DeleteCertificate = Access::Full;
}

/// Most certificates that are kept for one session. They live for twelve hours, and a client that
/// needs more than a few at a time has lost the others.
const MOST_CERTIFICATES: usize = 8;

/// Whose ids, under the keyed hash.
const LOGIN_DOMAIN: &str = "certificate of a login";

/// A certificate that was issued for a session.
#[derive(Debug)]
pub struct NewCertificate {
    /// Its id.
    pub id: SessionCertificateId,
    /// It and its intermediates without the root, PEM.
    pub chain: String,
}

/// Has a certificate issued for the caller's own session. When the session has many, or the identity
/// has used up its share of the store, the oldest ones go.
pub async fn create_certificate(
    app: &App,
    permit: &Permit<CreateCertificate>,
    csr: &str,
) -> Result<NewCertificate, AppError> {
    let caller = permit.caller();
    // Its subject is not used.
    let csr = Csr::from_pem(csr).map_err(|error| AppError::Csr(error.to_string()))?;
    app.count_own_change(caller)?;
    let id = SessionCertificateId::generate(&*app.env().entropy)?;
    let leaf = issue(app, caller, &id, &csr)?;
    let chain = app.network().signing().chain_pem(&leaf);
    let facts = facts(&leaf, chain.clone());
    let number = app.number(SESSION_CERTIFICATE);
    let (now, new) = (app.env().now(), id.clone());
    let share = app.settings().storage_quota.session_certificates();
    app.commit_for(permit, move |rows, caller| {
        let session = own(rows.rows(), caller)?;
        make_room_in_session(rows, &session.key)?;
        let certificate = SessionCertificate {
            id: new.clone(),
            created_at: now,
            session: session.entity.token_hash,
            certificate: facts.clone(),
        };
        let identity = identity_key(caller.identity_number);
        let taken_by_others = share.saturating_sub(certificate.stored_bytes());
        make_room_of_identity(rows, &identity, taken_by_others)?;
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
    network
        .signing()
        .issue_session_certificate(
            csr,
            network.trust_domain(),
            path,
            app.env().now(),
            &*app.env().entropy,
        )
        .map_err(not_issued)
}

fn facts(leaf: &Certificate, pem: String) -> CertificateFacts {
    CertificateFacts {
        fingerprint: leaf.fingerprint().to_string(),
        subject: leaf.subject(),
        not_before: leaf.not_before(),
        not_after: leaf.not_after(),
        pem,
    }
}

/// Takes the oldest certificates of a session away until there is room for one more.
fn make_room_in_session(rows: &mut RowsMut<'_>, session: &RecordKey) -> Result<(), StoreError> {
    let present = rows
        .rows()
        .referrers(session, SESSION_CERTIFICATE, usize::MAX)?;
    let surplus = (present.len() + 1).saturating_sub(MOST_CERTIFICATES);
    for oldest in present.iter().take(surplus) {
        rows.remove_at::<SessionCertificate>(oldest)?;
    }
    Ok(())
}

/// Takes the oldest certificates of an identity away, of whatever session, until the others take no
/// more than so many bytes.
fn make_room_of_identity(
    rows: &mut RowsMut<'_>,
    identity: &RecordKey,
    most_bytes: usize,
) -> Result<(), StoreError> {
    let present = rows.rows().dependents::<SessionCertificate>(identity)?;
    let bytes = present.iter().map(|found| found.entity.stored_bytes());
    let mut taken: usize = bytes.sum();
    for oldest in present {
        if taken <= most_bytes {
            break;
        }
        taken -= oldest.entity.stored_bytes();
        rows.remove(&oldest.key, &oldest.entity)?;
    }
    Ok(())
}

/// Lists the certificates of the caller's own session.
pub fn list_certificates(
    app: &App,
    permit: &Permit<ReadCertificates>,
    parameters: &Parameters<'_>,
) -> Result<Page<SessionCertificateView>, AppError> {
    let listing = listing::read(&kinds::SESSION_CERTIFICATES, parameters)?;
    let rows = all(app, permit.caller())?.into_iter();
    let page = listing::select(&listing, rows.map(SessionCertificateRow));
    Ok(page.map(|row| row.0))
}

/// Reads one certificate of the caller's own session.
pub fn read_certificate(
    app: &App,
    permit: &Permit<ReadCertificates>,
    id: &SessionCertificateId,
) -> Result<SessionCertificateView, AppError> {
    let all = all(app, permit.caller())?;
    all.into_iter()
        .find(|view| view.id == *id)
        .ok_or_else(|| not_found(id))
}

/// Deletes a certificate of the caller's own session; not the one that opened it, which is not its
/// own.
pub async fn delete_certificate(
    app: &App,
    permit: &Permit<DeleteCertificate>,
    id: &SessionCertificateId,
) -> Result<(), AppError> {
    let wanted = id.clone();
    let by_login = {
        let view = app.snapshot()?;
        let session = own(view.rows(), permit.caller())?;
        of_login(app, view.rows(), &session)?
    };
    if by_login.is_some_and(|view| view.id == *id) {
        return Err(AppError::Undeletable { rule: None });
    }
    app.commit_for(permit, move |rows, caller| {
        let session = own(rows.rows(), caller)?;
        let by_id = UniqueValue::new(Index::SessionCertificateId, wanted.as_str());
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

/// The caller's own session.
fn own(rows: Rows<'_>, caller: &Caller) -> Result<Found<ApiSession>, AppError> {
    let key = own_key(caller);
    match rows.get(&key)? {
        Some(entity) => Ok(Found { key, entity }),
        None => Err(Denied.into()),
    }
}

/// Everything that the caller's own session has: what opened it, and what was issued for it, oldest
/// first.
fn all(app: &App, caller: &Caller) -> Result<Vec<SessionCertificateView>, AppError> {
    let view = app.snapshot()?;
    let session = own(view.rows(), caller)?;
    let mut all = Vec::from_iter(of_login(app, view.rows(), &session)?);
    let issued = view
        .rows()
        .referrers(&session.key, SESSION_CERTIFICATE, usize::MAX)?;
    for key in issued {
        if let Some(found) = view.rows().get::<SessionCertificate>(&key)? {
            all.push(SessionCertificateView {
                id: found.id,
                session: session.entity.id.clone(),
                created_at: found.created_at,
                certificate: found.certificate,
            });
        }
    }
    Ok(all)
}

/// The certificate that opened a session, if its authenticator still keeps it.
fn of_login(
    app: &App,
    rows: Rows<'_>,
    session: &Found<ApiSession>,
) -> Result<Option<SessionCertificateView>, AppError> {
    let Some(bound) = &session.entity.certificate else {
        return Ok(None);
    };
    let authenticator = authenticator_of(rows, &session.entity)?;
    let pem = match authenticator.as_ref().map(|found| &found.entity.credential) {
        Some(Credential::Cert(cert)) if cert.fingerprint == bound.fingerprint => &cert.pem,
        _ => return Ok(None),
    };
    let Ok(leaf) = Certificate::from_pem(pem) else {
        return Ok(None);
    };
    let number = session.number().0.to_be_bytes();
    let id = ids::short_of(app.vault.lookup_hash(LOGIN_DOMAIN, &number));
    Ok(Some(SessionCertificateView {
        id: SessionCertificateId::from_wire(id),
        session: session.entity.id.clone(),
        created_at: session.entity.created_at,
        certificate: facts(&leaf, leaf.to_pem()),
    }))
}
