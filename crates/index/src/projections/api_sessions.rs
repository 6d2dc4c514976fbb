//! Updates of the API session mirror.

use super::catalog_kind::removed_owner;
use crate::sessions::ApiSessionMirror;
use parking_lot::RwLock;
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::change::{Change, EntityChange, Owner};
use portcullis_domain::ids::RecordNumber;
use std::sync::Arc;

/// The identity number and the record of a session that is to be mirrored. Sessions without an
/// identity are not.
pub(super) fn session_to_mirror(
    change: &EntityChange<ApiSession>,
) -> Option<(RecordNumber, &Arc<ApiSession>)> {
    match (change.owner, &change.entity) {
        (Some(Owner::Identity(owner)), Some(session)) => Some((owner, session)),
        _ => None,
    }
}

/// Writes changes to the mirror, which is locked only if they affect it.
pub(super) fn write_sessions(place: &RwLock<ApiSessionMirror>, changes: &[Change]) {
    if !changes.iter().any(affects_mirror) {
        return;
    }
    let mut sessions = place.write();
    for change in changes {
        if let Change::ApiSession(change) = change {
            match session_to_mirror(change) {
                Some((owner, session)) => sessions.put(change.number, owner, session.clone()),
                None => {
                    sessions.remove(change.number);
                },
            }
        } else if let Some(Owner::Identity(owner)) = removed_owner(change) {
            sessions.remove_owned_by(owner);
        }
    }
}

fn affects_mirror(change: &Change) -> bool {
    matches!(change, Change::ApiSession(_))
        || matches!(removed_owner(change), Some(Owner::Identity(_)))
}
