//! Traces of the way of a connection whose circuit ends in the router.

use super::ConnectionId;
use super::key::{
    CONNECTION, TIMESTAMP, TRACE_ERROR, TRACE_HOP_ID, TRACE_HOP_KIND, TRACE_HOPS,
    TRACE_SOURCE_REQUEST,
};
use crate::headers::header_message;

header_message! {
    pub struct TraceRoute {
        pub connection: ConnectionId = CONNECTION,
        /// How many more routers and ends it may pass.
        pub hops: u32 = TRACE_HOPS,
        /// Milliseconds since 1970 by the clock of the asking end; comes back.
        pub time_millis: u64 = TIMESTAMP,
        /// Of the router, to a host; comes back.
        pub source_request: Option<u32> = TRACE_SOURCE_REQUEST,
    }

    pub struct TraceRouteResponse {
        pub connection: ConnectionId = CONNECTION,
        pub hops: Option<u32> = TRACE_HOPS,
        pub time_millis: Option<u64> = TIMESTAMP,
        /// Who answers: `forwarder`, `xgress/edge`, `sdk/golang` and others.
        pub hop_kind: Option<String> = TRACE_HOP_KIND,
        pub hop_id: Option<String> = TRACE_HOP_ID,
        pub source_request: Option<u32> = TRACE_SOURCE_REQUEST,
        /// A text for people.
        pub error: Option<String> = TRACE_ERROR,
    }
}
