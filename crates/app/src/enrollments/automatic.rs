//! Enrollment without a token: a stranger whose certificate an authority vouches for becomes an
//! identity.

use super::fault::CertificateFault;
use crate::app::App;
use crate::cas::{self, Claimed, Voucher};
use crate::error::AppError;
use portcullis_domain::access::Origin;
use portcullis_domain::audit::Actor;
use portcullis_domain::authenticator::{Authenticator, CertCredential, Credential};
use portcullis_domain::ca::{Ca, NameParts, numbered};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::{Identity, IdentityName, IdentitySpec};
use portcullis_domain::ids::{AuthenticatorId, IdentityId, Number};
use portcullis_pki::VerifyAt;
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{
    AUTHENTICATOR, IDENTITY, Index, Rows, RowsMut, UniqueValue, identity_key,
};

/// A stranger at the door.
#[derive(Debug)]
pub struct Newcomer<'c> {
    /// The certificates of the connection, in DER, the one whose key was proved first.
    pub certificates: &'c [&'c [u8]],
    /// The name that the client would like to have.
    pub requested_name: Option<String>,
}

/// Makes an identity of a stranger whose certificate an authority vouches for that enrolls by
/// itself.
///
/// Where the certificate names an external id, the identity is known by that; otherwise the
/// certificate becomes its authenticator.
pub async fn enroll_newcomer(
    app: &App,
    origin: &Origin,
    newcomer: Newcomer<'_>,
) -> Result<IdentityId, AppError> {
    let arrival = Arrival::prepare(app, &newcomer, app.env().now())?;
    let id = arrival.identity.id.clone();
    let number = app.number(IDENTITY);
    let authenticator_number = app.number(AUTHENTICATOR);
    app.commit(Actor::stranger(origin, id.as_str()), move |rows| {
        arrival.admit(rows, number, authenticator_number)
    })
    .await?;
    Ok(id)
}

/// A stranger who is to become an identity.
struct Arrival {
    voucher: Voucher,
    /// The identity, under the name that it has if that is free.
    identity: Identity,
    /// The certificate, unless the identity is known by an external id.
    authenticator: Option<Authenticator>,
}

impl Arrival {
    fn prepare(app: &App, newcomer: &Newcomer<'_>, now: Timestamp) -> Result<Self, AppError> {
        let voucher = voucher(app, newcomer.certificates, now)?;
        let external_id = match voucher.claimed() {
            Claimed::Never => None,
            Claimed::Nothing => return Err(CertificateFault::NoClaim.into()),
            Claimed::Id(external_id) => Some(external_id),
        };
        let id = IdentityId::generate(&*app.env().entropy)?;
        let authenticator = match external_id {
            Some(_) => None,
            None => Some(authenticator(app, &voucher, &id, now)?),
        };
        let name = name(&voucher, &id, newcomer.requested_name.as_deref())?;
        let spec = IdentitySpec {
            role_attributes: voucher.ca.entity.spec.identity_roles.clone(),
            external_id,
            ..IdentitySpec::named(name)
        };
        let mut identity = Identity::new(id, spec, now);
        identity.attached.authenticators = u32::from(authenticator.is_some());
        Ok(Self {
            voucher,
            identity,
            authenticator,
        })
    }

    /// Writes the identity down, after a look at what may have changed since it was prepared.
    fn admit(
        &self,
        rows: &mut RowsMut<'_>,
        number: Number,
        authenticator_number: Number,
    ) -> Result<(), AppError> {
        if !self.voucher.holds(rows.rows(), Ca::vouches_for_strangers)? {
            return Err(CertificateFault::NotVouchedFor.into());
        }
        let mut identity = self.identity.clone();
        identity.spec.name = free_name(rows.rows(), &identity.spec.name)?;
        let key = identity_key(number);
        if self.authenticator.is_some() {
            CertificateFault::check_unused(rows.rows(), &self.voucher, false)?;
        }
        rows.operation("identity.enroll", identity.id.as_str());
        rows.insert(&key, &identity)?;
        if let Some(authenticator) = &self.authenticator {
            let below = key.dependent(AUTHENTICATOR, authenticator_number.0);
            rows.insert(&below, authenticator)?;
        }
        Ok(())
    }
}

/// The authority that vouches for a stranger.
fn voucher(app: &App, chain: &[&[u8]], now: Timestamp) -> Result<Voucher, AppError> {
    let view = app.snapshot()?;
    if !cas::is_any(view.rows())? {
        return Err(CertificateFault::NoAuthority.into());
    }
    let admits = Ca::vouches_for_strangers;
    let voucher = cas::vouch(app, view.rows(), chain, VerifyAt::Now(now), admits)?
        .ok_or(CertificateFault::NotVouchedFor)?;
    if voucher.claimed() == Claimed::Never {
        CertificateFault::check_unused(view.rows(), &voucher, false)?;
    }
    Ok(voucher)
}

fn authenticator(
    app: &App,
    voucher: &Voucher,
    identity: &IdentityId,
    now: Timestamp,
) -> Result<Authenticator, AppError> {
    let id = AuthenticatorId::generate(&*app.env().entropy)?;
    let fingerprint = voucher.fingerprint().to_string();
    let cert = CertCredential::new(fingerprint, voucher.leaf_pem(), false);
    let credential = Credential::Cert(cert);
    Ok(Authenticator::new(id, identity.clone(), credential, now))
}

/// The name that the authority gives; the id where that leaves nothing.
fn name(
    voucher: &Voucher,
    id: &IdentityId,
    requested: Option<&str>,
) -> Result<IdentityName, AppError> {
    let ca = &voucher.ca.entity;
    let parts = NameParts {
        ca_name: &ca.spec.name,
        ca_id: ca.id.as_str(),
        common_name: &voucher.common_name().unwrap_or_default(),
        requested_name: requested.unwrap_or(id.as_str()),
        identity_id: id.as_str(),
    };
    let name = parts.fill(&ca.spec.identity_name_format);
    Ok(IdentityName::new(name).or_else(|_blank| IdentityName::new(id.as_str()))?)
}

/// The name itself, or with the first counter that a search by halves finds free: whole fleets may
/// share a name, and everybody else waits for this.
fn free_name(rows: Rows<'_>, name: &IdentityName) -> Result<IdentityName, AppError> {
    if is_free(rows, name.as_str())? {
        return Ok(name.clone());
    }
    let with = |counter: u64| numbered(name.as_str(), counter);
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
    let holder = rows.locate(&UniqueValue::new(Index::IdentityName, name))?;
    Ok(holder.is_none())
}
