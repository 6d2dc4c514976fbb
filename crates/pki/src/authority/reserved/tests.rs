use super::*;
use der::asn1::{Ia5String, OctetString};

fn reserved(shared: &[&str]) -> ReservedNames {
    let hosts = [
        "Ctrl.Example.com.",
        "münchen.example.org",
        "10.0.0.5",
        "2001:db8::5%eth0",
        "localhost",
        "127.0.0.1",
        "[::1]",
        "0.0.0.0",
        "::",
        "*.wild.example.net",
        "",
    ];
    ReservedNames::new(hosts, [], shared.iter().copied())
}

#[test]
fn names_of_the_controller_are_refused_in_every_spelling() {
    for name in [
        "ctrl.example.com",
        "CTRL.example.COM",
        "ctrl.example.com.",
        "ctrl.example.com..",
        "ｃｔｒｌ.example.com",
        "*.example.com",
        "*.Example.com.",
        "xn--mnchen-3ya.example.org",
        "XN--MNCHEN-3YA.example.org",
        "München.example.org",
        "*.example.org",
        "10.0.0.5",
        "10.5",
        "10.0.5",
        "0xa.0.0.5",
        "167772165",
        "012.0.0.05",
        "::ffff:10.0.0.5",
        "[::ffff:a00:5]",
        "2001:DB8:0::5",
        "*.wild.example.net",
    ] {
        let refused = reserved(&[]).check(name).unwrap_err();
        assert_eq!(refused.name, name);
        assert!(refused.to_string().contains("edge.enrollment.sharedHosts"));
    }
}

#[test]
fn other_names_are_granted() {
    for name in [
        "router.example.com",
        "ctrl.example.com.example.net",
        "a.ctrl.example.com",
        "*.ctrl.example.com",
        "*.routers.example.com",
        "xctrl.example.com",
        "10.0.0.6",
        "2001:db8::6",
        "localhost",
        "LOCALHOST.",
        "x.localhost",
        "127.0.0.1",
        "127.8.9.10",
        "::1",
        "::ffff:127.0.0.1",
        "r1.wild.example.net",
        "router-1",
        "",
    ] {
        assert_eq!(reserved(&[]).check(name), Ok(()), "{name}");
    }
}

#[test]
fn alternative_names_of_every_kind_are_judged() {
    let dns = |name| GeneralName::DnsName(Ia5String::new(name).unwrap());
    let uri = |name| GeneralName::UniformResourceIdentifier(Ia5String::new(name).unwrap());
    let ip = |octets: &[u8]| GeneralName::IpAddress(OctetString::new(octets).unwrap());
    let mapped = Ipv4Addr::new(10, 0, 0, 5).to_ipv6_mapped().octets();
    for (name, is_reserved) in [
        (dns("ctrl.example.com"), true),
        (dns("r.example.com"), false),
        (uri("https://CTRL.example.com:443/x"), true),
        (uri("https://user@ctrl.example.com?x"), true),
        (uri("https://[2001:db8::5]:443/"), true),
        (uri("https://ctrl.example.com.evil.test/"), false),
        (uri("spiffe://ctrl.example.com/router/r1"), false),
        (ip(&[10, 0, 0, 5]), true),
        (ip(&[10, 0, 0, 6]), false),
        (ip(&mapped), true),
        (ip(&[10, 0, 0]), false),
    ] {
        let judged = reserved(&[]).check_general_name(&name);
        assert_eq!(judged.is_err(), is_reserved, "{name:?}");
    }
}

#[test]
fn shared_hosts_are_granted_and_nothing_else_by_them() {
    let reserved = reserved(&["CTRL.example.com.", "10.0.0.5"]);
    for name in ["ctrl.example.com", "*.example.com", "::ffff:10.0.0.5"] {
        assert_eq!(reserved.check(name), Ok(()), "{name}");
    }
    assert!(reserved.check("2001:db8::5").is_err());
    let sharing_one = ReservedNames::new(["a.example.com", "b.example.com"], [], ["a.example.com"]);
    assert_eq!(sharing_one.check("a.example.com"), Ok(()));
    assert!(sharing_one.check("*.example.com").is_err());
    // What a refusal advises helps for wildcards too.
    let sharing_wildcard =
        ReservedNames::new(["a.example.com", "*.example.net"], [], ["*.Example.com."]);
    assert_eq!(sharing_wildcard.check("*.example.com"), Ok(()));
    for name in ["a.example.com", "*.example.net"] {
        assert!(sharing_wildcard.check(name).is_err(), "{name}");
    }
}
