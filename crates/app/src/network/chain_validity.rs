//! Validity periods of certificate chains.

use portcullis_pki::{Certificate, TrustAnchors, Validity, VerifiedChain};

/// The period in which all certificates of a chain are valid.
///
/// An authority that was renewed with the same key is valid from the start of its first certificate
/// to the end of its last one, whichever of them path building found: the new certificate may
/// already be configured before its period starts.
pub(super) fn chain_validity(
    authorities: &TrustAnchors,
    leaf: &Certificate,
    chain: &VerifiedChain<'_>,
) -> Validity {
    let key = chain.authority.key_fingerprint();
    let authority = authorities
        .certificates()
        .iter()
        .filter(|one| one.key_fingerprint() == key)
        .map(Certificate::validity)
        .fold(chain.authority.validity(), Validity::union);
    let between = chain.intermediates.iter().map(Certificate::validity);
    between
        .chain([authority])
        .fold(leaf.validity(), Validity::intersection)
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_domain::clock::SignedDuration;
    use portcullis_domain::entropy::{Entropy, EntropyError};
    use portcullis_pki::{Authority, KeyType, SigningKey, Subject, TrustDomain};

    struct FixedEntropy;

    impl Entropy for FixedEntropy {
        fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
            bytes.fill(7);
            Ok(())
        }
    }

    const DAY: SignedDuration = SignedDuration::from_hours(24);

    #[test]
    fn renewed_authority_is_valid_before_its_new_certificate_begins() {
        let key = SigningKey::generate(KeyType::P256).unwrap();
        let pem = key.to_pkcs8_pem().unwrap();
        let domain = TrustDomain::parse("net.example.test").unwrap();
        let subject = Subject::new().common_name("root");
        let now = "2031-04-05T06:07:08Z".parse().unwrap();
        let make =
            |key, at| Authority::create_root(key, &subject, &domain, at, &FixedEntropy).unwrap();
        let old = make(key, now);
        let renewed = make(SigningKey::from_pem(&pem).unwrap(), now + DAY);
        let anchors = [&old, &renewed].map(|authority| authority.certificate().clone());
        let leaf_key = SigningKey::generate(KeyType::P256).unwrap();
        let leaf = old
            .issue_client_leaf(
                leaf_key.public_key(),
                &Subject::new().common_name("leaf"),
                &portcullis_pki::SpiffeId::parse("spiffe://net.example.test/controller/c").unwrap(),
                now,
                &FixedEntropy,
            )
            .unwrap();
        let all = TrustAnchors::new(anchors.to_vec()).unwrap();
        for authority in &anchors {
            let chain = VerifiedChain {
                intermediates: Vec::new(),
                authority,
            };
            let validity = chain_validity(&all, &leaf, &chain);
            assert_eq!(validity, leaf.validity());
            assert!(validity.contains(now));
        }
        let end = Validity {
            not_before: now,
            not_after: now + DAY * 10_000,
        };
        let [old, renewed] = anchors.each_ref().map(Certificate::validity);
        assert_eq!(
            old.union(renewed).intersection(end).not_after,
            renewed.not_after
        );
    }
}
