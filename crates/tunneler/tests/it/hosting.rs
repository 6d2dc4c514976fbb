//! Servers that are offered.

use crate::support::{at, commands, hosted, sentences, server, tunneler};
use portcullis_domain::identity::Precedence;
use portcullis_tunnel_config::{AppData, Probe};
use portcullis_tunneler::{
    CheckId, Command, HostingTerms, Mode, Offer, ServerKey, Service, ServiceId, Tunneler,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

fn key(service: &str, index: usize) -> ServerKey {
    ServerKey {
        service: ServiceId::from(service),
        index,
    }
}

fn offer(service: &str) -> Offer {
    Offer {
        service_name: service.into(),
        is_encrypted: false,
        identity: None,
        precedence: Precedence::Default,
        cost: 0,
        max_connections: None,
    }
}

fn hosting(services: impl IntoIterator<Item = Service>) -> Tunneler {
    let mut tunneler = tunneler(Mode::Host);
    for service in services {
        tunneler.set_service(service, at(0));
    }
    tunneler
}

/// `host.v1` with members added.
fn server_with(port: u16, members: &Value) -> Value {
    let mut config = server(port);
    for (name, value) in members.as_object().expect("an object") {
        config[name] = value.clone();
    }
    config
}

#[test]
fn servers_are_offered_and_withdrawn() {
    let mut tunneler = hosting([hosted("wiki", server(80))]);
    assert_eq!(
        commands(&mut tunneler),
        [Command::Offer(key("wiki", 0), offer("wiki"))]
    );
    let target = tunneler
        .target(&key("wiki", 0), &AppData::default())
        .expect("offered")
        .expect("fixed");
    assert_eq!(target.to_string(), "tcp:127.0.0.1:80");

    tunneler.remove_service(&ServiceId::from("wiki"), at(1));
    assert_eq!(
        commands(&mut tunneler),
        [
            Command::Withdraw(key("wiki", 0)),
            Command::EndHosted(ServiceId::from("wiki"))
        ]
    );
    assert!(
        tunneler
            .target(&key("wiki", 0), &AppData::default())
            .is_none()
    );
    assert_eq!(tunneler.poll_timeout(), None);
}

#[test]
fn each_server_of_a_service_is_offered_by_itself() {
    let several = |ports: &[u16]| {
        let servers: Vec<_> = ports.iter().map(|port| server(*port)).collect();
        let config = json!({ "terminators": servers });
        Service {
            may_host: true,
            configs: [("host.v2".to_owned(), config)].into(),
            ..Service::new("wiki", "wiki")
        }
    };
    let mut tunneler = hosting([several(&[80, 81, 82])]);
    assert_eq!(commands(&mut tunneler).len(), 3);
    tunneler.set_service(several(&[80, 91]), at(1));
    assert_eq!(
        commands(&mut tunneler),
        [Command::Withdraw(key("wiki", 2))],
        "a server at another port is not offered anew"
    );
    let target = tunneler.target(&key("wiki", 1), &AppData::default());
    assert_eq!(target.expect("offered").expect("fixed").port, 91);
}

#[test]
fn terms_of_the_service_count_before_those_of_the_identity() {
    let mut tunneler = tunneler(Mode::Host);
    let identity = portcullis_tunnel_config::TunnelerIdentity::default();
    tunneler.set_identity(identity.clone(), (Precedence::Required, 7), at(0));
    let wiki = hosted(
        "wiki",
        server_with(80, &json!({"listenOptions": {"cost": 9}})),
    );
    tunneler.set_service(wiki.clone(), at(0));
    let expected = Offer {
        precedence: Precedence::Required,
        cost: 9,
        ..offer("wiki")
    };
    assert_eq!(
        commands(&mut tunneler),
        [Command::Offer(key("wiki", 0), expected)]
    );

    let terms = HostingTerms {
        precedence: None,
        cost: Some(11),
    };
    tunneler.set_service(Service { terms, ..wiki }, at(1));
    tunneler.set_identity(identity, (Precedence::Default, 7), at(1));
    let reprice = |precedence| Command::Reprice {
        server: key("wiki", 0),
        precedence,
        cost: 11,
    };
    assert_eq!(
        commands(&mut tunneler),
        [reprice(Precedence::Required), reprice(Precedence::Default)]
    );
}

#[test]
fn another_name_or_encryption_is_another_offer() {
    let named = json!({"listenOptions": {"identity": "$tunneler_id.appData[site]"}});
    let wiki = hosted("wiki", server(80));
    let mut tunneler = hosting([wiki.clone()]);
    commands(&mut tunneler);
    let renamed = Service {
        configs: hosted("wiki", server_with(80, &named)).configs,
        ..wiki.clone()
    };
    let encrypted = Service {
        is_encrypted: true,
        ..renamed.clone()
    };
    let of_site = Offer {
        identity: Some("north".to_owned()),
        ..offer("wiki")
    };
    for (service, expected) in [
        (renamed, of_site.clone()),
        (
            encrypted,
            Offer {
                is_encrypted: true,
                ..of_site
            },
        ),
    ] {
        tunneler.set_service(service, at(1));
        assert_eq!(
            commands(&mut tunneler),
            [
                Command::Withdraw(key("wiki", 0)),
                Command::Offer(key("wiki", 0), expected)
            ]
        );
    }
}

#[test]
fn what_cannot_be_hosted_is_told() {
    let no_data = json!({"listenOptions": {"identity": "$tunneler_id.appData[room]"}});
    let without = Service {
        configs: BTreeMap::new(),
        ..hosted("bare", server(80))
    };
    let mut tunneler = hosting([
        without,
        hosted("broken", json!({"protocol": "tcp", "address": "127.0.0.1"})),
        hosted("nameless", server_with(80, &no_data)),
    ]);
    assert_eq!(commands(&mut tunneler), []);
    let sentences = sentences(&mut tunneler);
    assert_eq!(
        sentences[0],
        "bare: the service is not hosted: it has no configuration that names a server"
    );
    assert!(
        sentences[1].starts_with("broken: the service is not hosted: `host.v1`: "),
        "{sentences:?}"
    );
    assert_eq!(
        sentences[2],
        "nameless: a server of the service is not offered: its `listenOptions.identity`: the identity has no app \
         data named `room`"
    );
}

#[test]
fn offers_that_end_are_made_again_later_and_later() {
    let mut tunneler = hosting([hosted("wiki", server(80))]);
    let wiki = key("wiki", 0);
    let again = [Command::Offer(wiki.clone(), offer("wiki"))];
    assert_eq!(commands(&mut tunneler), again);
    let mut now = 0;
    for pause in [5, 10, 20, 40, 80, 160, 180, 180] {
        tunneler.offer_ended(&wiki, at(now));
        // Said twice, it has ended once.
        tunneler.offer_ended(&wiki, at(now));
        assert_eq!(tunneler.poll_timeout(), Some(at(now + pause)));
        tunneler.handle_timeout(at(now + pause - 1));
        assert_eq!(commands(&mut tunneler), []);
        now += pause;
        tunneler.handle_timeout(at(now));
        assert_eq!(commands(&mut tunneler), again);
    }
    tunneler.offered(&wiki);
    tunneler.offer_ended(&wiki, at(now));
    assert_eq!(tunneler.poll_timeout(), Some(at(now + 5)));

    // While it waits, nobody has anything to withdraw.
    tunneler.set_service(Service::new("wiki", "wiki"), at(now + 1));
    assert_eq!(
        commands(&mut tunneler),
        [Command::EndHosted(ServiceId::from("wiki"))]
    );
    tunneler.handle_timeout(at(now + 1_000));
    assert_eq!(commands(&mut tunneler), []);
}

fn checked_server(port: u16, action: &str) -> Value {
    server_with(
        port,
        &json!({"portChecks": [{
            "address": "127.0.0.1:80", "interval": "10s", "timeout": "2s",
            "actions": [
                {"trigger": "fail", "consecutiveEvents": 2, "action": action},
                {"trigger": "pass", "action": "mark healthy"},
                {"trigger": "change", "action": "send event"},
            ],
        }]}),
    )
}

fn the_check(tunneler: &mut Tunneler) -> CheckId {
    let mut checks = commands(tunneler)
        .into_iter()
        .filter_map(|command| match command {
            Command::Check(check) => {
                assert_eq!(check.timeout, Duration::from_secs(2));
                assert!(matches!(check.probe, Probe::Port { .. }));
                Some(check.id)
            },
            _ => None,
        });
    let check = checks.next().expect("a check");
    assert_eq!(checks.next(), None);
    check
}

#[test]
fn checks_are_repeated_and_change_precedence() {
    let mut tunneler = hosting([hosted("wiki", checked_server(80, "mark unhealthy"))]);
    tunneler.handle_timeout(at(0));
    let first = the_check(&mut tunneler);
    assert_eq!(tunneler.poll_timeout(), None, "one at a time");

    tunneler.checked(&first, false, at(1));
    let unhealthy = Command::TellHealth {
        server: key("wiki", 0),
        is_healthy: false,
    };
    assert_eq!(commands(&mut tunneler), [unhealthy]);
    assert_eq!(tunneler.poll_timeout(), Some(at(10)));
    // A result counts once.
    tunneler.checked(&first, false, at(2));
    assert_eq!(commands(&mut tunneler), []);

    tunneler.handle_timeout(at(10));
    let second = the_check(&mut tunneler);
    tunneler.checked(&second, false, at(25));
    let reprice = |precedence| Command::Reprice {
        server: key("wiki", 0),
        precedence,
        cost: 0,
    };
    assert_eq!(commands(&mut tunneler), [reprice(Precedence::Failed)]);
    assert_eq!(tunneler.poll_timeout(), Some(at(25)), "it took too long");

    // A server that is offered again is as it was.
    tunneler.offer_ended(&key("wiki", 0), at(25));
    tunneler.handle_timeout(at(30));
    let offers = commands(&mut tunneler);
    assert!(
        offers
            .iter()
            .any(|command| matches!(command, Command::Offer(_, offer)
            if offer.precedence == Precedence::Failed)),
        "{offers:?}"
    );
}

#[test]
fn results_of_checks_that_are_no_more_do_not_count() {
    let mut tunneler = hosting([hosted("wiki", checked_server(80, "mark unhealthy"))]);
    tunneler.handle_timeout(at(0));
    let old = the_check(&mut tunneler);
    tunneler.set_service(hosted("wiki", checked_server(80, "increase cost 5")), at(1));
    tunneler.checked(&old, false, at(1));
    assert_eq!(commands(&mut tunneler), []);

    tunneler.handle_timeout(at(1));
    let new = the_check(&mut tunneler);
    // Another server behind the same checks goes on with them.
    tunneler.set_service(hosted("wiki", checked_server(81, "increase cost 5")), at(2));
    assert_eq!(commands(&mut tunneler), []);
    tunneler.checked(&new, true, at(2));
    assert_eq!(tunneler.poll_timeout(), Some(at(11)));
}
