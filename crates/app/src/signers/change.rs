//! Creating, changing and deleting external JWT signers.

use super::rank;
use crate::app::App;
use crate::error::{AppError, Referrer, still_referenced};
use crate::managed::{self, Create, CredentialGuard, Resource, Update, ViewContext};
use crate::records::find_policy;
use portcullis_domain::FieldError;
use portcullis_domain::access::{Caller, Permit};
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::ids::SignerId;
use portcullis_domain::managed::Spec as _;
use portcullis_domain::permission::Subject;
use portcullis_domain::signer::{
    KeySource, KeySourcePatch, Signer, SignerCertificate, SignerSettings, SignerSettingsPatch,
    SignerSpec, validate_length,
};
use portcullis_pki::Certificate;
use portcullis_pki::external::{ClaimSelector, VerificationKey};
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{AUTH_POLICY, Found, Rows};

impl Resource for SignerSpec {
    const SUBJECT: Subject = Subject::ExternalJwtSigner;
    const HAS_ROLE_FILTER: bool = false;
    type View = Signer;

    fn build_view(_context: ViewContext<'_>, found: Found<Signer>) -> Result<Signer, AppError> {
        Ok(found.entity)
    }

    fn authorize(
        rows: Rows<'_>,
        (caller, credential_guard): (&Caller, CredentialGuard),
        before: Option<&Found<Signer>>,
        after: &Signer,
    ) -> Result<(), AppError> {
        match before {
            None => rank::check_new(credential_guard, caller, after),
            Some(found) => rank::check_change(rows, credential_guard, caller, (found, after)),
        }
    }

    fn validate(rows: Rows<'_>, _before: Option<&Signer>, after: &Signer) -> Result<(), AppError> {
        check_selectors(&after.spec.settings)?;
        check_policy(rows, after)
    }

    fn authorize_removal(
        rows: Rows<'_>,
        caller: &Caller,
        found: &Found<Signer>,
    ) -> Result<(), AppError> {
        rank::check_removal(rows, caller, found)
    }

    fn validate_removal(rows: Rows<'_>, found: &Found<Signer>) -> Result<(), AppError> {
        check_not_referenced(rows, found)
    }
}

/// Creates a signer.
pub async fn create(
    app: &App,
    permit: &Permit<Create<SignerSpec>>,
    settings: SignerSettings,
    keys: KeySourcePatch,
) -> Result<SignerId, AppError> {
    let keys = KeyChanges::validate(app, keys)?.apply_to(None)?;
    // Callers learn of invalid settings before they are refused.
    settings.validate()?;
    check_selectors(&settings)?;
    let id = SignerId::generate(&*app.env().entropy)?;
    managed::create_with_id(app, permit, id, SignerSpec::new(keys, settings)).await
}

/// Replaces the settings and the key source of a signer.
pub async fn replace(
    app: &App,
    permit: &Permit<Update<SignerSpec>>,
    id: &SignerId,
    settings: SignerSettings,
    keys: KeySourcePatch,
) -> Result<(), AppError> {
    let (keys, now) = (KeyChanges::validate(app, keys)?, app.env().now());
    // Callers learn that a signer does not exist before they learn of a wrong number of sources.
    managed::get::<SignerSpec>(app.snapshot()?.rows(), id)?;
    let spec = SignerSpec::new(keys.apply_to(None)?, settings);
    let operation = Some("external-jwt-signer.replace");
    managed::change_as(app, permit, id, operation, move |signer: &mut Signer| {
        Ok(signer.replace(spec.clone(), now)?)
    })
    .await
}

/// Patches a signer. Empty patches change nothing.
pub async fn patch(
    app: &App,
    permit: &Permit<Update<SignerSpec>>,
    id: &SignerId,
    patch: SignerSettingsPatch,
    keys: KeySourcePatch,
) -> Result<(), AppError> {
    if keys == KeySourcePatch::default() && patch == SignerSettingsPatch::default() {
        managed::get::<SignerSpec>(app.snapshot()?.rows(), id)?;
        return Ok(());
    }
    let (keys, now) = (KeyChanges::validate(app, keys)?, app.env().now());
    let operation = Some("external-jwt-signer.merge");
    managed::change_as(app, permit, id, operation, move |signer: &mut Signer| {
        let mut spec = signer.spec.clone();
        spec.keys = keys.apply_to(Some(&spec.keys))?;
        spec.apply(patch.clone());
        Ok(signer.replace(spec, now)?)
    })
    .await
}

/// Checks that no policy references a signer.
fn check_not_referenced(rows: Rows<'_>, signer: &Found<Signer>) -> Result<(), AppError> {
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
    let by = Referrer {
        kind: "auth policy",
        id: policy.id.as_str(),
        name: &policy.spec.name,
    };
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
fn check_selectors(settings: &SignerSettings) -> Result<(), AppError> {
    let selectors = [
        ("claimsProperty", Some(&settings.claims_property)),
        (
            "enrollNameClaimsSelector",
            Some(&settings.enrollment.name_selector),
        ),
        (
            "enrollAttributeClaimsSelector",
            settings.enrollment.attribute_selector.as_ref(),
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
    let rules = &signer.spec.settings.enrollment;
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
