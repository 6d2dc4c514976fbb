//! The model as a whole, its changes, and who gets them.

use super::Event;
use crate::headers::header_message;
use crate::protobuf::message;
use bytes::Bytes;
use std::collections::BTreeMap;

message! {
    /// A router wants the model and its changes, for some time. Answered by [`DataState`] or
    /// [`ChangeSet`], not as replies.
    pub struct Subscription {
        /// Of the model that it has; 0 for none.
        pub current_index: u64 = 1,
        pub duration_seconds: u32 = 2,
        /// For longer; the rest is as before.
        pub is_renewal: bool = 3,
        /// Of the model that it has.
        pub timeline_id: String = 4,
        /// Chosen by the router.
        pub subscription_id: String = 5,
    }

    pub struct State {
        /// Creations: each entity after those that it names.
        pub events: Vec<Event> = 1,
        pub end_index: u64 = 2,
        /// A model on another timeline does not go on in this one.
        pub timeline_id: String = 3,
        /// Of a router itself; empty from controllers.
        pub caches: BTreeMap<String, Bytes> = 4,
    }

    /// The changes of one transaction.
    pub struct Changes {
        /// Indexes rise, with gaps.
        pub index: u64 = 1,
        /// Without an index: does not move the model on.
        pub is_synthetic: bool = 2,
        pub events: Vec<Event> = 3,
        /// Unused.
        pub timestamp_id: String = 4,
        /// Of the changes before; a router that does not have them subscribes anew.
        pub previous_index: u64 = 5,
    }

    /// Asks a router to compare its model with this one.
    pub struct ValidateDataState {
        pub state: Option<State> = 1,
        /// It is to take this one if they differ.
        pub fixes: bool = 2,
    }

    /// How the models differ.
    pub struct DataStateValidation {
        /// Entities of the router by kind.
        pub original_counts: BTreeMap<String, u32> = 1,
        /// Entities of the model that was sent, by kind.
        pub copy_counts: BTreeMap<String, u32> = 2,
        pub differences: Vec<DataStateDiff> = 3,
    }

    pub struct DataStateDiff {
        pub entity_type: String = 1,
        pub entity_id: String = 2,
        pub kind: String = 3,
        pub detail: String = 4,
    }
}

header_message! {
    /// The whole model.
    pub struct DataState {
        pub state: State = body,
        /// Routers ignore the state for another subscription.
        pub subscription_id: Option<String> = 1026,
    }

    /// A change of the model.
    pub struct ChangeSet {
        pub changes: Changes = body,
        /// Routers ignore changes for another subscription, except synthetic ones.
        pub subscription_id: Option<String> = 1026,
    }

    /// How far the controller's model has got, so that routers notice what they missed.
    pub struct CurrentIndex {
        pub index: u64 = 1025,
    }
}
