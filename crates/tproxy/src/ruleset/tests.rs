//! Scripts as `nft` gets them. Whether it takes them is for the tests in network namespaces.

use super::*;
use portcullis_tunnel_config::PortRange;

fn ruleset(listeners: &[(Protocol, &str)]) -> Ruleset {
    let listeners = listeners.iter();
    Ruleset {
        instance: "test".parse().expect("a name"),
        lan_interfaces: vec!["eth0".to_owned()],
        exempt: vec!["10.0.0.53".parse().expect("a network")],
        listeners: listeners
            .map(|(protocol, address)| (*protocol, address.parse().expect("an address")))
            .collect(),
        redirects: Vec::new(),
    }
}

fn rule(
    protocol: Protocol,
    source: Option<&str>,
    network: &str,
    ports: (u16, u16),
) -> InterceptRule {
    InterceptRule {
        protocol,
        source: source.map(|source| source.parse().expect("a network")),
        network: network.parse().expect("a network"),
        ports: PortRange::new(ports.0, ports.1).expect("a range"),
    }
}

#[test]
fn changes_are_elements_of_sets() {
    let ruleset = ruleset(&[
        (Protocol::Tcp, "127.0.0.1:1"),
        (Protocol::Tcp, "[::1]:2"),
        (Protocol::Udp, "127.0.0.1:3"),
    ]);
    let removed = [rule(Protocol::Tcp, None, "10.1.2.3/8", (80, 80))];
    let added = [
        rule(Protocol::Tcp, None, "10.0.0.0/16", (80, 90)),
        rule(Protocol::Tcp, None, "fd00::/8", (1, 2)),
        rule(Protocol::Tcp, Some("192.0.2.1"), "10.0.0.0/16", (7, 7)),
        rule(Protocol::Udp, None, "10.0.0.0/16", (53, 53)),
    ];
    assert_eq!(
        ruleset.change(&removed.into(), &added.into()),
        "delete element inet portcullis_test tcp4 { 10.0.0.0/8 . 80, }\n\
         add element inet portcullis_test tcp4 { 10.0.0.0/16 . 80-90, }\n\
         add element inet portcullis_test tcp4_from { 192.0.2.1/32 . 10.0.0.0/16 . 7, }\n\
         add element inet portcullis_test tcp6 { fd00::/8 . 1-2, }\n\
         add element inet portcullis_test udp4 { 10.0.0.0/16 . 53, }\n"
    );
}

#[test]
fn a_redirected_port_is_open_to_those_who_are_intercepted() {
    let mut ruleset = ruleset(&[(Protocol::Udp, "127.0.0.1:3")]);
    let redirect = Redirect {
        from: "10.0.0.1:53".parse().expect("an address"),
        to: "10.0.0.1:5353".parse().expect("an address"),
    };
    let script = ruleset.redirection(&redirect);
    assert!(
        script.contains("nat_prerouting iifname { \"lo\", \"eth0\" } meta mark"),
        "{script}"
    );
    ruleset.lan_interfaces.clear();
    let script = ruleset.redirection(&redirect);
    assert!(!script.contains("prerouting"), "{script}");
    assert!(script.contains("nat_output meta mark"), "{script}");
}

#[test]
fn what_is_exempt_comes_first() {
    let script = ruleset(&[(Protocol::Udp, "127.0.0.1:3")]).replacement(&BTreeSet::new());
    let (before, after) = script.split_once("@udp4 ").expect("a rule");
    for exemption in [
        "ip daddr 10.0.0.53/32 return",
        "iifname != { \"lo\", \"eth0\" } return",
    ] {
        assert!(before.contains(exemption), "{script}");
    }
    assert!(
        before.contains("meta l4proto udp ct direction reply"),
        "{script}"
    );
    assert!(after.contains("tproxy ip to 127.0.0.1:3"), "{script}");
    assert!(
        !script.contains("tcp4") && !script.contains("ip6"),
        "{script}"
    );
}
