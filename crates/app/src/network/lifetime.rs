//! How long a chain of the network is good.

use portcullis_pki::{Certificate, TrustAnchors, Validity, VerifiedChain};

/// When all certificates of a chain are valid: nothing is worth anything longer than what vouches for it.
///
/// Of an authority that was renewed under its key, the certificate that lasts longest counts,
/// whichever of them the search came upon.
pub(super) fn lifetime(
    authorities: &TrustAnchors,
    leaf: &Certificate,
    chain: &VerifiedChain<'_>,
) -> Validity {
    let key = chain.authority.key_fingerprint();
    let authority = authorities
        .certificates()
        .iter()
        .filter(|one| one.key_fingerprint() == key)
        .max_by_key(|one| one.not_after())
        .unwrap_or(chain.authority);
    let above = chain.between.iter().chain([authority]);
    above.fold(leaf.validity(), |so_far, above| {
        so_far.within(above.validity())
    })
}
