//! The other certificate that an ECDSA signature is good for.

use portcullis_pki::{Certificate, SpiffeId, TrustAnchors, VerifyAt};

use crate::support::{Network, now};
use crate::third_party::maker::{CA, LEAF, Maker, P256};

const P384: [&str; 3] = ["EC", "-pkeyopt", "ec_paramgen_curve:P-384"];
const P521: [&str; 3] = ["EC", "-pkeyopt", "ec_paramgen_curve:P-521"];
const RSA: [&str; 3] = ["RSA", "-pkeyopt", "rsa_keygen_bits:2048"];

fn is_believed(authority: &Certificate, leaf: &Certificate, between: &[Certificate]) -> bool {
    let anchors = TrustAnchors::new(vec![authority.clone()]).unwrap();
    let at = VerifyAt::Now(leaf.not_before());
    anchors.verify_client_chain(leaf, between, at).is_ok()
}

#[test]
fn twin_verifies_and_its_twin_is_the_certificate() {
    let Some(maker) = Maker::new() else { return };
    for (curve, algorithm) in [("p256", P256), ("p384", P384), ("p521", P521)] {
        maker.key(curve, &algorithm);
        let authority = maker.certify(curve, curve, CA);
        let name = format!("leaf-{curve}");
        // The key of the issuer decides, not that of the certificate.
        maker.key(&name, &RSA);
        // Numbers begin with zeros now and then.
        for _ in 0..16 {
            let leaf = maker.certify(&name, curve, LEAF);
            let twin = leaf.twin(&authority).unwrap();
            assert_ne!(twin.fingerprint(), leaf.fingerprint(), "{curve}");
            assert_ne!(twin.sha256(), leaf.sha256(), "{curve}");
            assert_eq!(twin.twin(&authority).unwrap(), leaf, "{curve}");
            for one in [&leaf, &twin] {
                assert!(is_believed(&authority, one, &[]), "{curve}");
                maker.write("one.pem", one.to_pem());
                maker.run(&["verify", "-CAfile", &format!("{curve}.pem"), "one.pem"]);
            }
        }
    }
}

#[test]
fn signatures_that_cannot_be_rewritten_have_no_twin() {
    let Some(maker) = Maker::new() else { return };
    for (name, algorithm) in [("rsa", &RSA[..]), ("ed25519", &["ED25519"])] {
        maker.key(name, algorithm);
        let authority = maker.certify(name, name, CA);
        let leaf = maker.make("leaf", name, LEAF);
        assert!(is_believed(&authority, &leaf, &[]));
        assert_eq!(leaf.twin(&authority), None, "{name}");
    }
}

#[test]
fn twin_of_a_network_certificate_has_its_contents() {
    let network = Network::new(31);
    let leaf = network.identity();
    let twin = leaf.twin(network.signing.certificate()).unwrap();
    let anchors = TrustAnchors::new(vec![network.root.certificate().clone()]).unwrap();
    let at = VerifyAt::Now(now());
    assert!(
        anchors
            .verify_client_chain(&twin, &network.intermediates(), at)
            .is_ok()
    );
    assert_ne!(twin.fingerprint(), leaf.fingerprint());
    assert_eq!(twin.key_fingerprint(), leaf.key_fingerprint());
    assert_eq!(twin.serial_number(), leaf.serial_number());
    assert_eq!(
        SpiffeId::from_certificate(&twin),
        SpiffeId::from_certificate(&leaf)
    );
}

/// A certificate whose algorithm is written otherwise outside of what is signed would be one more that
/// verifies. Those of version 1 are held against this here; for others the TLS library does it.
#[test]
fn algorithm_stands_outside_as_it_stands_inside() {
    let Some(maker) = Maker::new() else { return };
    maker.key("ca", &P256);
    let authority = maker.certify("ca", "ca", CA);
    for extensions in ["", LEAF] {
        let leaf = maker.make("leaf", "ca", extensions);
        assert_eq!(leaf.is_version_one(), extensions.is_empty());
        let rewritten = with_null(&leaf);
        assert_ne!(rewritten.fingerprint(), leaf.fingerprint());
        assert!(is_believed(&authority, &leaf, &[]));
        assert!(!is_believed(&authority, &rewritten, &[]));
        assert!(!rewritten.is_issued_by(&authority));
    }
}

/// The same certificate, but for parameters of NULL in the outer algorithm.
fn with_null(certificate: &Certificate) -> Certificate {
    use der::{Decode as _, Encode as _, Tag, asn1::AnyRef};

    let parsed = x509_cert::Certificate::from_der(certificate.as_der()).unwrap();
    let mut algorithm = parsed.signature_algorithm().clone();
    algorithm.parameters = Some(der::asn1::Any::null());
    let body = [
        parsed.tbs_certificate().to_der().unwrap(),
        algorithm.to_der().unwrap(),
        parsed.signature().to_der().unwrap(),
    ]
    .concat();
    let whole = AnyRef::new(Tag::Sequence, &body).unwrap();
    Certificate::from_der(whole.to_der().unwrap()).unwrap()
}
