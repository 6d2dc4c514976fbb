//! Keys of the channel's own headers.
//!
//! The same number means something else in some messages: a link's hello, for example, uses 1 to 6
//! for other purposes. Each description names the messages that it applies to.

use super::HeaderKey;

/// String: id of a group of connections. In the hello and its answer.
pub const CONNECTION_ID: HeaderKey = HeaderKey(0);
/// Signed 32 bits: sequence number of the request that this message answers. In every reply.
pub const REPLY_FOR: HeaderKey = HeaderKey(1);
/// Boolean: whether the request succeeded. In a Result.
pub const RESULT_SUCCESS: HeaderKey = HeaderKey(2);
/// String: software of the sender, see [`BuildVersion`](crate::BuildVersion). In the hello of a
/// router, and in its answer.
pub const VERSION: HeaderKey = HeaderKey(4);
/// 64 bits: a heartbeat, the sender's clock in nanoseconds since 1970. In any message.
pub const HEARTBEAT: HeaderKey = HeaderKey(5);
/// 64 bits: the answered heartbeat, unchanged. In any message.
pub const HEARTBEAT_RESPONSE: HeaderKey = HeaderKey(6);
/// String: type of the connection within its group, such as `ctrl.high`. In the hello and its answer.
pub const UNDERLAY_TYPE: HeaderKey = HeaderKey(7);
/// String: id of the responder. In the answer to a hello.
pub const RESPONDER_ID: HeaderKey = HeaderKey(8);
/// Boolean: the connection belongs to a group. In the hello and its answer.
pub const IS_GROUPED: HeaderKey = HeaderKey(9);
/// 16 bytes: the secret for joining a group. In the hello and its answer.
pub const GROUP_SECRET: HeaderKey = HeaderKey(10);
/// 32 bits: reason of a failure; 1 says that the sender asks too often. In a Result.
pub const RESULT_ERROR_CODE: HeaderKey = HeaderKey(10);
/// Boolean, sent only if true: the connection founds its group. In the hello.
pub const IS_FIRST: HeaderKey = HeaderKey(11);
/// 32 bits: class of a rejection, see [`RejectClass`](crate::hello::RejectClass). In a negative
/// answer to a hello.
pub const REJECT_CLASS: HeaderKey = HeaderKey(13);
/// Bytes that every reply returns unchanged. In any request.
pub const REFLECTED: HeaderKey = HeaderKey(128);
