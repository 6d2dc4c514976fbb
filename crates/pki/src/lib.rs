//! Certificates, keys, chains, SPIFFE IDs and enrollment tokens of the Portcullis controller.
//!
//! Start from [`Authority`], which issues certificates for verified requests ([`Csr`]), from
//! [`TrustAnchors`], which verifies presented chains, and from [`JwtSigner`], which signs enrollment
//! tokens; [`external`] is about tokens of external signers. Nothing here reads files, opens
//! connections or reads the clock: the caller passes bytes, the current time and, for serial numbers,
//! an [`Entropy`](portcullis_domain::entropy::Entropy). Keys and signatures are the exception: their
//! randomness comes from the cryptographic library itself.
//!
//! # Examples
//!
//! ```
//! use portcullis_domain::{clock::Timestamp, entropy, ids::IdentityId};
//! use portcullis_pki::{Authority, Csr, KeyType, SigningKey, Subject, TrustAnchors, TrustDomain};
//! use portcullis_pki::{VerifyAt, create_csr};
//!
//! struct Counter(std::sync::atomic::AtomicU8);
//! # impl entropy::Entropy for Counter {
//! #     fn fill(&self, bytes: &mut [u8]) -> Result<(), entropy::EntropyError> {
//! #         bytes.fill(self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
//! #         Ok(())
//! #     }
//! # }
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let entropy = Counter(7.into());
//! let now: Timestamp = "2026-01-01T00:00:00Z".parse()?;
//! let domain = TrustDomain::parse("example.test")?;
//!
//! let subject = Subject::new().common_name("Example root");
//! let key = SigningKey::generate(KeyType::P256)?;
//! let root = Authority::create_root(key, &subject, &domain, now, &entropy)?;
//!
//! let device = SigningKey::generate(KeyType::P256)?;
//! let request = create_csr(&device, &Subject::new().common_name("device"))?;
//! let csr = Csr::from_pem(&request)?;
//! let id = IdentityId::from_wire("aB3.dE6gH");
//! let leaf = root.issue_identity(&csr, &domain, &id, now, &entropy)?;
//!
//! let anchors = TrustAnchors::new(vec![root.certificate().clone()])?;
//! anchors.verify_client_chain(&leaf, &[], VerifyAt::Now(now))?;
//! # Ok(())
//! # }
//! ```

mod authority;
mod certificate;
mod chain;
mod csr;
pub mod external;
mod fingerprint;
pub mod jwt;
mod key;
mod pem;
pub mod pkcs7;
mod signed;
mod spiffe;
mod subject;

pub use authority::{
    Authority, AuthorityError, IssueError, ReservedNameError, ReservedNames, RouterCsr,
    RouterCsrError, ServerNames, ServerNamesError,
};
pub use certificate::{
    Certificate, CertificateError, UnusableCaError, Validity, certificates_from_pem,
    certificates_to_pem,
};
pub use chain::{ChainError, MAX_PRESENTED, Purpose, TrustAnchors, VerifiedChain, VerifyAt};
pub use csr::{Csr, CsrError, create_csr, create_csr_with_names};
pub use fingerprint::{Fingerprint, FingerprintError, Sha256Fingerprint};
pub use jwt::{EnrollmentClaims, JwtError, JwtSigner};
pub use key::{
    CryptoError, KeyError, KeyType, PublicKey, PublicKeyComponents, PublicKeyKind, SigningKey,
    UnsupportedKeyError,
};
pub use pem::PemError;
pub use spiffe::{SpiffeError, SpiffeId, SpiffePath, TrustDomain};
pub use subject::Subject;
