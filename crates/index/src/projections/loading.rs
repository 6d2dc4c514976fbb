//! What is collected while the store is scanned.

use super::api_sessions::mirrored;
use super::catalogs::{Builders, Built};
use crate::sessions::Sessions;
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::change::Change;
use portcullis_domain::ids::Number;
use std::sync::Arc;

/// How far the projections are.
pub(super) enum Phase {
    /// Not all records are in; changes wait.
    Loading(Pending),
    /// Everything up to the revision is in.
    Ready(u64),
}

impl Default for Phase {
    fn default() -> Self {
        Self::Loading(Pending::default())
    }
}

/// The changes of one revision.
pub(super) struct Batch {
    pub(super) revision: u64,
    pub(super) changes: Vec<Change>,
}

/// Changes that came while loading.
#[derive(Default)]
pub(super) struct Pending(Vec<Batch>);

impl Pending {
    pub(super) fn push(&mut self, revision: u64, changes: &[Change]) {
        self.0.push(Batch {
            revision,
            changes: changes.to_vec(),
        });
    }

    pub(super) fn take(&mut self) -> Vec<Batch> {
        std::mem::take(&mut self.0)
    }
}

/// The records of a scan.
#[derive(Default)]
pub(super) struct Loader {
    catalogs: Builders,
    sessions: Vec<(Number, Number, Arc<ApiSession>)>,
}

/// The projections of a scan.
pub(super) struct Scanned {
    pub(super) catalogs: Built,
    pub(super) sessions: Sessions,
}

impl Loader {
    pub(super) fn put(&mut self, record: &Change) {
        self.catalogs.put(record);
        if let Change::ApiSession(record) = record
            && let Some((owner, session)) = mirrored(record)
        {
            self.sessions.push((record.number, owner, session.clone()));
        }
    }

    pub(super) fn finish(self) -> Scanned {
        Scanned {
            catalogs: self.catalogs.build(),
            sessions: Sessions::from_records(self.sessions),
        }
    }
}
