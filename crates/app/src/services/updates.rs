//! When the services that a client sees last changed.
//!
//! Clients ask for that every few seconds, and load their services anew when the answer differs from
//! the last one. What they would load is summed up in digests; the moment moves when these do, and so
//! a change that is none of a client's business reloads nothing. While nothing changed for anybody,
//! the services are not summed up again.

use super::ReadUpdates;
use crate::app::App;
use crate::error::AppError;
use crate::identities::find;
use crate::posture::Judge;
use crate::sessions::own_key;
use portcullis_domain::access::{Caller, Permit};
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::Number;
use portcullis_domain::policies::ServiceGrant;
use portcullis_index::{AccessGuard, Catalog, Catalogued, PolicyKind, Side, Slot};
use portcullis_storage::tables::Found;
use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What the clients of API sessions were told last, by the numbers of the sessions.
#[derive(Debug, Default)]
pub(crate) struct ServiceUpdates(Mutex<HashMap<Number, Told>>);

/// What a client was told.
#[derive(Debug, Clone, Copy)]
struct Told {
    basis: Basis,
    seen: Seen,
    /// The last change of somebody's grants that was taken into account.
    grants: u64,
    changed_at: Timestamp,
}

/// What services follow from: while it stays the same, so do they.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Basis {
    /// Of everything but identities.
    stamp: u64,
    /// What matters of the identity, summed up.
    identity: u64,
}

/// What a client sees, summed up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    /// How the session stands with posture checks.
    posture: u64,
    services: u64,
}

/// How things are for a client at present.
#[derive(Debug, Clone, Copy)]
struct Now {
    basis: Basis,
    seen: Seen,
    grants: u64,
    /// Whether grants came or went since the client was told, even if they are what they were.
    has_changed: bool,
}

impl ServiceUpdates {
    /// The moment of the last change, now that the client of a session sees what it does. Of a session
    /// that was not heard of, nothing has changed since `start`. With `has_changed`, something has in
    /// any case.
    fn note(
        &self,
        session: Number,
        Now {
            basis,
            seen,
            grants,
            has_changed,
        }: Now,
        (start, now): (Timestamp, Timestamp),
    ) -> Timestamp {
        let mut told = self.lock();
        let entry = told.entry(session).or_insert(Told {
            basis,
            seen,
            grants,
            changed_at: start,
        });
        if entry.seen != seen || has_changed {
            let next = entry.changed_at + SignedDuration::from_millis(1);
            entry.seen = seen;
            // Clients compare texts, which show milliseconds.
            entry.changed_at = now.max(next);
        }
        entry.basis = basis;
        entry.grants = grants;
        entry.changed_at
    }

    /// What the client of a session was told last, if it was anything.
    fn told(&self, session: Number) -> Option<Told> {
        self.lock().get(&session).copied()
    }

