//! Edge routers that are tunnelers too: the identity and the policy that come and go with that.
//!
//! Somebody may have made an administrator of the identity meanwhile. Who may change routers alone then
//! changes it here no more than anywhere else.

use crate::error::AppError;
use crate::managed::Belongings;
use crate::rank::check_touchable;
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

/// Places in the numbers that a router draws for what belongs to it.
const OF_IDENTITY: usize = 0;
const OF_POLICY: usize = 1;

/// Brings identity and policy of a router into line with it.
pub(super) fn follow(
    rows: &mut RowsMut<'_>,
    before: Option<&Router>,
    after: &Router,
    belongings: &Belongings,
    caller: &Caller,
) -> Result<(), AppError> {
    match (before.is_some_and(is_tunneler), is_tunneler(after)) {
        (false, true) => add(rows, after, belongings),
        (true, false) => remove(rows, after, caller),
        (true, true) if before.is_some_and(|before| before.spec.name != after.spec.name) => {
            rename(rows, after, belongings, caller)
        },
        (true, true) | (false, false) => Ok(()),
    }
}

/// Removes identity and policy of a router, as far as they are there.
pub(super) fn remove(
    rows: &mut RowsMut<'_>,
    router: &Router,
    caller: &Caller,
) -> Result<(), AppError> {
    // The policy first: it names the identity.
    let policy: Option<Found<EdgeRouterPolicy>> =
        rows.rows().find(&reference(&policy_id(router)))?;
    if let Some(policy) = policy.filter(|policy| policy.entity.spec.is_system) {
        rows.remove(&policy.key, &policy.entity)?;
    }
    match identity_of(rows.rows(), &router.id)? {
        Some(identity) => {
            check_touchable(caller, &identity.entity)?;
            Ok(rows.remove_identity(&identity)?)
        },
        None => Ok(()),
    }
}

/// Whether there is a router whose identity this is.
pub(crate) fn has(rows: Rows<'_>, identity: &Identity) -> Result<bool, StoreError> {
    if identity.kind != IdentityType::Router {
        return Ok(false);
    }
    let router = reference(&RouterId::from_wire(identity.id.as_str()));
    Ok(rows.locate(&router)?.is_some())
}

fn is_tunneler(router: &Router) -> bool {
    router
        .spec
        .edge()
        .is_some_and(|edge| edge.is_tunneler_enabled)
}

fn add(rows: &mut RowsMut<'_>, router: &Router, belongings: &Belongings) -> Result<(), AppError> {
    let id = IdentityId::from_wire(router.id.as_str());
    let spec = IdentitySpec::named(IdentityName::new(&*router.spec.name)?);
    let mut identity = Identity::new(id, spec, belongings.now);
    identity.kind = IdentityType::Router;
    rows.insert(&identity_key(belongings.number(OF_IDENTITY)?), &identity)?;
    let spec = EdgeRouterPolicySpec::of_tunneler(&router.id);
    let policy = EdgeRouterPolicy::new(policy_id(router), spec, belongings.now)?;
    let key = RecordKey::root(EDGE_ROUTER_POLICY, belongings.number(OF_POLICY)?.0);
    Ok(rows.insert(&key, &policy)?)
}

fn rename(
    rows: &mut RowsMut<'_>,
    router: &Router,
    belongings: &Belongings,
    caller: &Caller,
) -> Result<(), AppError> {
    let identity = identity_of(rows.rows(), &router.id)?
        .ok_or_else(|| StoreError::corrupt("the identity of a router is lost"))?;
    check_touchable(caller, &identity.entity)?;
    let mut after = identity.entity.clone();
    after.spec.name = IdentityName::new(&*router.spec.name)?;
    after.updated_at = belongings.now;
    Ok(rows.replace(&identity.key, &identity.entity, &after)?)
}

fn identity_of(rows: Rows<'_>, router: &RouterId) -> Result<Option<Found<Identity>>, StoreError> {
    let found: Option<Found<Identity>> =
        rows.find(&reference(&IdentityId::from_wire(router.as_str())))?;
    Ok(found.filter(|identity| identity.entity.kind == IdentityType::Router))
}

fn policy_id(router: &Router) -> EdgeRouterPolicyId {
    EdgeRouterPolicyId::from_wire(router.id.as_str())
}
