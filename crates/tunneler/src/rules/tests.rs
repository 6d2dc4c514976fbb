use super::*;
use proptest::prelude::*;
use std::net::IpAddr;
use std::time::Duration;

const NAMES: &str = "100.64.0.0/10";

fn network(text: &str) -> IpNetwork {
    text.parse().expect("a network")
}

fn intercept(protocols: &[Protocol], networks: &[&str], ports: &[(u16, u16)]) -> Intercept {
    let ports = ports.iter().map(|(low, high)| PortRange::new(*low, *high));
    Intercept {
        protocols: protocols.to_vec(),
        addresses: networks
            .iter()
            .map(|text| AddressPattern::Network(network(text)))
            .collect(),
        ports: ports.map(|range| range.expect("a range")).collect(),
        sources: Vec::new(),
        source_address: None,
        dial_identity: None,
        connect_timeout: Duration::from_secs(5),
    }
}

/// Rules as texts, without those of the names.
fn shown(intercepts: &[Intercept]) -> Vec<String> {
    let rules = rules(network(NAMES), intercepts.iter());
    let others = rules.iter().filter(|rule| rule.network != network(NAMES));
    others
        .map(|rule| {
            let InterceptRule {
                protocol,
                source,
                network,
                ports,
            } = rule;
            let source = source.map_or_else(String::new, |source| format!(" from {source}"));
            let (low, high) = (ports.low(), ports.high());
            format!("{protocol} {network} {low}-{high}{source}")
        })
        .collect()
}

#[test]
fn what_a_wider_network_has_is_not_there_twice() {
    let tcp = [Protocol::Tcp];
    let intercepts = [
        intercept(&tcp, &["10.1.0.0/16"], &[(80, 90), (443, 443)]),
        intercept(&tcp, &["10.0.0.0/8"], &[(85, 100)]),
        intercept(&tcp, &["10.1.2.3/32"], &[(80, 443)]),
        intercept(&[Protocol::Udp], &["10.1.0.0/16"], &[(80, 80), (0, 0)]),
        intercept(&tcp, &["2001:db8::/32", "100.64.1.1/32"], &[(0, 1)]),
    ];
    assert_eq!(
        shown(&intercepts),
        [
            "tcp 10.0.0.0/8 85-100",
            "tcp 10.1.0.0/16 80-84",
            "tcp 10.1.0.0/16 443-443",
            "tcp 10.1.2.3/32 101-442",
            "tcp 2001:db8::/32 1-1",
            "udp 10.1.0.0/16 80-80",
        ]
    );
}

#[test]
fn sources_have_rules_of_their_own() {
    let tcp = [Protocol::Tcp];
    let from = |sources: &[&str], networks: &[&str], ports| Intercept {
        sources: sources.iter().map(|text| network(text)).collect(),
        ..intercept(&tcp, networks, &[ports])
    };
    let intercepts = [
        from(&["192.0.2.0/24"], &["10.1.0.0/16"], (80, 90)),
        from(
            &["192.0.2.0/25", "2001:db8::/32"],
            &["10.0.0.0/8"],
            (85, 100),
        ),
        from(&[], &["10.1.0.0/16"], (88, 88)),
        from(&["192.0.2.7/32"], &["10.1.2.0/24"], (88, 90)),
        from(
            &["192.0.2.7/32"],
            &["10.1.2.0/24", "100.64.1.1/32"],
            (200, 200),
        ),
    ];
    assert_eq!(
        shown(&intercepts),
        [
            "tcp 10.1.0.0/16 88-88",
            "tcp 10.1.0.0/16 80-84 from 192.0.2.0/24",
            "tcp 10.0.0.0/8 85-100 from 192.0.2.0/25",
            "tcp 10.1.2.0/24 200-200 from 192.0.2.7/32",
            "tcp 10.1.0.0/16 85-87 from 192.0.2.128/25",
            "tcp 10.1.0.0/16 89-90 from 192.0.2.128/25",
        ]
    );
}

