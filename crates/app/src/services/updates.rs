//! Time of the last change of the services that a client sees.
//!
//! Clients poll this every few seconds and reload their services when it changes. What they would
//! load is summarized in digests; the time moves on when these differ, so an unrelated change
//! causes no reload. While no change concerns anybody, the digests are not recomputed.

use super::ReadUpdates;
use crate::app::App;
use crate::error::AppError;
use crate::posture::PostureEvaluator;
use crate::records::{get_identity, own_session_key};
use crate::state::service_updates::{CurrentState, InputStamp, ViewDigest};
use portcullis_domain::access::{Caller, Permit};
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::RecordNumber;
use portcullis_domain::policies::ServiceGrant;
use portcullis_index::{AccessGuard, Catalog, CatalogEntry, PolicyKind, PolicySide, Slot};
use portcullis_storage::tables::Found;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher as _};

/// Returns when the services that the caller sees last changed.
pub fn last_change(app: &App, permit: &Permit<ReadUpdates>) -> Result<Timestamp, AppError> {
    let caller = permit.caller();
    let changed_at = record_current_state(app, caller)?;
    changed_at.ok_or_else(|| AppError::not_found("API session", caller.session.as_str()))
}

/// Records that the caller has listed its services as they are now.
pub(crate) fn record_listing(app: &App, caller: &Caller) -> Result<(), AppError> {
    record_current_state(app, caller).map(drop)
}

/// Records the state of a caller's services and returns when they last changed; `None` if the
/// session has ended.
fn record_current_state(app: &App, caller: &Caller) -> Result<Option<Timestamp>, AppError> {
    let lists = app.require_lists()?;
    let (grants, stamp) = (lists.grant_changes(), lists.services_stamp());
    let view = app.snapshot()?;
    let rows = view.rows();
    let Some(session) = rows.get_shared::<ApiSession>(&own_session_key(caller))? else {
        return Ok(None);
    };
    let identity = get_identity(rows, &caller.identity)?;
    let evaluator = PostureEvaluator::for_caller(app, rows, caller)?;
    let statuses = evaluator.evaluate_policies(rows, caller.identity_number)?;
    let basis = InputStamp {
        stamp,
        identity: identity_digest(&lists.identities(), &identity),
    };
    let reported = app.service_updates.reported(caller.session_number);
    let unchanged = reported.filter(|reported| reported.inputs == basis);
    let (basis, services) = if let Some(told) = unchanged {
        (basis, told.view.services)
    } else {
        let (identity, services) = services_digest(app, &identity)?;
        (InputStamp { stamp, identity }, services)
    };
    let posture = hash_of(&statuses);
    let now = CurrentState {
        inputs: basis,
        view: ViewDigest { posture, services },
        grants,
        has_changed: reported.is_some_and(|reported| {
            lists.grants_changed(identity.number(), reported.grants, grants)
        }),
    };
    let times = (initial_change_time(app, &session), app.env().now());
    let session = caller.session_number;
    Ok(Some(app.service_updates.record(session, now, times)))
}

/// Initial change time of a session: its start, or the start of this process, which knows of no
/// earlier changes.
fn initial_change_time(app: &App, session: &ApiSession) -> Timestamp {
    session.created_at.max(app.started_at)
}

/// Digest of everything about an identity that determines its services. Reads the same projection
/// from which services are derived.
fn identity_digest(identities: &Catalog<Identity>, identity: &Found<Identity>) -> u64 {
    let slot = identities.slot(identity.number());
    let attributes = slot.map(|slot| identities.columns().role_attributes().terms_of(slot));
    let attributes: Vec<&str> = attributes.into_iter().flatten().collect();
    hash_of((attributes, &identity.entity.service_configs))
}

fn hash_of(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Digests of the identity and of its services, both as of the same moment.
fn services_digest(app: &App, identity: &Found<Identity>) -> Result<(u64, u64), AppError> {
    let mut hasher = DefaultHasher::new();
    let (of_identity, configs) = {
        let guard = app.require_lists()?.access();
        let of_identity = identity_digest(guard.identities(), identity);
        (
            of_identity,
            hash_services(&mut hasher, &guard, identity.number()),
        )
    };
    let shown = identity.entity.service_configs.values().flatten();
    let shown = shown.map(|id| id.as_str().to_owned());
    let types = hash_configs(&mut hasher, app, configs.into_iter().chain(shown))?;
    // Renaming a type changes the view.
    let catalog = app.require_lists()?.config_types();
    for id in types {
        if let Some(slot) = catalog.slot_by_id(&id) {
            hash_entity(&mut hasher, &catalog, slot.bit());
        }
    }
    Ok((of_identity, hasher.finish()))
}

/// Hashes the services of an identity and what they depend on; returns the ids of their
/// configurations.
fn hash_services(
    hasher: &mut DefaultHasher,
    guard: &AccessGuard<'_>,
    identity: RecordNumber,
) -> Vec<String> {
    let mut configs = Vec::new();
    let Some(identity) = guard.identities().slot(identity) else {
        return configs;
    };
    let (access, kinds) = (guard.access(), guard.kinds());
    let policies = access.selecting(PolicyKind::Service, PolicySide::Identities, identity, kinds);
    for policy in &policies {
        let policy = Slot::from_bit(policy);
        if !access.selects_any(PolicyKind::Service, policy, PolicySide::Services, kinds) {
            // A policy that grants nothing has no effect on what clients load.
            continue;
        }
        guard.service_policies().id(policy).hash(hasher);
        access.grant_digest(policy).hash(hasher);
        for check in &access.selected(
            PolicyKind::Service,
            policy,
            PolicySide::PostureChecks,
            kinds,
        ) {
            hash_entity(hasher, guard.posture_checks(), check);
        }
    }
    for grant in ServiceGrant::ALL {
        grant.hash(hasher);
        for service in &access.services(Some(grant), identity, kinds) {
            hash_entity(hasher, guard.services(), service);
            let of_service = guard.services().columns().configs();
            configs.extend(
                of_service
                    .terms_of(Slot::from_bit(service))
                    .map(str::to_owned),
            );
        }
    }
    configs
}

/// Hashes configurations; returns the ids of their types.
fn hash_configs(
    hasher: &mut DefaultHasher,
    app: &App,
    configs: impl Iterator<Item = String>,
) -> Result<BTreeSet<String>, AppError> {
    let catalog = app.require_lists()?.configs();
    let mut types = BTreeSet::new();
    for id in configs {
        id.hash(hasher);
        if let Some(slot) = catalog.slot_by_id(&id) {
            hash_entity(hasher, &catalog, slot.bit());
            types.extend(catalog.columns().config_type(slot).map(str::to_owned));
        }
    }
    Ok(types)
}

/// Hashes the id and the modification time of the entity in a slot.
fn hash_entity<E: CatalogEntry>(hasher: &mut DefaultHasher, catalog: &Catalog<E>, bit: u32) {
    let slot = Slot::from_bit(bit);
    catalog.id(slot).hash(hasher);
    catalog.updated_at(slot).hash(hasher);
}
