//! Moments in protobuf.

use crate::protobuf::message;

message! {
    /// Time since 1970, in UTC.
    pub struct Timestamp {
        pub seconds: i64 = 1,
        pub nanos: i32 = 2,
    }
}
