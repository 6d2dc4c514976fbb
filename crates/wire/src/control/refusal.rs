//! Refusals of requests, and what the asking SDK may do about it.

use crate::error_code::{ErrorCode, RetryHint};
use crate::headers::header_message;

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
