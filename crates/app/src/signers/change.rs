//! Creating, changing and deleting external JWT signers.

use super::rank;
use super::{Create, Delete, Update, get};
use crate::app::App;
use crate::error::{AppError, still_referenced};
use crate::privilege::CredentialGuard;
use crate::records::find_policy;
use portcullis_domain::FieldError;
use portcullis_domain::access::Permit;
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::ids::SignerId;
use portcullis_domain::signer::{
    KeySource, KeySourcePatch, Signer, SignerCertificate, SignerSpec, SignerSpecPatch,
    validate_length,
};
use portcullis_pki::Certificate;
use portcullis_pki::external::{ClaimSelector, VerificationKey};
use portcullis_storage::engine::StoreError;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{AUTH_POLICY, Found, Rows, RowsMut, SIGNER};

/// Creates a signer.
pub async fn create(
    app: &App,
    permit: &Permit<Create>,
    spec: SignerSpec,
    keys: KeySourcePatch,
) -> Result<SignerId, AppError> {
    let keys = KeyChanges::validate(app, keys)?.apply_to(None)?;
    let id = SignerId::generate(&*app.env().entropy)?;
    let signer = Signer::new(id.clone(), keys, spec, app.env().now())?;
    check_selectors(&signer.spec)?;
    let key = RecordKey::root(SIGNER, app.next_number(SIGNER).0);
    let credential_guard = CredentialGuard::new(app);
    app.commit_for(permit, move |rows, caller| {
        rank::check_new(credential_guard, caller, &signer)?;
        check_policy(rows.rows(), &signer)?;
        Ok(rows.insert(&key, &signer)?)
    })
    .await?;
    Ok(id)
}

/// Replaces the spec of a signer.
pub async fn replace(
    app: &App,
    permit: &Permit<Update>,
    id: &SignerId,
    spec: SignerSpec,
    keys: KeySourcePatch,
) -> Result<(), AppError> {
    let keys = KeyChanges::validate(app, keys)?;
    let now = app.env().now();
    change(
        app,
        permit,
        id,
        "external-jwt-signer.replace",
        move |signer| Ok(signer.replace(keys.apply_to(None)?, spec.clone(), now)?),
    )
    .await
}

/// Patches a signer. Empty patches change nothing.
pub async fn patch(
    app: &App,
    permit: &Permit<Update>,
    id: &SignerId,
    patch: SignerSpecPatch,
    keys: KeySourcePatch,
) -> Result<(), AppError> {
    if patch == SignerSpecPatch::default() && keys == KeySourcePatch::default() {
        get(app.snapshot()?.rows(), id)?;
        return Ok(());
    }
    let keys = KeyChanges::validate(app, keys)?;
    let now = app.env().now();
    change(
        app,
        permit,
        id,
        "external-jwt-signer.merge",
        move |signer| {
            let keys = keys.apply_to(Some(&signer.keys))?;
            Ok(signer.patch(keys, patch.clone(), now)?)
        },
    )
    .await
}

async fn change(
    app: &App,
    permit: &Permit<Update>,
    id: &SignerId,
    operation: &'static str,
    mut apply: impl FnMut(&mut Signer) -> Result<(), AppError> + Send + 'static,
) -> Result<(), AppError> {
    let wanted = id.clone();
    let credential_guard = CredentialGuard::new(app);
    app.commit_for(permit, move |rows, caller| {
        rows.set_operation(operation, wanted.as_str());
        let found = get(rows.rows(), &wanted)?;
        let mut signer = found.entity.clone();
        apply(&mut signer)?;
        rank::check_change(rows.rows(), credential_guard, caller, (&found, &signer))?;
        check_selectors(&signer.spec)?;
        check_policy(rows.rows(), &signer)?;
        Ok(rows.replace(&found.key, &found.entity, &signer)?)
    })
    .await?;
    Ok(())
}

/// Deletes a signer unless a policy references it. Sessions that it opened have ended when this
/// returns.
pub async fn delete(app: &App, permit: &Permit<Delete>, id: &SignerId) -> Result<(), AppError> {
    let wanted = id.clone();
    app.commit_for(permit, move |rows, caller| {
        let found = get(rows.rows(), &wanted)?;
        check_not_referenced(rows, &found)?;
        rank::check_removal(rows.rows(), caller, &found)?;
        Ok(rows.remove(&found.key, &found.entity)?)
    })
    .await?;
    Ok(())
}

/// Checks that no policy references a signer.
fn check_not_referenced(rows: &RowsMut<'_>, signer: &Found<Signer>) -> Result<(), AppError> {
    let rows = rows.rows();
    let Some(key) = rows.referrers(&signer.key, AUTH_POLICY, 1)?.pop() else {
        return Ok(());
    };
    let policy: AuthPolicy = rows
        .get(&key)?
        .ok_or_else(|| StoreError::corrupt(format!("policy {key} is missing")))?;
    let demanded = policy.spec.secondary.require_ext_jwt_signer.as_ref();
    let field = if demanded == Some(&signer.entity.id) {
        "secondary.requireExtJwtSigner"
    } else {
        "primary.extJwt.allowedSigners"
    };
    let by = ("auth policy", policy.id.as_str());
    Err(AppError::InUse(still_referenced(
        "external JWT signer",
        field,
        by,
    )))
}

