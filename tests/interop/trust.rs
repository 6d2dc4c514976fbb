//! How a client that trusts nobody yet comes to trust the controller.

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use std::fs;
use support::tools::are_available;
use support::{Api, Curl, Openssl, TestDirectory, Tool, run};

/// The steps of real clients: look at the leaf, check the token with it, fetch the authorities over
/// a connection that trusts this leaf only, and trust them from then on.
#[test]
fn trust_starts_from_an_enrollment_token() {
    if !are_available(&[Tool::Curl, Tool::Openssl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let identity = Api::admin(&controller).create_identity("laptop", &json!({"ott": true}));
    let jwt = identity["enrollment"]["ott"]["jwt"].as_str().unwrap();

    let openssl = Openssl::new(site.work());
    let leaf = openssl.fetch_server_leaf(controller.host_port(), "leaf.pem");
    check_signature(&openssl, jwt);
    let (header, claims) = decode(jwt);
    assert_eq!(header["alg"], "ES256");
    assert_eq!(header["typ"], "JWT");
    assert_eq!(header["kid"], sha1_of(&openssl, "leaf.pem"));
    assert_eq!(claims["iss"], controller.url());
    assert_eq!(claims["sub"], identity["id"]);
    assert_eq!(claims["jti"], identity["enrollment"]["ott"]["token"]);
    assert_eq!(claims["em"], "ott");

    // The leaf is no authority, and yet enough for this one connection.
    let path = format!("{}/.well-known/est/cacerts", controller.url());
    let bundle = Curl::new(&path, &leaf).send().expect_status(200);
    assert_eq!(
        bundle.header("content-type"),
        Some("application/pkcs7-mime")
    );
    assert_eq!(bundle.header("content-transfer-encoding"), Some("base64"));
    let authorities = certificates(&site, &openssl, &bundle.text());
    assert!(authorities.len() >= 2, "the root and the intermediate");
    fs::write(site.file("trusted.pem"), authorities.concat()).unwrap();

    let trusting = Api::at(controller.url(), &site.file("trusted.pem"));
    assert_eq!(trusting.curl("/version").send().status, 200);
    let chain = "verify -CAfile trusted.pem -purpose sslserver -verify_hostname localhost leaf.pem";
    openssl.run(chain).success();

    // Whoever does not trust them does not get through.
    let stranger = openssl.self_signed("stranger").0;
    let refused = Curl::new(&path, &stranger).output();
    assert_eq!(refused.code(), 60, "{}", refused.stderr);
}

#[test]
fn authorities_of_the_home_are_those_that_the_controller_answers() {
    if !are_available(&[Tool::Curl, Tool::Openssl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let openssl = Openssl::new(site.work());
    let path = "/edge/client/v1/.well-known/est/cacerts";
    let bundle = Api::anonymous(&controller)
        .curl(path)
        .send()
        .expect_status(200);
    let mut answered = certificates(&site, &openssl, &bundle.text());
    let mut kept = blocks(&fs::read_to_string(controller.ca()).unwrap());
    answered.sort();
    kept.sort();
    assert_eq!(answered, kept);
}

/// Every key type of a quickstart signs tokens that a client can check with the leaf.
#[test]
fn enrollment_tokens_verify_against_the_leaf_of_each_key_type() {
    if !are_available(&[Tool::Curl, Tool::Openssl]) {
        return;
    }
    for (key_type, algorithm) in [("p384", "ES384"), ("rsa2048", "RS256")] {
        let site = TestDirectory::new();
        let controller = site.quickstart().with(["--key-type", key_type]).start();
        let identity = Api::admin(&controller).create_identity("laptop", &json!({"ott": true}));
        let jwt = identity["enrollment"]["ott"]["jwt"].as_str().unwrap();
        let openssl = Openssl::new(site.work());
        openssl.fetch_server_leaf(controller.host_port(), "leaf.pem");
        assert_eq!(decode(jwt).0["alg"], algorithm);
        check_signature(&openssl, jwt);
    }
}

/// Checks the signature of a token with the key of `leaf.pem`.
fn check_signature(openssl: &Openssl, jwt: &str) {
    let (signed, signature) = jwt.rsplit_once('.').unwrap();
    let signature = BASE64_URL_SAFE_NO_PAD.decode(signature).unwrap();
    let algorithm = decode(jwt).0["alg"].as_str().unwrap().to_owned();
    let signature = if algorithm.starts_with("ES") {
        der_of_pair(&signature)
    } else {
        signature
    };
    fs::write(openssl.file("signed"), signed).unwrap();
    fs::write(openssl.file("signature"), signature).unwrap();
    let key = openssl.run("x509 -in leaf.pem -noout -pubkey").success();
    fs::write(openssl.file("leaf.pub"), key.stdout).unwrap();
    let digest = algorithm.get(2..).unwrap();
    let verify = format!("dgst -sha{digest} -verify leaf.pub -signature signature signed");
    openssl.run(&verify).success();
    // The same check has to fail for anything else.
    fs::write(openssl.file("signed"), format!("{signed}A")).unwrap();
    openssl.run(&verify).expect_code(1);
}

/// The two numbers of an ECDSA signature, the way openssl wants them (X9.62).
fn der_of_pair(signature: &[u8]) -> Vec<u8> {
    let (r, s) = signature.split_at(signature.len() / 2);
    let body = [integer(r), integer(s)].concat();
    let mut der = vec![0x30, u8::try_from(body.len()).expect("short signatures")];
    der.extend(body);
    der
}

fn integer(number: &[u8]) -> Vec<u8> {
    let start = number.iter().position(|byte| *byte != 0).unwrap();
    let mut digits = number[start..].to_vec();
    if digits[0] & 0x80 != 0 {
        digits.insert(0, 0);
    }
    let mut der = vec![0x02, u8::try_from(digits.len()).unwrap()];
    der.extend(digits);
    der
}

/// Header and claims of a token.
fn decode(jwt: &str) -> (Value, Value) {
    let mut parts = jwt
        .split('.')
        .map(|part| BASE64_URL_SAFE_NO_PAD.decode(part).unwrap());
    let mut next = || serde_json::from_slice(&parts.next().unwrap()).unwrap();
    (next(), next())
}

fn sha1_of(openssl: &Openssl, file: &str) -> String {
    let printed = openssl.run(&format!("x509 -in {file} -noout -fingerprint -sha1"));
    let text = printed.success().text();
    let digits = text.trim().split_once('=').unwrap().1;
    digits.replace(':', "").to_ascii_lowercase()
}

/// The certificates of a bundle, as PEM.
fn certificates(site: &TestDirectory, openssl: &Openssl, bundle: &str) -> Vec<String> {
    let der = BASE64_STANDARD.decode(bundle.replace('\n', "")).unwrap();
    fs::write(site.file("bundle.p7"), der).unwrap();
    let mut command = openssl.command();
    command.args([
        "pkcs7",
        "-inform",
        "DER",
        "-in",
        "bundle.p7",
        "-print_certs",
    ]);
    blocks(&run(&mut command).success().text())
}

/// The PEM blocks of a text, without what stands between them.
fn blocks(text: &str) -> Vec<String> {
    const END: &str = "-----END CERTIFICATE-----";
    text.split_inclusive(END)
        .filter_map(|part| {
            part.find("-----BEGIN")
                .map(|start| format!("{}\n", &part[start..]))
        })
        .collect()
}
