//! Redirects.

use portcullis_domain::fetch_rules::FetchRules;
use portcullis_fetch::{FetchError, Fetcher};

use crate::server::{Identity, KEYS, Reply, Server};
use crate::setting::{Scripted, fetch, fetcher, near};

#[tokio::test]
async fn redirects_are_followed() {
    for status in [301, 302, 303, 307, 308] {
        let server = Server::start(move |path| match path {
            "/a/start" => Reply::new(status, "location: ../b?c#d\r\n", "moved"),
            "/b?c" => Reply::keys(),
            other => panic!("{other}"),
        })
        .await;
        let url = server.url("127.0.0.1", "/a/start");
        assert_eq!(fetch(&fetcher(near()), &url).await.unwrap(), KEYS);
        assert!(!server.heads().concat().contains("referer"), "{status}");
    }
}

#[tokio::test]
async fn redirects_are_counted() {
    let server = Server::start(|path| match path.trim_start_matches('/').parse::<u32>() {
        Ok(0) => Reply::keys(),
        Ok(left) => Reply::moved(&format!("/{}", left - 1)),
        Err(_) => Reply::moved("/loop"),
    })
    .await;
    for (most, path, asked) in [
        (5, "/5", Ok(6)),
        (5, "/6", Err(6)),
        (5, "/loop", Err(6)),
        (0, "/0", Ok(1)),
        (0, "/1", Err(1)),
    ] {
        let rules = FetchRules {
            max_redirects: most,
            ..near()
        };
        let before = server.accepted();
        let fetched = fetch(&fetcher(rules), &server.url("127.0.0.1", path)).await;
        let asked_now = server.accepted() - before;
        match fetched {
            Ok(_) => assert_eq!(Ok(asked_now), asked, "{path}"),
            Err(FetchError::TooManyRedirects { most: told, .. }) => {
                assert_eq!((Err(asked_now), told), (asked, most), "{path}");
            },
            Err(other) => panic!("{path} {other:?}"),
        }
    }
}

#[tokio::test]
async fn where_a_redirect_leads_is_judged() {
    for (location, text) in [
        ("http://10.0.0.1/", "address 10.0.0.1 is not permitted"),
        ("//169.254.169.254/", "address 169.254.169.254 is not"),
        ("http://[::1]/", "address ::1 is not permitted"),
        ("http://0x7f.2/", "address 127.0.0.2 is not permitted"),
        ("http://bad.test/", "host bad.test is not permitted"),
        ("file:///etc/passwd", "scheme `file`"),
        ("gopher://127.0.0.1/", "scheme `gopher`"),
        ("data:application/json,{}", "scheme `data`"),
        ("http://user:word@127.0.0.1/", "user name or password"),
        ("http://[", "redirected to an invalid URL"),
        ("http://\u{e9}/", "redirected to an invalid URL"),
    ] {
        let server = Server::start(move |_| Reply::moved(location)).await;
        let rules = FetchRules {
            denied_hostnames: vec!["bad.test".to_owned()],
            ..near()
        };
        let fetched = fetch(&fetcher(rules), &server.url("127.0.0.1", "/")).await;
        let error = fetched.unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
        assert!(!error.contains("word@"), "{error}");
        assert_eq!(server.accepted(), 1, "{location}");
    }
    let server = Server::start(|_| Reply::new(302, "", "")).await;
    let fetched = fetch(&fetcher(near()), &server.url("127.0.0.1", "/")).await;
    let error = fetched.unwrap_err();
    assert!(
        matches!(error, FetchError::InvalidRedirect { .. }),
        "{error:?}"
    );
}

#[tokio::test]
async fn nothing_leads_from_https_to_http() {
    let plain = Server::start(|_| Reply::keys()).await;
    let identity = Identity::named(&["idp.test"]);
    let away = plain.url("127.0.0.1", "/");
    let answer = move |path: &str| match path {
        "/stay" => Reply::moved("/keys"),
        "/keys" => Reply::keys(),
        _ => Reply::moved(&away),
    };
    let secure = Server::start_at("127.0.0.1:0", Some(&identity), answer).await;
    let fetcher = Fetcher::new(near(), identity.roots())
        .unwrap()
        .with_resolver(Scripted::new(&[&["127.0.0.1"] as &[&str]; 4]));
    let secure_url = |path| secure.url("idp.test", path).replace("http:", "https:");

    assert_eq!(fetch(&fetcher, &secure_url("/stay")).await.unwrap(), KEYS);
    let error = fetch(&fetcher, &secure_url("/away")).await.unwrap_err();
    assert!(matches!(error, FetchError::Downgraded { .. }), "{error:?}");
    assert_eq!(plain.accepted(), 0);

    let upwards = secure_url("/keys");
    let plain = Server::start(move |_| Reply::moved(&upwards)).await;
    let url = plain.url("127.0.0.1", "/");
    assert_eq!(fetch(&fetcher, &url).await.unwrap(), KEYS);
}