/// Changes of the key source with parsed certificates and validated addresses, which is done
/// outside of the transaction.
struct KeyChanges {
    certificate: FieldChange<SignerCertificate>,
    endpoint: FieldChange<String>,
}

/// Change of one optional field.
#[derive(Clone)]
enum FieldChange<T> {
    Keep,
    Clear,
    Set(T),
}

impl<T: Clone> FieldChange<T> {
    fn from_patch(is_set: bool, value: Option<T>) -> Self {
        match value {
            Some(value) => Self::Set(value),
            None if is_set => Self::Clear,
            None => Self::Keep,
        }
    }

    fn apply_to(&self, before: Option<T>) -> Option<T> {
        match self {
            Self::Keep => before,
            Self::Clear => None,
            Self::Set(value) => Some(value.clone()),
        }
    }
}

impl KeyChanges {
    fn validate(app: &App, patch: KeySourcePatch) -> Result<Self, AppError> {
        if let Some(Some(address)) = &patch.endpoint {
            validate_length("jwksEndpoint", address)?;
            app.signer_keys
                .validate_address(address)
                .map_err(|field_error| {
                    AppError::InvalidField(FieldError::new("jwksEndpoint", field_error.0, address))
                })?;
        }
        let certificate =
            match FieldChange::from_patch(patch.certificate.is_some(), patch.certificate.flatten())
            {
                FieldChange::Keep => FieldChange::Keep,
                FieldChange::Clear => FieldChange::Clear,
                FieldChange::Set(pem) => FieldChange::Set(parse_certificate(&pem)?),
            };
        Ok(Self {
            certificate,
            endpoint: FieldChange::from_patch(patch.endpoint.is_some(), patch.endpoint.flatten()),
        })
    }

    /// Applies the changes to the previous source; exactly one source has to result.
    fn apply_to(&self, before: Option<&KeySource>) -> Result<KeySource, AppError> {
        let certificate = before.and_then(KeySource::certificate).cloned();
        let endpoint = before.and_then(KeySource::endpoint).map(str::to_owned);
        let certificate = self.certificate.apply_to(certificate);
        let endpoint = self.endpoint.apply_to(endpoint);
        let (reason, address) = match (certificate, endpoint) {
            (Some(certificate), None) => return Ok(KeySource::Certificate(certificate)),
            (None, Some(address)) => return Ok(KeySource::KeySet(address)),
            (Some(_), Some(address)) => {
                ("only one of jwksEndpoint and certPem may be set", address)
            },
            (None, None) => {
                let reason = "jwksEndpoint or certPem must be set";
                (reason, String::new())
            },
        };
        Err(AppError::InvalidField(FieldError::new(
            "jwksEndpoint",
            reason,
            address,
        )))
    }
}

fn parse_certificate(pem: &str) -> Result<SignerCertificate, AppError> {
    let certificate =
        Certificate::from_single_pem(pem).map_err(|_unreadable| AppError::InvalidCertificatePem)?;
    VerificationKey::from_certificate(&certificate).map_err(|error| {
        AppError::InvalidField(FieldError::new("certPem", error.to_string(), ""))
    })?;
    Ok(SignerCertificate {
        pem: certificate.to_pem(),
        fingerprint: certificate.fingerprint().to_string(),
        common_name: certificate.common_name().unwrap_or_default(),
        not_before: certificate.not_before(),
        not_after: certificate.not_after(),
    })
}

/// Validates the claim selectors.
fn check_selectors(spec: &SignerSpec) -> Result<(), AppError> {
    let selectors = [
        ("claimsProperty", Some(&spec.claims_property)),
        (
            "enrollNameClaimsSelector",
            Some(&spec.enrollment.name_selector),
        ),
        (
            "enrollAttributeClaimsSelector",
            spec.enrollment.attribute_selector.as_ref(),
        ),
    ];
    for (field, selector) in selectors {
        if let Some(selector) = selector {
            ClaimSelector::parse(selector)
                .map_err(|error| FieldError::new(field, error.to_string(), selector))?;
        }
    }
    Ok(())
}

/// Validates that the auth policy for new identities exists and allows the credentials that
/// enrollment issues.
fn check_policy(rows: Rows<'_>, signer: &Signer) -> Result<(), AppError> {
    let rules = &signer.spec.enrollment;
    let field_error = |reason: &str| {
        let id = rules.auth_policy.as_str();
        Err(FieldError::new("enrollAuthPolicyId", reason, id).into())
    };
    let Some(policy) = find_policy(rows, &rules.auth_policy)? else {
        return field_error("no auth policy with this id exists");
    };
    let primary = &policy.entity.spec.primary;
    if rules.to_cert && !primary.cert.allowed {
        field_error(
            "the auth policy does not allow certificate logins, which enrollToCertEnabled requires",
        )
    } else if rules.to_token && !primary.ext_jwt.allows(&signer.id) {
        field_error(
            "the auth policy does not allow this signer, which enrollToTokenEnabled requires",
        )
    } else {
        Ok(())
    }
}
