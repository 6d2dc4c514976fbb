//! When the services that a client sees last changed.
//!
//! Clients ask for that every few seconds, and load their services anew when the answer differs from
//! the last one. What they would load is summed up in a digest; the moment moves when the digest does,
//! and so a change that is none of a client's business reloads nothing.

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
use portcullis_storage::tables::{Found, Rows};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What the clients of API sessions were told last, by the numbers of the sessions.
#[derive(Debug, Default)]
pub(crate) struct ServiceUpdates(Mutex<HashMap<Number, Told>>);

/// What a client was told.
#[derive(Debug, Clone, Copy)]
struct Told {
    digest: u64,
    changed_at: Timestamp,
}

impl ServiceUpdates {
    /// The moment of the last change, now that the services of a session have this digest. Of a
    /// session that was not heard of, nothing has changed since `start`.
    fn note(
        &self,
        session: Number,
        digest: u64,
        (start, now): (Timestamp, Timestamp),
    ) -> Timestamp {
        let mut told = self.lock();
        let entry = told.entry(session).or_insert(Told {
            digest,
            changed_at: start,
        });
        if entry.digest != digest {
            let next = entry.changed_at + SignedDuration::from_millis(1);
            *entry = Told {
                digest,
                // Clients compare texts, which show milliseconds.
                changed_at: now.max(next),
            };
        }
        entry.changed_at
    }

    /// Whether the client of a session was told anything.
    fn knows(&self, session: Number) -> bool {
        self.lock().contains_key(&session)
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
    noted.ok_or_else(|| AppError::not_found("apiSession", caller.session.as_str()))
}

/// Takes the services as they are now for what a caller has seen, if nothing was noted before: the
/// caller lists them.
pub(crate) fn note_listing(app: &App, caller: &Caller) -> Result<(), AppError> {
    if !app.service_updates.knows(caller.session_number) {
        note(app, caller)?;
    }
    Ok(())
}

/// Notes the services that a caller sees now; answers when they last changed, or nothing if its session
/// is over.
fn note(app: &App, caller: &Caller) -> Result<Option<Timestamp>, AppError> {
    let view = app.snapshot()?;
    let Some(session) = view.rows().get::<ApiSession>(&own_key(caller))? else {
        return Ok(None);
    };
    let identity = find(view.rows(), &caller.identity)?;
    let digest = digest(app, view.rows(), caller, &identity)?;
    let moments = (start(app, &session), app.env().now());
    let session = caller.session_number;
    Ok(Some(app.service_updates.note(session, digest, moments)))
}

/// Since when nothing is known to have changed for a session that was not heard of: since it began,
/// or since this process did, which knows of nothing before.
fn start(app: &App, session: &ApiSession) -> Timestamp {
    session.created_at.max(app.started_at)
}

/// Sums up what the caller would see.
fn digest(
    app: &App,
    rows: Rows<'_>,
    caller: &Caller,
    identity: &Found<Identity>,
) -> Result<u64, AppError> {
    let mut hasher = DefaultHasher::new();
    let judge = Judge::of_caller(app, rows, caller)?;
    judge
        .stands(rows, caller.identity_number)?
        .hash(&mut hasher);
    // Another type of configurations or another name of one changes what is shown.
    {
        let types = app.require_lists()?.config_types();
        for bit in types.live() {
            mix(&mut hasher, &types, bit);
        }
    }
    identity.entity.service_configs.hash(&mut hasher);
    let configs = {
        let guard = app.require_lists()?.access();
        mix_services(&mut hasher, &guard, caller.identity_number)
    };
    let shown = identity.entity.service_configs.values().flatten();
    let shown = shown.map(|id| id.as_str().to_owned());
    let catalog = app.require_lists()?.configs();
    for id in configs.into_iter().chain(shown) {
        id.hash(&mut hasher);
        if let Some(slot) = catalog.slot_by_id(&id) {
            mix(&mut hasher, &catalog, slot.bit());
        }
    }
    Ok(hasher.finish())
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
        mix(hasher, guard.service_policies(), policy);
        let policy = Slot::from_bit(policy);
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

/// Takes in which entity stands in a slot, and when it last changed.
fn mix<E: Catalogued>(hasher: &mut DefaultHasher, catalog: &Catalog<E>, bit: u32) {
    let slot = Slot::from_bit(bit);
    catalog.id(slot).hash(hasher);
    catalog.updated_at(slot).hash(hasher);
}
