//! Ports that stand for services.

use crate::support::{at, commands, dialed, intercept, intercepting, sentences, tunneler};
use portcullis_tunnel_config::Protocol;
use portcullis_tunneler::{Command, Mode, NoDial, ProxyPort, Service, ServiceId};
use serde_json::json;
use std::time::Duration;

fn tcp(port: u16) -> ProxyPort {
    ProxyPort {
        binding: None,
        protocol: Protocol::Tcp,
        port,
    }
}

#[test]
fn ports_of_the_mode_are_open_while_their_services_are_there() {
    let rules = ["wiki:80", "wiki:53:udp", "later:81"].map(|rule| rule.parse().expect("a rule"));
    let mut tunneler = tunneler(Mode::Proxy(rules.to_vec()));
    let dns = ProxyPort {
        protocol: Protocol::Udp,
        ..tcp(53)
    };
    let service = |name: &str| Service {
        may_dial: true,
        ..Service::new(name, name)
    };
    tunneler.set_service(service("wiki"), at(0));
    assert_eq!(
        commands(&mut tunneler),
        [Command::Listen(tcp(80)), Command::Listen(dns.clone())]
    );
    tunneler.set_service(service("later"), at(0));
    assert_eq!(commands(&mut tunneler), [Command::Listen(tcp(81))]);

    let local = "127.0.0.1:80".parse().expect("an address");
    let client = "192.0.2.7:5000".parse().expect("an address");
    let dial = tunneler
        .dial_proxied(&tcp(80), client, local)
        .expect("a service");
    assert_eq!(dial.service_name.as_ref(), "wiki");
    assert_eq!(dial.app_data.port.as_deref(), Some("80"));

    tunneler.remove_service(&ServiceId::from("wiki"), at(1));
    assert_eq!(
        commands(&mut tunneler),
        [
            Command::EndDialed(ServiceId::from("wiki")),
            Command::StopListening(tcp(80)),
            Command::StopListening(dns),
        ]
    );
    assert_eq!(
        tunneler.dial_proxied(&tcp(80), client, local),
        Err(NoDial::NoService)
    );
}

#[test]
fn a_port_that_two_services_want_goes_from_one_to_the_other() {
    let mut tunneler = intercepting();
    let service = |name: &str, protocols: &[&str]| {
        let config = json!({"port": 80, "protocols": protocols, "binding": "127.0.0.1"});
        dialed(name, "proxy.v1", config)
    };
    let port = ProxyPort {
        binding: Some("127.0.0.1".to_owned()),
        ..tcp(80)
    };
    tunneler.set_service(service("first", &["tcp"]), at(0));
    tunneler.set_service(service("second", &["tcp"]), at(0));
    assert_eq!(commands(&mut tunneler), [Command::Listen(port.clone())]);
    assert_eq!(
        sentences(&mut tunneler),
        [
            "second: the port tcp:127.0.0.1:80 does not stand for the service: it stands for first already"
        ]
    );

    tunneler.remove_service(&ServiceId::from("first"), at(1));
    assert_eq!(
        commands(&mut tunneler),
        [Command::EndDialed(ServiceId::from("first"))],
        "the port stays open"
    );
    assert_eq!(tunneler.service_of(&port), Some(&ServiceId::from("second")));
}

fn at_port(name: &str, port: u16, binding: &str) -> Service {
    let config = json!({"port": port, "protocols": ["tcp"], "binding": binding});
    dialed(name, "proxy.v1", config)
}

#[test]
fn ports_can_be_swapped() {
    let mut tunneler = intercepting();
    let services = |first, second| vec![at_port("first", first, ""), at_port("second", second, "")];
    tunneler.set_services(services(80, 81), at(0));
    assert_eq!(commands(&mut tunneler).len(), 2);
    tunneler.set_services(services(81, 80), at(1));
    assert_eq!(commands(&mut tunneler), [], "both stay open");
    assert_eq!(sentences(&mut tunneler), Vec::<String>::new());
    let holder = |port| tunneler.service_of(&tcp(port)).map(ServiceId::as_str);
    assert_eq!((holder(80), holder(81)), (Some("second"), Some("first")));
}

