//! Signature algorithms for each type of key (RFC 7518 section 3.1, RFC 8037 section 3.1).

use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ECDSA_P521_SHA512_FIXED, ED25519,
    RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512,
    RSA_PSS_2048_8192_SHA256, RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512,
    VerificationAlgorithm,
};

use crate::key::PublicKeyKind;

/// A signature algorithm of tokens that is accepted for some type of key.
#[derive(Debug)]
pub(crate) struct Algorithm {
    /// Name in tokens and key sets (`alg`).
    pub(crate) name: &'static str,
    family: Family,
    pub(crate) verification: &'static dyn VerificationAlgorithm,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    P256,
    P384,
    P521,
    Rsa,
    Ed25519,
}

/// All accepted algorithms. Others, in particular `none` and the symmetric ones, are unknown.
static ALGORITHMS: [Algorithm; 10] = [
    entry("ES256", Family::P256, &ECDSA_P256_SHA256_FIXED),
    entry("ES384", Family::P384, &ECDSA_P384_SHA384_FIXED),
    entry("ES512", Family::P521, &ECDSA_P521_SHA512_FIXED),
    entry("RS256", Family::Rsa, &RSA_PKCS1_2048_8192_SHA256),
    entry("RS384", Family::Rsa, &RSA_PKCS1_2048_8192_SHA384),
    entry("RS512", Family::Rsa, &RSA_PKCS1_2048_8192_SHA512),
    entry("PS256", Family::Rsa, &RSA_PSS_2048_8192_SHA256),
    entry("PS384", Family::Rsa, &RSA_PSS_2048_8192_SHA384),
    entry("PS512", Family::Rsa, &RSA_PSS_2048_8192_SHA512),
    entry("EdDSA", Family::Ed25519, &ED25519),
];

const fn entry(
    name: &'static str,
    family: Family,
    verification: &'static dyn VerificationAlgorithm,
) -> Algorithm {
    Algorithm {
        name,
        family,
        verification,
    }
}

/// All algorithms for keys of this kind.
pub(crate) fn algorithms_for(kind: PublicKeyKind) -> impl Iterator<Item = &'static Algorithm> {
    let family = match kind {
        PublicKeyKind::P256 => Family::P256,
        PublicKeyKind::P384 => Family::P384,
        PublicKeyKind::P521 => Family::P521,
        PublicKeyKind::Rsa { .. } => Family::Rsa,
        PublicKeyKind::Ed25519 => Family::Ed25519,
    };
    ALGORITHMS
        .iter()
        .filter(move |known| known.family == family)
}

/// The one algorithm for tokens of the controller; clients accept no others.
pub(super) fn signing_algorithm(kind: PublicKeyKind) -> Option<&'static Algorithm> {
    match kind {
        PublicKeyKind::Ed25519 => None,
        _ => algorithms_for(kind).next(),
    }
}
