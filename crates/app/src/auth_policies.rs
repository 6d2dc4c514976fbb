//! Authentication policies: create, read, list, replace, patch, delete.

use crate::action::actions;
use crate::app::App;
use crate::error::{AppError, still_referenced};
use crate::listing::{ListPage, ListRequest, ListScope, Paging};
use crate::privilege::CredentialGuard;
use portcullis_domain::FieldError;
use portcullis_domain::access::{Access, Permit};
use portcullis_domain::auth_policy::{AuthPolicy, AuthPolicySpec, AuthPolicySpecPatch};
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{AuthPolicyId, SignerId};
use portcullis_domain::permission::{Subject, Verb};
use portcullis_domain::signer::Signer;
use portcullis_storage::engine::StoreError;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{
    AUTH_POLICY, Found, IDENTITY, Rows, SIGNER, UniqueIndex, UniqueValue,
};
use std::ops::ControlFlow;

actions! {
    /// Reads one authentication policy or a list.
    Read = Access::Granted(Subject::AuthPolicy, Verb::Read);
    /// Creates an authentication policy.
    Create = Access::Granted(Subject::AuthPolicy, Verb::Create);
    /// Replaces or patches an authentication policy.
    Update = Access::Granted(Subject::AuthPolicy, Verb::Update);
    /// Deletes an authentication policy.
    Delete = Access::Granted(Subject::AuthPolicy, Verb::Delete);
}

/// Rules of a policy in use, perhaps by administrators, decide who can log in.
const RULES_IN_USE: &str = "only administrators may change an auth policy that is in use";

/// Reads one authentication policy.
pub fn read(app: &App, _permit: &Permit<Read>, id: &AuthPolicyId) -> Result<AuthPolicy, AppError> {
    Ok(get(app.snapshot()?.rows(), id)?.entity)
}

/// Lists authentication policies.
pub fn list(
    app: &App,
    _permit: &Permit<Read>,
    request: &ListRequest<'_>,
    show: &mut dyn FnMut(AuthPolicy) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let listing = request.parse::<AuthPolicy>()?;
    let answer: ListPage<'_, AuthPolicy> = ListPage::new(app, &listing, &ListScope::all(request))?;
    answer.for_each(&mut |found| Ok(show(found.entity)))
}

/// Creates an authentication policy.
pub async fn create(
    app: &App,
    permit: &Permit<Create>,
    spec: AuthPolicySpec,
) -> Result<AuthPolicyId, AppError> {
    let id = AuthPolicyId::generate(&*app.env().entropy)?;
    let policy = AuthPolicy::new(id.clone(), spec, app.env().now())?;
    let key = RecordKey::root(AUTH_POLICY, app.next_number(AUTH_POLICY).0);
    app.commit_for(permit, move |rows, _caller| {
        check_signers(rows.rows(), &policy)?;
        Ok(rows.insert(&key, &policy)?)
    })
    .await?;
    Ok(id)
}

/// Replaces the spec of a policy, which applies to logins and existing sessions at once.
pub async fn replace(
    app: &App,
    permit: &Permit<Update>,
    id: &AuthPolicyId,
    spec: AuthPolicySpec,
) -> Result<(), AppError> {
    let now = app.env().now();
    change(app, permit, id, "auth-policy.replace", move |policy| {
        Ok(policy.replace(spec.clone(), now)?)
    })
    .await
}

/// Patches a policy. An empty patch changes nothing.
pub async fn patch(
    app: &App,
    permit: &Permit<Update>,
    id: &AuthPolicyId,
    patch: AuthPolicySpecPatch,
) -> Result<(), AppError> {
    if patch == AuthPolicySpecPatch::default() {
        get(app.snapshot()?.rows(), id)?;
        return Ok(());
    }
    let now = app.env().now();
    change(app, permit, id, "auth-policy.merge", move |policy| {
        Ok(policy.patch(patch.clone(), now)?)
    })
    .await
}

async fn change(
    app: &App,
    permit: &Permit<Update>,
    id: &AuthPolicyId,
    operation: &'static str,
    mut apply: impl FnMut(&mut AuthPolicy) -> Result<(), AppError> + Send + 'static,
) -> Result<(), AppError> {
    let (wanted, credential_guard) = (id.clone(), CredentialGuard::new(app));
    app.commit_for(permit, move |rows, caller| {
        rows.set_operation(operation, wanted.as_str());
        let found = get(rows.rows(), &wanted)?;
        let mut policy = found.entity.clone();
        apply(&mut policy)?;
        let rules_change =
            found.entity.primary != policy.primary || found.entity.secondary != policy.secondary;
        // Policies that are not in use may be prepared.
        if rules_change && find_use(rows.rows(), &found)?.is_some() {
            credential_guard.check_for_all(caller, RULES_IN_USE)?;
        }
        check_signers(rows.rows(), &policy)?;
        Ok(rows.replace(&found.key, &found.entity, &policy)?)
    })
    .await?;
    Ok(())
}

/// Deletes a policy that is not in use. The default policy cannot be deleted.
pub async fn delete(app: &App, permit: &Permit<Delete>, id: &AuthPolicyId) -> Result<(), AppError> {
    let wanted = id.clone();
    app.commit_for(permit, move |rows, _caller| {
        let found = get(rows.rows(), &wanted)?;
        if let Some(reason) = find_use(rows.rows(), &found)? {
            return Err(AppError::InUse(reason));
        }
        Ok(rows.remove(&found.key, &found.entity)?)
    })
    .await?;
    Ok(())
}

/// One use of a policy, if there is any.
fn find_use(rows: Rows<'_>, policy: &Found<AuthPolicy>) -> Result<Option<FieldError>, StoreError> {
    let in_use = |field: &str, kind: &str, id: &str| {
        Some(still_referenced("auth policy", field, (kind, id)))
    };
    if policy.entity.is_default() {
        // Identities keep no references to the default policy.
        let mark = UniqueValue::new(UniqueIndex::DefaultAdministrator, "");
        let administrator: Option<Found<Identity>> = rows.find(&mark)?;
        let id = administrator.map(|found| found.entity.id.to_string());
        return Ok(in_use("authPolicyId", "identity", &id.unwrap_or_default()));
    }
    if let Some(key) = rows.referrers(&policy.key, IDENTITY, 1)?.first() {
        let identity: Option<Identity> = rows.get(key)?;
        let id = identity.map(|identity| identity.id.to_string());
        return Ok(in_use("authPolicyId", "identity", &id.unwrap_or_default()));
    }
    let Some(key) = rows.referrers(&policy.key, SIGNER, 1)?.into_iter().next() else {
        return Ok(None);
    };
    let signer: Option<Signer> = rows.get(&key)?;
    let id = signer.map(|signer| signer.id.to_string());
    Ok(in_use(
        "enrollAuthPolicyId",
        "external JWT signer",
        &id.unwrap_or_default(),
    ))
}

/// Reason for refusing a policy with an unknown signer.
const UNKNOWN_SIGNER: &str = "no external JWT signer with this id exists";

/// Validates that the signers of a policy exist.
fn check_signers(rows: Rows<'_>, policy: &AuthPolicy) -> Result<(), AppError> {
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

fn get(rows: Rows<'_>, id: &AuthPolicyId) -> Result<Found<AuthPolicy>, AppError> {
    rows.find(&UniqueValue::new(UniqueIndex::AuthPolicyId, id.as_str()))?
        .ok_or_else(|| AppError::not_found("auth policy", id.as_str()))
}
