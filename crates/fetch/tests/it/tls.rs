//! Whom a fetch over TLS believes.

use portcullis_fetch::{FetchError, Fetcher};

use crate::server::{Identity, KEYS, Reply, Server};
use crate::setting::{Scripted, fetch, near};

#[tokio::test]
async fn the_certificate_has_to_be_trusted_and_for_the_host() {
    let identity = Identity::named(&["idp.test", "127.0.0.1"]);
    let stranger = Identity::named(&["idp.test", "127.0.0.1"]);
    let server = Server::start_at("127.0.0.1:0", Some(&identity), |_| Reply::keys()).await;
    for (host, roots, is_trusted) in [
        ("idp.test", identity.roots(), true),
        ("idp.test.", identity.roots(), true),
        ("127.0.0.1", identity.roots(), true),
        ("other.test", identity.roots(), false),
        ("idp.test", stranger.roots(), false),
    ] {
        let fetcher = Fetcher::new(near(), roots)
            .unwrap()
            .with_resolver(Scripted::new(&[&["127.0.0.1"]]));
        let url = server.url(host, "/").replace("http:", "https:");
        match fetch(&fetcher, &url).await {
            Ok(document) => assert_eq!((document.as_str(), is_trusted), (KEYS, true), "{host}"),
            Err(FetchError::Untrusted { .. }) => assert!(!is_trusted, "{host}"),
            Err(other) => panic!("{host} {other:?}"),
        }
    }
    assert_eq!(server.heads().len(), 3, "strangers are asked nothing");
}
