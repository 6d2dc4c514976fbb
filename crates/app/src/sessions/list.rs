//! API sessions as administrators see them.

use super::{StillOpen, hash};
use crate::action::actions;
use crate::app::App;
use crate::error::AppError;
use crate::identities::policy_of;
use crate::listing::{
    Asked, Listing, Paging, by_token, equalities, kinds, kinds::SessionRow, read as read_listing,
};
use crate::rank::check_touchable;
use portcullis_domain::access::{Access, Caller, Permit};
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::entropy;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{ApiSessionId, Number};
use portcullis_domain::permission::{Subject, Verb};
use portcullis_domain::view::ApiSessionView;
use portcullis_index::Sessions;
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{API_SESSION, Index, Rows, UniqueValue, identity_key};
use std::ops::ControlFlow;

actions! {
    /// Reads one session or a list.
    Read = Access::Granted(Subject::Ops, Verb::Read);
    /// Ends a session of anybody.
    Delete = Access::Granted(Subject::Ops, Verb::Delete);
}

/// A session, and a UUID that always stands for it and opens nothing.
#[derive(Debug, Clone)]
pub struct ForeignSession {
    /// The session.
    pub view: ApiSessionView,
    /// What is shown in the place of its token.
    pub stand_in: String,
}

/// Reads one session.
pub fn read(
    app: &App,
    _permit: &Permit<Read>,
    id: &ApiSessionId,
) -> Result<ForeignSession, AppError> {
    let row = {
        let sessions = app.require_lists()?.sessions();
        sessions.find_by_id(id.as_str()).map(SessionRow::from)
    };
    let view = app.snapshot()?;
    let found = match row {
        Some(row) => look(app, view.rows(), &row)?,
        None => None,
    };
    found.ok_or_else(|| AppError::not_found("API session", id.as_str()))
}

/// Ends a session of anybody. Its token opens nothing from then on.
pub async fn delete(app: &App, permit: &Permit<Delete>, id: &ApiSessionId) -> Result<(), AppError> {
    let gone = || AppError::not_found("API session", id.as_str());
    let (owner, number) = {
        let sessions = app.require_lists()?.sessions();
        let session = sessions.find_by_id(id.as_str()).ok_or_else(gone)?;
        (session.owner, session.number)
    };
    let key = identity_key(owner).dependent(API_SESSION, number.0);
    let was_there = app
        .commit_for(permit, move |rows, caller| {
            let session = rows.rows().get::<ApiSession>(&key)?;
            if let Some(session) = &session {
                check_endable(rows.rows(), caller, owner)?;
                rows.remove(&key, session)?;
            }
            Ok(session.is_some())
        })
        .await?;
    if !was_there {
        return Err(gone());
    }
    Ok(())
}

/// Checks that a caller may end sessions of the identity with this number: nobody but administrators
/// can keep an administrator out.
pub(crate) fn check_endable(
    rows: Rows<'_>,
    caller: &Caller,
    owner: Number,
) -> Result<(), AppError> {
    if caller.is_admin {
        return Ok(());
    }
    let owner: Option<Identity> = rows.get(&identity_key(owner))?;
    owner.map_or(Ok(()), |owner| check_touchable(caller, &owner))
}

/// Lists sessions: shows those of the page one after the other, until `show` breaks.
pub fn list(
    app: &App,
    permit: &Permit<Read>,
    asked: &Asked<'_>,
    show: &mut dyn FnMut(ForeignSession) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let listing = read_listing(&kinds::API_SESSIONS, &asked.parameters)?;
    let listing = by_token(listing, &kinds::API_SESSIONS, permit.caller(), |token| {
        let sessions = app.require_lists()?.sessions();
        let found = sessions.find(hash(app, token));
        Ok(found.map(|session| session.record.id.to_string()))
    })?;
    let chosen = Chosen::by(&listing, app.snapshot()?.rows())?;
    let sessions = app.require_lists()?.sessions();
    let rows = chosen.rows(&sessions);
    let view = app.snapshot()?;
    // Whoever logs in waits for the mirror; the filter can take its time without it.
    drop(sessions);
    let rows = matching(&listing, rows, asked)?;
    let range = listing.page.range(rows.len());
    let (mut wanted, mut gone) = (range.len(), 0);
    for row in rows.iter().skip(range.start) {
        if wanted == 0 {
            break;
        }
        // What has ended meanwhile is made up for by what follows.
        match look(app, view.rows(), row)? {
            Some(found) => {
                wanted -= 1;
                if show(found).is_break() {
                    break;
                }
            },
            None => gone += 1,
        }
    }
    Ok(Paging::of(&listing, rows.len() - gone))
}

/// The rows that match, in the order that was asked for.
fn matching(
    listing: &Listing,
    rows: Vec<SessionRow>,
    asked: &Asked<'_>,
) -> Result<Vec<SessionRow>, AppError> {
    let mut matching = Vec::new();
    for (number, row) in rows.into_iter().enumerate() {
        if number.is_multiple_of(64) && (asked.is_over)() {
            return Err(AppError::TooSlow);
        }
        if listing.predicate.matches(&row) {
            matching.push(row);
        }
    }
    matching.sort_by(|left, right| listing.order.compare(left, right));
    Ok(matching)
}

/// The sessions that a list can be about. Memory holds all of them; those of one identity, and a
/// single one, are found without looking at the others.
enum Chosen {
    All,
    One(String),
    OwnedBy(Option<Number>),
}

impl Chosen {
    fn by(listing: &Listing, rows: Rows<'_>) -> Result<Self, StoreError> {
        for (symbol, text) in equalities(&listing.predicate) {
            match symbol {
                "id" => return Ok(Self::One(text.to_owned())),
                "identity" => {
                    let owner = rows.locate(&UniqueValue::new(Index::IdentityId, text))?;
                    return Ok(Self::OwnedBy(owner.map(|key| Number(key.id().1))));
                },
                _ => {},
            }
        }
        Ok(Self::All)
    }

    fn rows(&self, sessions: &Sessions) -> Vec<SessionRow> {
        match self {
            Self::All => sessions.iter().map(SessionRow::from).collect(),
            Self::One(id) => sessions
                .find_by_id(id)
                .map(SessionRow::from)
                .into_iter()
                .collect(),
            Self::OwnedBy(owner) => owner
                .map(|owner| sessions.owned_by(owner, 0, usize::MAX))
                .unwrap_or_default()
                .into_iter()
                .filter_map(|number| sessions.get(number))
                .map(SessionRow::from)
                .collect(),
        }
    }
}

/// Puts a session together with whose it is; `None` when it has ended.
fn look(app: &App, rows: Rows<'_>, row: &SessionRow) -> Result<Option<ForeignSession>, AppError> {
    let key = identity_key(row.owner);
    let (Some(session), Some(identity)) = (
        rows.get::<ApiSession>(&key.dependent(API_SESSION, row.number.0))?,
        rows.get::<Identity>(&key)?,
    ) else {
        return Ok(None);
    };
    let policy = policy_of(rows, &identity)?;
    let open = StillOpen::read(rows, &session, &identity, &policy, None)?;
    let view = super::look(app, session, &identity, open);
    Ok(Some(ForeignSession {
        view,
        stand_in: stand_in(app, row.number),
    }))
}

/// A UUID that is derived from a session's number and says nothing about its token.
fn stand_in(app: &App, session: Number) -> String {
    let number = session.0.to_be_bytes();
    entropy::uuid_of(app.vault.lookup_hash("api session stand-in", &number))
}
