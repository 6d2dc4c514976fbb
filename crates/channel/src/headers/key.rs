//! The headers that belong to the channel itself.
//!
//! The same number means something else in some messages: a link's hello, for one, uses 1 to 6 for its
//! own purposes. What is said here holds for the messages that each line names.

use super::HeaderKey;

/// Text: the id of a group of connections. In the hello and its answer.
pub const CONNECTION_ID: HeaderKey = HeaderKey(0);
/// Signed 32 bits: the sequence number of the request that this message answers. In every reply.
pub const REPLY_FOR: HeaderKey = HeaderKey(1);
/// Truth value: whether what was asked for succeeded. In a Result.
pub const RESULT_SUCCESS: HeaderKey = HeaderKey(2);
/// Text: the software of the sender, see [`BuildVersion`](crate::BuildVersion). In the hello of a
/// router, and in its answer.
pub const VERSION: HeaderKey = HeaderKey(4);
/// 64 bits: a heartbeat, the clock of its sender in nanoseconds since 1970. In any message.
pub const HEARTBEAT: HeaderKey = HeaderKey(5);
/// 64 bits: the heartbeat that is answered, unchanged. In any message.
pub const HEARTBEAT_RESPONSE: HeaderKey = HeaderKey(6);
/// Text: what the connection is for within its group, such as `ctrl.high`. In the hello and its answer.
pub const UNDERLAY_TYPE: HeaderKey = HeaderKey(7);
/// Text: who answers. In the answer to a hello.
pub const RESPONDER_ID: HeaderKey = HeaderKey(8);
/// Truth value: the connection belongs to a group. In the hello and its answer.
pub const IS_GROUPED: HeaderKey = HeaderKey(9);
/// 16 bytes: what a connection shows to join a group. In the hello and its answer.
pub const GROUP_SECRET: HeaderKey = HeaderKey(10);
/// 32 bits: why a Result is a failure; 1 says that the sender asks too often. In a Result.
pub const RESULT_ERROR_CODE: HeaderKey = HeaderKey(10);
/// Truth value, sent only if true: the connection founds its group. In the hello.
pub const IS_FIRST: HeaderKey = HeaderKey(11);
/// 32 bits: the class of a refusal, see [`RejectClass`](crate::hello::RejectClass). In a negative answer to a
/// hello.
pub const REJECT_CLASS: HeaderKey = HeaderKey(13);
/// Bytes that every reply gives back as they are. In any request.
pub const REFLECTED: HeaderKey = HeaderKey(128);
