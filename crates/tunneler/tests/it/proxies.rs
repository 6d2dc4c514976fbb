//! Ports that stand for services.

use crate::support::{at, commands, dialed, intercepting, sentences, tunneler};
use portcullis_tunnel_config::Protocol;
use portcullis_tunneler::{Command, Mode, NoDial, ProxyPort, Service, ServiceId};
use serde_json::json;

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
    let dial = tunneler.dial_proxied(&tcp(80), local).expect("a service");
    assert_eq!(dial.service_name.as_ref(), "wiki");
    assert_eq!(dial.app_data.port.as_deref(), Some("80"));

    tunneler.remove_service(&ServiceId::from("wiki"), at(1));
    assert_eq!(
        commands(&mut tunneler),
        [
            Command::StopListening(tcp(80)),
            Command::StopListening(dns),
            Command::EndDialed(ServiceId::from("wiki")),
        ]
    );
    assert_eq!(
        tunneler.dial_proxied(&tcp(80), local),
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
