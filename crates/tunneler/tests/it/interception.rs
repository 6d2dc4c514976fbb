//! Connections that are intercepted.

use crate::support::{
    at, commands, commands_but_checks, dialed, intercept, intercepting, sentences, tunneler,
};
use portcullis_name_server::{NameLimits, ReleasedName};
use portcullis_tunnel_config::{HostName, Protocol};
use portcullis_tunneler::{
    Command, InterceptOptions, InterceptRule, Mode, NoDial, Service, ServiceId, Tunneler,
};
use serde_json::json;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

fn address(tunneler: &mut Tunneler, name: &str) -> IpAddr {
    let names = tunneler.names().expect("it intercepts");
    let name = HostName::new(name).expect("a name");
    let resolved = names.resolve(&name, at(60)).expect("an address is left");
    resolved.expect("the name is intercepted").address
}

fn service_of(tunneler: &Tunneler, destination: SocketAddr) -> Result<String, NoDial> {
    let source = "192.0.2.7:5000".parse().expect("an address");
    let dial = tunneler.dial_intercepted(Protocol::Tcp, source, destination)?;
    Ok(dial.service_name.to_string())
}

fn networks_of(commands: &[Command]) -> (Vec<String>, Vec<String>) {
    let [Command::Intercept(change)] = commands else {
        panic!("one change of rules: {commands:?}")
    };
    let shown = |rules: &[InterceptRule]| {
        let rules = rules.iter().map(|rule| rule.network.first().to_string());
        rules.collect()
    };
    (shown(&change.removed), shown(&change.added))
}

#[test]
fn names_need_no_rules_of_their_own() {
    let mut tunneler = intercepting();
    let wiki = dialed("wiki", "intercept.v1", intercept(&["wiki.corp"], (80, 80)));
    tunneler.set_service(wiki, at(0));
    let (_, added) = networks_of(&commands_but_checks(&mut tunneler));
    assert_eq!(added, ["100.64.0.0", "100.64.0.0"], "for TCP and UDP");

    let all = dialed("all", "intercept.v1", intercept(&["*.corp"], (1, 65_535)));
    tunneler.set_service(all, at(0));
    assert_eq!(commands(&mut tunneler), [Command::CheckFlows]);

    let wiki = address(&mut tunneler, "wiki.corp");
    let shop = address(&mut tunneler, "shop.corp");
    assert_eq!(
        service_of(&tunneler, (wiki, 80).into()).as_deref(),
        Ok("wiki")
    );
    assert_eq!(
        service_of(&tunneler, (wiki, 81).into()).as_deref(),
        Ok("all")
    );
    assert_eq!(
        service_of(&tunneler, (shop, 80).into()).as_deref(),
        Ok("all")
    );

    tunneler.remove_service(&ServiceId::from("all"), at(1));
    let released = ReleasedName {
        name: HostName::new("shop.corp").expect("a name"),
        address: shop,
    };
    assert_eq!(
        commands(&mut tunneler),
        [
            Command::ReleaseNames(vec![released]),
            Command::CheckFlows,
            Command::EndDialed(ServiceId::from("all"))
        ]
    );
    assert_eq!(
        service_of(&tunneler, (shop, 80).into()),
        Err(NoDial::NoService)
    );
}

#[test]
fn idle_names_are_released_when_names_are_short() {
    let options = InterceptOptions {
        name_limits: NameLimits {
            max_names: 2,
            ..NameLimits::default()
        },
        ..InterceptOptions::default()
    };
    let mut tunneler = tunneler(Mode::Intercept(options));
    let all = dialed("all", "intercept.v1", intercept(&["*.corp"], (80, 80)));
    tunneler.set_service(all, at(0));
    commands(&mut tunneler);
    let wiki = address(&mut tunneler, "wiki.corp");
    address(&mut tunneler, "shop.corp");
    let is_wiki = |address| address == wiki;
    tunneler.release_idle_names(at(3_659), is_wiki);
    assert_eq!(commands(&mut tunneler), []);
    tunneler.release_idle_names(at(3_660), is_wiki);
    let commands = commands(&mut tunneler);
    let [Command::ReleaseNames(released)] = commands.as_slice() else {
        panic!("names that are released: {commands:?}")
    };
    let names: Vec<_> = released.iter().map(|name| name.name.as_str()).collect();
    assert_eq!(names, ["shop.corp"]);
    assert_eq!(
        service_of(&tunneler, (wiki, 80).into()).as_deref(),
        Ok("all")
    );
}

