//! Authentication policies.

use crate::error::{AppError, Referrer, still_referenced};
use crate::listing::kinds::ListableSpec;
use crate::listing::text_value;
use crate::managed::{Operations, Resource, ViewContext, Writable};
use crate::privilege::CredentialGuard;
use parking_lot::RwLockReadGuard;
use portcullis_domain::FieldError;
use portcullis_domain::access::Caller;
use portcullis_domain::auth_policy::{AuthPolicy, AuthPolicySpec};
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::SignerId;
use portcullis_domain::permission::Subject;
use portcullis_domain::signer::Signer;
use portcullis_domain::tags::Tags;
use portcullis_filter::{Schema, Value, symbols};
use portcullis_index::{Catalog, Projections};
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{Found, IDENTITY, Rows, SIGNER, UniqueIndex, UniqueValue};

symbols! {
    pub(crate) enum AuthPolicySymbol;
    /// Authentication policies.
    static AUTH_POLICIES: Schema::entity;
    Name => string("name"),
    PrimaryCertAllowed => boolean("primary.cert.allowed"),
    PrimaryCertAllowExpiredCerts => boolean("primary.cert.allowExpiredCerts"),
    PrimaryUpdbAllowed => boolean("primary.updb.allowed"),
    PrimaryUpdbMinPasswordLength => integer("primary.updb.minPasswordLength"),
    PrimaryUpdbRequireSpecialChar => boolean("primary.updb.requireSpecialChar"),
    PrimaryUpdbRequireNumberChar => boolean("primary.updb.requireNumberChar"),
    PrimaryUpdbRequireMixedCase => boolean("primary.updb.requireMixedCase"),
    PrimaryUpdbMaxAttempts => integer("primary.updb.maxAttempts"),
    PrimaryExtJwtAllowed => boolean("primary.extJwt.allowed"),
    SecondaryRequireTotp => boolean("secondary.requireTotp"),
    SecondaryRequireExtJwtSigner => string("secondary.requireExtJwtSigner"),
}

impl ListableSpec for AuthPolicySpec {
    type Symbol = AuthPolicySymbol;
    const SCHEMA: &'static Schema = &AUTH_POLICIES;

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<AuthPolicy>> {
        projections.auth_policies()
    }

    fn tags(&self) -> &Tags {
        &self.tags
    }

    fn is_system(policy: &AuthPolicy) -> bool {
        policy.is_default()
    }

    fn value(&self, symbol: AuthPolicySymbol) -> Value<'_> {
        let (cert, updb) = (&self.primary.cert, &self.primary.updb);
        match symbol {
            AuthPolicySymbol::PrimaryCertAllowed => cert.allowed.into(),
            AuthPolicySymbol::PrimaryCertAllowExpiredCerts => cert.allow_expired_certs.into(),
            AuthPolicySymbol::PrimaryUpdbAllowed => updb.allowed.into(),
            AuthPolicySymbol::PrimaryUpdbMinPasswordLength => {
                i64::from(updb.min_password_length).into()
            },
            AuthPolicySymbol::PrimaryUpdbRequireSpecialChar => updb.require_special_char.into(),
            AuthPolicySymbol::PrimaryUpdbRequireNumberChar => updb.require_number_char.into(),
            AuthPolicySymbol::PrimaryUpdbRequireMixedCase => updb.require_mixed_case.into(),
            AuthPolicySymbol::PrimaryUpdbMaxAttempts => i64::from(updb.max_attempts).into(),
            AuthPolicySymbol::PrimaryExtJwtAllowed => self.primary.ext_jwt.allowed.into(),
            AuthPolicySymbol::SecondaryRequireTotp => self.secondary.require_totp.into(),
            AuthPolicySymbol::SecondaryRequireExtJwtSigner => self
                .secondary
                .require_ext_jwt_signer
                .as_ref()
                .map_or(Value::Missing, |signer| text_value(signer.as_str())),
            AuthPolicySymbol::Name => text_value(&self.name),
        }
    }
}

/// Rules of a policy in use, perhaps by administrators, decide who can log in.
const RULES_IN_USE: &str = "only administrators may change an auth policy that is in use";

impl Writable for AuthPolicySpec {
    const OPERATIONS: Option<Operations> = Some(Operations {
        replace: "auth-policy.replace",
        patch: "auth-policy.merge",
    });
}

