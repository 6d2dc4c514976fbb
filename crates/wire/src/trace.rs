//! Traces of the messages on channels.

use crate::protobuf::message;
use crate::secret::Secret;
use bytes::Bytes;

message! {
    /// Turns traces on or off. Answered by a Result.
    pub struct PipeTraces {
        pub is_enabled: bool = 1,
        /// How much of a message is decoded.
        pub verbosity: i32 = 2,
        /// Of the names of programs.
        pub app_regex: String = 3,
        /// Of the names of channels.
        pub pipe_regex: String = 4,
    }

    /// A message that passed.
    pub struct TraceEvent {
        /// Nanoseconds since 1970.
        pub time_nanos: i64 = 1,
        /// Of the program.
        pub identity: String = 2,
        pub channel: String = 3,
        pub is_received: bool = 4,
        pub content_type: i32 = 5,
        pub sequence: i32 = 6,
        pub reply_for: i32 = 7,
        /// Bytes of the body.
        pub length: i32 = 8,
        /// JSON, by the decoder of the program.
        pub decoded: Secret<Bytes> = 9,
    }
}