#[test]
fn networks_have_rules_that_come_and_go_with_them() {
    let mut tunneler = intercepting();
    for (name, network) in [("wide", "10.0.0.0/8"), ("narrow", "10.1.0.0/16")] {
        let config = intercept(&[network], (80, 80));
        tunneler.set_service(dialed(name, "intercept.v1", config), at(0));
    }
    let (_, added) = networks_of(&commands_but_checks(&mut tunneler));
    assert_eq!(added, ["10.0.0.0", "100.64.0.0", "100.64.0.0"]);
    let inside = "10.1.2.3:80".parse().expect("an address");
    assert_eq!(service_of(&tunneler, inside).as_deref(), Ok("narrow"));

    tunneler.remove_service(&ServiceId::from("wide"), at(1));
    assert_eq!(
        tunneler.service_at(Protocol::Tcp, inside, inside),
        Some(&ServiceId::from("narrow"))
    );
    let commands = commands_but_checks(&mut tunneler);
    let (removed, added) = networks_of(&commands[..1]);
    assert_eq!(
        (removed, added),
        (vec!["10.0.0.0".into()], vec!["10.1.0.0".into()])
    );
    assert_eq!(commands[1..], [Command::EndDialed(ServiceId::from("wide"))]);
    assert_eq!(tunneler.rules().len(), 3);
}

#[test]
fn networks_among_the_addresses_of_names_are_told() {
    let mut tunneler = intercepting();
    let config = intercept(&["100.64.7.0/24", "10.0.0.0/8", "100.0.0.0/8"], (80, 80));
    let service = dialed("wiki", "intercept.v1", config);
    tunneler.set_service(service.clone(), at(0));
    let told = "wiki: connections to 100.64.7.0/24 are not intercepted for the service: addresses of \
                100.64.0.0/10 stand for names";
    assert_eq!(sentences(&mut tunneler), [told]);
    let within = "100.64.7.1:80".parse().expect("an address");
    assert_eq!(service_of(&tunneler, within), Err(NoDial::NoService));
    // A network around them is intercepted without them.
    let around = "100.63.7.1:80".parse().expect("an address");
    assert_eq!(service_of(&tunneler, around).as_deref(), Ok("wiki"));

    // Once.
    let encrypted = Service {
        is_encrypted: true,
        ..service
    };
    tunneler.set_service(encrypted, at(1));
    assert_eq!(sentences(&mut tunneler), Vec::<String>::new());
}

#[test]
fn connections_from_other_sources_pass_by() {
    let mut tunneler = intercepting();
    let mut config = intercept(&["10.1.0.0/16"], (80, 80));
    tunneler.set_service(dialed("wiki", "intercept.v1", config.clone()), at(0));
    commands(&mut tunneler);
    config["allowedSourceAddresses"] = json!(["192.0.2.0/24"]);
    tunneler.set_service(dialed("wiki", "intercept.v1", config), at(1));
    let commands = commands_but_checks(&mut tunneler);
    let [Command::Intercept(change)] = commands.as_slice() else {
        panic!("one change of rules: {commands:?}")
    };
    let source_of = |rules: &[InterceptRule]| match rules {
        [rule] => rule.source.map(|source| source.to_string()),
        rules => panic!("one rule: {rules:?}"),
    };
    assert_eq!(source_of(&change.removed), None);
    assert_eq!(source_of(&change.added).as_deref(), Some("192.0.2.0/24"));

    let destination = "10.1.2.3:80".parse().expect("an address");
    let service_from = |source: &str| {
        let source = source.parse().expect("an address");
        tunneler.service_at(Protocol::Tcp, source, destination)
    };
    assert_eq!(
        service_from("192.0.2.7:5000"),
        Some(&ServiceId::from("wiki"))
    );
    assert_eq!(service_from("198.51.100.7:5000"), None);
}

