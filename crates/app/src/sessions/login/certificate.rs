//! Login with the certificate of the TLS connection.

use super::{Login, LoginError, NewSession, Way, open};
use crate::app::App;
use crate::cas::{self, Claimed, Voucher};
use crate::network::{BadChain, GoodChain};
use portcullis_domain::access::Origin;
use portcullis_domain::api_session::{ApiSession, LoginCertificate, OpenedBy};
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::authenticator::{
    Authenticator, CertCredential, Credential, ExtensionRequest,
};
use portcullis_domain::ca::Ca;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::Number;
use portcullis_pki::{Validity, VerifyAt};
use portcullis_storage::tables::{Found, Index, Rows, RowsMut, UniqueValue, WriteError};

/// Logs in with the certificate of the TLS connection: the chain that the client presented, in DER,
/// the leaf whose key it has proved to hold first.
///
/// The network's own authority is asked first, then the third-party authorities whose certificates
/// are a way in.
pub async fn with_certificate(
    app: &App,
    origin: &Origin,
    chain: &[&[u8]],
    login: Login,
) -> Result<NewSession, LoginError> {
    let way = match app.network().judge(chain) {
        Ok(chain) => by_network(app, &chain)?,
        Err(BadChain::Missing) => return refused("no certificate was presented"),
        Err(BadChain::Unreadable(_)) => return refused("the certificate could not be parsed"),
        Err(BadChain::Foreign(_)) => by_third_party(app, chain)?,
    };
    open(app, origin, way, login).await
}

fn refused<T>(reason: &'static str) -> Result<T, LoginError> {
    Err(LoginError::Refused(reason))
}

/// The way in by a certificate of the network.
fn by_network(app: &App, chain: &GoodChain) -> Result<Certificate, LoginError> {
    let view = app.snapshot().map_err(LoginError::Failed)?;
    let fingerprint = chain.fingerprint.to_string();
    Ok(Certificate {
        holder: Holder::Authenticator(authenticator(view.rows(), &fingerprint)?),
        fingerprint,
        validity: chain.validity,
        is_improper: chain.is_improper,
        voucher: None,
    })
}

/// The way in by a certificate of a third party. Where it names an external id, that says who its
/// holder is, and nothing else does.
fn by_third_party(app: &App, chain: &[&[u8]]) -> Result<Certificate, LoginError> {
    let view = app.snapshot().map_err(LoginError::Failed)?;
    let rows = view.rows();
    let admits = Ca::vouches_for_logins;
    let mut outcome = refused("the certificate is of another authority");
    // What is good today goes before what a policy may allow although it has expired.
    for at in [VerifyAt::Now(app.env().now()), VerifyAt::IgnoreValidity] {
        for voucher in cas::vouchers(app, rows, chain, at, admits)? {
            // Of an authority and its renewal, that which knows the holder.
            outcome = by_voucher(rows, voucher);
            if !matches!(outcome, Err(LoginError::Refused(_))) {
                return outcome;
            }
        }
    }
    outcome
}

fn by_voucher(rows: Rows<'_>, voucher: Voucher) -> Result<Certificate, LoginError> {
    let fingerprint = voucher.fingerprint().to_string();
    let holder = match voucher.claimed() {
        Claimed::Id(external_id) => Holder::ExternalId(identity(rows, &external_id)?, external_id),
        Claimed::Never | Claimed::Nothing => {
            Holder::Authenticator(authenticator(rows, &fingerprint)?)
        },
    };
    Ok(Certificate {
        holder,
        fingerprint,
        validity: voucher.validity(),
        is_improper: false,
        voucher: Some(voucher),
    })
}

/// The authenticator that is a certificate.
fn authenticator(
    rows: Rows<'_>,
    fingerprint: &str,
) -> Result<Box<Found<Authenticator>>, LoginError> {
    let by_fingerprint = UniqueValue::new(Index::AuthenticatorFingerprint, fingerprint);
    let found: Option<Found<Authenticator>> = rows.find(&by_fingerprint)?;
    found
        .map(Box::new)
        .ok_or(LoginError::Refused("the certificate belongs to nobody"))
}

/// Number of the identity that has an external id.
fn identity(rows: Rows<'_>, external_id: &str) -> Result<Number, LoginError> {
    let by_external_id = UniqueValue::new(Index::IdentityExternalId, external_id);
    rows.find::<Identity>(&by_external_id)?
        .map(|found| found.number())
        .ok_or(LoginError::Refused("nobody has the external id"))
}

