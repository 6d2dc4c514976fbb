//! Changing external JWT signers.

use super::rank;
use super::{Create, Delete, Update, require};
use crate::app::App;
use crate::error::{AppError, referenced};
use crate::identities::find_policy;
use crate::rank::WaysIn;
use portcullis_domain::FieldError;
use portcullis_domain::access::Permit;
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::ids::SignerId;
use portcullis_domain::signer::{
    KeyPatch, KeySource, Signer, SignerCertificate, SignerPatch, SignerSpec, check_length,
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
    keys: KeyPatch,
) -> Result<SignerId, AppError> {
    let keys = JudgedKeys::judge(app, keys)?.over(None)?;
    let id = SignerId::generate(&*app.env().entropy)?;
    let signer = Signer::new(id.clone(), keys, spec, app.env().now())?;
    check_selectors(&signer.spec)?;
    let key = RecordKey::root(SIGNER, app.number(SIGNER).0);
    let ways_in = WaysIn::of(app);
    app.commit_for(permit, move |rows, caller| {
        rank::check_new(ways_in, caller, &signer)?;
        check_policy(rows.rows(), &signer)?;
        Ok(rows.insert(&key, &signer)?)
    })
    .await?;
    Ok(id)
}

/// Replaces what administrators decide about a signer.
pub async fn replace(
    app: &App,
    permit: &Permit<Update>,
    id: &SignerId,
    spec: SignerSpec,
    keys: KeyPatch,
) -> Result<(), AppError> {
    let keys = JudgedKeys::judge(app, keys)?;
    let now = app.env().now();
    change(
        app,
        permit,
        id,
        "external-jwt-signer.replace",
        move |signer| Ok(signer.replace(keys.over(None)?, spec.clone(), now)?),
    )
    .await
}

/// Changes the members of a signer that the patches set. Patches that set none change nothing.
pub async fn merge(
    app: &App,
    permit: &Permit<Update>,
    id: &SignerId,
    patch: SignerPatch,
    keys: KeyPatch,
) -> Result<(), AppError> {
    if patch == SignerPatch::default() && keys == KeyPatch::default() {
        require(app.snapshot()?.rows(), id)?;
        return Ok(());
    }
    let keys = JudgedKeys::judge(app, keys)?;
    let now = app.env().now();
    change(
        app,
        permit,
        id,
        "external-jwt-signer.merge",
        move |signer| {
            let keys = keys.over(Some(&signer.keys))?;
            Ok(signer.merge(keys, patch.clone(), now)?)
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
    let ways_in = WaysIn::of(app);
    app.commit_for(permit, move |rows, caller| {
        rows.operation(operation, wanted.as_str());
        let found = require(rows.rows(), &wanted)?;
        let mut signer = found.entity.clone();
        apply(&mut signer)?;
        rank::check_change(rows.rows(), ways_in, caller, (&found, &signer))?;
        check_selectors(&signer.spec)?;
        check_policy(rows.rows(), &signer)?;
        Ok(rows.replace(&found.key, &found.entity, &signer)?)
    })
    .await?;
    Ok(())
}

/// Deletes a signer, unless a policy names it. Sessions that it opened are over when this returns.
pub async fn delete(app: &App, permit: &Permit<Delete>, id: &SignerId) -> Result<(), AppError> {
    let wanted = id.clone();
    app.commit_for(permit, move |rows, caller| {
        let found = require(rows.rows(), &wanted)?;
        check_unused(rows, &found)?;
        rank::check_removal(rows.rows(), caller, &found)?;
        Ok(rows.remove(&found.key, &found.entity)?)
    })
    .await?;
    Ok(())
}

/// Checks that no policy names a signer.
fn check_unused(rows: &RowsMut<'_>, signer: &Found<Signer>) -> Result<(), AppError> {
    let rows = rows.rows();
    let Some(key) = rows.referrers(&signer.key, AUTH_POLICY, 1)?.pop() else {
        return Ok(());
    };
    let policy: AuthPolicy = rows
        .get(&key)?
        .ok_or_else(|| StoreError::corrupt(format!("policy {key} is lost")))?;
    let demanded = policy.secondary.require_ext_jwt_signer.as_ref();
    let field = if demanded == Some(&signer.entity.id) {
        "secondary.requireExtJwtSigner"
    } else {
        "primary.extJwt.allowedSigners"
    };
    let by = ("auth policy", policy.id.as_str());
    Err(AppError::InUse(referenced(
        "external JWT signer",
        field,
        by,
    )))
}

/// Where keys are to come from: certificates read and addresses judged, which is no work for a
/// transaction.
struct JudgedKeys {
    certificate: Wish<SignerCertificate>,
    endpoint: Wish<String>,
}

/// What is to become of one source of keys.
#[derive(Clone)]
enum Wish<T> {
    Stay,
    Go,
    Become(T),
}

impl<T: Clone> Wish<T> {
    fn of(is_set: bool, value: Option<T>) -> Self {
        match value {
            Some(value) => Self::Become(value),
            None if is_set => Self::Go,
            None => Self::Stay,
        }
    }

    fn over(&self, before: Option<T>) -> Option<T> {
        match self {
            Self::Stay => before,
            Self::Go => None,
            Self::Become(value) => Some(value.clone()),
        }
    }
}

impl JudgedKeys {
    fn judge(app: &App, patch: KeyPatch) -> Result<Self, AppError> {
        if let Some(Some(address)) = &patch.endpoint {
            check_length("jwksEndpoint", address)?;
            app.signer_keys.judge(address).map_err(|fault| {
                AppError::InvalidField(FieldError::new("jwksEndpoint", fault.0, address))
            })?;
        }
        let certificate = match Wish::of(patch.certificate.is_some(), patch.certificate.flatten()) {
            Wish::Stay => Wish::Stay,
            Wish::Go => Wish::Go,
            Wish::Become(pem) => Wish::Become(read_certificate(&pem)?),
        };
        Ok(Self {
            certificate,
            endpoint: Wish::of(patch.endpoint.is_some(), patch.endpoint.flatten()),
        })
    }

    /// The one source that there is when this is laid over what there was.
    fn over(&self, before: Option<&KeySource>) -> Result<KeySource, AppError> {
        let certificate = before.and_then(KeySource::certificate).cloned();
        let endpoint = before.and_then(KeySource::endpoint).map(str::to_owned);
        let certificate = self.certificate.over(certificate);
        let endpoint = self.endpoint.over(endpoint);
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

fn read_certificate(pem: &str) -> Result<SignerCertificate, AppError> {
    let certificate =
        Certificate::only_from_pem(pem).map_err(|_unreadable| AppError::CertificatePem)?;
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

/// Checks that the selectors of claims can be read.
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

/// Checks that the policy of new identities exists, and lets them in by the ways that are open to
/// make them.
fn check_policy(rows: Rows<'_>, signer: &Signer) -> Result<(), AppError> {
    let rules = &signer.spec.enrollment;
    let fault = |reason: &str| {
        let id = rules.auth_policy.as_str();
        Err(FieldError::new("enrollAuthPolicyId", reason, id).into())
    };
    let Some(policy) = find_policy(rows, &rules.auth_policy)? else {
        return fault("no auth policy with this id exists");
    };
    let primary = &policy.entity.primary;
    if rules.to_cert && !primary.cert.allowed {
        fault(
            "the auth policy does not allow certificate logins, which enrollToCertEnabled requires",
        )
    } else if rules.to_token && !primary.ext_jwt.admits(&signer.id) {
        fault("the auth policy does not allow this signer, which enrollToTokenEnabled requires")
    } else {
        Ok(())
    }
}
