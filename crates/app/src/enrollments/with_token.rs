//! Enrollment with a token of an external signer.
//!
//! There is no enrollment to redeem: a valid token of a signer that allows it creates the identity
//! that it describes, once.

use super::redeem::ott;
use crate::app::App;
use crate::error::{AppError, EnrollmentError};
use crate::records::find_enabled_signer;
use crate::records::find_policy;
use crate::signers;
use portcullis_domain::access::Origin;
use portcullis_domain::audit::Actor;
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::authenticator::{Authenticator, Credential};
use portcullis_domain::identity::{Identity, IdentityName, IdentitySpec};
use portcullis_domain::ids::{AuthenticatorId, IdentityId, SignerId};
use portcullis_domain::roles::RoleAttributes;
use portcullis_domain::signer::Signer;
use portcullis_pki::external::{ClaimLookupError, ClaimSelector, Claims, PresentedToken};
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{
    AUTHENTICATOR, Found, IDENTITY, Rows, UniqueIndex, UniqueValue, identity_key,
};
use secrecy::{ExposeSecret as _, SecretString};
use std::sync::Arc;

/// Input of [`with_token`].
#[derive(Debug)]
pub struct TokenEnrollment {
    pub token: SecretString,
    /// Signer named by the client.
    pub signer: Option<SignerId>,
    /// PEM certificate signing request; without one, the identity authenticates with tokens.
    pub csr: Option<String>,
}

/// Result of [`with_token`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenEnrollmentResult {
    /// PEM of the certificate and its intermediates, if one was requested.
    pub certificate: Option<String>,
}

/// Creates the identity that a token describes, and its certificate if one is requested.
///
/// # Errors
///
/// [`EnrollmentError::UnknownToken`] for an invalid token; [`EnrollmentError::AlreadyEnrolled`];
/// [`EnrollmentError::NotEnabled`]; [`AppError::Csr`]; [`AppError::Field`] if the name is taken.
pub async fn with_token(
    app: &App,
    origin: &Origin,
    enrollment: TokenEnrollment,
) -> Result<TokenEnrollmentResult, AppError> {
    let token = signers::parse_token(enrollment.token.expose_secret());
    let token = token.ok_or(EnrollmentError::UnknownToken)?;
    let signer = {
        let view = app.snapshot()?;
        find_signer(view.rows(), &token, enrollment.signer.as_ref())?
    };
    let signer = signer.ok_or(EnrollmentError::UnknownToken)?;
    let verified = signers::verify_token(app, &signer.entity, &token).await;
    let verified = verified.map_err(|_fault| EnrollmentError::UnknownToken)?;
    let name = extract_name(&signer.entity, verified.claims)?;
    let enroller = TokenEnroller {
        to_cert: enrollment.csr.is_some(),
        signer,
        holder: verified.holder.to_owned(),
    };
    enroller.check(app.snapshot()?.rows())?;
    let spec = enroller.build_spec(verified.claims, name)?;
    let now = app.env().now();
    let mut identity = Identity::new(IdentityId::generate(&*app.env().entropy)?, spec, now);
    let (authenticator, certificate) = match &enrollment.csr {
        Some(csr) => {
            let (credential, chain) = ott::issue(app, &identity, csr, now)?;
            let id = AuthenticatorId::generate(&*app.env().entropy)?;
            identity.attached.authenticators = 1;
            let credential = Credential::Cert(credential);
            let one = Authenticator::new(id, identity.id.clone(), credential, now);
            (Some(one), Some(chain))
        },
        None => (None, None),
    };
    let new_identity = NewIdentity {
        identity,
        authenticator,
    };
    enroller.commit(app, origin, new_identity).await?;
    Ok(TokenEnrollmentResult { certificate })
}

/// The signer named by the client, else the issuer of the token.
fn find_signer(
    rows: Rows<'_>,
    token: &PresentedToken<'_>,
    named: Option<&SignerId>,
) -> Result<Option<Found<Arc<Signer>>>, StoreError> {
    match named {
        Some(id) => find_enabled_signer(rows, id),
        None => signers::find_issuer(rows, token),
    }
}

