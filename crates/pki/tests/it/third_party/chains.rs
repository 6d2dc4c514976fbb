//! Which chains of other authorities are believed.

use portcullis_pki::{
    Certificate, ChainError, PublicKeyKind, TrustAnchors, UnusableCaError, VerifyAt,
};

use super::maker::{CA, LEAF, Maker, P256};

fn verify(
    anchor: &Certificate,
    leaf: &Certificate,
    between: &[&Certificate],
) -> Result<(), ChainError> {
    let between: Vec<Certificate> = between.iter().map(|one| (*one).clone()).collect();
    let anchors = TrustAnchors::new(vec![anchor.clone()]).unwrap();
    let found = anchors.verify_client_chain(leaf, &between, VerifyAt::Now(leaf.not_before()))?;
    assert_eq!(found, anchor);
    Ok(())
}

fn limited(length: u8) -> String {
    format!("basicConstraints=critical,CA:TRUE,pathlen:{length}\nkeyUsage=critical,keyCertSign")
}

#[test]
fn authorities_and_leaves_of_every_kind_of_key_are_believed() {
    let Some(maker) = Maker::new() else { return };
    let kinds: [(&[&str], PublicKeyKind); 6] = [
        (
            &["RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
            PublicKeyKind::Rsa { bits: 2048 },
        ),
        (
            &["RSA", "-pkeyopt", "rsa_keygen_bits:4096"],
            PublicKeyKind::Rsa { bits: 4096 },
        ),
        (&P256, PublicKeyKind::P256),
        (
            &["EC", "-pkeyopt", "ec_paramgen_curve:P-384"],
            PublicKeyKind::P384,
        ),
        (
            &["EC", "-pkeyopt", "ec_paramgen_curve:P-521"],
            PublicKeyKind::P521,
        ),
        (&["ED25519"], PublicKeyKind::Ed25519),
    ];
    for (place, (algorithm, _)) in kinds.iter().enumerate() {
        maker.key(&format!("ca{place}"), algorithm);
        // One key for both, since those of RSA take their time.
        let key = maker.read(&format!("ca{place}.key"));
        maker.write(&format!("leaf{place}.key"), key);
    }
    for (place, (_, kind)) in kinds.iter().enumerate() {
        let name = format!("ca{place}");
        let authority = maker.certify(&name, &name, CA);
        assert_eq!(authority.public_key().unwrap().kind(), *kind);
        assert_eq!(authority.validate_ca(authority.not_before()), Ok(()));
        // A leaf of the same kind, and one of the next.
        for other in [place, (place + 1) % kinds.len()] {
            let kind = &kinds[other].1;
            let leaf = maker.certify(&format!("leaf{other}"), &name, LEAF);
            assert_eq!(leaf.public_key().unwrap().kind(), *kind);
            assert_eq!(
                verify(&authority, &leaf, &[]),
                Ok(()),
                "{kind} under {name}"
            );
        }
    }
}

#[test]
fn two_intermediates_are_followed_in_any_order() {
    let Some(maker) = Maker::new() else { return };
    let root = maker.make("root", "root", CA);
    let first = maker.make("first", "root", CA);
    let second = maker.make("second", "first", CA);
    let leaf = maker.make("leaf", "second", LEAF);
    let stranger = maker.make("stranger", "stranger", CA);
    let unknown = Err(ChainError::UnknownIssuer);
    for (between, expected) in [
        (vec![&second, &first], Ok(())),
        (vec![&first, &second], Ok(())),
        (vec![&stranger, &first, &first, &root, &second], Ok(())),
        (vec![&first], unknown.clone()),
        (vec![&second], unknown.clone()),
        (vec![&stranger, &second], unknown.clone()),
        (vec![], unknown.clone()),
    ] {
        assert_eq!(verify(&root, &leaf, &between), expected, "{between:?}");
    }
    assert_eq!(
        verify(&first, &leaf, &[&second]),
        Ok(()),
        "an intermediate as anchor"
    );
    assert_eq!(verify(&stranger, &leaf, &[&second, &first]), unknown);
}

#[test]
fn path_lengths_are_kept_by_anchors_and_by_what_is_between() {
    let Some(maker) = Maker::new() else { return };
    let too_long = Err(ChainError::Invalid(
        webpki::Error::PathLenConstraintViolated,
    ));
    // Two authorities stand between the root and the leaf.
    for (root, first, expected) in [
        (CA, CA, Ok(())),
        (&limited(2), &limited(1), Ok(())),
        (&limited(1), CA, too_long.clone()),
        (&limited(0), CA, too_long.clone()),
        (CA, &limited(0), too_long.clone()),
    ] {
        let anchor = maker.make("root", "root", root);
        let above = maker.make("first", "root", first);
        let below = maker.make("second", "first", CA);
        let leaf = maker.make("leaf", "second", LEAF);
        let found = verify(&anchor, &leaf, &[&below, &above]);
        assert_eq!(found, expected, "{root} {first}");
    }
    let anchor = maker.make("root", "root", &limited(0));
    let leaf = maker.make("leaf", "root", LEAF);
    assert_eq!(verify(&anchor, &leaf, &[]), Ok(()));
}

#[test]
fn what_may_not_sign_certificates_is_no_intermediate() {
    let Some(maker) = Maker::new() else { return };
    let root = maker.make("root", "root", CA);
    let refused = Err(ChainError::Invalid(webpki::Error::EndEntityUsedAsCa));
    for (extensions, expected) in [
        ("basicConstraints=critical,CA:TRUE", Ok(())),
        (
            "basicConstraints=critical,CA:TRUE\nkeyUsage=digitalSignature",
            refused.clone(),
        ),
        (
            "basicConstraints=critical,CA:FALSE\nkeyUsage=keyCertSign",
            refused.clone(),
        ),
        ("keyUsage=keyCertSign", refused.clone()),
    ] {
        let between = maker.make("between", "root", extensions);
        let leaf = maker.make("leaf", "between", LEAF);
        assert_eq!(verify(&root, &leaf, &[&between]), expected, "{extensions}");
    }
}

#[test]
fn authorities_that_cannot_be_used_are_told_apart() {
    use UnusableCaError::{CannotSign, Expired, NotCa, NotYetValid, UnsupportedKey};
    let Some(maker) = Maker::new() else { return };
    for (extensions, expected, length) in [
        (CA, Ok(()), None),
        (&limited(0), Ok(()), Some(0)),
        (&limited(3), Ok(()), Some(3)),
        ("basicConstraints=CA:TRUE", Ok(()), None),
        (LEAF, Err(NotCa), None),
        (
            "basicConstraints=CA:FALSE\nkeyUsage=keyCertSign",
            Err(NotCa),
            None,
        ),
        (
            "basicConstraints=CA:TRUE\nkeyUsage=cRLSign",
            Err(CannotSign),
            None,
        ),
    ] {
        let made = maker.make("ca", "ca", extensions);
        assert_eq!(
            made.validate_ca(made.not_before()),
            expected,
            "{extensions}"
        );
        assert_eq!(made.path_length(), length, "{extensions}");
    }
    let made = maker.make("ca", "ca", CA);
    let second = jiff::SignedDuration::from_secs(1);
    assert_eq!(made.validate_ca(made.not_after()), Ok(()));
    assert_eq!(made.validate_ca(made.not_after() + second), Err(Expired));
    assert_eq!(
        made.validate_ca(made.not_before() - second),
        Err(NotYetValid)
    );
    maker.key("ca", &["RSA", "-pkeyopt", "rsa_keygen_bits:1024"]);
    let weak = maker.certify("ca", "ca", CA);
    let refused = weak.validate_ca(weak.not_before());
    assert!(matches!(refused, Err(UnsupportedKey(_))), "{refused:?}");
}

#[test]
fn a_signature_of_the_authority_is_seen_whatever_the_certificate_is_for() {
    let Some(maker) = Maker::new() else { return };
    let root = maker.make("root", "root", CA);
    let other = maker.make("other", "other", CA);
    let mut made: Vec<Certificate> = [CA, LEAF, "extendedKeyUsage=codeSigning"]
        .map(|extensions| maker.make("leaf", "root", extensions))
        .to_vec();
    // As OpenSSL makes them where nobody asks for extensions; version 3.0 leaves all of them out.
    let plain =
        "x509 -req -in leaf.csr -CA root.pem -CAkey root.key -CAcreateserial -out plain.pem";
    maker.run(&plain.split(' ').collect::<Vec<_>>());
    let text = String::from_utf8(maker.read("plain.pem")).unwrap();
    made.push(Certificate::from_single_pem(&text).unwrap());
    // Another authority of the same name.
    let namesake = maker.make("root", "root", CA);
    for one in made {
        assert!(one.is_issued_by(&root), "{one:?}");
        assert!(!one.is_issued_by(&other), "{one:?}");
        assert!(one.names_as_issuer(&namesake) && !one.is_issued_by(&namesake));
    }
}
