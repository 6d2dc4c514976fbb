use super::*;

fn url(issuer: &str, account: &str) -> String {
    let secret = Secret::from_bytes(b"12345678901234567890").unwrap();
    provisioning_url(issuer, account, &secret)
        .expose_secret()
        .to_owned()
}

#[test]
fn ordinary_names_stay_as_they_are() {
    for account in [
        "alice",
        "alice@example.com",
        "router-7_b.east~2",
        "a+b",
        "it's(1)!",
        "42",
    ] {
        assert_eq!(
            url("openziti.io", account),
            format!(
                "otpauth://totp/openziti.io:{account}?issuer=openziti.io\
                 &secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
            )
        );
    }
}

#[test]
fn no_url_outgrows_its_room() {
    let names = ["", "alice", "\0", &"🔑".repeat(100)];
    for (issuer, account) in names
        .iter()
        .flat_map(|one| names.map(|other| (*one, other)))
    {
        let room = max_length(issuer, account, "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
        assert!(
            url(issuer, account).len() <= room,
            "{issuer:?}, {account:?}"
        );
    }
}

#[test]
fn other_names_are_percent_encoded() {
    for (account, encoded) in [
        ("Zoë Müller", "Zo%C3%AB%20M%C3%BCller"),
        ("é", "%C3%A9"),
        ("e\u{301}", "e%CC%81"),
        ("100%", "100%25"),
        ("%41", "%2541"),
        ("who?", "who%3F"),
        ("a#b", "a%23b"),
        ("a/b", "a%2Fb"),
        ("../..", "..%2F.."),
        ("a\\b", "a%5Cb"),
        ("a:b", "a%3Ab"),
        ("a?issuer=evil&secret=AAAA", "a%3Fissuer=evil&secret=AAAA"),
        ("say \"hi\"", "say%20%22hi%22"),
        ("<b>", "%3Cb%3E"),
        ("[x]{y}|^`", "%5Bx%5D%7By%7D%7C%5E%60"),
        ("tab\tline\nnul\0", "tab%09line%0Anul%00"),
        ("山田", "%E5%B1%B1%E7%94%B0"),
        ("🔑", "%F0%9F%94%91"),
        ("\u{7f}", "%7F"),
        ("", ""),
    ] {
        let expected = format!("otpauth://totp/openziti.io:{encoded}?issuer=openziti.io&secret=");
        let url = url("openziti.io", account);
        assert!(url.starts_with(&expected), "{account:?}: {url}");
        assert_eq!(url.len(), expected.len() + 32);
        assert_eq!(decoded(encoded), account);
    }
}

#[test]
fn issuer_cannot_break_out_of_the_query() {
    assert_eq!(
        url("a b&c=d+e:f", "x").split("&secret=").next().unwrap(),
        "otpauth://totp/a%20b&c=d+e%3Af:x?issuer=a%20b%26c%3Dd%2Be%3Af"
    );
}

/// Decodes percent-encoding (RFC 3986 section 2.1).
fn decoded(text: &str) -> String {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    String::from_utf8(bytes).unwrap()
}

proptest::proptest! {
    #[test]
    fn any_name_is_read_again(account in "(?s).{0,40}") {
        let url = url("openziti.io", &account);
        proptest::prop_assert!(url.is_ascii());
        let rest = url.strip_prefix("otpauth://totp/openziti.io:").unwrap();
        let (path, query) = rest.split_once('?').unwrap();
        proptest::prop_assert_eq!(decoded(path), account);
        let expected = "issuer=openziti.io&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
        proptest::prop_assert_eq!(query, expected);
    }
}
