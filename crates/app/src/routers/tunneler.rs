//! Identity and policy of tunneler-enabled edge routers, which are created and removed with the
//! flag.
//!
//! The identity may have become an administrator meanwhile. A caller who may only change routers
//! cannot change it here either.

use crate::error::AppError;
use crate::managed::ReservedNumbers;
use crate::privilege::check_may_modify;
use portcullis_domain::access::Caller;
use portcullis_domain::identity::{Identity, IdentityName, IdentitySpec, IdentityType};
use portcullis_domain::ids::{EdgeRouterPolicyId, IdentityId, RouterId};
use portcullis_domain::policies::{EdgeRouterPolicy, EdgeRouterPolicySpec};
use portcullis_domain::router::Router;
use portcullis_storage::engine::StoreError;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{
    EDGE_ROUTER_POLICY, Found, Rows, RowsMut, identity_key, reference,
};

/// Indexes of the record numbers that are reserved for a router's dependents.
const IDENTITY_INDEX: usize = 0;
const POLICY_INDEX: usize = 1;

/// Updates the identity and policy of a router after it changed.
pub(super) fn after_write(
    rows: &mut RowsMut<'_>,
    before: Option<&Router>,
    after: &Router,
    reserved: &ReservedNumbers,
    caller: &Caller,
) -> Result<(), AppError> {
    match (before.is_some_and(is_tunneler), is_tunneler(after)) {
        (false, true) => create(rows, after, reserved),
        (true, false) => remove(rows, after, caller),
        (true, true) if before.is_some_and(|before| before.spec.name != after.spec.name) => {
            rename(rows, after, reserved, caller)
        },
        (true, true) | (false, false) => Ok(()),
    }
}

/// Removes the identity and policy of a router if they exist, for a caller who may change the identity.
pub(super) fn remove(
    rows: &mut RowsMut<'_>,
    router: &Router,
    caller: &Caller,
) -> Result<(), AppError> {
    remove_if(rows, router, |identity| check_may_modify(caller, identity))
}

/// Removes the identity and policy of a router if they exist and the identity may be removed.
pub(super) fn remove_if(
    rows: &mut RowsMut<'_>,
    router: &Router,
    check: impl FnOnce(&Identity) -> Result<(), AppError>,
) -> Result<(), AppError> {
    // The policy first: it references the identity.
    let policy: Option<Found<EdgeRouterPolicy>> =
        rows.rows().find(&reference(&policy_id(router)))?;
    if let Some(policy) = policy.filter(|policy| policy.entity.spec.is_system) {
        rows.remove(&policy.key, &policy.entity)?;
    }
    match find_identity(rows.rows(), &router.id)? {
        Some(identity) => {
            check(&identity.entity)?;
            Ok(rows.remove_identity(&identity)?)
        },
        None => Ok(()),
    }
}

/// Whether the identity belongs to an existing router.
pub(crate) fn is_owned_by_router(rows: Rows<'_>, identity: &Identity) -> Result<bool, StoreError> {
    if identity.kind != IdentityType::Router {
        return Ok(false);
    }
    let router = reference(&RouterId::from_wire(identity.id.as_str()));
    Ok(rows.locate(&router)?.is_some())
}

pub(super) fn is_tunneler(router: &Router) -> bool {
    router
        .spec
        .edge()
        .is_some_and(|edge| edge.is_tunneler_enabled)
}

fn create(
    rows: &mut RowsMut<'_>,
    router: &Router,
    reserved: &ReservedNumbers,
) -> Result<(), AppError> {
    let id = IdentityId::from_wire(router.id.as_str());
    let spec = IdentitySpec::named(IdentityName::new(&*router.spec.name)?);
    let mut identity = Identity::new(id, spec, reserved.now);
    identity.kind = IdentityType::Router;
    rows.insert(&identity_key(reserved.number(IDENTITY_INDEX)?), &identity)?;
    let spec = EdgeRouterPolicySpec::for_tunneler(&router.id);
    let policy = EdgeRouterPolicy::new(policy_id(router), spec, reserved.now)?;
    let key = RecordKey::root(EDGE_ROUTER_POLICY, reserved.number(POLICY_INDEX)?.0);
    Ok(rows.insert(&key, &policy)?)
}

fn rename(
    rows: &mut RowsMut<'_>,
    router: &Router,
    reserved: &ReservedNumbers,
    caller: &Caller,
) -> Result<(), AppError> {
    let identity = find_identity(rows.rows(), &router.id)?
        .ok_or_else(|| StoreError::corrupt("the identity of a router is missing"))?;
    check_may_modify(caller, &identity.entity)?;
    let mut after = identity.entity.clone();
    after.spec.name = IdentityName::new(&*router.spec.name)?;
    after.updated_at = reserved.now;
    Ok(rows.replace(&identity.key, &identity.entity, &after)?)
}

fn find_identity(rows: Rows<'_>, router: &RouterId) -> Result<Option<Found<Identity>>, StoreError> {
    let found: Option<Found<Identity>> =
        rows.find(&reference(&IdentityId::from_wire(router.as_str())))?;
    Ok(found.filter(|identity| identity.entity.kind == IdentityType::Router))
}

fn policy_id(router: &Router) -> EdgeRouterPolicyId {
    EdgeRouterPolicyId::from_wire(router.id.as_str())
}
