//! The connections of a link, as controllers are told of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use portcullis_wire::control::link::{LinkConnection, LinkConnections};
use tokio::sync::Notify;

/// The connections that a link has now.
#[derive(Debug, Default)]
pub(super) struct Connections {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    changes: u32,
    next: u64,
    open: BTreeMap<u64, LinkConnection>,
}

/// A connection, which is listed until this is dropped.
#[derive(Debug)]
pub(super) struct Listed {
    connections: Arc<Connections>,
    number: u64,
}

impl Connections {
    pub(super) fn list(self: &Arc<Self>, connection: LinkConnection) -> Listed {
        let number = self.change(|state| {
            let number = state.next;
            state.next += 1;
            state.open.insert(number, connection);
            number
        });
        Listed {
            connections: Arc::clone(self),
            number,
        }
    }

    /// As of now.
    pub(super) fn get(&self) -> LinkConnections {
        let state = self.state.lock();
        LinkConnections {
            iteration: state.changes,
            connections: state.open.values().cloned().collect(),
        }
    }

    /// Waits until there was a change that nobody has waited for.
    pub(super) async fn changed(&self) {
        self.changed.notified().await;
    }

    fn change<R>(&self, change: impl FnOnce(&mut State) -> R) -> R {
        let mut state = self.state.lock();
        state.changes = state.changes.saturating_add(1);
        let result = change(&mut state);
        drop(state);
        self.changed.notify_one();
        result
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.connections
            .change(|state| state.open.remove(&self.number));
    }
}