#[test]
fn only_what_changes_is_told() {
    let mut told = Rules::default();
    let web = intercept(&[Protocol::Tcp], &["10.1.0.0/16"], &[(80, 80)]);
    let change = told
        .change(network(NAMES), [&web].into_iter())
        .expect("a change");
    assert_eq!(change.removed, []);
    assert_eq!(change.added.len(), 3, "{change:?}");

    let more = intercept(&[Protocol::Tcp], &["10.2.0.0/16"], &[(80, 80)]);
    let change = told
        .change(network(NAMES), [&web, &more].into_iter())
        .expect("a change");
    assert_eq!(change.removed, []);
    let networks: Vec<_> = change.added.iter().map(|rule| rule.network).collect();
    assert_eq!(networks, [network("10.2.0.0/16")]);

    assert_eq!(told.change(network(NAMES), [&more, &web].into_iter()), None);
}

/// Addresses that networks of the strategy below may have.
fn addresses() -> impl Iterator<Item = IpAddr> {
    (0..16).map(|last| IpAddr::from([10, 0, 0, last]))
}

fn intercepts() -> impl Strategy<Value = Vec<Intercept>> {
    let network = (0..16_u8, 28..=32_u8)
        .prop_map(|(last, prefix)| IpNetwork::new(IpAddr::from([10, 0, 0, last]), prefix));
    let source = (0..8_u8, 29..=32_u8)
        .prop_map(|(last, prefix)| IpNetwork::new(IpAddr::from([192, 0, 2, last]), prefix));
    let ports = (1..12_u16, 1..12_u16).prop_map(|(one, other)| (one.min(other), one.max(other)));
    let one = (
        prop::collection::vec(network, 1..4),
        prop::collection::vec(ports, 1..4),
        prop::sample::subsequence(vec![Protocol::Tcp, Protocol::Udp], 1..=2),
        prop_oneof![Just(Vec::new()), prop::collection::vec(source, 1..4)],
    );
    let one = one.prop_map(|(networks, ports, protocols, sources)| Intercept {
        addresses: networks.into_iter().map(AddressPattern::Network).collect(),
        sources,
        ..intercept(&protocols, &[], &ports)
    });
    prop::collection::vec(one, 0..6)
}

proptest! {
    #[test]
    fn connections_that_services_want_have_rules_and_no_others(intercepts in intercepts()) {
        let rules = rules(network(NAMES), intercepts.iter());
        // The last one is no source of the strategy.
        let sources = (0..9).map(|last| IpAddr::from([192, 0, 2, last]));
        let both_ends = addresses().flat_map(|address| sources.clone().map(move |source| (address, source)));
        for (address, source) in both_ends {
            for (port, protocol) in (1..12).flat_map(|port| [(port, Protocol::Tcp), (port, Protocol::Udp)]) {
                let is_wanted = intercepts.iter().any(|intercept| {
                    intercept.protocols.contains(&protocol)
                        && intercept.addresses.iter().any(|pattern| pattern.matches_ip(address))
                        && intercept.ports.iter().any(|range| range.contains(port))
                        && (intercept.sources.is_empty()
                            || intercept.sources.iter().any(|network| network.contains(source)))
                });
                let matching = rules.iter().filter(|rule| {
                    rule.protocol == protocol
                        && rule.source.is_none_or(|network| network.contains(source))
                        && rule.network.contains(address)
                        && rule.ports.contains(port)
                });
                let (with_source, without): (Vec<&InterceptRule>, Vec<_>) =
                    matching.partition(|rule| rule.source.is_some());
                prop_assert!(with_source.len() <= 1 && without.len() <= 1);
                prop_assert_eq!(with_source.len() + without.len() > 0, is_wanted);
            }
        }
    }

    #[test]
    fn changes_lead_from_the_one_to_the_other(before in intercepts(), after in intercepts()) {
        let mut told = Rules::default();
        told.change(network(NAMES), before.iter());
        let mut kept = told.told.clone();
        let change = told.change(network(NAMES), after.iter()).unwrap_or_default();
        for rule in &change.removed {
            let place = kept.iter().position(|other| other == rule);
            kept.remove(place.expect("a rule that was told"));
        }
        kept.extend(change.added);
        kept.sort_unstable();
        prop_assert_eq!(kept, told.told);
    }
}
