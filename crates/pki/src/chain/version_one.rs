//! Certificates of X.509 version 1, which `openssl x509 -req` issues unless it is told to add
//! extensions.
//!
//! The library that verifies chains only supports version 3. Without extensions there is little to
//! verify: such a certificate states no purpose and names nobody but its subject. It is accepted
//! directly below an authority only; intermediates would have to be checked against rules that only
//! the library's path search knows.

use super::error::ChainError;
use super::{TrustAnchors, VerifiedChain, VerifyAt};
use crate::certificate::Certificate;

impl TrustAnchors {
    /// Verifies that one of the authorities has issued `leaf`, which is of version 1. Authorities
    /// with name constraints are excluded, because the constraints could not be enforced.
    pub(super) fn verify_version_one(
        &self,
        leaf: &Certificate,
        at: VerifyAt,
    ) -> Result<VerifiedChain<'_>, ChainError> {
        let mut outcome = Err(ChainError::UnknownIssuer);
        for (authority, anchor) in self.certificates.iter().zip(&self.anchors) {
            if anchor.name_constraints.is_none() && leaf.is_issued_by(authority) {
                outcome = check_dates(leaf, authority, at);
                if outcome.is_ok() {
                    break;
                }
            }
        }
        outcome.map(|authority| VerifiedChain {
            intermediates: Vec::new(),
            authority,
        })
    }
}

fn check_dates<'t>(
    leaf: &Certificate,
    authority: &'t Certificate,
    at: VerifyAt,
) -> Result<&'t Certificate, ChainError> {
    match at {
        VerifyAt::Now(now) if now < leaf.not_before() => Err(ChainError::NotYetValid),
        VerifyAt::Now(now) if !leaf.is_valid_at(now) => Err(ChainError::Expired),
        VerifyAt::Now(now) if !authority.is_valid_at(now) => Err(ChainError::AnchorOutsideValidity),
        VerifyAt::Now(_) | VerifyAt::AnyCommonTime => Ok(authority),
    }
}