/// A certificate that an authority vouches for.
#[derive(Clone)]
struct Certificate {
    holder: Holder,
    fingerprint: String,
    validity: Validity,
    /// Whether an intermediate of the network was left out.
    is_improper: bool,
    /// The third-party authority; none for the network's own.
    voucher: Option<Voucher>,
}

/// Who a certificate stands for.
#[derive(Clone)]
enum Holder {
    /// Whose authenticator it is.
    Authenticator(Box<Found<Authenticator>>),
    /// The identity of this number, which has this external id.
    ExternalId(Number, String),
}

impl Certificate {
    fn credential(authenticator: &Authenticator) -> Option<&CertCredential> {
        match &authenticator.credential {
            Credential::Cert(cert) => Some(cert),
            Credential::Updb(_) => None,
        }
    }

    /// Checks that the holder is still who it was.
    fn recheck_holder(&self, rows: Rows<'_>, identity: &Identity) -> Result<(), LoginError> {
        let authenticator = match &self.holder {
            Holder::ExternalId(_, id) if identity.spec.external_id.as_ref() == Some(id) => {
                return Ok(());
            },
            Holder::ExternalId(..) => return refused("the external id changed meanwhile"),
            Holder::Authenticator(authenticator) => authenticator,
        };
        super::require_authenticator(identity)?;
        let current: Option<Authenticator> = rows.get(&authenticator.key)?;
        match current.as_ref().and_then(Self::credential) {
            Some(cert) if cert.fingerprint == self.fingerprint => Ok(()),
            _ => refused("the certificate changed meanwhile"),
        }
    }

    /// Notes on the authenticator how far its chain led, and answers what it is now.
    fn note_login(
        &self,
        rows: &mut RowsMut<'_>,
        authenticator: &Found<Authenticator>,
    ) -> Result<Option<CertCredential>, WriteError> {
        let Some(before) = rows.rows().get::<Authenticator>(&authenticator.key)? else {
            return Ok(None);
        };
        let mut after = before.clone();
        let Credential::Cert(cert) = &mut after.credential else {
            return Ok(None);
        };
        cert.last_login_reached_root = !self.is_improper;
        let cert = cert.clone();
        if after != before {
            rows.replace(&authenticator.key, &before, &after)?;
        }
        Ok(Some(cert))
    }
}

impl Way for Certificate {
    fn identity(&self) -> Number {
        match &self.holder {
            Holder::Authenticator(authenticator) => authenticator.root_number(),
            Holder::ExternalId(identity, _) => *identity,
        }
    }

    fn opened_by(&self) -> OpenedBy {
        match &self.holder {
            Holder::Authenticator(authenticator) => {
                OpenedBy::Authenticator(authenticator.entity.id.clone())
            },
            Holder::ExternalId(..) => OpenedBy::ExternalId,
        }
    }

    fn recheck(&self, rows: Rows<'_>, identity: &Identity) -> Result<(), LoginError> {
        if let Some(voucher) = &self.voucher
            && !voucher.holds(rows, Ca::vouches_for_logins)?
        {
            return refused("the authority vouches no more");
        }
        self.recheck_holder(rows, identity)
    }

    fn admit(&self, policy: &AuthPolicy, now: Timestamp) -> Result<(), LoginError> {
        let rules = policy.primary.cert;
        if !rules.allowed {
            refused("the policy does not allow certificates")
        } else if !rules.allow_expired_certs && !self.validity.contains(now) {
            refused("the certificate is out of its time")
        } else {
            Ok(())
        }
    }

    fn settle(
        &self,
        rows: &mut RowsMut<'_>,
        _identity: &mut Identity,
        session: &mut ApiSession,
    ) -> Result<Option<ExtensionRequest>, WriteError> {
        session.certificate = Some(LoginCertificate {
            fingerprint: self.fingerprint.clone(),
            previous: None,
            not_after: self.validity.not_after,
            ca: self.voucher.as_ref().map(|one| one.ca.entity.id.clone()),
        });
        session.improper_client_cert_chain = self.is_improper;
        if let (Holder::ExternalId(..), Some(voucher)) = (&self.holder, &self.voucher) {
            session.terms = Some(voucher.ca.entity.claim_terms);
        }
        let Holder::Authenticator(authenticator) = &self.holder else {
            return Ok(None);
        };
        let Some(cert) = self.note_login(rows, authenticator)? else {
            return Ok(None);
        };
        session.is_cert_extendable = cert.is_issued_by_network;
        Ok(cert.open_extension())
    }
}