#[test]
fn a_port_at_all_addresses_is_in_the_way_of_it_at_one() {
    for all in ["", "0.0.0.0", "::"] {
        let mut tunneler = intercepting();
        tunneler.set_service(at_port("all", 80, all), at(0));
        tunneler.set_service(at_port("one", 80, "127.0.0.1"), at(0));
        tunneler.set_service(at_port("two", 80, "127.0.0.2"), at(0));
        let before = commands(&mut tunneler);
        assert_eq!(before.len(), 1, "{before:?}");
        assert_eq!(sentences(&mut tunneler).len(), 2);

        tunneler.remove_service(&ServiceId::from("all"), at(1));
        let [
            Command::EndDialed(_),
            Command::StopListening(_),
            Command::Listen(_),
            Command::Listen(_),
        ] = commands(&mut tunneler)[..]
        else {
            panic!("both are opened")
        };
    }
}

#[test]
fn ports_that_cannot_be_opened_are_told_and_tried_again() {
    let mut tunneler = intercepting();
    tunneler.set_service(at_port("wiki", 80, ""), at(0));
    commands(&mut tunneler);
    let mut now = at(0);
    for pause in [5, 10, 20].map(Duration::from_secs) {
        tunneler.listen_ended(&tcp(80), now);
        tunneler.listen_ended(&tcp(80), now);
        let due = tunneler.poll_timeout().expect("another attempt");
        assert!(now + pause <= due && due <= now + pause * 3 / 2, "{due:?}");
        now = due;
        tunneler.handle_timeout(now);
        assert_eq!(commands(&mut tunneler), [Command::Listen(tcp(80))]);
    }
    let told = "wiki: the port tcp:80 does not stand for the service at the moment: the tunneler cannot listen at it";
    assert_eq!(sentences(&mut tunneler), [told], "once");

    // It was open for long.
    now = now + Duration::from_secs(1_000);
    tunneler.listen_ended(&tcp(80), now);
    assert_eq!(sentences(&mut tunneler), [told]);
    let due = tunneler.poll_timeout().expect("another attempt");
    assert!(due < now + Duration::from_secs(10), "{due:?}");

    // There is nothing to close.
    tunneler.remove_service(&ServiceId::from("wiki"), now);
    assert_eq!(
        commands(&mut tunneler),
        [Command::EndDialed(ServiceId::from("wiki"))]
    );
    tunneler.handle_timeout(due);
    assert_eq!(commands(&mut tunneler), []);
    tunneler.listen_ended(&tcp(80), due);
    assert_eq!(tunneler.poll_timeout(), None);
}

#[test]
fn options_of_dialing_count_at_ports() {
    let rule = "wiki:80".parse().expect("a rule");
    let mut tunneler = tunneler(Mode::Proxy(vec![rule]));
    let mut config = intercept(&["wiki.corp"], (443, 443));
    config["sourceIp"] = json!("$src_ip:$src_port");
    config["dialOptions"] = json!({
        "identity": "$tunneler_id.appData[site]", "connectTimeoutSeconds": 9,
    });
    tunneler.set_service(dialed("wiki", "intercept.v1", config.clone()), at(0));
    let client = "192.0.2.7:5000".parse().expect("an address");
    let local = "127.0.0.1:80".parse().expect("an address");
    let dial = tunneler
        .dial_proxied(&tcp(80), client, local)
        .expect("a service");
    assert_eq!(dial.identity.as_deref(), Some("north"));
    assert_eq!(dial.app_data.source.as_deref(), Some("192.0.2.7:5000"));
    assert_eq!(dial.timeout, Duration::from_secs(9));

    // A name that is empty is none.
    config["dialOptions"] = json!({"identity": "$dst_hostname"});
    tunneler.set_service(dialed("wiki", "intercept.v1", config.clone()), at(1));
    let dial = tunneler
        .dial_proxied(&tcp(80), client, local)
        .expect("a service");
    assert_eq!(dial.identity, None);

    config["portRanges"] = json!([]);
    tunneler.set_service(dialed("wiki", "intercept.v1", config), at(2));
    let told = sentences(&mut tunneler);
    assert!(
        told[0].starts_with(
            "wiki: the service is dialed without the options of its configuration: `intercept.v1`: "
        ),
        "{told:?}"
    );
    assert!(tunneler.dial_proxied(&tcp(80), client, local).is_ok());
}

#[test]
fn rules_that_make_no_sense_are_refused() {
    for text in [
        "",
        "wiki",
        ":80",
        "wiki:0",
        "wiki:70000",
        "wiki:+80",
        "wiki:80:sctp",
        "wiki:80:tcp:1",
    ] {
        assert!(
            text.parse::<portcullis_tunneler::ProxyRule>().is_err(),
            "{text}"
        );
    }
}
