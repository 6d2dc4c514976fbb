//! Refusals of requests, and what the asking SDK may do about it.

use crate::headers::header_message;
use crate::protobuf::enumeration;

header_message! {
    /// The answer to a request of a router that is refused.
    ///
    /// The answer to [`VerifyCertificates`](super::certificate::VerifyCertificates) has the same content
    /// type and another body: it is a
    /// [`CertificateVerification`](super::certificate::CertificateVerification).
    pub struct Refusal {
        /// A text for people.
        pub reason: String = text,
        pub code: Option<ErrorCode> = 1014,
        pub retry_hint: Option<RetryHint> = 18,
        /// If the request got as far as a circuit.
        pub circuit_id: Option<String> = 1026,
    }
}

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
