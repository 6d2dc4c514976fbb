//! From names to the addresses that are connected to.

use portcullis_domain::fetch_rules::FetchRules;
use portcullis_fetch::{AddressClass, AddressRule, FetchError};

use crate::server::{KEYS, Reply, Server};
use crate::setting::{Scripted, fetch, fetcher, near};

fn is_refused_as(error: &FetchError, expected: AddressClass) -> bool {
    matches!(
        error,
        FetchError::AddressRefused { rule: AddressRule::NotPublic(kind), .. } if *kind == expected
    )
}

#[tokio::test]
async fn this_machine_is_refused_by_default() {
    let server = Server::start(|_| Reply::keys()).await;
    for host in [
        "127.0.0.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "0x7f.1",
        "0177.0.0.1",
        "2130706433",
        "localhost",
        "LOCALHOST.",
    ] {
        let url = server.url(host, "/");
        let error = fetch(&fetcher(FetchRules::default()), &url).await;
        let error = error.unwrap_err();
        // A name is not even asked for: plain http is for addresses that are allowed.
        let is_right = match error {
            FetchError::PlainHttp { .. } => host.to_lowercase().starts_with("localhost"),
            error => is_refused_as(&error, AddressClass::Loopback),
        };
        assert!(is_right, "{host}");
    }
    assert_eq!(server.accepted(), 0);
}

#[tokio::test]
async fn names_of_this_machine_are_found_when_allowed() {
    let server = Server::start(|_| Reply::keys()).await;
    let rules = FetchRules {
        allowed_ips: vec!["127.0.0.0/8".parse().unwrap(), "::1".parse().unwrap()],
        ..FetchRules::default()
    };
    let url = server.url("localhost", "/");
    assert_eq!(fetch(&fetcher(rules), &url).await.unwrap(), KEYS);
}

#[tokio::test]
async fn plain_http_is_for_allowed_addresses_alone() {
    let server = Server::start(|_| Reply::keys()).await;
    for addresses in [
        &["8.8.8.8"][..],
        &["127.0.0.1", "8.8.8.8"],
        &["2606:4700::1111"],
    ] {
        let names = Scripted::new(&[addresses]);
        let fetcher = fetcher(near()).with_resolver(names);
        let error = fetch(&fetcher, &server.url("keys.test", "/")).await;
        let error = error.unwrap_err();
        assert!(matches!(error, FetchError::PlainHttp { .. }), "{error:?}");
        let text = "key sets must be fetched over https";
        assert!(error.to_string().starts_with(text), "{error}");
    }
    assert_eq!(server.accepted(), 0);
}

/// Two servers at one port: 127.0.0.1, which is allowed, and 127.0.0.2, which is not.
async fn allowed_and_refused(
    answer: impl Fn(&str) -> Reply + Send + Sync + 'static,
) -> [Server; 2] {
    let refused = Server::start_at("127.0.0.2:0", None, |_| Reply::keys()).await;
    let same_port = format!("127.0.0.1:{}", refused.address.port());
    let allowed = Server::start_at(&same_port, None, answer).await;
    [allowed, refused]
}

#[tokio::test]
async fn a_name_that_changes_its_address_gains_nothing() {
    let [allowed, refused] = allowed_and_refused(|_| Reply::keys()).await;
    let names = Scripted::new(&[&["127.0.0.1"], &["127.0.0.2"]]);
    let fetcher = fetcher(near()).with_resolver(names.clone());
    let url = allowed.url("rebinding.test", "/");

    assert_eq!(fetch(&fetcher, &url).await.unwrap(), KEYS);
    assert_eq!(
        names.asked(),
        ["rebinding.test"],
        "asked once, then connected"
    );
    assert_eq!((allowed.accepted(), refused.accepted()), (1, 0));

    let error = fetch(&fetcher, &url).await.unwrap_err();
    let text = "address 127.0.0.2 of host rebinding.test is not permitted: it is a loopback \
                address, and `allowedIPs` does not list it";
    assert_eq!(error.to_string(), text);
    assert_eq!((allowed.accepted(), refused.accepted()), (1, 0));
}

