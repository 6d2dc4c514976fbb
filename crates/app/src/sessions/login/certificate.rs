//! Login with the certificate of the TLS connection.

use super::{AttemptEvent, LoginError, LoginRequest, NewSession, VerifiedCredential, open_session};
use crate::app::App;
use crate::cas::{self, CaVerification, CaVerificationError, ClaimedExternalId};
use crate::network::{ClientChain, ClientChainError};
use portcullis_domain::access::Origin;
use portcullis_domain::api_session::{ApiSession, LoginCertificate, OpenedBy};
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::authenticator::{
    Authenticator, CertCredential, Credential, ExtensionRequest,
};
use portcullis_domain::ca::Ca;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::RecordNumber;
use portcullis_events::Method;
use portcullis_pki::{ChainError, Validity, VerifyAt};
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{Found, Rows, RowsMut, UniqueIndex, UniqueValue, WriteError};
use std::error::Error as _;

/// Logs in with the client certificate: `chain` in DER, leaf first.
///
/// The network's own CA is tried first, then the third-party CAs that are enabled for
/// authentication.
pub async fn with_certificate(
    app: &App,
    origin: &Origin,
    chain: &[&[u8]],
    login: LoginRequest<'_>,
) -> Result<NewSession, LoginError> {
    let mut event = AttemptEvent::new(app, Method::Cert);
    let outcome = attempt(app, origin, chain, login, &mut event).await;
    event.publish(app, origin, &outcome);
    outcome
}

async fn attempt(
    app: &App,
    origin: &Origin,
    chain: &[&[u8]],
    login: LoginRequest<'_>,
    event: &mut AttemptEvent,
) -> Result<NewSession, LoginError> {
    let credential = match app.network().find_client_chain(chain, app.env().now()) {
        Ok(chain) => from_network_chain(app, &chain)?,
        Err(ClientChainError::Unverified(error)) => from_third_party_chain(app, chain, error)?,
        Err(error) => return Err(error.into()),
    };
    event.has_improper_chain = credential.is_chain_incomplete;
    open_session(app, origin, credential, login, event).await
}

fn refused<T>(reason: &'static str) -> Result<T, LoginError> {
    Err(LoginError::refused(reason))
}

impl From<ClientChainError> for LoginError {
    fn from(error: ClientChainError) -> Self {
        Self::refused(match error {
            ClientChainError::Unverified(error) => match error.source() {
                Some(rule) => format!("{error}: {rule}"),
                None => error.to_string(),
            },
            ClientChainError::Missing | ClientChainError::Unreadable(_) => error.to_string(),
        })
    }
}

impl From<CaVerificationError> for LoginError {
    fn from(error: CaVerificationError) -> Self {
        match error {
            CaVerificationError::Chain(error) => error.into(),
            CaVerificationError::Store(error) => error.into(),
        }
    }
}

/// Login by a certificate of the network.
fn from_network_chain(app: &App, chain: &ClientChain) -> Result<CertificateLogin, LoginError> {
    let view = app.snapshot().map_err(LoginError::Failed)?;
    let fingerprint = chain.fingerprint.to_string();
    let Some(authenticator) = find_by_fingerprint(view.rows(), &fingerprint)? else {
        return refused(UnknownHolder::Fingerprint.reason());
    };
    Ok(CertificateLogin {
        holder: CertificateHolder::Authenticator(authenticator),
        fingerprint,
        validity: chain.validity,
        is_chain_incomplete: chain.is_chain_incomplete,
        verification: None,
    })
}

