//! Execution of steps.

use super::Step;
use crate::entities::{
    config, config_type, edge_router_policy, host, posture_check, revocation, router,
    router_enrollment, service, service_edge_router_policy, service_policy, service_session,
    terminator,
};
use crate::support::session;
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::EntityId;
use portcullis_domain::router::Router;
use portcullis_domain::session::Session;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::*;
use std::collections::BTreeSet;

fn text(place: u8) -> String {
    format!("at {place}")
}

fn ids<I: EntityId>(places: &BTreeSet<u8>) -> BTreeSet<I> {
    places
        .iter()
        .map(|place| I::from_wire(text(*place)))
        .collect()
}

/// The single slot to refer to.
fn one(places: &BTreeSet<u8>) -> String {
    text(places.first().copied().unwrap_or_default())
}

/// Replaces the entity with the same first unique value, or inserts at `key`.
fn put<E: Entity>(rows: &mut RowsMut<'_>, key: RecordKey, entity: &E) -> Result<(), WriteError> {
    let value = entity.unique_values().remove(0);
    match rows.rows().find::<E>(&value)? {
        Some(found) => rows.replace(&found.key, &found.entity, entity),
        None => rows.insert(&key, entity),
    }
}

fn find<E: Entity>(
    rows: &RowsMut<'_>,
    index: UniqueIndex,
    text: &str,
) -> Result<Option<Found<E>>, WriteError> {
    Ok(rows.rows().find(&UniqueValue::new(index, text))?)
}

fn find_session(rows: &RowsMut<'_>, place: u8) -> Result<Option<Found<ApiSession>>, WriteError> {
    let value = UniqueValue::new(UniqueIndex::ApiSessionToken, [place; 16]);
    Ok(rows.rows().find(&value)?)
}

/// Executes `step`; a new entity gets the number `number`.
pub(crate) fn run(rows: &mut RowsMut<'_>, number: u64, step: &Step) -> Result<(), WriteError> {
    let Step::Put {
        kind,
        place,
        name,
        named: [a, b, c],
    } = step
    else {
        return remove_step(rows, step);
    };
    let key = RecordKey::root(*kind, number);
    let (id, name) = (&text(*place), &format!("called {name}"));
    match *kind {
        IDENTITY => put(rows, key, &host(id, name, &ids(a), &ids(b))),
        CONFIG_TYPE => put(rows, key, &config_type(id, name)),
        CONFIG => put(rows, key, &config(id, name, &one(a))),
        SERVICE => put(rows, key, &service(id, name, ids(a))),
        ROUTER => put(rows, key, &router(id, name, ids(a))),
        TERMINATOR => {
            let host = find::<Session>(rows, UniqueIndex::SessionId, &one(c))?;
            let host = host.map(|found| found.entity);
            put(rows, key, &terminator(id, &one(a), &one(b), host.as_ref()))
        },
        SERVICE_POLICY => {
            let policy = service_policy(id, name, ids(a), ids(b), ids(c));
            put(rows, key, &policy)
        },
        EDGE_ROUTER_POLICY => put(rows, key, &edge_router_policy(id, name, ids(a), ids(b))),
        SERVICE_EDGE_ROUTER_POLICY => {
            let policy = service_edge_router_policy(id, name, ids(a), ids(b));
            put(rows, key, &policy)
        },
        POSTURE_CHECK => put(rows, key, &posture_check(id, name)),
        REVOCATION => put(rows, key, &revocation(id)),
        API_SESSION | SESSION | ENROLLMENT => put_dependent(rows, number, step),
        other => panic!("no step writes {other:?}"),
    }
}

fn put_dependent(rows: &mut RowsMut<'_>, number: u64, step: &Step) -> Result<(), WriteError> {
    let Step::Put {
        kind,
        place,
        named: [a, b, _],
        ..
    } = step
    else {
        return Ok(());
    };
    if *kind == API_SESSION {
        let Some(owner) = find::<Identity>(rows, UniqueIndex::IdentityId, &one(a))? else {
            return Ok(());
        };
        let key = owner.key.dependent(API_SESSION, number);
        put(rows, key, &session(&owner.entity, *place))
    } else if *kind == SESSION {
        let opened = a.first().copied().unwrap_or_default();
        let Some(opened) = find_session(rows, opened)? else {
            return Ok(());
        };
        let key = opened.key.dependent(SESSION, number);
        let granted = service_session(&text(*place), &opened.entity, &one(b));
        // A session cannot move to another API session.
        match find::<Session>(rows, UniqueIndex::SessionId, &text(*place))? {
            Some(_) => Ok(()),
            None => rows.insert(&key, &granted),
        }
    } else {
        let Some(owner) = find::<Router>(rows, UniqueIndex::RouterId, &one(a))? else {
            return Ok(());
        };
        let key = owner.key.dependent(ENROLLMENT, number);
        let enrollment = router_enrollment(&text(*place), &one(a), *place);
        put(rows, key, &enrollment)
    }
}

fn is_guarded(rows: &RowsMut<'_>, key: &RecordKey) -> Result<bool, WriteError> {
    let guard = match key.id().0 {
        CONFIG_TYPE => CONFIG,
        CONFIG => IDENTITY,
        _ => return Ok(false),
    };
    Ok(!rows.rows().referrers(key, guard, 1)?.is_empty())
}

fn remove_step(rows: &mut RowsMut<'_>, step: &Step) -> Result<(), WriteError> {
    let Step::Remove { kind, place } = step else {
        return Ok(());
    };
    let value = match *kind {
        IDENTITY => UniqueIndex::IdentityId,
        CONFIG_TYPE => UniqueIndex::ConfigTypeId,
        CONFIG => UniqueIndex::ConfigId,
        SERVICE => UniqueIndex::ServiceId,
        ROUTER => UniqueIndex::RouterId,
        TERMINATOR => UniqueIndex::TerminatorId,
        SERVICE_POLICY => UniqueIndex::ServicePolicyId,
        EDGE_ROUTER_POLICY => UniqueIndex::EdgeRouterPolicyId,
        SERVICE_EDGE_ROUTER_POLICY => UniqueIndex::ServiceEdgeRouterPolicyId,
        POSTURE_CHECK => UniqueIndex::PostureCheckId,
        SESSION => UniqueIndex::SessionId,
        ENROLLMENT => UniqueIndex::EnrollmentId,
        REVOCATION => UniqueIndex::RevocationId,
        API_SESSION => UniqueIndex::ApiSessionToken,
        other => panic!("no step removes {other:?}"),
    };
    let value = match value {
        UniqueIndex::ApiSessionToken => UniqueValue::new(value, [*place; 16]),
        index => UniqueValue::new(index, text(*place)),
    };
    let Some(key) = rows.rows().locate(&value)? else {
        return Ok(());
    };
    if is_guarded(rows, &key)? {
        return Ok(());
    }
    match *kind {
        IDENTITY => {
            let entity: Identity = rows.rows().get(&key)?.unwrap();
            rows.remove_identity(&Found { key, entity })?;
        },
        ROUTER => {
            let entity: Router = rows.rows().get(&key)?.unwrap();
            rows.remove_router(&Found { key, entity })?;
        },
        _ => rows.remove_record(&key)?,
    }
    Ok(())
}
