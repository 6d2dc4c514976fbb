//! Tokens of a session.

use crate::app::App;
use crate::error::AppError;
use crate::records::login_authenticator;
use crate::session_validity::LiveSession;
use crate::tokens;
use portcullis_domain::authenticator::Credential;
use portcullis_domain::clock::{self, SignedDuration, Timestamp};
use portcullis_domain::ids::SessionCertificateId;
use portcullis_domain::oidc_session::TokenId;
use portcullis_oidc::claims::{
    AccessClaims, HolderFacts, IdClaims, IdTokenOrigin, RefreshClaims, SessionFacts, TokenTerms,
};
use portcullis_oidc::issuer::Issuer;
use portcullis_oidc::token_request::TokenError;
use portcullis_pki::{Csr, SpiffePath};
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::Rows;
use secrecy::SecretString;

/// How long a certificate is valid that was asked for with a login. It counts as long as the session.
const CERTIFICATE_LIFETIME: SignedDuration = SignedDuration::from_hours(365 * 24);

/// Signs the tokens of one response.
pub(super) struct TokenIssuer<'i> {
    pub(super) app: &'i App,
    pub(super) issuer: &'i Issuer,
    pub(super) now: Timestamp,
}

impl TokenIssuer<'_> {
    pub(super) fn access(
        &self,
        id: TokenId,
        facts: SessionFacts,
        lifetime: SignedDuration,
    ) -> Result<SecretString, AppError> {
        let claims = AccessClaims::issue(facts, &self.terms(id, lifetime));
        tokens::sign(self.app, &claims)
    }

    pub(super) fn refresh(
        &self,
        id: TokenId,
        facts: SessionFacts,
        lifetime: SignedDuration,
    ) -> Result<SecretString, AppError> {
        let claims = RefreshClaims::issue(facts, &self.terms(id, lifetime));
        tokens::sign(self.app, &claims)
    }

    /// An ID token for the identity with this name.
    pub(super) fn id_token(
        &self,
        facts: &SessionFacts,
        name: &str,
        origin: IdTokenOrigin<'_>,
    ) -> Result<SecretString, AppError> {
        let id = TokenId::generate(&*self.app.env().entropy)?;
        let terms = self.terms(id, self.app.oidc.id_token_lifetime);
        let algorithm = tokens::signing_algorithm(self.app)?;
        let claims = IdClaims::issue(facts, &terms, Some(name.to_owned()), origin, algorithm);
        tokens::sign(self.app, &claims)
    }

    fn terms(&self, id: TokenId, lifetime: SignedDuration) -> TokenTerms<'_> {
        TokenTerms {
            issuer: self.issuer,
            id,
            issued_at: self.now,
            lifetime,
        }
    }

    /// When a token expires that is issued now.
    pub(super) fn end_of(&self, lifetime: SignedDuration) -> Timestamp {
        clock::saturating_add(self.now, lifetime)
    }
}

/// Whole seconds that a token with this lifetime surely has left when it is issued. Times in tokens
/// have no fractions, so that is less than its lifetime.
pub(super) fn seconds_left(lifetime: SignedDuration) -> i64 {
    lifetime.as_secs().saturating_sub(1).max(0)
}

/// What tokens tell of the holder of a session now.
pub(super) fn holder_facts(rows: Rows<'_>, live: &LiveSession) -> Result<HolderFacts, StoreError> {
    let authenticator = login_authenticator(rows, &live.session.entity)?;
    let extension = match authenticator.as_ref().map(|found| &found.entity.credential) {
        Some(Credential::Cert(cert)) => cert.open_extension(),
        Some(Credential::Updb(_)) | None => None,
    };
    let identity = &live.identity.entity;
    Ok(HolderFacts {
        is_admin: identity.has_admin_rights(),
        external_id: identity.spec.external_id.clone(),
        allows_expired_certificates: live.session.entity.certificate.is_some()
            && live.policy.spec.primary.cert.allow_expired_certs,
        is_extension_requested: extension.is_some(),
        is_key_roll_requested: extension.is_some_and(|request| request.roll_key),
    })
}

/// A certificate of a session.
pub(super) struct IssuedCertificate {
    pub(super) fingerprint: String,
    /// PEM of the certificate and its intermediates, without the root.
    pub(super) chain: String,
}

/// Issues the certificate that a client asks for together with tokens.
pub(super) fn certificate(
    app: &App,
    live: &LiveSession,
    csr: &str,
) -> Result<Result<IssuedCertificate, TokenError>, AppError> {
    let csr = match Csr::from_pem(csr) {
        Ok(csr) => csr,
        Err(error) => {
            tracing::debug!(%error, "a certificate request is refused");
            return Ok(Err(TokenError::Csr));
        },
    };
    let id = SessionCertificateId::generate(&*app.env().entropy)?;
    let path = SpiffePath::ApiSessionCertificate {
        identity: live.identity.entity.id.clone(),
        session: live.session.entity.id.clone(),
        certificate: id.to_string(),
    };
    let network = app.network();
    let leaf = network.signing().issue_session_certificate(
        &csr,
        network.trust_domain(),
        path,
        CERTIFICATE_LIFETIME,
        app.env().now(),
        &*app.env().entropy,
    )?;
    Ok(Ok(IssuedCertificate {
        fingerprint: leaf.fingerprint().to_string(),
        chain: network.signing().chain_pem(&leaf),
    }))
}
