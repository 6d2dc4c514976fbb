//! Becoming an identity by a token of an external signer.
//!
//! There is no enrollment to redeem: whoever holds a good token of a signer that allows it becomes
//! the identity that the token describes, once.

use super::redeem::ott;
use crate::app::App;
use crate::error::AppError;
use crate::identities::find_policy;
use crate::signers;
use portcullis_domain::access::Origin;
use portcullis_domain::audit::Actor;
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::authenticator::{Authenticator, Credential};
use portcullis_domain::identity::{Identity, IdentityName, IdentitySpec};
use portcullis_domain::ids::{AuthenticatorId, IdentityId, SignerId};
use portcullis_domain::roles::RoleAttributes;
use portcullis_domain::signer::Signer;
use portcullis_pki::external::{ClaimSelector, Claims, PresentedToken, SelectError};
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{
    AUTHENTICATOR, Found, IDENTITY, Index, Rows, UniqueValue, identity_key,
};
use secrecy::{ExposeSecret as _, SecretString};
use std::sync::Arc;

/// What a client brings to become an identity.
#[derive(Debug)]
pub struct TokenEnrollment {
    /// The token.
    pub token: SecretString,
    /// The signer whose token it is, if the client says so.
    pub signer: Option<SignerId>,
    /// A certificate request, PEM; without one the identity goes on with tokens.
    pub csr: Option<String>,
}

/// What a client gets for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenEnrolled {
    /// A certificate and those between it and the root, PEM, if one was asked for.
    pub certificate: Option<String>,
}

/// Makes the identity that a token describes, and its certificate if one is asked for.
///
/// # Errors
///
/// [`AppError::UnknownToken`] for a token that is not good, [`AppError::AlreadyEnrolled`],
/// [`AppError::EnrollmentNotAllowed`], [`AppError::Csr`], and a fault of `name` when that is taken.
pub async fn with_token(
    app: &App,
    origin: &Origin,
    enrollment: TokenEnrollment,
) -> Result<TokenEnrolled, AppError> {
    let token = signers::read_token(enrollment.token.expose_secret());
    let token = token.ok_or(AppError::UnknownToken)?;
    let signer = {
        let view = app.snapshot()?;
        signer_of(view.rows(), &token, enrollment.signer.as_ref())?
    };
    let signer = signer.ok_or(AppError::UnknownToken)?;
    let judged = signers::judge(app, &signer.entity, &token).await;
    let judged = judged.map_err(|_fault| AppError::UnknownToken)?;
    let name = name(&signer.entity, judged.claims)?;
    let way = Enrolling {
        to_cert: enrollment.csr.is_some(),
        signer,
        holder: judged.holder.to_owned(),
    };
    way.check(app.snapshot()?.rows())?;
    let spec = way.describe(judged.claims, name)?;
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
    let made = Made {
        identity,
        authenticator,
    };
    way.commit(app, origin, made).await?;
    Ok(TokenEnrolled { certificate })
}

/// The signer that a token is to be judged by: the one that the client names, or else the one that
/// the token does.
fn signer_of(
    rows: Rows<'_>,
    token: &PresentedToken<'_>,
    named: Option<&SignerId>,
) -> Result<Option<Found<Arc<Signer>>>, StoreError> {
    match named {
        Some(id) => signers::find_enabled(rows, id),
        None => signers::issued_by(rows, token),
    }
}

/// The claim that becomes the name.
fn name(signer: &Signer, claims: &Claims) -> Result<IdentityName, AppError> {
    let selector = ClaimSelector::parse(&signer.spec.enrollment.name_selector);
    let selector = selector.map_err(|_broken| AppError::UnknownToken)?;
    let name = claims.text(&selector);
    let name = name.map_err(|_missing| AppError::UnknownToken)?;
    IdentityName::new(name).map_err(|_blank| AppError::UnknownToken)
}

/// Whoever is about to become an identity.
#[derive(Clone)]
struct Enrolling {
    signer: Found<Arc<Signer>>,
    /// What the token says of whom it is for.
    holder: String,
    /// Whether with a certificate.
    to_cert: bool,
}

/// What a token is turned into.
struct Made {
    identity: Identity,
    authenticator: Option<Authenticator>,
}

impl Enrolling {
    /// Checks that there is no such identity yet and that it may be made in this way.
    fn check(&self, rows: Rows<'_>) -> Result<(), AppError> {
        let by_external_id = UniqueValue::new(Index::IdentityExternalId, self.holder.as_str());
        if rows.locate(&by_external_id)?.is_some() {
            return Err(AppError::AlreadyEnrolled);
        }
        let signer = &self.signer.entity;
        let rules = &signer.spec.enrollment;
        let policy: Arc<AuthPolicy> = find_policy(rows, &rules.auth_policy)?
            .map(|found| found.entity)
            .ok_or_else(|| StoreError::corrupt("the policy of a signer's identities is lost"))?;
        let is_allowed = if self.to_cert {
            rules.to_cert && policy.primary.cert.allowed
        } else {
            rules.to_token && policy.primary.ext_jwt.admits(&signer.id)
        };
        if is_allowed {
            Ok(())
        } else {
            Err(AppError::EnrollmentNotAllowed)
        }
    }

    fn describe(&self, claims: &Claims, name: IdentityName) -> Result<IdentitySpec, AppError> {
        let rules = &self.signer.entity.spec.enrollment;
        Ok(IdentitySpec {
            role_attributes: role_attributes(rules.attribute_selector.as_deref(), claims)?,
            auth_policy: rules.auth_policy.clone(),
            external_id: Some(self.holder.clone()),
            ..IdentitySpec::named(name)
        })
    }

    async fn commit(self, app: &App, origin: &Origin, made: Made) -> Result<(), AppError> {
        let key = identity_key(app.number(IDENTITY));
        let of_authenticator = key.dependent(AUTHENTICATOR, app.number(AUTHENTICATOR).0);
        let actor = Actor::stranger(origin, made.identity.id.as_str());
        app.commit(actor, move |rows| {
            // What was judged by has to be what is there now.
            let current: Option<Signer> = rows.rows().get(&self.signer.key)?;
            if current.as_ref() != Some(&self.signer.entity) {
                return Err(AppError::UnknownToken);
            }
            self.check(rows.rows())?;
            rows.operation("identity.enroll", made.identity.id.as_str());
            rows.insert(&key, &made.identity)?;
            if let Some(authenticator) = &made.authenticator {
                rows.insert(&of_authenticator, authenticator)?;
            }
            Ok(())
        })
        .await
    }
}

/// The claim that becomes the role attributes; a token without it gives none.
fn role_attributes(selector: Option<&str>, claims: &Claims) -> Result<RoleAttributes, AppError> {
    let Some(selector) = selector else {
        return Ok(RoleAttributes::default());
    };
    let selector = ClaimSelector::parse(selector).map_err(|_broken| AppError::UnknownToken)?;
    let texts = match claims.texts(&selector) {
        Ok(texts) => texts,
        Err(SelectError::Missing) => Vec::new(),
        Err(SelectError::NotText | SelectError::Empty) => return Err(AppError::UnknownToken),
    };
    let texts = texts.into_iter().map(str::to_owned);
    Ok(RoleAttributes::new(texts)?)
}
