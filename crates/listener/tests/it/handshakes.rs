//! What the handshake settles: certificates of both sides, versions, protocols.

use portcullis_listener::{Limits, ServerTls, TlsError, TlsVersion};
use portcullis_testkit::tls_client::{Client, Pair, Stream, closed, get, soon};
use rustls::version::{TLS12, TLS13};
use rustls_pki_types::CertificateDer;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::server::{Server, certified};

#[tokio::test]
async fn client_without_certificate_is_served() {
    let server = Server::start(Limits::default());
    for (version, name) in [(&TLS12, "Tls12"), (&TLS13, "Tls13")] {
        let mut stream = Client::build(None, &[version], &[])
            .connect(server.address)
            .await;
        let reply = get(&mut stream, "/facts").await;
        assert_eq!(
            reply.text(),
            format!("{name} none localhost certificates=0 resumed=false")
        );
    }
}

#[tokio::test]
async fn client_without_tls_is_told_so_whatever_it_asks() {
    let server = Server::start(Limits::default());
    let long = format!(
        "POST /{} HTTP/1.1\r\n\r\n{}",
        "a".repeat(9000),
        "b".repeat(9000)
    );
    for request in ["GET / HTTP/1.1\r\nHost: a\r\n\r\n", "DELETE ", &long] {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        soon(stream.write_all(request.as_bytes())).await.unwrap();
        let mut answer = String::new();
        soon(stream.read_to_string(&mut answer)).await.unwrap();
        assert!(
            answer.starts_with("HTTP/1.0 400 Bad Request\r\n"),
            "{answer}"
        );
        assert!(answer.contains("https://"), "{answer}");
    }
    // What is neither hears what TLS has to say.
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    soon(stream.write_all(b"SSH-2.0-a\r\n")).await.unwrap();
    let mut answer = Vec::new();
    let _ = soon(stream.read_to_end(&mut answer)).await;
    assert!(!answer.starts_with(b"HTTP"), "{answer:?}");
}

#[tokio::test]
async fn any_certificate_is_taken_and_handed_on() {
    let server = Server::start(Limits::default());
    let pairs = [
        ("P-256", Pair::with_key(&rcgen::PKCS_ECDSA_P256_SHA256)),
        ("P-384", Pair::with_key(&rcgen::PKCS_ECDSA_P384_SHA384)),
        ("P-521", Pair::with_key(&rcgen::PKCS_ECDSA_P521_SHA512)),
        ("Ed25519", Pair::with_key(&rcgen::PKCS_ED25519)),
        ("expired", Pair::expired()),
    ];
    for (kind, pair) in &pairs {
        for version in [&TLS12, &TLS13] {
            let client = Client::build(Some(pair), &[version], &[]);
            let mut stream = client.connect(server.address).await;
            let reply = get(&mut stream, "/leaf").await;
            assert_eq!(reply.body, pair.certificate.as_ref(), "{kind}, {version:?}");
        }
    }
}

#[tokio::test]
async fn certificates_that_let_nobody_in_are_handed_on_when_their_key_is_proved() {
    let server = Server::start(Limits::default());
    let pairs = [
        ("P-256", Pair::version_one(&rcgen::PKCS_ECDSA_P256_SHA256)),
        ("P-384", Pair::version_one(&rcgen::PKCS_ECDSA_P384_SHA384)),
        ("P-521", Pair::version_one(&rcgen::PKCS_ECDSA_P521_SHA512)),
        ("Ed25519", Pair::version_one(&rcgen::PKCS_ED25519)),
        ("RSA", Pair::version_one(&rcgen::PKCS_RSA_SHA256)),
        ("unknown", Pair::with_unknown_extension()),
    ];
    for (kind, pair) in &pairs {
        for version in [&TLS12, &TLS13] {
            let client = Client::build_unchecked(pair, &[version]);
            let mut stream = client.connect(server.address).await;
            let reply = get(&mut stream, "/leaf").await;
            assert_eq!(reply.body, pair.certificate.as_ref(), "{kind}, {version:?}");
        }
    }
}

