//! OpenSSL as an independent client: its keys and requests come in, our certificates go out.

use std::{
    path::Path,
    process::{Command, Output},
    sync::Arc,
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use portcullis_pki::{
    Certificate, Csr, CsrError, EnrollmentClaims, JwtSigner, KeyType, PublicKeyKind, ServerNames,
    SigningKey, create_csr, pkcs7,
};
use tempfile::TempDir;

use crate::support::{Network, named, now};

/// A folder to work in, if OpenSSL is installed.
pub(crate) fn folder() -> Option<TempDir> {
    let found = Command::new("openssl").arg("version").output();
    if found.is_ok_and(|output| output.status.success()) {
        return Some(TempDir::new().unwrap());
    }
    let is_required =
        std::env::var_os("PORTCULLIS_REQUIRE_TOOLS").is_some_and(|value| value == "1");
    assert!(!is_required, "openssl is required here and not installed");
    println!("skipped: openssl is not installed");
    None
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new("openssl")
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

pub(crate) fn openssl(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "openssl {arguments:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn key(folder: &Path, algorithm: &str, option: &str) {
    let mut arguments = vec!["genpkey", "-algorithm", algorithm, "-out", "key.pem"];
    if !option.is_empty() {
        arguments.extend(["-pkeyopt", option]);
    }
    openssl(folder, &arguments);
}

fn request(folder: &Path, options: &[&str]) -> String {
    let mut arguments = vec![
        "req",
        "-new",
        "-key",
        "key.pem",
        "-out",
        "csr.pem",
        "-subj",
        "/C=US/DC=test/O=Portcullis/CN=device/emailAddress=a@example.test",
        "-addext",
        "subjectAltName=DNS:evil.example,URI:spiffe://example.test/identity/victim",
        "-addext",
        "basicConstraints=critical,CA:TRUE",
        "-addext",
        "1.2.3.4=critical,ASN1:NULL",
    ];
    arguments.extend(options);
    openssl(folder, &arguments);
    std::fs::read_to_string(folder.join("csr.pem")).unwrap()
}

fn write_chain(folder: &Path, network: &Network, leaf: &Certificate) {
    for (name, certificate) in [
        ("root.pem", network.root.certificate()),
        ("signing.pem", network.signing.certificate()),
        ("leaf.pem", leaf),
    ] {
        std::fs::write(folder.join(name), certificate.to_pem()).unwrap();
    }
}

fn verify(folder: &Path, purpose: &str) {
    let instant = now().as_second().to_string();
    openssl(
        folder,
        &[
            "verify",
            "-x509_strict",
            "-attime",
            &instant,
            "-purpose",
            purpose,
            "-CAfile",
            "root.pem",
            "-untrusted",
            "signing.pem",
            "leaf.pem",
        ],
    );
}

#[test]
fn requests_of_every_kind_are_issued_with_their_own_key() {
    let Some(folder) = folder() else { return };
    let folder = folder.path();
    let network = Network::new(80);
    let table: [(&str, &str, &[&str]); 8] = [
        (
            "RSA",
            "rsa_keygen_bits:2048",
            &["-sha256", "-sha384", "-sha512"],
        ),
        ("RSA", "rsa_keygen_bits:3072", &["-sha256"]),
        ("RSA", "rsa_keygen_bits:4096", &["-sha256", "-sha512"]),
        (
            "EC",
            "ec_paramgen_curve:P-256",
            &["-sha256", "-sha384", "-sha512"],
        ),
        (
            "EC",
            "ec_paramgen_curve:P-384",
            &["-sha256", "-sha384", "-sha512"],
        ),
        (
            "EC",
            "ec_paramgen_curve:P-521",
            &["-sha256", "-sha384", "-sha512"],
        ),
        ("ED25519", "", &["-sha256"]),
        ("RSA", "rsa_keygen_bits:2049", &["-sha256"]),
    ];
    for (algorithm, option, digests) in table {
        key(folder, algorithm, option);
        for digest in digests {
            let csr = Csr::from_pem(&request(folder, &[digest])).unwrap();
            let leaf = network.issue(&csr);
            write_chain(folder, &network, &leaf);
            verify(folder, "sslclient");
            let certified = openssl(folder, &["x509", "-in", "leaf.pem", "-noout", "-pubkey"]);
            let asked = openssl(folder, &["req", "-in", "csr.pem", "-noout", "-pubkey"]);
            assert_eq!(certified, asked, "{algorithm} {option} {digest}");
        }
    }
}

#[test]
fn nothing_of_a_request_but_key_and_subject_is_taken() {
    let Some(folder) = folder() else { return };
    let folder = folder.path();
    let network = Network::new(81);
    key(folder, "EC", "ec_paramgen_curve:P-256");
    let leaf = network.issue(&Csr::from_pem(&request(folder, &[])).unwrap());
    write_chain(folder, &network, &leaf);

    let subject = [
        "x509", "-in", "leaf.pem", "-noout", "-subject", "-nameopt", "RFC2253",
    ];
    let subject = openssl(folder, &subject);
    assert_eq!(subject.trim(), "subject=CN=device,O=Portcullis,C=US");
    let text = openssl(folder, &["x509", "-in", "leaf.pem", "-noout", "-text"]);
    for absent in [
        "evil.example",
        "victim",
        "CA:TRUE",
        "1.2.3.4",
        "Subject Key Identifier",
    ] {
        assert!(!text.contains(absent), "{absent} in {text}");
    }
    for present in [
        "URI:spiffe://example.test/identity/-aB3.dE6gH",
        "Digital Signature, Key Encipherment, Data Encipherment",
        "TLS Web Client Authentication",
        "Not Before: Mar  1 11:59:00 2026 GMT",
        "Not After : Mar  1 12:00:00 2027 GMT",
        "ecdsa-with-SHA256",
    ] {
        assert!(text.contains(present), "{present} not in {text}");
    }
    let print = openssl(
        folder,
        &["x509", "-in", "leaf.pem", "-noout", "-fingerprint", "-sha1"],
    );
    let print = print
        .trim()
        .rsplit('=')
        .next()
        .unwrap()
        .replace(':', "")
        .to_lowercase();
    assert_eq!(print, leaf.fingerprint().to_string());
    let print = openssl(
        folder,
        &[
            "x509",
            "-in",
            "leaf.pem",
            "-noout",
            "-fingerprint",
            "-sha256",
        ],
    );
    assert_eq!(
        print.trim().rsplit('=').next().unwrap(),
        leaf.sha256().to_string()
    );
}

#[test]
fn weak_and_unknown_requests_are_refused() {
    let Some(folder) = folder() else { return };
    let folder = folder.path();
    key(folder, "EC", "ec_paramgen_curve:P-256");
    let sha1 = Csr::from_pem(&request(folder, &["-sha1"])).unwrap_err();
    let algorithm = "1.2.840.10045.4.1".to_owned();
    assert_eq!(sha1, CsrError::UnsupportedSignature { algorithm });

    key(folder, "RSA", "rsa_keygen_bits:2048");
    let sha1 = Csr::from_pem(&request(folder, &["-sha1"])).unwrap_err();
    let algorithm = "1.2.840.113549.1.1.5".to_owned();
    assert_eq!(sha1, CsrError::UnsupportedSignature { algorithm });

    for (algorithm, option, name) in [
        ("RSA", "rsa_keygen_bits:1024", "RSA 1024"),
        (
            "EC",
            "ec_paramgen_curve:secp256k1",
            "EC on curve 1.3.132.0.10",
        ),
        ("ED448", "", "1.3.101.113"),
    ] {
        key(folder, algorithm, option);
        let refused = Csr::from_pem(&request(folder, &[])).unwrap_err();
        let CsrError::UnsupportedKey(refused) = refused else {
            panic!("{name}: {refused}")
        };
        assert_eq!(refused.algorithm, name);
    }
}

#[test]
fn pss_requests_are_accepted_with_the_parameters_of_tls() {
    let Some(folder) = folder() else { return };
    let folder = folder.path();
    key(folder, "RSA", "rsa_keygen_bits:2048");
    let pss = |salt: &str| {
        let salt = format!("rsa_pss_saltlen:{salt}");
        request(
            folder,
            &[
                "-sha256",
                "-sigopt",
                "rsa_padding_mode:pss",
                "-sigopt",
                &salt,
            ],
        )
    };
    assert!(Csr::from_pem(&pss("digest")).is_ok());
    let refused = Csr::from_pem(&pss("20")).unwrap_err();
    let algorithm = "1.2.840.113549.1.1.10".to_owned();
    assert_eq!(refused, CsrError::UnsupportedSignature { algorithm });
}

#[test]
fn keys_in_every_form_become_authorities_and_sign_requests() {
    let Some(folder) = folder() else { return };
    let folder = folder.path();
    let read = || std::fs::read_to_string(folder.join("key.pem")).unwrap();
    let traditional = || {
        openssl(
            folder,
            &["pkey", "-in", "key.pem", "-traditional", "-out", "old.pem"],
        );
        std::fs::read_to_string(folder.join("old.pem")).unwrap()
    };
    for (algorithm, option, kind) in [
        (
            "RSA",
            "rsa_keygen_bits:2048",
            PublicKeyKind::Rsa { bits: 2048 },
        ),
        ("EC", "ec_paramgen_curve:P-256", PublicKeyKind::P256),
        ("EC", "ec_paramgen_curve:P-384", PublicKeyKind::P384),
        ("EC", "ec_paramgen_curve:P-521", PublicKeyKind::P521),
    ] {
        key(folder, algorithm, option);
        let (modern, old) = (read(), traditional());
        assert_ne!(modern.lines().next(), old.lines().next());
        let first = SigningKey::from_pem(&modern).unwrap();
        let second = SigningKey::from_pem(&old).unwrap();
        assert_eq!(first.public_key(), second.public_key());
        assert_eq!(first.public_key().kind(), kind);

        std::fs::write(
            folder.join("csr.pem"),
            create_csr(&first, &named("x")).unwrap(),
        )
        .unwrap();
        openssl(folder, &["req", "-in", "csr.pem", "-verify", "-noout"]);
        std::fs::write(
            folder.join("written.pem"),
            first.to_pkcs8_pem().unwrap().as_bytes(),
        )
        .unwrap();
        openssl(folder, &["pkey", "-in", "written.pem", "-check", "-noout"]);

        let network = Network::with_keys(82, first, second);
        write_chain(folder, &network, &network.identity());
        verify(folder, "sslclient");
    }
}

#[test]
fn unusable_keys_are_named() {
    let Some(folder) = folder() else { return };
    let folder = folder.path();
    for (algorithm, option, name) in [
        ("ED25519", "", "Ed25519"),
        ("RSA", "rsa_keygen_bits:1024", "RSA 1024"),
        ("EC", "ec_paramgen_curve:secp256k1", "EC on another curve"),
        ("RSA-PSS", "rsa_keygen_bits:2048", "RSASSA-PSS"),
    ] {
        key(folder, algorithm, option);
        let text = std::fs::read_to_string(folder.join("key.pem")).unwrap();
        let error = SigningKey::from_pem(&text).unwrap_err().to_string();
        assert!(error.contains(name), "{name}: {error}");
    }
    key(folder, "EC", "ec_paramgen_curve:P-256");
    openssl(
        folder,
        &[
            "pkcs8",
            "-topk8",
            "-in",
            "key.pem",
            "-passout",
            "pass:secret",
            "-out",
            "locked.pem",
        ],
    );
    let text = std::fs::read_to_string(folder.join("locked.pem")).unwrap();
    assert!(
        SigningKey::from_pem(&text)
            .unwrap_err()
            .to_string()
            .contains("encrypted")
    );
}

#[test]
fn server_certificate_is_accepted_for_its_hosts() {
    let Some(folder) = folder() else { return };
    let folder = folder.path();
    let network = Network::new(83);
    let server = SigningKey::generate(KeyType::P256).unwrap();
    let names = ServerNames::parse(["ctrl.example.test", "localhost", "127.0.0.1", "::1"]).unwrap();
    let leaf = network
        .signing
        .issue_server_leaf(
            server.public_key(),
            &named("c"),
            &names,
            now(),
            &network.entropy,
        )
        .unwrap();
    write_chain(folder, &network, &leaf);
    verify(folder, "sslserver");
    for (option, host, accepted) in [
        ("-checkhost", "ctrl.example.test", true),
        ("-checkhost", "other.example.test", false),
        ("-checkip", "127.0.0.1", true),
        ("-checkip", "::1", true),
        ("-checkip", "10.0.0.1", false),
    ] {
        let said = openssl(folder, &["x509", "-in", "leaf.pem", "-noout", option, host]);
        assert_eq!(!said.contains("NOT match"), accepted, "{said}");
    }
}

#[test]
fn bundle_is_read() {
    let Some(folder) = folder() else { return };
    let folder = folder.path();
    let network = Network::new(84);
    let authorities: Vec<_> = network.signing.chain().collect();
    std::fs::write(
        folder.join("b.der"),
        pkcs7::encode_der(authorities.clone()).unwrap(),
    )
    .unwrap();
    let printed = openssl(
        folder,
        &["pkcs7", "-inform", "DER", "-in", "b.der", "-print_certs"],
    );
    let read = portcullis_pki::certificates_from_pem(&printed).unwrap();
    assert_eq!(read.len(), 2);
    assert!(
        authorities
            .into_iter()
            .all(|authority| read.contains(authority))
    );

    // And the other way round: a bundle that OpenSSL made.
    let chain: String = network.signing.chain().map(Certificate::to_pem).collect();
    std::fs::write(folder.join("chain.pem"), chain).unwrap();
    openssl(
        folder,
        &[
            "crl2pkcs7",
            "-nocrl",
            "-certfile",
            "chain.pem",
            "-outform",
            "DER",
            "-out",
            "o.der",
        ],
    );
    let bundle = std::fs::read(folder.join("o.der")).unwrap();
    assert_eq!(pkcs7::decode_der(&bundle).unwrap().len(), 2);
}

#[test]
fn rs256_token_is_verified() {
    let Some(folder) = folder() else { return };
    let folder = folder.path();
    let network = Network::new(85);
    let server = SigningKey::generate(KeyType::Rsa2048).unwrap();
    let names = ServerNames::parse(["localhost"]).unwrap();
    let leaf = network
        .signing
        .issue_server_leaf(
            server.public_key(),
            &named("c"),
            &names,
            now(),
            &network.entropy,
        )
        .unwrap();
    let signer = JwtSigner::new(Arc::new(server), &leaf).unwrap();
    let token = signer
        .sign(&EnrollmentClaims::network("https://localhost/", "id"))
        .unwrap();
    let (message, signature) = token.rsplit_once('.').unwrap();
    std::fs::write(folder.join("message"), message).unwrap();
    std::fs::write(
        folder.join("signature"),
        URL_SAFE_NO_PAD.decode(signature).unwrap(),
    )
    .unwrap();
    std::fs::write(folder.join("leaf.pem"), leaf.to_pem()).unwrap();
    let public = openssl(folder, &["x509", "-in", "leaf.pem", "-noout", "-pubkey"]);
    std::fs::write(folder.join("public.pem"), public).unwrap();
    openssl(
        folder,
        &[
            "dgst",
            "-sha256",
            "-verify",
            "public.pem",
            "-signature",
            "signature",
            "message",
        ],
    );
}
