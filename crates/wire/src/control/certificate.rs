//! Extension of a router's certificates over its channel.

use crate::content::{Content as _, EncodeError};
use crate::protobuf::message;
use portcullis_channel::{ContentType, Message};

/// That of a [`Refusal`](super::refusal::Refusal).
const VERIFICATION: ContentType = ContentType(20002);

message! {
    /// A router wants certificates for the keys that it has. Answered by [`ExtendedCertificates`], not as
    /// a reply; by nothing if that fails.
    pub struct ExtendCertificates {
        /// PEM.
        pub client_csr: String = 1,
        /// PEM.
        pub server_csr: String = 2,
        /// The router answers with [`VerifyCertificates`]; until then its old certificate is valid.
        pub needs_verification: bool = 3,
    }

    /// PEM chains: leaf and intermediates.
    pub struct ExtendedCertificates {
        pub client_chain: String = 1,
        pub server_chain: String = 2,
        /// Unused.
        pub ca_chain: String = 3,
    }

    /// The router has the certificate. Answered by [`CertificateVerification`], with the content type of
    /// a [`Refusal`](super::refusal::Refusal).
    pub struct VerifyCertificates {
        /// As received.
        pub client_chain: String = 1,
    }

    /// Whether a certificate is now the router's; everything is empty if it is.
    pub struct CertificateVerification {
        /// Such as `INVALID_CLIENT_PEM`.
        pub code: String = 1,
        /// A text for people.
        pub reason: String = 2,
        pub cause: String = 3,
    }
}

impl CertificateVerification {
    /// The message that answers [`VerifyCertificates`]. It cannot be told from a refusal by its type, so
    /// it is none of the [`ControlMessage`](super::ControlMessage)s.
    pub fn to_message(&self) -> Result<Message, EncodeError> {
        let (headers, body) = self.encode()?;
        Ok(Message {
            content_type: VERIFICATION,
            headers,
            body,
        })
    }
}
