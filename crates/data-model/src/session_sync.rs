//! The full state of legacy sessions, in messages of bounded size.

use portcullis_wire::control::session::{ApiSession, ApiSessions, ApiSessionsAdded, INSTANT};

/// Sessions in one message.
pub const CHUNK: usize = 100;

/// Ids of full states. Routers compare them as text, and the greater one counts.
#[derive(Debug, Default)]
pub struct SyncIds {
    last: u64,
}

impl SyncIds {
    /// The next id. It also follows those of earlier runs, if `unix_millis` is later than it was then.
    pub fn next(&mut self, unix_millis: u64) -> String {
        self.last = unix_millis.max(self.last.saturating_add(1));
        format!("{:020}", self.last)
    }
}

/// All sessions, as messages that belong together. There is at least one, which also tells a router that
/// none are left, and only the last one says that it is.
pub fn full_state(id: &str, sessions: &[ApiSession]) -> Vec<ApiSessionsAdded> {
    let chunks = sessions.len().div_ceil(CHUNK).max(1);
    (0..chunks)
        .map(|sequence| ApiSessionsAdded {
            sessions: ApiSessions {
                is_full_state: true,
                sessions: sessions
                    .iter()
                    .skip(sequence * CHUNK)
                    .take(CHUNK)
                    .cloned()
                    .collect(),
            },
            sync_type: INSTANT.to_owned(),
            sync_state: format!(
                r#"{{"id":"{id}","isLast":{},"sequence":{sequence}}}"#,
                sequence + 1 == chunks
            ),
        })
        .collect()
}