#[tokio::test]
async fn a_name_that_changes_its_address_between_redirects_gains_nothing() {
    let [allowed, refused] = allowed_and_refused(|_| Reply::moved("/again")).await;
    let names = Scripted::new(&[&["127.0.0.1"], &["127.0.0.2"]]);
    let fetcher = fetcher(near()).with_resolver(names.clone());

    let error = fetch(&fetcher, &allowed.url("rebinding.test", "/")).await;
    let error = error.unwrap_err();
    assert!(is_refused_as(&error, AddressClass::Loopback), "{error:?}");
    assert_eq!(names.asked().len(), 2);
    assert_eq!((allowed.accepted(), refused.accepted()), (1, 0));
}

#[tokio::test]
async fn one_refused_address_refuses_the_name() {
    let server = Server::start(|_| Reply::keys()).await;
    for (address, kind) in [
        ("127.0.0.2", AddressClass::Loopback),
        ("169.254.169.254", AddressClass::LinkLocal),
        ("::ffff:10.0.0.1", AddressClass::Private),
        ("fd00:ec2::254", AddressClass::Metadata),
        ("64:ff9b::a00:1", AddressClass::Private),
    ] {
        let names = Scripted::new(&[&["127.0.0.1", address]]);
        let fetcher = fetcher(near()).with_resolver(names);
        let error = fetch(&fetcher, &server.url("mixed.test", "/")).await;
        let error = error.unwrap_err();
        assert!(is_refused_as(&error, kind), "{address} {error:?}");
    }
    assert_eq!(server.accepted(), 0);
}

#[tokio::test]
async fn addresses_are_tried_until_one_answers() {
    let server = Server::start(|_| Reply::keys()).await;
    let rules = FetchRules {
        allowed_ips: vec!["127.0.0.0/8".parse().unwrap()],
        ..FetchRules::default()
    };
    let names = Scripted::new(&[&["127.0.0.3", "::ffff:127.0.0.1"]]);
    let fetcher = fetcher(rules).with_resolver(names);
    let url = server.url("two.test", "/");
    assert_eq!(fetch(&fetcher, &url).await.unwrap(), KEYS);
}

#[tokio::test]
async fn refused_names_are_not_even_looked_up() {
    let names = Scripted::new(&[&["127.0.0.1"]]);
    let rules = FetchRules {
        denied_hostnames: vec!["*.internal".to_owned()],
        ..near()
    };
    let fetcher = fetcher(rules).with_resolver(names.clone());
    let error = fetch(&fetcher, "https://metadata.google.internal/").await;
    let text = "host metadata.google.internal is not permitted: it is listed in `deniedHostnames`";
    assert_eq!(error.unwrap_err().to_string(), text);
    assert!(names.asked().is_empty());
}

#[tokio::test]
async fn denied_addresses_are_refused_although_they_are_allowed() {
    let server = Server::start(|_| Reply::keys()).await;
    let rules = FetchRules {
        denied_ips: vec!["127.0.0.1".parse().unwrap()],
        ..near()
    };
    let fetcher = fetcher(rules).with_resolver(Scripted::new(&[&["127.0.0.1"]]));
    for host in ["127.0.0.1", "idp.test"] {
        let error = fetch(&fetcher, &server.url(host, "/")).await.unwrap_err();
        assert!(
            error.to_string().ends_with("it is listed in `deniedIPs`"),
            "{error}"
        );
    }
    assert_eq!(server.accepted(), 0);
}

#[tokio::test]
async fn names_without_addresses_are_told_from_unknown_ones() {
    let fetcher = fetcher(near()).with_resolver(Scripted::new(&[&[]]));
    let error = fetch(&fetcher, "https://none.test/").await.unwrap_err();
    assert_eq!(error.to_string(), "host none.test could not be reached");
    let error = fetch(&fetcher, "https://unknown.test/").await.unwrap_err();
    let text =
        "host unknown.test could not be resolved; check the name and the DNS of the controller";
    assert_eq!(error.to_string(), text);
}
