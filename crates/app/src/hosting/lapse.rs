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
use crate::session_validity::{AffectedSessions, affected_sessions};
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::audit::Actor;
use portcullis_domain::change::{Change, EntityChange, Owner};
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{IdentityId, RecordNumber, SessionId};
use portcullis_domain::revocation::{Revocation, RevocationType};
use portcullis_domain::router::Router;
use portcullis_domain::service::Service;
use portcullis_domain::session::Session;
use portcullis_domain::terminator::Terminator;
use portcullis_index::Slot;
use portcullis_storage::engine::StoreError;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Rows, SERVICE, TERMINATOR, identity_key, reference, router_key};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Maximum number of hosts that one transaction looks at, since all other writes wait for it.
const BATCH: usize = 100;

/// Ends the terminators whose right has ended by what was committed; returns for how many hosts. Only
/// those that the changes may affect are looked at.
pub async fn end_without_right(app: &Arc<App>, changes: &[Change]) -> Result<usize, AppError> {
    let mut affected = BTreeSet::new();
    for change in changes {
        let view = app.snapshot()?;
        match Affected::by(app, view.rows(), change)? {
            Affected::Nothing => {},
            Affected::Referrers(target) => {
                affected.extend(view.rows().referrers(&target, TERMINATOR, usize::MAX)?);
            },
            Affected::Hosted => return sweep(app).await,
        }
    }
    end(app, affected).await
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

/// The terminators that a change may affect.
enum Affected {
    Nothing,
    /// Those that refer to a record.
    Referrers(RecordKey),
    /// All that have a host.
    Hosted,
}

impl Affected {
    /// What a change of rights affects. A terminator is gone with the service session of its host, so
    /// the ends of sessions affect no others.
    fn by(app: &App, rows: Rows<'_>, change: &Change) -> Result<Self, AppError> {
        let by_rights = match change {
            Change::Identity(change) => {
                let attributes = |identity: &Identity| identity.spec.role_attributes.clone();
                Self::referrers_if(change, attributes, identity_key(change.number))
            },
            Change::Router(change) => {
                let terms = |router: &Router| {
                    let edge = router.spec.edge();
                    let attributes = edge.map(|edge| edge.role_attributes.clone());
                    (router.spec.reported.judges_posture(), attributes)
                };
                Self::referrers_if(change, terms, router_key(change.number))
            },
            Change::Service(change) => {
                let attributes = |service: &Service| service.spec.role_attributes.clone();
                let key = RecordKey::root(SERVICE, change.number.0);
                Self::referrers_if(change, attributes, key)
            },
            Change::ApiSession(change) => match change.owner {
                Some(Owner::Identity(owner)) => {
                    Self::referrers_if(change, without_activity, identity_key(owner))
                },
                Some(Owner::Router(_)) | None => Self::Nothing,
            },
            Change::ServicePolicy(_)
            | Change::EdgeRouterPolicy(_)
            | Change::ServiceEdgeRouterPolicy(_)
            | Change::PostureCheck(_) => Self::Hosted,
            Change::Revocation(change) => match &change.entity {
                Some(revocation) => Self::revoked(app, rows, revocation)?,
                None => Self::Nothing,
            },
            _ => Self::Nothing,
        };
        Ok(match (by_rights, affected_sessions(change)) {
            (Self::Nothing, AffectedSessions::OwnedBy(owner)) => {
                Self::Referrers(identity_key(owner))
            },
            (_, AffectedSessions::All) => Self::Hosted,
            (by_rights, _) => by_rights,
        })
    }

    /// Those of the service session, API session or identity whose tokens were revoked. Which ones an
    /// access token has created only they themselves tell.
    fn revoked(app: &App, rows: Rows<'_>, revocation: &Revocation) -> Result<Self, AppError> {
        let id = revocation.id.as_str();
        let target = match revocation.spec.revoked {
            RevocationType::Jti => match rows.locate(&reference(&SessionId::from_wire(id)))? {
                Some(session) => Some(session),
                None => return Ok(Self::Hosted),
            },
            RevocationType::Identity => rows.locate(&reference(&IdentityId::from_wire(id)))?,
            RevocationType::ApiSession => {
                let sessions = app.projections().sessions();
                sessions
                    .find_by_id(id)
                    .map(|found| identity_key(found.owner))
            },
        };
        Ok(target.map_or(Self::Nothing, Self::Referrers))
    }

    /// Those that refer to `target` if the change is one of `part`. Nothing refers to what is new.
    fn referrers_if<E, P: PartialEq>(
        change: &EntityChange<E>,
        part: impl Fn(&E) -> P,
        target: RecordKey,
    ) -> Self {
        let [before, now] = [&change.before, &change.entity].map(|version| version.as_deref());
        if before.is_some() && before.map(&part) != now.map(part) {
            Self::Referrers(target)
        } else {
            Self::Nothing
        }
    }
}

/// What counts of a session. That it was used, which is written down all the time, ends nothing.
fn without_activity(session: &ApiSession) -> ApiSession {
    let mut counting = session.clone();
    counting.last_activity_at = counting.created_at;
    counting
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
