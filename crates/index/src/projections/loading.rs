//! Loading of the projections from a scan.

use super::api_sessions::session_to_mirror;
use super::catalogs::{Builders, Built};
use crate::sessions::ApiSessionMirror;
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::change::Change;
use portcullis_domain::ids::RecordNumber;
use std::sync::Arc;

/// Load state of the projections.
pub(super) enum LoadPhase {
    /// The scan is not finished; changes are queued.
    Loading(Pending),
    /// Everything up to this revision is applied.
    Ready(u64),
}

impl Default for LoadPhase {
    fn default() -> Self {
        Self::Loading(Pending::default())
    }
}

/// The changes of one revision.
pub(super) struct Batch {
    pub(super) revision: u64,
    pub(super) changes: Vec<Change>,
}

/// Changes queued while loading.
#[derive(Default)]
pub(super) struct Pending(Vec<Batch>);

impl Pending {
    pub(super) fn push(&mut self, revision: u64, changes: &[Change]) {
        self.0.push(Batch {
            revision,
            changes: changes.to_vec(),
        });
    }

    pub(super) fn drain(&mut self) -> Vec<Batch> {
        std::mem::take(&mut self.0)
    }
}

/// Collects the records of a scan.
#[derive(Default)]
pub(super) struct Loader {
    catalogs: Builders,
    sessions: Vec<(RecordNumber, RecordNumber, Arc<ApiSession>)>,
}

/// Projections built from a scan.
pub(super) struct Scanned {
    pub(super) catalogs: Built,
    pub(super) sessions: ApiSessionMirror,
}

impl Loader {
    pub(super) fn put(&mut self, record: &Change) {
        self.catalogs.put(record);
        if let Change::ApiSession(record) = record
            && let Some((owner, session)) = session_to_mirror(record)
        {
            self.sessions.push((record.number, owner, session.clone()));
        }
    }

    pub(super) fn finish(self) -> Scanned {
        Scanned {
            catalogs: self.catalogs.build(),
            sessions: ApiSessionMirror::from_records(self.sessions),
        }
    }
}
