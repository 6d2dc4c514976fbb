//! What routers verify tokens and certificates by.

use crate::protobuf::{enumeration, message};
use crate::timestamp::Timestamp;
use bytes::Bytes;

message! {
    pub struct PublicKey {
        /// DER.
        pub data: Bytes = 1,
        /// SHA-1 of `data` in lower-case hex.
        pub key_id: String = 2,
        pub usages: Vec<KeyUsage> = 3,
        pub format: KeyFormat = 4,
    }

    /// Tokens that are not accepted any more.
    pub struct Revocation {
        /// Of the token, the identity or the session.
        pub id: String = 1,
        /// When all such tokens will have expired.
        pub expires_at: Option<Timestamp> = 2,
        /// `JTI`, `IDENTITY` or `API_SESSION`.
        pub kind: String = 3,
        /// Of an identity, the tokens issued before.
        pub issued_before: Option<Timestamp> = 4,
    }
}

enumeration! {
    pub enum KeyUsage: i32 {
        JwtValidation = 0,
        /// A root of the certificates of SDKs.
        ClientCertificateValidation = 1,
    }
}

enumeration! {
    pub enum KeyFormat: i32 {
        X509Certificate = 0,
        PkixPublicKey = 1,
    }
}
