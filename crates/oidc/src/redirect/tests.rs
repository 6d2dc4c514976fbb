//! Registered redirect URIs and those of requests.

use super::*;
use proptest::prelude::*;

fn with(more: &[&str]) -> RedirectUris {
    let more = more.iter().map(|uri| RegisteredUri::parse(uri).unwrap());
    RedirectUris::for_login(more)
}

#[test]
fn clients_of_openziti_are_known() {
    let login = with(&[]);
    for uri in [
        "openziti://auth/callback",
        "http://localhost:8080/auth/callback",
        "http://localhost:20314/auth/callback",
        "https://localhost:27001/auth/callback",
        "http://127.0.0.1:1/auth/callback",
        "http://[::1]:65535/auth/callback",
        "http://localhost/auth/callback",
    ] {
        assert_eq!(login.find(uri).as_ref().map(RedirectUri::as_str), Ok(uri));
        let logout = uri.replace("callback", "logout");
        assert!(login.find(&logout).is_err(), "{logout}");
        assert!(
            RedirectUris::for_logout([]).find(&logout).is_ok(),
            "{logout}"
        );
        assert!(RedirectUris::for_logout([]).find(uri).is_err(), "{uri}");
    }
}

#[test]
fn what_only_looks_like_loopback_is_foreign() {
    let login = with(&["https://console.example.test/auth/callback"]);
    for uri in [
        "",
        "/auth/callback",
        "http://evil.example.test/auth/callback",
        // Other hosts that begin, end or seem to be it.
        "http://localhost.evil.example.test/auth/callback",
        "http://localhost:80.evil.example.test/auth/callback",
        "http://127.0.0.1.evil.example.test/auth/callback",
        "http://evil-localhost/auth/callback",
        "http://localhost@evil.example.test/auth/callback",
        "http://localhost:8080@evil.example.test/auth/callback",
        "http://user@localhost:8080/auth/callback",
        "http://localhost\\@evil.example.test/auth/callback",
        "http://localhost:80\\.evil.example.test/auth/callback",
        "http://evil.example.test#@localhost:80/auth/callback",
        "http://evil.example.test?localhost/auth/callback",
        "http://lоcalhost/auth/callback", // a Cyrillic o
        "http://localhost。evil.example.test/auth/callback",
        "http://ⓛocalhost/auth/callback",
        "http://xn--lcalhost-xxf/auth/callback",
        // Other spellings of it.
        "HTTP://localhost/auth/callback",
        "http://LOCALHOST/auth/callback",
        "http://localhost./auth/callback",
        "http://127.1/auth/callback",
        "http://2130706433/auth/callback",
        "http://0x7f.0.0.1/auth/callback",
        "http://127.0.0.2/auth/callback",
        "http://0.0.0.0/auth/callback",
        "http://[::]/auth/callback",
        "http://[0:0:0:0:0:0:0:1]/auth/callback",
        "http://[::ffff:127.0.0.1]/auth/callback",
        "http://::1/auth/callback",
        "http:/localhost/auth/callback",
        "http:///localhost/auth/callback",
        "//localhost/auth/callback",
        "ws://localhost/auth/callback",
        // Ports.
        "http://localhost:/auth/callback",
        "http://localhost:0/auth/callback",
        "http://localhost:080/auth/callback",
        "http://localhost:+80/auth/callback",
        "http://localhost:65536/auth/callback",
        "http://localhost:*/auth/callback",
        "http://localhost:80:80/auth/callback",
        // Paths.
        "http://localhost:80",
        "http://localhost:80/",
        "http://localhost:80/auth/callback/",
        "http://localhost:80/auth/callback?",
        "http://localhost:80/auth/callback?next=http://evil.example.test",
        "http://localhost:80/auth/callback#",
        "http://localhost:80/auth/callback#fragment",
        "http://localhost:80/auth/./callback",
        "http://localhost:80/x/../auth/callback",
        "http://localhost:80/auth%2Fcallback",
        "http://localhost:80/AUTH/callback",
        "http://localhost:80/auth/callback\r\nLocation: http://evil.example.test",
        " http://localhost:80/auth/callback",
        "http://localhost:80/auth/callback ",
        "http://local\thost:80/auth/callback",
        // Exact ones.
        "openziti://auth/callback/",
        "openziti://auth@evil/callback",
        "openziti:auth/callback",
        "OPENZITI://auth/callback",
        "https://console.example.test:443/auth/callback",
        "https://console.example.test:8443/auth/callback",
        "https://console.example.test/auth/callback?x=1",
        "https://console.example.test.evil/auth/callback",
        "http://console.example.test/auth/callback",
        "javascript:alert(1)",
    ] {
        assert_eq!(login.find(uri), Err(RedirectError), "{uri}");
    }
}

#[test]
fn operators_add_what_is_safe() {
    for uri in [
        "https://console.example.test/auth/callback",
        "https://console.example.test:8443/auth/callback?tenant=a%20b",
        "https://console.example.test",
        "https://192.0.2.7/cb",
        "com.example.app:/callback",
        "http://localhost:*/other",
        "http://127.0.0.1:3000/cb?a=1",
        "http://[::1]/cb",
    ] {
        let parsed = RegisteredUri::parse(uri).unwrap();
        let requested = uri.replace('*', "1234");
        assert!(parsed.matches(&requested), "{uri}");
    }
    let fixed = RegisteredUri::parse("http://127.0.0.1:3000/cb").unwrap();
    assert!(fixed.matches("http://127.0.0.1:3001/cb"));
    assert!(!fixed.matches("http://localhost:3000/cb"));
}