#[test]
fn a_dial_says_where_the_connection_went() {
    let mut tunneler = intercepting();
    let mut config = intercept(&["*.corp"], (443, 443));
    config["sourceIp"] = json!("$src_ip:$src_port");
    config["dialOptions"] = json!({"identity": "$dst_hostname", "connectTimeoutSeconds": 9});
    let service = Service {
        is_encrypted: true,
        ..dialed("wiki", "intercept.v1", config)
    };
    tunneler.set_service(service, at(0));
    let wiki = address(&mut tunneler, "Wiki.corp");
    let source = "192.0.2.7:5000".parse().expect("an address");
    let dial = tunneler
        .dial_intercepted(Protocol::Tcp, source, (wiki, 443).into())
        .expect("a service");
    assert_eq!(dial.identity.as_deref(), Some("wiki.corp"));
    assert_eq!(dial.timeout, Duration::from_secs(9));
    assert!(dial.is_encrypted);
    assert_eq!(dial.app_data.hostname.as_deref(), Some("wiki.corp"));
    assert_eq!(dial.app_data.source.as_deref(), Some("192.0.2.7:5000"));
    assert_eq!(
        tunneler.dial_intercepted(Protocol::Udp, source, (wiki, 443).into()),
        Err(NoDial::NoService)
    );
}

#[test]
fn a_configuration_that_is_broken_is_told_and_disturbs_nobody() {
    let mut tunneler = intercepting();
    let wiki = dialed(
        "wiki",
        "intercept.v1",
        intercept(&["10.1.0.0/16"], (80, 80)),
    );
    tunneler.set_service(wiki, at(0));
    commands(&mut tunneler);
    tunneler.set_service(
        dialed("bad", "intercept.v1", json!({"protocols": ["tcp"]})),
        at(0),
    );
    assert_eq!(commands(&mut tunneler), []);
    let sentences = sentences(&mut tunneler);
    assert!(
        sentences[0]
            .starts_with("bad: connections to the service are not intercepted: `intercept.v1`: "),
        "{sentences:?}"
    );
}

#[test]
fn interfaces_alone_are_told() {
    let mut tunneler = intercepting();
    let interfaces = json!({"interfaces": ["eth0", "eth1"]});
    let gate = dialed("gate", "interfaces.v1", interfaces.clone());
    tunneler.set_service(gate, at(0));
    assert_eq!(commands(&mut tunneler), []);
    assert_eq!(
        sentences(&mut tunneler),
        [
            "gate: connections to the service are not intercepted: its configuration names network interfaces \
             only (eth0, eth1), which takes a diverter beside the tunneler; an `intercept.v1` would name \
             destinations"
        ]
    );
    let mut both = dialed(
        "wiki",
        "intercept.v1",
        intercept(&["10.1.0.0/16"], (80, 80)),
    );
    both.configs.insert("interfaces.v1".to_owned(), interfaces);
    tunneler.set_service(both, at(0));
    assert_eq!(sentences(&mut tunneler), [""; 0]);
}

#[test]
fn two_thousand_services_are_intercepted_with_one_change() {
    let mut tunneler = intercepting();
    let ports: Vec<_> = (1..=10)
        .map(|place| json!({"low": place * 100, "high": place * 100 + 10}))
        .collect();
    let service = |number: u32, host: &str| {
        let config = json!({
            "protocols": ["tcp"],
            "addresses": [host, format!("10.{}.{}.0/24", number / 250, number % 250)],
            "portRanges": ports,
        });
        dialed(&format!("s{number}"), "intercept.v1", config)
    };
    let services = (0..2_000).map(|number| service(number, &format!("s{number}.corp")));
    tunneler.set_services(services.clone().collect(), at(0));
    let told = commands_but_checks(&mut tunneler);
    let (_, added) = networks_of(&told);
    assert_eq!(added.len(), 20_002);

    let changed = services.map(|service| {
        if service.id.as_str() == "s7" {
            return dialed("s7", "intercept.v1", intercept(&["10.9.9.0/24"], (1, 1)));
        }
        service
    });
    tunneler.set_services(changed.collect(), at(1));
    let (removed, added) = networks_of(&commands_but_checks(&mut tunneler));
    assert_eq!((removed.len(), added.len()), (10, 1));
}