impl Resource for AuthPolicySpec {
    const SUBJECT: Subject = Subject::AuthPolicy;
    const HAS_ROLE_FILTER: bool = false;
    type View = AuthPolicy;

    fn build_view(
        _context: ViewContext<'_>,
        found: Found<AuthPolicy>,
    ) -> Result<AuthPolicy, AppError> {
        Ok(found.entity)
    }

    /// Whoever may update policies may prepare those that are not in use.
    fn authorize(
        rows: Rows<'_>,
        (caller, credential_guard): (&Caller, CredentialGuard),
        before: Option<&Found<AuthPolicy>>,
        after: &AuthPolicy,
    ) -> Result<(), AppError> {
        let Some(before) = before else { return Ok(()) };
        let (old, new) = (&before.entity.spec, &after.spec);
        let has_other_rules = (&old.primary, &old.secondary) != (&new.primary, &new.secondary);
        if has_other_rules && find_use(rows, before)?.is_some() {
            credential_guard.check_for_all(caller, RULES_IN_USE)?;
        }
        Ok(())
    }

    fn validate(
        rows: Rows<'_>,
        _before: Option<&AuthPolicy>,
        after: &AuthPolicy,
    ) -> Result<(), AppError> {
        check_signers(rows, &after.spec)
    }

    /// The default policy counts as in use.
    fn validate_removal(rows: Rows<'_>, found: &Found<AuthPolicy>) -> Result<(), AppError> {
        find_use(rows, found)?.map_or(Ok(()), |reason| Err(AppError::InUse(reason)))
    }
}

/// One use of a policy, if there is any.
fn find_use(rows: Rows<'_>, policy: &Found<AuthPolicy>) -> Result<Option<FieldError>, StoreError> {
    let in_use = |field: &str, kind: &str, found: Option<(&str, &str)>| {
        let (id, name) = found.unwrap_or_default();
        Some(still_referenced(
            "auth policy",
            field,
            Referrer { kind, id, name },
        ))
    };
    let by_identity = |identity: Option<&Identity>| {
        let found = identity.map(|identity| (identity.id.as_str(), identity.spec.name.as_str()));
        in_use("authPolicyId", "identity", found)
    };
    if policy.entity.is_default() {
        // Identities keep no references to the default policy.
        let mark = UniqueValue::new(UniqueIndex::DefaultAdministrator, "");
        let administrator: Option<Found<Identity>> = rows.find(&mark)?;
        return Ok(by_identity(
            administrator.map(|found| found.entity).as_ref(),
        ));
    }
    if let Some(key) = rows.referrers(&policy.key, IDENTITY, 1)?.first() {
        let identity: Option<Identity> = rows.get(key)?;
        return Ok(by_identity(identity.as_ref()));
    }
    let Some(key) = rows.referrers(&policy.key, SIGNER, 1)?.into_iter().next() else {
        return Ok(None);
    };
    let signer: Option<Signer> = rows.get(&key)?;
    let found = signer.as_ref();
    let found = found.map(|signer| (signer.id.as_str(), signer.spec.settings.name.as_str()));
    Ok(in_use("enrollAuthPolicyId", "external JWT signer", found))
}

/// Reason for refusing a policy with an unknown signer.
const UNKNOWN_SIGNER: &str = "no external JWT signer with this id exists";

/// Validates that the signers of a policy exist.
fn check_signers(rows: Rows<'_>, policy: &AuthPolicySpec) -> Result<(), AppError> {
    let exists = |id: &SignerId| {
        rows.locate(&UniqueValue::new(UniqueIndex::SignerId, id.as_str()))
            .map(|key| key.is_some())
    };
    let missing = |field: String, id: &SignerId| {
        let field_error = FieldError::new(field, UNKNOWN_SIGNER, id.as_str());
        Err(AppError::MissingReference(field_error))
    };
    for (position, id) in policy.primary.ext_jwt.allowed_signers.iter().enumerate() {
        if !exists(id)? {
            let field = format!("primary.extJwt.allowedExtJwtSigners[{position}]");
            return missing(field, id);
        }
    }
    match &policy.secondary.require_ext_jwt_signer {
        Some(id) if !exists(id)? => missing("secondary.requiredExtJwtSigner".to_owned(), id),
        _ => Ok(()),
    }
}
