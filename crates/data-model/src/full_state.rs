//! The whole model, as one router gets it.

use portcullis_wire::control::data_model::{Event, State};
use std::sync::Arc;

/// What all routers get. It is made once for each index.
#[derive(Debug, Default, PartialEq)]
pub struct SharedState {
    /// Entities of kinds that come before routers.
    pub before_routers: Vec<Event>,
    pub after: Vec<Event>,
    pub end_index: u64,
    pub timeline_id: String,
}

/// The whole model for one router.
#[derive(Debug, Clone, PartialEq)]
pub struct FullState {
    pub shared: Arc<SharedState>,
    /// Configurations that only some routers get. They come in front of the routers, which name them.
    pub own: Vec<Event>,
}

impl SharedState {
    /// Two messages that encoded, one behind the other, are the encoding of the whole. What is a router's
    /// own has its place between them.
    pub fn parts(&self) -> [State; 2] {
        let first = State {
            events: self.before_routers.clone(),
            ..State::default()
        };
        let second = State {
            events: self.after.clone(),
            end_index: self.end_index,
            timeline_id: self.timeline_id.clone(),
            ..State::default()
        };
        [first, second]
    }
}

impl FullState {
    /// The message.
    pub fn to_message(&self) -> State {
        let [first, mut state] = self.shared.parts();
        let in_front = first.events.into_iter().chain(self.own.iter().cloned());
        state.events.splice(..0, in_front);
        state
    }
}
