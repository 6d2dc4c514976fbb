use super::*;

fn address(text: &str) -> IpAddr {
    text.parse().unwrap()
}

#[test]
fn addresses_are_of_their_kind() {
    let cases = [
        ("0.0.0.0", AddressClass::Unspecified),
        ("0.1.2.3", AddressClass::Unspecified),
        ("::", AddressClass::Unspecified),
        ("127.0.0.1", AddressClass::Loopback),
        ("127.255.255.255", AddressClass::Loopback),
        ("::1", AddressClass::Loopback),
        ("::ffff:127.0.0.1", AddressClass::Loopback),
        ("::127.0.0.1", AddressClass::Loopback),
        ("64:ff9b::127.0.0.1", AddressClass::Loopback),
        ("2002:7f00:1::", AddressClass::Loopback),
        ("169.254.0.1", AddressClass::LinkLocal),
        ("169.254.169.254", AddressClass::LinkLocal),
        ("::ffff:a9fe:a9fe", AddressClass::LinkLocal),
        ("64:ff9b::a9fe:a9fe", AddressClass::LinkLocal),
        ("2002:a9fe:a9fe:1::2", AddressClass::LinkLocal),
        ("fe80::1", AddressClass::LinkLocal),
        ("febf::1", AddressClass::LinkLocal),
        ("224.0.0.251", AddressClass::LinkLocal),
        ("ff02::fb", AddressClass::LinkLocal),
        ("fd00:ec2::254", AddressClass::Metadata),
        ("fd20:ce::254", AddressClass::Metadata),
        ("168.63.129.16", AddressClass::Metadata),
        ("100.100.100.200", AddressClass::Metadata),
        ("10.0.0.1", AddressClass::Private),
        ("172.16.0.1", AddressClass::Private),
        ("172.31.255.255", AddressClass::Private),
        ("192.168.0.1", AddressClass::Private),
        ("2002:c0a8:1::", AddressClass::Private),
        ("fc00::1", AddressClass::Private),
        ("fdff::1", AddressClass::Private),
        ("fec0::1", AddressClass::Private),
        ("100.64.0.1", AddressClass::Shared),
        ("100.127.255.255", AddressClass::Shared),
        ("239.1.1.1", AddressClass::Multicast),
        ("ff0e::1", AddressClass::Multicast),
        ("192.0.2.1", AddressClass::Documentation),
        ("198.51.100.1", AddressClass::Documentation),
        ("203.0.113.1", AddressClass::Documentation),
        ("2001:db8::1", AddressClass::Documentation),
        ("3fff:fff::1", AddressClass::Documentation),
        ("198.19.0.1", AddressClass::Benchmarking),
        ("2001:2::1", AddressClass::Benchmarking),
        ("192.0.0.1", AddressClass::Reserved),
        ("192.88.99.1", AddressClass::Reserved),
        ("240.0.0.1", AddressClass::Reserved),
        ("255.255.255.255", AddressClass::Reserved),
        ("2001::1", AddressClass::Reserved),
        ("64:ff9b:1::1", AddressClass::Reserved),
        ("::1.1.1.1", AddressClass::Reserved),
        ("100::1", AddressClass::Reserved),
        ("4000::1", AddressClass::Reserved),
        ("::ffff:0:7f00:1", AddressClass::Reserved),
    ];
    for (text, expected) in cases {
        let found = NonPublicAddress::classify(address(text)).map(|found| found.class);
        assert_eq!(found, Some(expected), "{text}");
    }
}

#[test]
fn other_addresses_are_public() {
    for text in [
        "1.1.1.1",
        "9.255.255.255",
        "11.0.0.1",
        "100.63.255.255",
        "100.128.0.1",
        "126.255.255.255",
        "169.253.255.255",
        "172.15.255.255",
        "172.32.0.1",
        "192.0.1.1",
        "198.17.255.255",
        "223.255.255.255",
        "::ffff:1.1.1.1",
        "64:ff9b::1.1.1.1",
        "2002:101:101::1",
        "2001:200::1",
        "2606:4700::1111",
        "3ffe::1",
    ] {
        assert_eq!(NonPublicAddress::classify(address(text)), None, "{text}");
    }
}

#[test]
fn what_is_never_meant_has_to_be_named() {
    let cases = [
        ("10.0.0.1", "0.0.0.0/0", true),
        ("127.0.0.1", "0.0.0.0/0", true),
        ("fd00::1", "::/0", true),
        ("169.254.169.254", "0.0.0.0/0", false),
        ("169.254.169.254", "169.0.0.0/8", false),
        ("169.254.169.254", "169.254.0.0/16", true),
        ("169.254.169.254", "169.254.169.254", true),
        ("::ffff:169.254.169.254", "169.254.169.254", true),
        ("64:ff9b::a9fe:a9fe", "64:ff9b::/96", false),
        ("64:ff9b::a9fe:a9fe", "64:ff9b::a9fe:0/112", true),
        ("2002:a9fe:a9fe::", "2002::/16", false),
        ("2002:a9fe:a9fe::", "2002:a9fe::/32", true),
        ("fe80::1", "::/0", false),
        ("fe80::1", "fe80::/10", true),
        ("fd00:ec2::254", "fd00::/8", false),
        ("fd00:ec2::254", "fd00:ec2::254", true),
        ("0.0.0.0", "0.0.0.0/0", false),
        ("0.0.0.0", "0.0.0.0", true),
    ];
    for (text, network, expected) in cases {
        let network: IpNetwork = network.parse().unwrap();
        assert!(network.contains(address(text)), "{network} {text}");
        let found = NonPublicAddress::classify(address(text)).unwrap();
        assert_eq!(found.is_allowed_by(&network), expected, "{network} {text}");
    }
}
