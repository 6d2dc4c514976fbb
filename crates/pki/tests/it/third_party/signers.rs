//! Tokens that OpenSSL signs.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use portcullis_pki::external::{JwtError, PresentedToken, VerificationKey};
use serde_json::json;

use super::maker::{LEAF, Maker};

/// Signs what stands in the file `message`.
fn signature(maker: &Maker, algorithm: &str) -> Vec<u8> {
    if algorithm == "EdDSA" {
        maker.run(&[
            "pkeyutl",
            "-sign",
            "-rawin",
            "-inkey",
            "idp.key",
            "-in",
            "message",
            "-out",
            "signature",
        ]);
        return maker.read("signature");
    }
    let digest = format!("-sha{}", &algorithm[2..]);
    let mut arguments = vec!["dgst", &digest, "-sign", "idp.key", "-out", "signature"];
    if algorithm.starts_with("PS") {
        arguments.extend([
            "-sigopt",
            "rsa_padding_mode:pss",
            "-sigopt",
            "rsa_pss_saltlen:digest",
        ]);
    }
    arguments.push("message");
    maker.run(&arguments);
    maker.read("signature")
}

#[test]
fn tokens_verify_with_the_certificate_of_their_signer() {
    let Some(maker) = Maker::new() else { return };
    let table: [(&[&str], &[&str]); 2] = [
        (
            &["RSA", "-pkeyopt", "rsa_keygen_bits:3072"],
            &["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
        ),
        (&["ED25519"], &["EdDSA"]),
    ];
    for (kind, algorithms) in table {
        maker.key("idp", kind);
        let certificate = maker.certify("idp", "idp", LEAF);
        let key = VerificationKey::from_certificate(&certificate).unwrap();
        for algorithm in algorithms {
            let part = |text: serde_json::Value| URL_SAFE_NO_PAD.encode(text.to_string());
            let header = part(json!({"alg": algorithm, "kid": "k"}));
            let message = format!("{header}.{}", part(json!({"iss": "idp", "sub": "a"})));
            maker.write("message", &message);
            let signature = signature(&maker, algorithm);
            let token = format!("{message}.{}", URL_SAFE_NO_PAD.encode(&signature));
            let token = PresentedToken::parse(&token).unwrap();
            assert_eq!(
                token.verify([&key]).unwrap().issuer(),
                Some("idp"),
                "{algorithm}"
            );

            let other = format!("{message}.{}", URL_SAFE_NO_PAD.encode(&signature[1..]));
            let other = PresentedToken::parse(&other).unwrap();
            assert_eq!(other.verify([&key]).err(), Some(JwtError::BadSignature));
        }
    }
}
