//! Creation of terminators, once or again.

use super::entitlement::HostEvaluator;
use super::error::TerminatorError;
use super::limits::check_number;
use crate::app::App;
use crate::error::AppError;
use crate::rights::Refusal;
use crate::routers::{ConnectedRouter, find_connected};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::{RecordNumber, TerminatorId};
use portcullis_domain::service::Service;
use portcullis_domain::terminator::{Terminator, TerminatorSpec};
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Found, Rows, RowsMut, TERMINATOR, reference};
use std::sync::Arc;

/// Creates a terminator of a router, or takes over what is new about one that is there already. The
/// right of its host was judged by the caller; it is judged once more in the transaction.
pub(super) async fn create(
    app: &Arc<App>,
    router: &ConnectedRouter,
    id: TerminatorId,
    spec: TerminatorSpec,
) -> Result<(), TerminatorError> {
    let now = app.env().now();
    let new = Terminator::new(id, spec, now)?;
    let present = find(app.snapshot()?.rows(), &new.id)?;
    let number = if let Some(mut found) = present {
        if !found.entity.create_again(&new.spec, now)? {
            return Ok(());
        }
        None
    } else {
        check_number(app, &new.spec)?;
        Some(app.next_number(TERMINATOR))
    };
    app.router_limits.count_terminator(router.number(), now)?;
    let (judging, router) = (Arc::clone(app), router.clone());
    app.commit(router.actor(), move |rows| {
        find_connected(rows.rows(), &router)?;
        let may_host = HostEvaluator::new(&judging, now).may_host(rows.rows(), &new)?;
        if !may_host {
            return Err(right_has_ended(&new.spec));
        }
        if let Some(found) = find(rows.rows(), &new.id)? {
            return replace(rows, &found, &new, now);
        }
        check_secret(&judging, rows.rows(), &new.spec)?;
        // It was there before, and was removed while this waited.
        let number = number.ok_or(Refusal::Busy)?;
        let key = RecordKey::root(TERMINATOR, number.0);
        Ok(rows.insert(&key, &new).map_err(AppError::from)?)
    })
    .await
}

fn find(rows: Rows<'_>, id: &TerminatorId) -> Result<Option<Found<Terminator>>, AppError> {
    Ok(rows.find(&reference(id))?)
}

fn replace(
    rows: &mut RowsMut<'_>,
    found: &Found<Terminator>,
    new: &Terminator,
    now: Timestamp,
) -> Result<(), TerminatorError> {
    let mut after = found.entity.clone();
    if after.create_again(&new.spec, now)? {
        let replaced = rows.replace(&found.key, &found.entity, &after);
        replaced.map_err(AppError::from)?;
    }
    Ok(())
}

fn right_has_ended(terminator: &TerminatorSpec) -> TerminatorError {
    let is_client = terminator
        .host
        .as_ref()
        .is_some_and(|host| host.session.is_some());
    let refusal = if is_client {
        Refusal::InvalidSession
    } else {
        Refusal::AccessDenied
    };
    refusal.into()
}

/// Checks that the hosts of an instance share its secret.
fn check_secret(app: &App, rows: Rows<'_>, new: &TerminatorSpec) -> Result<(), TerminatorError> {
    if new.instance_id.is_empty() {
        return Ok(());
    }
    let service: Option<Found<Arc<Service>>> = rows.find_shared(&reference(&new.service))?;
    let service = service.ok_or(Refusal::InvalidService)?;
    let of_service = rows.referrers(&service.key, TERMINATOR, usize::MAX)?;
    for key in candidates(app, of_service, &new.instance_id) {
        let other: Option<Terminator> = rows.get(&key)?;
        let others = other.filter(|other| other.spec.instance_id == new.instance_id);
        // What is compared are keyed hashes, so the time that this takes tells nothing.
        if others.is_some_and(|other| other.spec.instance_secret != new.instance_secret) {
            return Err(TerminatorError::OtherSecret);
        }
    }
    Ok(())
}

/// Those of the terminators that may be of the instance by the read model, which does not know those
/// that have just been created.
fn candidates(app: &App, mut terminators: Vec<RecordKey>, instance_id: &str) -> Vec<RecordKey> {
    let catalog = app.projections().terminators();
    terminators.retain(|key| {
        let slot = catalog.slot(RecordNumber(key.id().1));
        let known = slot.and_then(|slot| catalog.columns().instance(slot));
        known.is_none_or(|known| known == instance_id)
    });
    terminators
}