#[test]
fn unsafe_registrations_are_refused_with_the_reason() {
    use RegisterError as E;
    for (uri, error) in [
        ("", E::NotAbsolute),
        ("/auth/callback", E::NotAbsolute),
        ("http://localhost:x/cb", E::NotAbsolute),
        ("http://localhost:99999/cb", E::NotAbsolute),
        ("https://*.example.test/cb", E::Wildcard),
        ("https://console.example.test:*/cb", E::Wildcard),
        ("https://console.example.test/*", E::Wildcard),
        ("http://localhost:*/*", E::Wildcard),
        ("*", E::Wildcard),
        ("https://console.example.test/cb#", E::Fragment),
        ("http://localhost:*/cb#x", E::Fragment),
        ("https://a@console.example.test/cb", E::UserInformation),
        ("https://a:b@console.example.test/cb", E::UserInformation),
        ("http://console.example.test/cb", E::PlainHttp),
        ("http://localhost.example.test/cb", E::PlainHttp),
        ("javascript:alert(1)", E::Scheme),
        ("data:text/html,x", E::Scheme),
        ("file:///etc/passwd", E::Scheme),
        ("myapp:/cb", E::Scheme),
        (
            "https://Console.example.test:443/a/../cb",
            E::Spelling("https://console.example.test/cb".to_owned()),
        ),
        (
            "https://bücher.example.test/cb",
            E::Spelling("https://xn--bcher-kva.example.test/cb".to_owned()),
        ),
        (
            "http://localhost:*/a b",
            E::Spelling("http://localhost/a%20b".to_owned()),
        ),
        (
            "https://console.example.test/c\tb",
            E::Spelling("https://console.example.test/cb".to_owned()),
        ),
    ] {
        assert_eq!(RegisteredUri::parse(uri), Err(error), "{uri}");
    }
}

#[test]
fn parameters_are_encoded_and_appended() {
    let login = with(&["https://console.example.test/cb?tenant=a"]);
    let loopback = login.find("http://localhost:8080/auth/callback").unwrap();
    assert_eq!(
        loopback.with_parameters(&[("code", "c-1"), ("state", "a b&c=d#é\r\n")]),
        "http://localhost:8080/auth/callback?code=c-1&state=a+b%26c%3Dd%23%C3%A9%0D%0A"
    );
    let exact = login
        .find("https://console.example.test/cb?tenant=a")
        .unwrap();
    assert_eq!(
        exact.with_parameters(&[("code", "c")]),
        "https://console.example.test/cb?tenant=a&code=c"
    );
}

/// What URIs with a second meaning are made of.
const FRAGMENTS: &[&str] = &[
    "http",
    "https",
    "openziti",
    "://",
    ":",
    "//",
    "/",
    "localhost",
    "127.0.0.1",
    "[::1]",
    "[",
    "]",
    "@",
    ".",
    "evil.test",
    "80",
    "0",
    "65536",
    "/auth/callback",
    "/auth",
    "/callback",
    "?",
    "#",
    "\\",
    "\t",
    "\n",
    " ",
    "%",
    "%2F",
    "..",
    "。",
    "é",
    "*",
    ";",
    "",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn whatever_is_found_leads_to_loopback_for_a_browser_too(
        fragments in proptest::collection::vec(proptest::sample::select(FRAGMENTS), 0..4),
        begin in 0..3_usize,
        end in 0..3_usize,
    ) {
        let begin = ["http://localhost", "http://127.0.0.1:", ""][begin];
        let end = ["/auth/callback", ":80/auth/callback", ""][end];
        let uri = format!("{begin}{}{end}", fragments.concat());
        if with(&[]).find(&uri).is_ok() && uri != "openziti://auth/callback" {
            let url = Url::parse(&uri).unwrap();
            prop_assert!(["localhost", "127.0.0.1", "[::1]"].contains(&url.host_str().unwrap()));
            prop_assert!(url.username().is_empty() && url.password().is_none());
            prop_assert_eq!(url.path(), "/auth/callback");
            prop_assert!(url.query().is_none() && url.fragment().is_none());
        }
    }

    #[test]
    fn every_port_of_loopback_is_found(port in 1..=u16::MAX, host in 0..3_usize) {
        let host = loopback::HOSTS[host];
        let uri = format!("http://{host}:{port}/auth/callback");
        prop_assert!(with(&[]).find(&uri).is_ok());
    }

    #[test]
    fn nothing_but_the_port_may_differ(uri in "\\PC{0,60}", position in 0..35_usize, byte in 0..128_u8) {
        prop_assert!(with(&[]).find(&uri).is_err());
        let good = "http://localhost:8080/auth/callback";
        let mut changed = good.as_bytes().to_vec();
        changed[position] = byte;
        let changed = String::from_utf8(changed).unwrap();
        let is_in_port = (17..21).contains(&position) && byte.is_ascii_digit()
            && !(position == 17 && byte == b'0');
        prop_assert_eq!(with(&[]).find(&changed).is_ok(), changed == good || is_in_port);
    }
}
