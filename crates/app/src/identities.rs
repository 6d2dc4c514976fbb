//! Identities: create, read, list, replace, merge, disable, enable, trace, delete.

mod create;
mod list;
mod look;
mod service_configs;
mod trace;
mod update;

pub use create::create;
pub(crate) use list::list_selected;
pub use list::{list, list_types, read_type};
pub(crate) use look::Onlooker;
pub use service_configs::{
    Assignment, assign_service_configs, service_configs, withdraw_service_configs,
};
pub(crate) use trace::{Traces, forget_ended as forget_ended_traces};
pub use trace::{trace, traced, traces};
pub use update::{disable, enable, merge, replace};

use crate::action::actions;
use crate::app::App;
use crate::error::AppError;
use crate::rank::check_touchable;
use crate::routers;
use crate::services::is_of_the_edge;
use portcullis_domain::FieldError;
use portcullis_domain::access::{Access, Permit};
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::identity::{Identity, IdentitySpec};
use portcullis_domain::ids::{AuthPolicyId, IdentityId};
use portcullis_domain::permission::{Subject, Verb};
use portcullis_domain::view::IdentityView;
use portcullis_storage::engine::StoreError;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Found, Index, Rows, UniqueValue, identity_key};
use std::marker::PhantomData;
use std::sync::Arc;

actions! {
    /// Reads one identity or a list.
    Read = Access::Granted(Subject::Identity, Verb::Read);
    /// Creates an identity.
    Create = Access::Granted(Subject::Identity, Verb::Create);
    /// Replaces, merges, disables, enables or traces an identity.
    Update = Access::Granted(Subject::Identity, Verb::Update);
    /// Deletes an identity.
    Delete = Access::Granted(Subject::Identity, Verb::Delete);
    /// Reads the caller's own identity.
    ReadOwn = Access::Full;
    /// Reads the types of identities.
    ReadTypes = Access::Full;
}

/// Reads one identity.
pub fn read(app: &App, permit: &Permit<Read>, id: &IdentityId) -> Result<IdentityView, AppError> {
    let view = app.snapshot()?;
    let found = find(view.rows(), id)?;
    Onlooker::new(app, permit.caller(), &view).look(found)
}

/// Reads the caller's own identity, as `write` writes it.
///
/// Clients ask for it again and again: what was written once is answered until something is
/// committed. So it has to depend on the identity alone, and `write` captures nothing. Nor does time
/// make a difference: who is shut out loses its sessions in the same commit, and opening a new one is
/// another commit.
pub fn read_own<T, W>(app: &App, permit: &Permit<ReadOwn>, write: W) -> Result<T, AppError>
where
    T: AsRef<[u8]> + Clone + Send + Sync + 'static,
    W: FnOnce(IdentityView) -> T + 'static,
{
    const { assert!(size_of::<W>() == 0, "what writes it captures nothing") };
    let caller = permit.caller();
    let key = identity_key(caller.identity_number);
    let view = app.snapshot()?;
    let own = view.rows().share_made(&key, || {
        let gone = || AppError::not_found("identity", caller.identity.as_str());
        let entity: Arc<Identity> = view.rows().share(&key)?.ok_or_else(gone)?;
        let entity = Arc::unwrap_or_clone(entity);
        let seen = Onlooker::new(app, caller, &view).look(Found { key, entity })?;
        let has_secrets = !seen.enrollments.is_empty();
        let written = write(seen);
        let size = written.as_ref().len();
        // Tokens are opened for an answer and do not stay behind.
        let own = Own::<T, W>(written, PhantomData);
        Ok::<_, AppError>((own, (!has_secrets).then_some(size)))
    })?;
    Ok(own.0.clone())
}

/// The own identity of a caller as `W` writes it; another one does not come across it.
struct Own<T, W>(T, PhantomData<fn() -> W>);

/// Deletes an identity with everything that is its own. Its sessions and credentials are dead when
/// this returns.
pub async fn delete(app: &App, permit: &Permit<Delete>, id: &IdentityId) -> Result<(), AppError> {
    let wanted = id.clone();
    app.commit_for(permit, move |rows, caller| {
        let found = find(rows.rows(), &wanted)?;
        if found.entity.is_default_admin {
            return Err(AppError::Undeletable { rule: None });
        }
        if routers::has(rows.rows(), &found.entity)? {
            return Err(AppError::Undeletable {
                rule: Some(
                    "the identity belongs to a router; delete the router or disable its \
                     tunneler instead",
                ),
            });
        }
        check_touchable(caller, &found.entity)?;
        Ok(rows.remove_identity(&found)?)
    })
    .await?;
    Ok(())
}

/// Finds an identity by id.
pub(crate) fn find(rows: Rows<'_>, id: &IdentityId) -> Result<Found<Identity>, AppError> {
    rows.find(&UniqueValue::new(Index::IdentityId, id.as_str()))?
        .ok_or_else(|| AppError::not_found("identity", id.as_str()))
}

/// The identity that a record lives under. Nothing outlives its identity, so its absence is damage.
pub(crate) fn owner<E>(rows: Rows<'_>, found: &Found<E>) -> Result<Found<Identity>, StoreError> {
    let key = identity_key(found.root_number());
    let entity = rows.get(&key)?.ok_or_else(|| lost(&key))?;
    Ok(Found { key, entity })
}

/// The same, for those who ask again and again.
pub(crate) fn shared_owner<E>(
    rows: Rows<'_>,
    found: &Found<E>,
) -> Result<Found<Arc<Identity>>, StoreError> {
    let key = identity_key(found.root_number());
    let entity = rows.share(&key)?.ok_or_else(|| lost(&key))?;
    Ok(Found { key, entity })
}

fn lost(identity: &RecordKey) -> StoreError {
    StoreError::corrupt(format!("identity {identity} is lost"))
}

/// The authentication policy of an identity. What governs somebody cannot be deleted, so its absence
/// is damage.
pub(crate) fn policy_of(
    rows: Rows<'_>,
    identity: &Identity,
) -> Result<Arc<AuthPolicy>, StoreError> {
    find_policy(rows, &identity.spec.auth_policy)?
        .map(|found| found.entity)
        .ok_or_else(|| StoreError::corrupt("the policy of an identity is lost"))
}

/// Finds an authentication policy by id.
pub(crate) fn find_policy(
    rows: Rows<'_>,
    id: &AuthPolicyId,
) -> Result<Option<Found<Arc<AuthPolicy>>>, StoreError> {
    rows.find_shared(&UniqueValue::new(Index::AuthPolicyId, id.as_str()))
}

/// Checks that what a specification refers to exists.
pub(crate) fn check_references(rows: Rows<'_>, spec: &IdentitySpec) -> Result<(), AppError> {
    if find_policy(rows, &spec.auth_policy)?.is_none() {
        return Err(AppError::not_found(
            "auth policy",
            spec.auth_policy.as_str(),
        ));
    }
    for service in spec.hosting.services() {
        if !is_of_the_edge(rows, service)? {
            return Err(AppError::not_found("service", service.as_str()));
        }
    }
    Ok(())
}

/// The fault of a member that names something that does not exist.
pub(crate) fn unknown(field: &str, reason: &str, value: &str) -> AppError {
    AppError::InvalidField(FieldError::new(field, reason, value))
}
