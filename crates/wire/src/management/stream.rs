//! Events and traces as they happen.

use crate::headers::header_message;
use crate::protobuf::{enumeration, message};
use crate::secret::Secret;

header_message! {
    /// Subscribes to events.
    pub struct StreamEvents {
        /// `{"format": "json", "subscriptions": [{"type": text, "options": {...}}]}`
        pub json: String = body,
    }

    pub struct StreamedEvent {
        /// Not the namespace: `entity.change` and `usage.v3`, for example.
        pub event_type: String = 10,
        /// Some have tokens in them.
        pub json: Secret<String> = body,
    }
}

message! {
    /// Subscribes to the traces of all channels of the controller.
    pub struct StreamTraces {
        pub is_filtered: bool = 1,
        pub filter: TraceFilter = 2,
        pub content_types: Vec<i32> = 3,
    }
}

enumeration! {
    /// What content types in a filter mean.
    pub enum TraceFilter: i32 {
        Exclude = 0,
        Include = 1,
    }
}
