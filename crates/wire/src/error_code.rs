//! Why requests of SDKs are refused, and what they may do about it.

use crate::protobuf::enumeration;

enumeration! {
    /// Why a request of an SDK is refused.
    pub enum ErrorCode: u32, header u32 {
        None = 0,
        /// Also busy, no terminators, and a failed dial.
        Internal = 1,
        InvalidApiSession = 2,
        InvalidSession = 3,
        WrongSessionType = 4,
        InvalidEdgeRouterForSession = 5,
        InvalidService = 6,
        TunnelingNotEnabled = 7,
        InvalidTerminator = 8,
        InvalidPrecedence = 9,
        InvalidCost = 10,
        EncryptionDataMissing = 11,
        InvalidApiSessionType = 12,
        InvalidInstanceId = 13,
        AccessDenied = 14,
        PostureCheckFailed = 15,
    }
}

enumeration! {
    /// What an SDK may expect of another attempt.
    pub enum RetryHint: u32, header u32 {
        Default = 0,
        /// Back off.
        Busy = 1,
        /// With a new session.
        StartOver = 2,
        NotRetriable = 3,
    }
}
