//! Administration of API sessions.

use super::{PendingActions, token_hash};
use crate::action::actions;
use crate::app::App;
use crate::error::AppError;
use crate::listing::{
    ListRequest, Listing, Paging, equalities, kinds, kinds::SessionRow, parse as read_listing,
    resolve_token_filter,
};
use crate::privilege::check_may_modify;
use crate::records::get_policy;
use crate::session_revocation::SessionRevocation;
use portcullis_domain::access::{Access, Caller, Permit};
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::entropy;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{ApiSessionId, RecordNumber};
use portcullis_domain::permission::{Subject, Verb};
use portcullis_domain::view::ApiSessionView;
use portcullis_index::ApiSessionMirror;
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{API_SESSION, Rows, UniqueIndex, UniqueValue, identity_key};
use std::ops::ControlFlow;

actions! {
    /// Reads one session or a list.
    Read = Access::Granted(Subject::Ops, Verb::Read);
    /// Ends a session of anybody.
    Delete = Access::Granted(Subject::Ops, Verb::Delete);
}

/// A session as administrators see it: with a stable UUID in place of its token.
#[derive(Debug, Clone)]
pub struct AdminSessionView {
    pub view: ApiSessionView,
    /// Stands for the token; opens nothing.
    pub token_placeholder: String,
}

/// Reads one session.
pub fn read(
    app: &App,
    _permit: &Permit<Read>,
    id: &ApiSessionId,
) -> Result<AdminSessionView, AppError> {
    let row = {
        let sessions = app.require_lists()?.sessions();
        sessions.find_by_id(id.as_str()).map(SessionRow::from)
    };
    let view = app.snapshot()?;
    let found = match row {
        Some(row) => load_view(app, view.rows(), &row)?,
        None => None,
    };
    found.ok_or_else(|| AppError::not_found("API session", id.as_str()))
}

/// Ends a session of any identity.
pub async fn delete(app: &App, permit: &Permit<Delete>, id: &ApiSessionId) -> Result<(), AppError> {
    let gone = || AppError::not_found("API session", id.as_str());
    let (owner, number) = {
        let sessions = app.require_lists()?.sessions();
        let session = sessions.find_by_id(id.as_str()).ok_or_else(gone)?;
        (session.owner, session.number)
    };
    let key = identity_key(owner).dependent(API_SESSION, number.0);
    let revocation = SessionRevocation::new(app);
    let was_there = app
        .commit_for(permit, move |rows, caller| {
            let session = rows.rows().get::<ApiSession>(&key)?;
            if let Some(session) = &session {
                check_may_end(rows.rows(), caller, owner)?;
                revocation.end(rows, &key, session)?;
            }
            Ok(session.is_some())
        })
        .await?;
    if !was_there {
        return Err(gone());
    }
    Ok(())
}

/// Checks that a caller may end sessions of the identity with this number: only administrators may
/// end those of administrators.
pub(crate) fn check_may_end(
    rows: Rows<'_>,
    caller: &Caller,
    owner: RecordNumber,
) -> Result<(), AppError> {
    if caller.is_admin {
        return Ok(());
    }
    let owner: Option<Identity> = rows.get(&identity_key(owner))?;
    owner.map_or(Ok(()), |owner| check_may_modify(caller, &owner))
}

/// Lists sessions, passing each row of the page to `show` until it breaks.
pub fn list(
    app: &App,
    permit: &Permit<Read>,
    request: &ListRequest<'_>,
    show: &mut dyn FnMut(AdminSessionView) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let listing = read_listing(&kinds::API_SESSIONS, &request.parameters)?;
    let listing = resolve_token_filter(listing, &kinds::API_SESSIONS, permit.caller(), |token| {
        let sessions = app.require_lists()?.sessions();
        let found = sessions.find(token_hash(app, token));
        Ok(found.map(|session| session.record.id.to_string()))
    })?;
    let candidates = Candidates::from_filter(&listing, app.snapshot()?.rows())?;
    let sessions = app.require_lists()?.sessions();
    let rows = candidates.rows(&sessions);
    let view = app.snapshot()?;
    // Logins wait for the lock on the sessions; filtering can take its time without it.
    drop(sessions);
    let rows = filter_and_sort(&listing, rows, request)?;
    let range = listing.page.range(rows.len());
    let (mut wanted, mut gone) = (range.len(), 0);
    for row in rows.iter().skip(range.start) {
        if wanted == 0 {
            break;
        }
        // Rows that ended in the meantime are replaced by the following ones.
        match load_view(app, view.rows(), row)? {
            Some(found) => {
                wanted -= 1;
                if show(found).is_break() {
                    break;
                }
            },
            None => gone += 1,
        }
    }
    Ok(Paging::from_listing(&listing, rows.len() - gone))
}

/// The matching rows in the requested order.
fn filter_and_sort(
    listing: &Listing,
    rows: Vec<SessionRow>,
    request: &ListRequest<'_>,
) -> Result<Vec<SessionRow>, AppError> {
    let mut matching = Vec::new();
    for (number, row) in rows.into_iter().enumerate() {
        if number.is_multiple_of(64) && (request.is_cancelled)() {
            return Err(AppError::TimedOut);
        }
        if listing.predicate.matches(&row) {
            matching.push(row);
        }
    }
    matching.sort_by(|left, right| listing.order.compare(left, right));
    Ok(matching)
}

/// The sessions to filter. Those of one identity, and a single one by id, are found without a scan.
enum Candidates {
    All,
    One(String),
    OwnedBy(Option<RecordNumber>),
}

impl Candidates {
    fn from_filter(listing: &Listing, rows: Rows<'_>) -> Result<Self, StoreError> {
        for (symbol, text) in equalities(&listing.predicate) {
            match symbol.name() {
                "id" => return Ok(Self::One(text.to_owned())),
                "identity" => {
                    let owner = rows.locate(&UniqueValue::new(UniqueIndex::IdentityId, text))?;
                    return Ok(Self::OwnedBy(owner.map(|key| RecordNumber(key.id().1))));
                },
                _ => {},
            }
        }
        Ok(Self::All)
    }

    fn rows(&self, sessions: &ApiSessionMirror) -> Vec<SessionRow> {
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

/// Loads the view of a session; `None` when it has ended.
fn load_view(
    app: &App,
    rows: Rows<'_>,
    row: &SessionRow,
) -> Result<Option<AdminSessionView>, AppError> {
    let key = identity_key(row.owner);
    let (Some(session), Some(identity)) = (
        rows.get::<ApiSession>(&key.dependent(API_SESSION, row.number.0))?,
        rows.get::<Identity>(&key)?,
    ) else {
        return Ok(None);
    };
    let policy = get_policy(rows, &identity)?;
    let open = PendingActions::load(rows, &session, &identity, &policy, None)?;
    let view = super::build_view(app, session, &identity, open);
    Ok(Some(AdminSessionView {
        view,
        token_placeholder: token_placeholder(app, row.number),
    }))
}

/// A UUID derived from the session's number; unrelated to its token.
fn token_placeholder(app: &App, session: RecordNumber) -> String {
    let number = session.0.to_be_bytes();
    entropy::uuid_from_bytes(app.vault.lookup_hash("api session stand-in", &number))
}

#[cfg(test)]
mod tests;
