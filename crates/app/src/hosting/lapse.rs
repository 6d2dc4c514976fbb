//! The end of terminators whose hosts may no longer host.
//!
//! What ends with its host is removed with it, wherever that happens. A right also ends without
//! anything being removed: by a policy, an attribute, a disabled identity, or time. A client hears of
//! it by the end of its service session, and hosts again as soon as it may: so that is what ends, with
//! all terminators that depend on it. A tunneler follows the policies by itself.

use super::entitlement::HostEvaluator;
use crate::app::App;
use crate::blocking::run_blocking;
use crate::error::AppError;
use crate::rights::Losses;
use portcullis_domain::audit::Actor;
use portcullis_domain::change::Change;
use portcullis_domain::ids::{RecordNumber, SessionId};
use portcullis_domain::session::Session;
use portcullis_domain::terminator::Terminator;
use portcullis_index::Slot;
use portcullis_storage::engine::StoreError;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Rows, TERMINATOR, identity_key, reference};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Maximum number of hosts that one transaction looks at, since all other writes wait for it.
const BATCH: usize = 100;

/// Ends the terminators whose right has ended by what was committed; returns for how many hosts. Only
/// those that the changes may affect are looked at.
pub async fn end_without_right(app: &Arc<App>, changes: &[Change]) -> Result<usize, AppError> {
    let mut losses = Losses::default();
    for change in changes {
        losses.add(change);
    }
    match find_affected(app, &losses)? {
        Affected::These(terminators) => end(app, terminators).await,
        Affected::Hosted => sweep(app).await,
    }
}

/// Ends all terminators whose right has ended, as by time alone; returns for how many hosts.
pub async fn sweep(app: &Arc<App>) -> Result<usize, AppError> {
    let hosted = {
        let catalog = app.require_lists()?.terminators();
        let slots = catalog.columns().hosts().terms();
        let slots = slots.flat_map(|(_host, slots)| slots.iter().map(Slot::from_bit));
        let numbers = slots.filter_map(|slot| catalog.number(slot));
        numbers.map(terminator_key).collect()
    };
    end(app, hosted).await
}

fn terminator_key(number: RecordNumber) -> RecordKey {
    RecordKey::root(TERMINATOR, number.0)
}

/// The terminators that losses may affect.
enum Affected {
    These(BTreeSet<RecordKey>),
    /// All that have a host.
    Hosted,
}

/// What losses affect. A terminator is gone with the service session of its host, so the ends of sessions
/// affect no others.
fn find_affected(app: &App, losses: &Losses) -> Result<Affected, AppError> {
    if losses.everything || losses.grants || losses.routes {
        return Ok(Affected::Hosted);
    }
    let view = app.snapshot()?;
    let rows = view.rows();
    let mut targets: BTreeSet<RecordKey> = BTreeSet::new();
    targets.extend(losses.identities.iter().copied().map(identity_key));
    for id in &losses.revoked_identities {
        targets.extend(rows.locate(&reference(id))?);
    }
    for id in &losses.services {
        targets.extend(rows.locate(&reference(id))?);
    }
    for id in &losses.routers {
        targets.extend(rows.locate(&reference(id))?);
    }
    for id in &losses.revoked_sessions {
        let sessions = app.projections().sessions();
        let owner = sessions.find_by_id(id.as_str()).map(|found| found.owner);
        targets.extend(owner.map(identity_key));
    }
    for token in &losses.revoked_tokens {
        match rows.locate(&reference(&SessionId::from_wire(token.as_str())))? {
            Some(service_session) => targets.insert(service_session),
            // What an access token has created only the terminators themselves tell.
            None => return Ok(Affected::Hosted),
        };
    }
    let mut affected = BTreeSet::new();
    for target in &targets {
        affected.extend(rows.referrers(target, TERMINATOR, usize::MAX)?);
    }
    Ok(Affected::These(affected))
}

/// Ends those of the terminators whose right has ended.
async fn end(app: &Arc<App>, candidates: BTreeSet<RecordKey>) -> Result<usize, AppError> {
    if candidates.is_empty() {
        return Ok(0);
    }
    let judging = Arc::clone(app);
    let lapsed: Vec<RecordKey> = run_blocking(move || {
        let view = judging.snapshot()?;
        let hosts = HostEvaluator::new(&judging, judging.env().now());
        let lapsed =
            candidates
                .into_iter()
                .filter_map(|key| match find_lapsed(&hosts, view.rows(), key) {
                    Ok(Some(_)) => Some(Ok(key)),
                    Ok(None) => None,
                    Err(error) => Some(Err(error)),
                });
        lapsed.collect::<Result<_, AppError>>()
    })
    .await?;
    let mut ended = 0;
    for keys in lapsed.chunks(BATCH) {
        ended += end_lapsed(app, keys.to_vec()).await?;
    }
    Ok(ended)
}

/// Ends those that are still without a right; it may have come back since they were judged.
async fn end_lapsed(app: &Arc<App>, keys: Vec<RecordKey>) -> Result<usize, AppError> {
    let (judging, now) = (Arc::clone(app), app.env().now());
    app.commit(Actor::controller(), move |rows| {
        rows.set_removal_verb("expire");
        let hosts = HostEvaluator::new(&judging, now);
        let mut ended = 0;
        for key in &keys {
            if let Some(lapsed) = find_lapsed(&hosts, rows.rows(), *key)? {
                match session_key(rows.rows(), &lapsed)? {
                    Some(session) => rows.remove_at::<Session>(&session)?,
                    None => rows.remove(key, &lapsed)?,
                }
                ended += 1;
            }
        }
        Ok(ended)
    })
    .await
}

/// The key of the service session of the client that hosts a terminator.
fn session_key(rows: Rows<'_>, terminator: &Terminator) -> Result<Option<RecordKey>, StoreError> {
    let host = terminator.spec.host.as_ref();
    let session = host.and_then(|host| host.session.as_ref());
    Ok(session
        .map(|session| rows.locate(&reference(session)))
        .transpose()?
        .flatten())
}

/// The terminator at a key, if its host may not host any more.
fn find_lapsed(
    hosts: &HostEvaluator<'_>,
    rows: Rows<'_>,
    key: RecordKey,
) -> Result<Option<Terminator>, AppError> {
    let Some(terminator) = rows.get::<Terminator>(&key)? else {
        return Ok(None);
    };
    let may_host = hosts.may_host(rows, &terminator)?;
    Ok((!may_host).then_some(terminator))
}
