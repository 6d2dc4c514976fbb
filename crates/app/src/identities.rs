//! Identities: create, read, list, replace, merge, disable, enable, trace, delete.

mod create;
mod list;
mod service_configs;
mod trace;
mod update;
mod view;

pub use create::create;
pub(crate) use list::list_selected;
pub use list::{list, list_types, read_type};
pub use service_configs::{
    Assignment, assign_service_configs, service_configs, withdraw_service_configs,
};
pub(crate) use trace::remove_ended as forget_ended_traces;
pub use trace::{are_any_traced, count_traces, find_active_trace, find_trace, trace};
pub use update::{disable, enable, patch, replace};
pub(crate) use view::IdentityViewBuilder;

use crate::action::actions;
use crate::app::App;
use crate::error::{AppError, NotAllowedError};
use crate::privilege::check_may_modify;
use crate::records::{find_policy, get_identity};
use crate::routers;
use crate::services::edge_service_exists;
use bytes::Bytes;
use portcullis_domain::access::{Access, Permit};
use portcullis_domain::identity::{Identity, IdentitySpec};
use portcullis_domain::ids::IdentityId;
use portcullis_domain::permission::{Subject, Verb};
use portcullis_domain::view::IdentityView;
use portcullis_storage::tables::{Found, Rows, identity_key};
use std::sync::Arc;

actions! {
    /// Reads one identity or a list.
    Read = Access::Granted(Subject::Identity, Verb::Read);
    /// Creates an identity.
    Create = Access::Granted(Subject::Identity, Verb::Create);
    /// Replaces, patches, disables, enables or traces an identity.
    Update = Access::Granted(Subject::Identity, Verb::Update);
    /// Deletes an identity.
    Delete = Access::Granted(Subject::Identity, Verb::Delete);
    /// Reads the caller's own identity.
    ReadOwn = Access::Full;
    /// Reads the identity types.
    ReadTypes = Access::Full;
}

pub fn read(app: &App, permit: &Permit<Read>, id: &IdentityId) -> Result<IdentityView, AppError> {
    let view = app.snapshot()?;
    let found = get_identity(view.rows(), id)?;
    IdentityViewBuilder::new(app, permit.caller(), &view).build(found)
}

/// Reads the caller's own identity, encoded by `encode`.
///
/// Clients poll this, so the encoded identity is cached until the next commit, by identity alone:
/// `encode` has to be the same in all calls. Time does not matter either: disabling an identity
/// ends its sessions in the same commit, and opening a new one is another commit.
pub fn read_own(
    app: &App,
    permit: &Permit<ReadOwn>,
    encode: fn(IdentityView) -> Bytes,
) -> Result<Bytes, AppError> {
    let caller = permit.caller();
    let view = app.snapshot()?;
    if let Some(encoded) = view.own_identities().find(caller.identity_number) {
        return Ok(encoded);
    }
    let key = identity_key(caller.identity_number);
    let gone = || AppError::not_found("identity", caller.identity.as_str());
    let entity: Arc<Identity> = view.rows().get_shared(&key)?.ok_or_else(gone)?;
    let entity = Arc::unwrap_or_clone(entity);
    let own = IdentityViewBuilder::new(app, caller, &view).build(Found { key, entity })?;
    // Unsealed tokens must not stay in the cache.
    let has_secrets = !own.enrollments.is_empty();
    let encoded = encode(own);
    if !has_secrets {
        view.own_identities()
            .insert(caller.identity_number, encoded.clone());
    }
    Ok(encoded)
}

/// Deletes an identity with everything that belongs to it. Its sessions and credentials are invalid
/// when this returns.
pub async fn delete(app: &App, permit: &Permit<Delete>, id: &IdentityId) -> Result<(), AppError> {
    let wanted = id.clone();
    app.commit_for(permit, move |rows, caller| {
        let found = get_identity(rows.rows(), &wanted)?;
        if found.entity.is_default_admin {
            return Err(NotAllowedError::Delete { rule: None }.into());
        }
        if routers::is_owned_by_router(rows.rows(), &found.entity)? {
            return Err(NotAllowedError::Delete {
                rule: Some(
                    "the identity belongs to a router; delete the router or disable its \
                     tunneler instead",
                ),
            }
            .into());
        }
        check_may_modify(caller, &found.entity)?;
        Ok(rows.remove_identity(&found)?)
    })
    .await?;
    Ok(())
}

/// Checks that the entities that a specification refers to exist.
pub(crate) fn check_references(rows: Rows<'_>, spec: &IdentitySpec) -> Result<(), AppError> {
    if find_policy(rows, &spec.auth_policy)?.is_none() {
        return Err(AppError::not_found(
            "auth policy",
            spec.auth_policy.as_str(),
        ));
    }
    for service in spec.hosting.services() {
        if !edge_service_exists(rows, service)? {
            return Err(AppError::not_found("service", service.as_str()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