    /// Forgets the sessions that there are no more.
    pub(crate) fn keep(&self, is_there: impl Fn(Number) -> bool) {
        self.lock().retain(|session, _told| is_there(*session));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Number, Told>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// When the services that the caller sees last changed.
pub fn last_change(app: &App, permit: &Permit<ReadUpdates>) -> Result<Timestamp, AppError> {
    let caller = permit.caller();
    let noted = note(app, caller)?;
    noted.ok_or_else(|| AppError::not_found("API session", caller.session.as_str()))
}

/// Takes the services as they are now for what a caller has seen: it lists them.
pub(crate) fn note_listing(app: &App, caller: &Caller) -> Result<(), AppError> {
    note(app, caller).map(drop)
}

/// Notes the services that a caller sees now; answers when they last changed, or nothing if its session
/// is over.
fn note(app: &App, caller: &Caller) -> Result<Option<Timestamp>, AppError> {
    let lists = app.require_lists()?;
    let (grants, stamp) = (lists.grant_changes(), lists.services_stamp());
    let view = app.snapshot()?;
    let rows = view.rows();
    let Some(session) = rows.get::<ApiSession>(&own_key(caller))? else {
        return Ok(None);
    };
    let identity = find(rows, &caller.identity)?;
    let judge = Judge::of_caller(app, rows, caller)?;
    let stands = judge.stands(rows, caller.identity_number)?;
    let basis = Basis {
        stamp,
        identity: summed_up(&lists.identities(), &identity),
    };
    let told = app.service_updates.told(caller.session_number);
    let unchanged = told.filter(|told| told.basis == basis);
    let (basis, services) = if let Some(told) = unchanged {
        (basis, told.seen.services)
    } else {
        let (identity, services) = services(app, &identity)?;
        (Basis { stamp, identity }, services)
    };
    let posture = digest(&stands);
    let now = Now {
        basis,
        seen: Seen { posture, services },
        grants,
        has_changed: told
            .is_some_and(|told| lists.grants_changed(identity.number(), told.grants, grants)),
    };
    let moments = (start(app, &session), app.env().now());
    let session = caller.session_number;
    Ok(Some(app.service_updates.note(session, now, moments)))
}

/// Since when nothing is known to have changed for a session that was not heard of: since it began,
/// or since this process did, which knows of nothing before.
fn start(app: &App, session: &ApiSession) -> Timestamp {
    session.created_at.max(app.started_at)
}

/// Sums up what decides which services an identity sees and how, as the read model has it that finds
/// them.
fn summed_up(identities: &Catalog<Identity>, identity: &Found<Identity>) -> u64 {
    let slot = identities.slot(identity.number());
    let attributes = slot.map(|slot| identities.columns().role_attributes().of(slot));
    let attributes: Vec<&str> = attributes.into_iter().flatten().collect();
    digest((attributes, &identity.entity.service_configs))
}

fn digest(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Sums up the services that an identity sees and what is shown with them; answers that after what
/// decides about it, as it was when they were found.
fn services(app: &App, identity: &Found<Identity>) -> Result<(u64, u64), AppError> {
    let mut hasher = DefaultHasher::new();
    let (of_identity, configs) = {
        let guard = app.require_lists()?.access();
        let of_identity = summed_up(guard.identities(), identity);
        (
            of_identity,
            mix_services(&mut hasher, &guard, identity.number()),
        )
    };
    let shown = identity.entity.service_configs.values().flatten();
    let shown = shown.map(|id| id.as_str().to_owned());
    let types = mix_configs(&mut hasher, app, configs.into_iter().chain(shown))?;
    // Another name of a type changes what is shown.
    let catalog = app.require_lists()?.config_types();
    for id in types {
        if let Some(slot) = catalog.slot_by_id(&id) {
            mix(&mut hasher, &catalog, slot.bit());
        }
    }
    Ok((of_identity, hasher.finish()))
}

/// Takes in the services that an identity may use and what they depend on; answers the ids of their
/// configurations.
fn mix_services(
    hasher: &mut DefaultHasher,
    guard: &AccessGuard<'_>,
    identity: Number,
) -> Vec<String> {
    let mut configs = Vec::new();
    let Some(identity) = guard.identities().slot(identity) else {
        return configs;
    };
    let (access, kinds) = (guard.access(), guard.kinds());
    let policies = access.selecting(PolicyKind::Service, Side::Identities, identity, kinds);
    for policy in &policies {
        let policy = Slot::from_bit(policy);
        if !access.selects_any(PolicyKind::Service, policy, Side::Services, kinds) {
            // It grants nothing, so nothing that a client loads depends on it.
            continue;
        }
        guard.service_policies().id(policy).hash(hasher);
        access.terms(policy).hash(hasher);
        for check in &access.selected(PolicyKind::Service, policy, Side::PostureChecks, kinds) {
            mix(hasher, guard.posture_checks(), check);
        }
    }
    for grant in ServiceGrant::ALL {
        grant.hash(hasher);
        for service in &access.services(Some(grant), identity, kinds) {
            mix(hasher, guard.services(), service);
            let of_service = guard.services().columns().configs();
            configs.extend(of_service.of(Slot::from_bit(service)).map(str::to_owned));
        }
    }
    configs
}

/// Takes in configurations; answers the ids of their types.
fn mix_configs(
    hasher: &mut DefaultHasher,
    app: &App,
    configs: impl Iterator<Item = String>,
) -> Result<BTreeSet<String>, AppError> {
    let catalog = app.require_lists()?.configs();
    let mut types = BTreeSet::new();
    for id in configs {
        id.hash(hasher);
        if let Some(slot) = catalog.slot_by_id(&id) {
            mix(hasher, &catalog, slot.bit());
            types.extend(catalog.columns().config_type(slot).map(str::to_owned));
        }
    }
    Ok(types)
}

/// Takes in which entity stands in a slot, and when it last changed.
fn mix<E: Catalogued>(hasher: &mut DefaultHasher, catalog: &Catalog<E>, bit: u32) {
    let slot = Slot::from_bit(bit);
    catalog.id(slot).hash(hasher);
    catalog.updated_at(slot).hash(hasher);
}