/// Login by a certificate of a third-party CA. If the certificate has an external id, that alone
/// identifies the holder.
///
/// Of the reasons why nobody is identified the most telling one is returned; `error` is that of the
/// network's own CA.
fn from_third_party_chain(
    app: &App,
    chain: &[&[u8]],
    mut error: ChainError,
) -> Result<CertificateLogin, LoginError> {
    let view = app.snapshot().map_err(LoginError::Failed)?;
    let rows = view.rows();
    let admits = Ca::can_authenticate;
    let mut unknown_holder = None;
    // Certificates that are valid today take precedence over expired ones, which a policy may
    // allow.
    for at in [VerifyAt::Now(app.env().now()), VerifyAt::AnyCommonTime] {
        let verifications = match cas::list_verifications(app, rows, chain, at, admits) {
            Ok(verifications) => verifications,
            Err(CaVerificationError::Chain(ClientChainError::Unverified(other))) => {
                error = error.more_telling(other);
                continue;
            },
            Err(other) => return Err(other.into()),
        };
        for verification in verifications {
            // Of a CA and its renewal, the one that knows the holder.
            let claim = verification.claimed_external_id();
            if let Some(holder) = find_holder(rows, &verification, &claim)? {
                return Ok(CertificateLogin::by_third_party(holder, verification));
            }
            unknown_holder = unknown_holder.max(Some(UnknownHolder::new(&claim)));
        }
    }
    match unknown_holder {
        Some(unknown) => refused(unknown.reason()),
        None => Err(ClientChainError::from(error).into()),
    }
}

/// What leads to nobody in a certificate that a CA verified, the least telling first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum UnknownHolder {
    Fingerprint,
    ExternalId,
}

impl UnknownHolder {
    fn new(claim: &ClaimedExternalId) -> Self {
        match claim {
            ClaimedExternalId::Id(_) => Self::ExternalId,
            ClaimedExternalId::NotConfigured | ClaimedExternalId::Absent => Self::Fingerprint,
        }
    }

    fn reason(self) -> &'static str {
        match self {
            Self::Fingerprint => "no authenticator has the certificate",
            Self::ExternalId => "no identity has the external id",
        }
    }
}

/// Finds the holder of a certificate of a third-party CA.
fn find_holder(
    rows: Rows<'_>,
    verification: &CaVerification,
    claim: &ClaimedExternalId,
) -> Result<Option<CertificateHolder>, StoreError> {
    Ok(match claim {
        ClaimedExternalId::Id(id) => find_by_external_id(rows, id)?
            .map(|identity| CertificateHolder::ExternalId(identity, id.clone())),
        ClaimedExternalId::NotConfigured | ClaimedExternalId::Absent => {
            find_by_fingerprint(rows, &verification.fingerprint().to_string())?
                .map(CertificateHolder::Authenticator)
        },
    })
}

/// Finds the authenticator of a certificate.
fn find_by_fingerprint(
    rows: Rows<'_>,
    fingerprint: &str,
) -> Result<Option<Box<Found<Authenticator>>>, StoreError> {
    let by_fingerprint = UniqueValue::new(UniqueIndex::AuthenticatorFingerprint, fingerprint);
    Ok(rows.find(&by_fingerprint)?.map(Box::new))
}

/// Finds the number of the identity with an external id.
fn find_by_external_id(
    rows: Rows<'_>,
    external_id: &str,
) -> Result<Option<RecordNumber>, StoreError> {
    let by_external_id = UniqueValue::new(UniqueIndex::IdentityExternalId, external_id);
    let found: Option<Found<Identity>> = rows.find(&by_external_id)?;
    Ok(found.map(|found| found.number()))
}

/// A certificate that a CA verified.
#[derive(Clone)]
struct CertificateLogin {
    holder: CertificateHolder,
    fingerprint: String,
    validity: Validity,
    /// Whether the client omitted an intermediate of the network.
    is_chain_incomplete: bool,
    /// The third-party CA; `None` for the network's own.
    verification: Option<CaVerification>,
}

/// Owner of a certificate.
#[derive(Clone)]
enum CertificateHolder {
    /// Owner of this authenticator.
    Authenticator(Box<Found<Authenticator>>),
    /// Identity with this number, which has this external id.
    ExternalId(RecordNumber, String),
}

impl CertificateLogin {
    fn by_third_party(holder: CertificateHolder, verification: CaVerification) -> Self {
        Self {
            holder,
            fingerprint: verification.fingerprint().to_string(),
            validity: verification.validity(),
            is_chain_incomplete: false,
            verification: Some(verification),
        }
    }

