use super::*;
use crate::AddressClass;
use url::Url;

fn networks(texts: &[&str]) -> Vec<IpNetwork> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

fn names(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn checker(rules: &FetchRules) -> RuleChecker {
    RuleChecker {
        rules: rules.clone(),
    }
}

/// Checks a URL, and returns the error message.
fn check(rules: &FetchRules, url: &str) -> Result<(), String> {
    let url: Url = url.parse().unwrap();
    FetchTarget::parse(&url)
        .and_then(|target| checker(rules).check_target(&target))
        .map_err(|error| error.to_string())
}

#[test]
fn addresses_are_judged_however_they_are_spelled() {
    let rules = FetchRules::default();
    for (host, address) in [
        ("127.0.0.1", "127.0.0.1"),
        ("0x7f.1", "127.0.0.1"),
        ("0177.0.0.1", "127.0.0.1"),
        ("2130706433", "127.0.0.1"),
        ("0x7f000001", "127.0.0.1"),
        ("127.1", "127.0.0.1"),
        ("127.0.0.1.", "127.0.0.1"),
        ("%31%32%37.0.0.1", "127.0.0.1"),
        ("１２７.0.0.1", "127.0.0.1"),
        ("[::ffff:127.0.0.1]", "127.0.0.1"),
        ("[::ffff:7f00:1]", "127.0.0.1"),
        ("[::1]", "::1"),
        ("[0:0:0:0:0:0:0:1]", "::1"),
        ("[::127.0.0.1]", "::7f00:1"),
        ("[64:ff9b::127.0.0.1]", "64:ff9b::7f00:1"),
    ] {
        let refused = check(&rules, &format!("http://{host}:8080/jwks")).unwrap_err();
        let expected = format!(
            "address {address} is not permitted: it is a loopback address, and `allowedIPs` \
             does not list it"
        );
        assert_eq!(refused, expected, "{host}");
    }
}

#[test]
fn other_schemes_and_credentials_are_refused() {
    let rules = FetchRules::default();
    for (url, word) in [
        ("file:///etc/passwd", "`file`"),
        ("gopher://idp.example.test/", "`gopher`"),
        ("ftp://idp.example.test/", "`ftp`"),
        ("data:application/json,{}", "`data`"),
        ("unix:/run/socket", "`unix`"),
        ("https://user@idp.example.test/", "idp.example.test"),
        ("https://:secret@idp.example.test/", "idp.example.test"),
    ] {
        let refused = check(&rules, url).unwrap_err();
        assert!(refused.contains(word), "{refused}");
        assert!(!refused.contains("secret"), "{refused}");
    }
    for url in [
        "http://idp.example.test/",
        "http://8.8.8.8/",
        "http://[2606:4700::1111]/",
    ] {
        let refused = check(&rules, url).unwrap_err();
        assert!(refused.contains("https"), "{refused}");
    }
    for url in [
        "HTTPS://IDP.example.test:8443/a?b",
        "https://8.8.8.8/",
        "https://localhost/",
    ] {
        assert_eq!(check(&rules, url), Ok(()), "{url}");
    }
}

#[test]
fn allowed_addresses_need_not_be_public() {
    let rules = FetchRules {
        allowed_ips: networks(&["127.0.0.0/8", "::1", "10.1.2.3"]),
        ..FetchRules::default()
    };
    for (url, is_allowed) in [
        ("http://127.0.0.1/", true),
        ("http://[::ffff:127.9.9.9]/", true),
        ("http://[::1]/", true),
        ("http://10.1.2.3/", true),
        ("http://8.8.8.8/", false),
        ("https://8.8.8.8/", true),
        ("http://idp.example.test/", true),
        ("http://10.1.2.4/", false),
        ("http://[::2]/", false),
        ("http://[64:ff9b::127.0.0.1]/", false),
        ("http://[2002:7f00:1::]/", false),
    ] {
        assert_eq!(check(&rules, url).is_ok(), is_allowed, "{url}");
    }
}

#[test]
fn denying_wins_over_allowing() {
    let rules = FetchRules {
        allowed_ips: networks(&["10.0.0.0/8", "::/0"]),
        denied_ips: networks(&["10.1.0.0/16", "8.8.8.8", "2606:4700::/32"]),
        allowed_hostnames: names(&["*.example.test"]),
        denied_hostnames: names(&["bad.example.test"]),
        ..FetchRules::default()
    };
    let denied =
        |address: &str, host| checker(&rules).check_address(address.parse().unwrap(), host);
    for address in [
        "10.1.2.3",
        "::ffff:10.1.2.3",
        "64:ff9b::10.1.2.3",
        "2002:a01:203::1",
        "8.8.8.8",
        "64:ff9b::8.8.8.8",
        "2606:4700::1111",
    ] {
        let refused = denied(address, Some("idp.example.test")).unwrap_err();
        let is_denied = matches!(
            refused,
            FetchError::AddressRefused {
                rule: AddressRule::Denied,
                ..
            }
        );
        assert!(is_denied, "{refused}");
        assert!(refused.to_string().contains("of host idp.example.test"));
    }
    assert!(denied("10.2.0.1", None).is_ok());
    assert!(check(&rules, "https://bad.example.test/").is_err());
    assert!(check(&rules, "https://good.example.test/").is_ok());
}

#[test]
fn host_names_are_compared_by_label() {
    for (name, pattern, expected) in [
        ("idp.example.test", "idp.example.test", true),
        ("idp.example.test", "IDP.Example.Test.", true),
        ("idp.example.test", "example.test", false),
        ("idp.example.test", "*.example.test", true),
        ("a.b.example.test", "*.EXAMPLE.test", true),
        ("example.test", "*.example.test", false),
        (".example.test", "*.example.test", false),
        ("badexample.test", "*.example.test", false),
        ("example.test.evil.test", "*.example.test", false),
        ("xn--tst-qla.example.test", "*.example.test", true),
        ("é", "*.a", false),
    ] {
        assert_eq!(matches_pattern(name, pattern), expected, "{name} {pattern}");
    }
}

#[test]
fn a_list_of_names_refuses_all_others() {
    let rules = FetchRules {
        allowed_hostnames: names(&["idp.example.test"]),
        allowed_ips: networks(&["10.0.0.0/8"]),
        ..FetchRules::default()
    };
    for (url, is_allowed) in [
        ("https://idp.example.test/", true),
        ("https://idp.example.test./", true),
        ("https://IDP.EXAMPLE.TEST/", true),
        ("https://other.example.test/", false),
        ("https://8.8.8.8/", false),
        ("https://10.0.0.1/", true),
    ] {
        assert_eq!(check(&rules, url).is_ok(), is_allowed, "{url}");
    }
}

#[test]
fn names_of_denied_hosts_cannot_be_dressed_up() {
    let rules = FetchRules {
        denied_hostnames: names(&["bad.example.test", "*.internal"]),
        ..FetchRules::default()
    };
    for host in [
        "bad.example.test",
        "BAD.example.test",
        "bad.example.test.",
        "bad%2eexample.test",
        "bad。example。test",
        "metadata.google.internal",
    ] {
        let refused = check(&rules, &format!("https://{host}/")).unwrap_err();
        assert!(refused.contains("`deniedHostnames`"), "{refused}");
    }
}

#[test]
fn errors_name_the_kind_of_address() {
    let checker = checker(&FetchRules::default());
    let refused = checker.check_address("169.254.169.254".parse().unwrap(), Some("idp.test"));
    let Err(FetchError::AddressRefused { rule, .. }) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!(rule, AddressRule::NotPublic(AddressClass::LinkLocal));
}
