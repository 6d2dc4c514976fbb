//! Automatic enrollment: creates an identity for a certificate of a third-party CA, without a
//! token.

use super::third_party::check_unused;
use crate::app::App;
use crate::cas::{self, CaVerification, ClaimedExternalId};
use crate::error::{AppError, EnrollmentCertificateError};
use portcullis_domain::access::Origin;
use portcullis_domain::audit::Actor;
use portcullis_domain::authenticator::{Authenticator, CertCredential, Credential};
use portcullis_domain::ca::{Ca, NameVariables, with_counter};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::{Identity, IdentityName, IdentitySpec};
use portcullis_domain::ids::{AuthenticatorId, IdentityId, RecordNumber};
use portcullis_pki::VerifyAt;
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{
    AUTHENTICATOR, IDENTITY, Rows, RowsMut, UniqueIndex, UniqueValue, identity_key,
};

/// Input of [`enroll_automatically`].
#[derive(Debug)]
pub struct AutomaticEnrollment<'c> {
    /// Certificate chain of the connection in DER, leaf first.
    pub certificates: &'c [&'c [u8]],
    /// Name requested by the client.
    pub requested_name: Option<String>,
}

/// Creates an identity for a certificate of a CA with automatic enrollment.
///
/// If the certificate has an external id, that identifies the identity; otherwise the certificate
/// becomes its authenticator.
pub async fn enroll_automatically(
    app: &App,
    origin: &Origin,
    enrollment: AutomaticEnrollment<'_>,
) -> Result<IdentityId, AppError> {
    let prepared = PreparedIdentity::prepare(app, &enrollment, app.env().now())?;
    let id = prepared.identity.id.clone();
    let number = app.next_number(IDENTITY);
    let authenticator_number = app.next_number(AUTHENTICATOR);
    app.commit(Actor::without_session(origin, id.as_str()), move |rows| {
        prepared.insert(rows, number, authenticator_number)
    })
    .await?;
    Ok(id)
}

/// An identity prepared before the transaction that creates it.
struct PreparedIdentity {
    verification: CaVerification,
    /// Named as requested; the name may still be taken.
    identity: Identity,
    /// The certificate, unless the identity is known by an external id.
    authenticator: Option<Authenticator>,
}

impl PreparedIdentity {
    fn prepare(
        app: &App,
        enrollment: &AutomaticEnrollment<'_>,
        now: Timestamp,
    ) -> Result<Self, AppError> {
        let verification = verify_certificate(app, enrollment.certificates, now)?;
        let external_id = match verification.claimed_external_id() {
            ClaimedExternalId::NotConfigured => None,
            ClaimedExternalId::Absent => return Err(EnrollmentCertificateError::NoClaim.into()),
            ClaimedExternalId::Id(external_id) => Some(external_id),
        };
        let id = IdentityId::generate(&*app.env().entropy)?;
        let authenticator = match external_id {
            Some(_) => None,
            None => Some(new_authenticator(app, &verification, &id, now)?),
        };
        let name = format_name(&verification, &id, enrollment.requested_name.as_deref())?;
        let spec = IdentitySpec {
            role_attributes: verification.ca.entity.spec.settings.identity_roles.clone(),
            external_id,
            ..IdentitySpec::named(name)
        };
        let mut identity = Identity::new(id, spec, now);
        identity.attached.authenticators = u32::from(authenticator.is_some());
        Ok(Self {
            verification,
            identity,
            authenticator,
        })
    }

    /// Inserts the identity, after checking what may have changed since it was prepared.
    fn insert(
        &self,
        rows: &mut RowsMut<'_>,
        number: RecordNumber,
        authenticator_number: RecordNumber,
    ) -> Result<(), AppError> {
        if !self
            .verification
            .is_current(rows.rows(), Ca::can_auto_enroll)?
        {
            return Err(EnrollmentCertificateError::UntrustedCertificate.into());
        }
        let mut identity = self.identity.clone();
        identity.spec.name = free_name(rows.rows(), &identity.spec.name)?;
        let key = identity_key(number);
        if self.authenticator.is_some() {
            check_unused(rows.rows(), &self.verification, false)?;
        }
        rows.set_operation("identity.enroll", identity.id.as_str());
        rows.insert(&key, &identity)?;
        if let Some(authenticator) = &self.authenticator {
            let below = key.dependent(AUTHENTICATOR, authenticator_number.0);
            rows.insert(&below, authenticator)?;
        }
        Ok(())
    }
}

/// Verifies a certificate with the CAs that have automatic enrollment.
fn verify_certificate(
    app: &App,
    chain: &[&[u8]],
    now: Timestamp,
) -> Result<CaVerification, AppError> {
    let view = app.snapshot()?;
    if !cas::has_any(view.rows())? {
        return Err(EnrollmentCertificateError::NoCa.into());
    }
    let admits = Ca::can_auto_enroll;
    let verification = cas::find_verification(app, view.rows(), chain, VerifyAt::Now(now), admits)?
        .ok_or(EnrollmentCertificateError::UntrustedCertificate)?;
    if verification.claimed_external_id() == ClaimedExternalId::NotConfigured {
        check_unused(view.rows(), &verification, false)?;
    }
    Ok(verification)
}

fn new_authenticator(
    app: &App,
    verification: &CaVerification,
    identity: &IdentityId,
    now: Timestamp,
) -> Result<Authenticator, AppError> {
    let id = AuthenticatorId::generate(&*app.env().entropy)?;
    let fingerprint = verification.fingerprint().to_string();
    let cert = CertCredential::new(fingerprint, verification.leaf_pem(), false);
    let credential = Credential::Cert(cert);
    Ok(Authenticator::new(id, identity.clone(), credential, now))
}

/// The name in the CA's format; the id if that is blank.
fn format_name(
    verification: &CaVerification,
    id: &IdentityId,
    requested: Option<&str>,
) -> Result<IdentityName, AppError> {
    let ca = &verification.ca.entity;
    let parts = NameVariables {
        ca_name: &ca.spec.settings.name,
        ca_id: ca.id.as_str(),
        common_name: &verification.common_name().unwrap_or_default(),
        requested_name: requested.unwrap_or(id.as_str()),
        identity_id: id.as_str(),
    };
    let name = parts.render(&ca.spec.settings.identity_name_format);
    Ok(IdentityName::new(name).or_else(|_blank| IdentityName::new(id.as_str()))?)
}

/// The name itself, or with the first counter that a binary search finds free: whole fleets may
/// share a name, and all other writes wait for this.
fn free_name(rows: Rows<'_>, name: &IdentityName) -> Result<IdentityName, AppError> {
    if is_free(rows, name.as_str())? {
        return Ok(name.clone());
    }
    let with = |counter: u64| with_counter(name.as_str(), counter);
    let mut free: u64 = 1;
    while !is_free(rows, &with(free))? {
        free = free.saturating_mul(2);
    }
    let mut taken = free / 2;
    while free - taken > 1 {
        let middle = taken.midpoint(free);
        if is_free(rows, &with(middle))? {
            free = middle;
        } else {
            taken = middle;
        }
    }
    Ok(IdentityName::new(with(free))?)
}

fn is_free(rows: Rows<'_>, name: &str) -> Result<bool, StoreError> {
    let holder = rows.locate(&UniqueValue::new(UniqueIndex::IdentityName, name))?;
    Ok(holder.is_none())
}