    fn credential(authenticator: &Authenticator) -> Option<&CertCredential> {
        match &authenticator.credential {
            Credential::Cert(cert) => Some(cert),
            Credential::Updb(_) => None,
        }
    }

    /// Checks that the certificate still belongs to the holder.
    fn recheck_holder(&self, rows: Rows<'_>, identity: &Identity) -> Result<(), LoginError> {
        let authenticator = match &self.holder {
            CertificateHolder::ExternalId(_, id)
                if identity.spec.external_id.as_ref() == Some(id) =>
            {
                return Ok(());
            },
            CertificateHolder::ExternalId(..) => {
                return refused("the external id has changed in the meantime");
            },
            CertificateHolder::Authenticator(authenticator) => authenticator,
        };
        super::require_authenticator(identity)?;
        let current: Option<Authenticator> = rows.get(&authenticator.key)?;
        match current.as_ref().and_then(Self::credential) {
            Some(cert) if cert.fingerprint == self.fingerprint => Ok(()),
            _ => refused("the certificate has changed in the meantime"),
        }
    }

    /// Records on the authenticator whether the chain reached the root; returns its current state.
    fn record_login(
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
        cert.last_login_reached_root = !self.is_chain_incomplete;
        let cert = cert.clone();
        if after != before {
            rows.replace(&authenticator.key, &before, &after)?;
        }
        Ok(Some(cert))
    }
}

impl VerifiedCredential for CertificateLogin {
    fn identity(&self) -> RecordNumber {
        match &self.holder {
            CertificateHolder::Authenticator(authenticator) => authenticator.root_number(),
            CertificateHolder::ExternalId(identity, _) => *identity,
        }
    }

    fn opened_by(&self) -> OpenedBy {
        match &self.holder {
            CertificateHolder::Authenticator(authenticator) => {
                OpenedBy::Authenticator(authenticator.entity.id.clone())
            },
            CertificateHolder::ExternalId(..) => OpenedBy::ExternalId,
        }
    }

    fn recheck(&self, rows: Rows<'_>, identity: &Identity) -> Result<(), LoginError> {
        if let Some(verification) = &self.verification
            && !verification.is_current(rows, Ca::can_authenticate)?
        {
            return refused("the CA or its claim has changed in the meantime");
        }
        self.recheck_holder(rows, identity)
    }

    fn check_policy(&self, policy: &AuthPolicy, now: Timestamp) -> Result<(), LoginError> {
        let rules = policy.spec.primary.cert;
        if !rules.allowed {
            refused("the policy does not allow certificates")
        } else if !rules.allow_expired_certs && !self.validity.contains(now) {
            refused("the certificate has expired or is not valid yet")
        } else {
            Ok(())
        }
    }

    fn apply(
        &self,
        rows: &mut RowsMut<'_>,
        _identity: &mut Identity,
        session: &mut ApiSession,
    ) -> Result<Option<ExtensionRequest>, WriteError> {
        session.certificate = Some(LoginCertificate {
            fingerprint: self.fingerprint.clone(),
            previous: None,
            replaced_at: None,
            not_after: self.validity.not_after,
            ca: self
                .verification
                .as_ref()
                .map(|one| one.ca.entity.id.clone()),
        });
        session.improper_client_cert_chain = self.is_chain_incomplete;
        if let (CertificateHolder::ExternalId(..), Some(verification)) =
            (&self.holder, &self.verification)
        {
            session.terms = Some(verification.ca.entity.spec.claim_terms);
        }
        let CertificateHolder::Authenticator(authenticator) = &self.holder else {
            return Ok(None);
        };
        let Some(cert) = self.record_login(rows, authenticator)? else {
            return Ok(None);
        };
        session.is_cert_extendable = cert.is_issued_by_network;
        Ok(cert.open_extension())
    }
}

#[cfg(test)]
mod tests;
