//! The mirror of the API sessions, kept current.

use super::kinds::removed_owner;
use super::locks::write;
use crate::sessions::Sessions;
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::change::{Change, EntityChange, Owner};
use portcullis_domain::ids::Number;
use std::sync::{Arc, RwLock};

/// The number of the identity that a session is of, and its record, if it is mirrored: a session
/// of nobody opens nothing.
pub(super) fn mirrored(change: &EntityChange<ApiSession>) -> Option<(Number, &Arc<ApiSession>)> {
    match (change.owner, &change.now) {
        (Some(Owner::Identity(owner)), Some(session)) => Some((owner, session)),
        _ => None,
    }
}

/// Writes changes to the mirror, which is not locked when none concerns it.
pub(super) fn write_sessions(place: &RwLock<Sessions>, changes: &[Change]) {
    if !changes.iter().any(concerns) {
        return;
    }
    let mut sessions = write(place);
    for change in changes {
        if let Change::ApiSession(change) = change {
            match mirrored(change) {
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

fn concerns(change: &Change) -> bool {
    matches!(change, Change::ApiSession(_))
        || matches!(removed_owner(change), Some(Owner::Identity(_)))
}