/// Extracts the claim that becomes the name.
fn extract_name(signer: &Signer, claims: &Claims) -> Result<IdentityName, AppError> {
    let selector = ClaimSelector::parse(&signer.spec.settings.enrollment.name_selector);
    let selector = selector.map_err(|_broken| EnrollmentError::UnknownToken)?;
    let name = claims.text(&selector);
    let name = name.map_err(|_missing| EnrollmentError::UnknownToken)?;
    Ok(IdentityName::new(name).map_err(|_blank| EnrollmentError::UnknownToken)?)
}

/// An enrollment with a verified token.
#[derive(Clone)]
struct TokenEnroller {
    signer: Found<Arc<Signer>>,
    /// The claim that becomes the external id.
    holder: String,
    /// Whether a certificate is requested.
    to_cert: bool,
}

struct NewIdentity {
    identity: Identity,
    authenticator: Option<Authenticator>,
}

impl TokenEnroller {
    /// Checks that the identity does not exist yet and that the signer allows this enrollment.
    fn check(&self, rows: Rows<'_>) -> Result<(), AppError> {
        let by_external_id =
            UniqueValue::new(UniqueIndex::IdentityExternalId, self.holder.as_str());
        if rows.locate(&by_external_id)?.is_some() {
            return Err(EnrollmentError::AlreadyEnrolled.into());
        }
        let signer = &self.signer.entity;
        let rules = &signer.spec.settings.enrollment;
        let policy: Arc<AuthPolicy> = find_policy(rows, &rules.auth_policy)?
            .map(|found| found.entity)
            .ok_or_else(|| {
                StoreError::corrupt("the auth policy for a signer's enrollments is missing")
            })?;
        let is_allowed = if self.to_cert {
            rules.to_cert && policy.spec.primary.cert.allowed
        } else {
            rules.to_token && policy.spec.primary.ext_jwt.allows(&signer.id)
        };
        if is_allowed {
            Ok(())
        } else {
            Err(EnrollmentError::NotEnabled.into())
        }
    }

    fn build_spec(&self, claims: &Claims, name: IdentityName) -> Result<IdentitySpec, AppError> {
        let rules = &self.signer.entity.spec.settings.enrollment;
        Ok(IdentitySpec {
            role_attributes: role_attributes(rules.attribute_selector.as_deref(), claims)?,
            auth_policy: rules.auth_policy.clone(),
            external_id: Some(self.holder.clone()),
            ..IdentitySpec::named(name)
        })
    }

    async fn commit(
        self,
        app: &App,
        origin: &Origin,
        new_identity: NewIdentity,
    ) -> Result<(), AppError> {
        let key = identity_key(app.next_number(IDENTITY));
        let of_authenticator = key.dependent(AUTHENTICATOR, app.next_number(AUTHENTICATOR).0);
        let actor = Actor::without_session(origin, new_identity.identity.id.as_str());
        app.commit(actor, move |rows| {
            // The token was verified with this version of the signer.
            let current: Option<Signer> = rows.rows().get(&self.signer.key)?;
            if current.as_ref() != Some(&self.signer.entity) {
                return Err(EnrollmentError::UnknownToken.into());
            }
            self.check(rows.rows())?;
            rows.set_operation("identity.enroll", new_identity.identity.id.as_str());
            rows.insert(&key, &new_identity.identity)?;
            if let Some(authenticator) = &new_identity.authenticator {
                rows.insert(&of_authenticator, authenticator)?;
            }
            Ok(())
        })
        .await
    }
}

/// Extracts the claim that becomes the role attributes; none without the claim.
fn role_attributes(selector: Option<&str>, claims: &Claims) -> Result<RoleAttributes, AppError> {
    let Some(selector) = selector else {
        return Ok(RoleAttributes::default());
    };
    let selector =
        ClaimSelector::parse(selector).map_err(|_broken| EnrollmentError::UnknownToken)?;
    let texts = match claims.texts(&selector) {
        Ok(texts) => texts,
        Err(ClaimLookupError::Missing) => Vec::new(),
        Err(ClaimLookupError::NotText | ClaimLookupError::Empty) => {
            return Err(EnrollmentError::UnknownToken.into());
        },
    };
    let texts = texts.into_iter().map(str::to_owned);
    Ok(RoleAttributes::new(texts)?)
}