#[tokio::test]
async fn certificate_of_another_key_is_refused() {
    let server = Server::start(Limits::default());
    let forged = |stolen: Pair| Pair::named(&["own"]).with_certificate(stolen.certificate);
    let of_version_three = forged(Pair::named(&["stolen"]));
    let of_version_one = forged(Pair::version_one(&rcgen::PKCS_ECDSA_P256_SHA256));
    let of_another_kind = forged(Pair::version_one(&rcgen::PKCS_ED25519));
    let pairs = [of_version_three, of_version_one, of_another_kind];
    for (forged, version) in pairs.iter().flat_map(|one| [(one, &TLS12), (one, &TLS13)]) {
        let client = Client::build_unchecked(forged, &[version]);
        let outcome = soon(client.try_connect(server.address, "localhost")).await;
        // A 1.3 client has finished its handshake before the server sees the forgery.
        if let Ok(mut stream) = outcome {
            let _ = soon(stream.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")).await;
            let _ = soon(stream.flush()).await;
            closed(&mut stream).await;
        }
    }
}

#[tokio::test]
async fn chain_of_excessive_size_is_refused() {
    let server = Server::start(Limits::default());
    let pair = Pair::named(&["client"]);
    let filler = Pair::named(&["filler"]).certificate;
    let chain: Vec<CertificateDer<'_>> = std::iter::once(pair.certificate.clone())
        .chain(std::iter::repeat_n(
            filler.clone(),
            33 * 1024 / filler.len(),
        ))
        .collect();
    let client = Client::build_with_chain(chain, pair.key(), &[&TLS12]);
    assert!(
        soon(client.try_connect(server.address, "localhost"))
            .await
            .is_err()
    );
}

#[tokio::test]
async fn resumed_session_keeps_the_client_certificate() {
    let server = Server::start(Limits::default());
    let pair = Pair::with_key(&rcgen::PKCS_ECDSA_P521_SHA512);
    for version in [&TLS12, &TLS13] {
        let client = Client::build(Some(&pair), &[version], &[]);
        let mut first = client.connect(server.address).await;
        let facts = get(&mut first, "/facts").await;
        assert!(
            facts.text().ends_with("certificates=1 resumed=false"),
            "{}",
            facts.text()
        );

        let mut second = client.connect(server.address).await;
        let facts = get(&mut second, "/facts").await;
        assert!(
            facts.text().ends_with("certificates=1 resumed=true"),
            "{}",
            facts.text()
        );
        let leaf = get(&mut second, "/leaf").await;
        assert_eq!(leaf.body, pair.certificate.as_ref());
    }
}

#[tokio::test]
async fn http1_is_preferred() {
    let server = Server::start(Limits::default());
    let cases: [(&[&str], Option<&[u8]>); 4] = [
        (&["h2", "http/1.1"], Some(b"http/1.1")),
        (&["http/1.1"], Some(b"http/1.1")),
        (&["h2"], Some(b"h2")),
        (&[], None),
    ];
    for (offer, expected) in cases {
        let client = Client::build(None, rustls::ALL_VERSIONS, offer);
        let stream = client.connect(server.address).await;
        assert_eq!(stream.get_ref().1.alpn_protocol(), expected, "{offer:?}");
    }
    let client = Client::build(None, rustls::ALL_VERSIONS, &["ziti-ctrl"]);
    assert!(
        soon(client.try_connect(server.address, "localhost"))
            .await
            .is_err()
    );
}

#[tokio::test]
async fn server_certificate_follows_the_name_asked_for() {
    let pairs = [
        Pair::named(&["first.example", "10.0.0.1"]),
        Pair::named(&["second.example"]),
        Pair::named(&["*.wild.example"]),
    ];
    let server = Server::start_with(&pairs, Limits::default());
    let cases = [
        ("first.example", 0),
        ("second.example", 1),
        ("SECOND.example", 1),
        ("a.wild.example", 2),
        ("a.b.wild.example", 0),
        ("wild.example", 0),
        ("unknown.example", 0),
        ("127.0.0.1", 0),
    ];
    for (name, expected) in cases {
        let stream = soon(Client::anonymous().try_connect(server.address, name))
            .await
            .unwrap();
        assert_eq!(leaf_of(&stream), pairs[expected].certificate, "{name}");
    }
}

#[tokio::test]
async fn replaced_certificate_is_served_from_the_next_handshake_on() {
    let old = Pair::named(&["localhost"]);
    let new = Pair::named(&["localhost"]);
    let server = Server::start_with(std::slice::from_ref(&old), Limits::default());
    let mut before = Client::anonymous().connect(server.address).await;
    assert_eq!(leaf_of(&before), old.certificate);

    server
        .tls
        .replace(certified(std::slice::from_ref(&new)))
        .unwrap();

    let after = Client::anonymous().connect(server.address).await;
    assert_eq!(leaf_of(&after), new.certificate);
    assert_eq!(
        get(&mut before, "/").await.status,
        200,
        "running connections stay"
    );
}

#[tokio::test]
async fn refused_replacement_changes_nothing() {
    let pair = Pair::named(&["localhost"]);
    let server = Server::start_with(std::slice::from_ref(&pair), Limits::default());

    assert!(matches!(
        server.tls.replace(Vec::new()),
        Err(TlsError::NoCertificate)
    ));

    let stream = Client::anonymous().connect(server.address).await;
    assert_eq!(leaf_of(&stream), pair.certificate);
}

#[tokio::test]
async fn versions_are_bounded() {
    let keys = certified(&[Pair::named(&["localhost"])]);
    let error = ServerTls::new(keys.clone(), TlsVersion::Tls13, TlsVersion::Tls12).unwrap_err();
    assert!(matches!(error, TlsError::NoVersion { .. }));

    let tls = ServerTls::new(keys, TlsVersion::Tls13, TlsVersion::Tls13).unwrap();
    let server = Server::start_tls(tls, Limits::default());
    let client = Client::build(None, &[&TLS12], &[]);
    assert!(
        soon(client.try_connect(server.address, "localhost"))
            .await
            .is_err()
    );
    let client = Client::build(None, &[&TLS13], &[]);
    assert!(
        soon(client.try_connect(server.address, "localhost"))
            .await
            .is_ok()
    );
}

#[test]
fn certificate_and_key_must_be_a_pair() {
    let (one, other) = (Pair::named(&["one"]), Pair::named(&["other"]));
    let error = ServerTls::certified_key(one.chain(), other.key()).unwrap_err();
    assert!(matches!(error, TlsError::UnusableCertificate(_)));
    let error = ServerTls::certified_key(Vec::new(), one.key()).unwrap_err();
    assert!(matches!(error, TlsError::NoCertificate));
}

fn leaf_of(stream: &Stream) -> CertificateDer<'static> {
    stream.get_ref().1.peer_certificates().unwrap()[0]
        .clone()
        .into_owned()
}
