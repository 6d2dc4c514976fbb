//! Servers that are hosted.

use crate::support::{at, commands, hosted, sentences, server, tunneler};
use portcullis_channel::Moment;
use portcullis_domain::identity::Precedence;
use portcullis_tunnel_config::{AppData, Probe};
use portcullis_tunneler::{
    CheckId, Command, HostingTerms, Mode, Service, ServiceId, TerminatorId, TerminatorKey,
    TerminatorOptions, Tunneler,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

fn key(service: &str, index: usize) -> TerminatorKey {
    TerminatorKey {
        service: ServiceId::from(service),
        index,
    }
}

fn options(service: &str) -> TerminatorOptions {
    TerminatorOptions {
        service_name: service.into(),
        is_encrypted: false,
        identity: None,
        precedence: Precedence::Default,
        cost: 0,
        max_connections: None,
    }
}

/// The only command, which is to create a terminator.
fn to_create(tunneler: &mut Tunneler) -> (TerminatorId, TerminatorOptions) {
    match commands(tunneler).as_slice() {
        [Command::CreateTerminator(id, options)] => (id.clone(), options.clone()),
        others => panic!("{others:?}"),
    }
}

/// Creates the terminator that is to be created.
fn created(tunneler: &mut Tunneler) -> TerminatorId {
    let (id, _) = to_create(tunneler);
    tunneler.terminator_created(&id);
    id
}

fn update(terminator: &TerminatorId, precedence: Precedence, cost: u16) -> Command {
    Command::UpdateTerminator {
        terminator: terminator.clone(),
        precedence,
        cost,
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
fn terminators_come_and_go_with_services() {
    let mut tunneler = hosting([hosted("wiki", server(80))]);
    let (id, asked) = to_create(&mut tunneler);
    assert_eq!((&id.key, asked), (&key("wiki", 0), options("wiki")));
    assert!(tunneler.may_host(&id.key.service) && !tunneler.may_dial(&id.key.service));
    let target = tunneler
        .target(&id.key, &AppData::default())
        .expect("hosted")
        .expect("fixed");
    assert_eq!(target.to_string(), "tcp:127.0.0.1:80");

    tunneler.remove_service(&id.key.service, at(1));
    assert_eq!(
        commands(&mut tunneler),
        [
            Command::RemoveTerminator(id.clone()),
            Command::EndHosted(ServiceId::from("wiki"))
        ]
    );
    assert!(tunneler.terminator(&id.key).is_none());
    assert!(!tunneler.may_host(&id.key.service));
    assert_eq!(tunneler.poll_timeout(), None);
}

#[test]
fn each_server_of_a_service_has_a_terminator() {
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
    let commands = commands(&mut tunneler);
    assert!(
        matches!(commands.as_slice(), [Command::RemoveTerminator(id)] if id.key == key("wiki", 2)),
        "a server at another port keeps its terminator: {commands:?}"
    );
    let target = tunneler.target(&key("wiki", 1), &AppData::default());
    assert_eq!(target.expect("hosted").expect("fixed").port, 91);
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
    let (id, asked) = to_create(&mut tunneler);
    assert_eq!((asked.precedence, asked.cost), (Precedence::Required, 9));

    let terms = HostingTerms {
        precedence: None,
        cost: Some(11),
    };
    tunneler.set_service(Service { terms, ..wiki }, at(1));
    tunneler.set_identity(identity, (Precedence::Default, 7), at(1));
    assert_eq!(commands(&mut tunneler), [], "it is being created");
    tunneler.terminator_created(&id);
    assert_eq!(
        commands(&mut tunneler),
        [update(&id, Precedence::Default, 11)]
    );
    tunneler.terminator_created(&id);
    assert_eq!(commands(&mut tunneler), []);
}

#[test]
fn another_name_or_encryption_is_another_terminator() {
    let named = json!({"listenOptions": {"identity": "$tunneler_id.appData[site]"}});
    let wiki = hosted("wiki", server(80));
    let mut tunneler = hosting([wiki.clone()]);
    let first = created(&mut tunneler);
    let of_site = Service {
        configs: hosted("wiki", server_with(80, &named)).configs,
        ..wiki
    };
    let encrypted = Service {
        is_encrypted: true,
        ..of_site.clone()
    };
    let options_of_site = TerminatorOptions {
        identity: Some("north".to_owned()),
        ..options("wiki")
    };
    let expected = [
        (of_site, options_of_site.clone()),
        (
            encrypted.clone(),
            TerminatorOptions {
                is_encrypted: true,
                ..options_of_site
            },
        ),
    ];
    let mut before = first;
    for (service, options) in expected {
        tunneler.set_service(service, at(1));
        let mut commands = commands(&mut tunneler).into_iter();
        assert_eq!(
            commands.next(),
            Some(Command::RemoveTerminator(before.clone()))
        );
        let Some(Command::CreateTerminator(id, asked)) = commands.next() else {
            panic!("it is created anew")
        };
        assert_eq!(asked, options);
        // What is said late of the one does not count for the other.
        tunneler.terminator_ended(&before, at(1));
        assert_eq!(tunneler.poll_timeout(), None);
        before = id;
    }

    // The name of a service is known to nobody but people.
    let renamed = Service {
        name: "docs".into(),
        ..encrypted
    };
    tunneler.set_service(renamed, at(2));
    assert_eq!(commands(&mut tunneler), []);
    tunneler.terminator_ended(&before, at(3));
    let due = tunneler.poll_timeout().expect("it is created again");
    tunneler.handle_timeout(due);
    let (_, asked) = to_create(&mut tunneler);
    assert_eq!(asked.service_name.as_ref(), "docs");
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
    let told = sentences(&mut tunneler);
    assert_eq!(
        told[0],
        "bare: the service is not hosted: it has no configuration that names a server"
    );
    assert!(
        told[1].starts_with("broken: the service is not hosted: `host.v1`: "),
        "{told:?}"
    );
    assert_eq!(
        told[2],
        "nameless: a server of the service is not hosted: its `listenOptions.identity`: the identity has no app \
         data named `room`"
    );

    // One of several disturbs no other one.
    let config = json!({"terminators": [{"protocol": "tcp"}, server(81)]});
    let several = Service {
        configs: [("host.v2".to_owned(), config)].into(),
        ..hosted("several", server(80))
    };
    tunneler.set_service(several, at(0));
    let (id, _) = to_create(&mut tunneler);
    assert_eq!(id.key, key("several", 1));
    let told = sentences(&mut tunneler);
    assert!(
        told[0].starts_with(
            "several: a server of the service is not hosted: `host.v2`: terminators[0]"
        ),
        "{told:?}"
    );

    // What is known is not told again.
    let identity = portcullis_tunnel_config::TunnelerIdentity::default();
    tunneler.set_identity(identity, (Precedence::Required, 7), at(1));
    assert_eq!(sentences(&mut tunneler), Vec::<String>::new());
}

#[test]
fn terminators_that_end_are_created_again_later_and_later() {
    let mut tunneler = hosting([hosted("wiki", server(80))]);
    let (mut id, _) = to_create(&mut tunneler);
    let mut now = at(0);
    for pause in [5, 10, 20, 40, 80, 160, 180, 180].map(Duration::from_secs) {
        tunneler.terminator_ended(&id, now);
        // Said twice, it has ended once.
        tunneler.terminator_ended(&id, now);
        let due = tunneler.poll_timeout().expect("another attempt");
        assert!(now + pause <= due && due <= now + pause * 3 / 2, "{due:?}");
        tunneler.handle_timeout(now + pause / 2);
        assert_eq!(commands(&mut tunneler), []);
        now = due;
        tunneler.handle_timeout(now);
        let (again, asked) = to_create(&mut tunneler);
        assert_eq!(asked, options("wiki"));
        assert_ne!(again, id);
        id = again;
    }
    tunneler.terminator_created(&id);
    tunneler.terminator_ended(&id, now);
    let due = tunneler.poll_timeout().expect("another attempt");
    assert!(due < now + Duration::from_secs(10), "{due:?}");

    // While it waits, there is nothing to remove.
    tunneler.set_service(Service::new("wiki", "wiki"), now);
    assert_eq!(
        commands(&mut tunneler),
        [Command::EndHosted(ServiceId::from("wiki"))]
    );
    tunneler.handle_timeout(now + Duration::from_secs(1_000));
    assert_eq!(commands(&mut tunneler), []);
}

#[test]
fn terminators_that_end_together_are_created_again_one_after_the_other() {
    let services = (0..64).map(|number| hosted(&format!("s{number}"), server(80)));
    let mut tunneler = hosting(services);
    for command in commands(&mut tunneler) {
        let Command::CreateTerminator(id, _) = command else {
            panic!("{command:?}")
        };
        tunneler.terminator_created(&id);
        tunneler.terminator_ended(&id, at(0));
    }
    let mut most = 0;
    let mut all = 0;
    while let Some(due) = tunneler.poll_timeout() {
        tunneler.handle_timeout(due);
        let at_once = commands(&mut tunneler).len();
        most = most.max(at_once);
        all += at_once;
    }
    assert_eq!(all, 64);
    assert!(most < 8, "{most}");
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

/// The first check, and when it is due.
fn first_check(tunneler: &mut Tunneler, now: Moment) -> (CheckId, Moment) {
    let due = tunneler.poll_timeout().expect("a check is due");
    assert!(due < now + Duration::from_secs(5), "{due:?}");
    tunneler.handle_timeout(due);
    (the_check(tunneler), due)
}

fn the_check(tunneler: &mut Tunneler) -> CheckId {
    match commands(tunneler).as_slice() {
        [Command::Check(check)] => {
            assert_eq!(check.timeout, Duration::from_secs(2));
            assert!(matches!(check.probe, Probe::Port { .. }));
            check.id.clone()
        },
        others => panic!("{others:?}"),
    }
}

fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

#[test]
fn checks_are_repeated_and_change_precedence() {
    let mut tunneler = hosting([hosted("wiki", checked_server(80, "mark unhealthy"))]);
    let id = created(&mut tunneler);
    let (first, start) = first_check(&mut tunneler, at(0));
    assert_eq!(tunneler.poll_timeout(), None, "one at a time");

    tunneler.checked(&first, false, start + seconds(1));
    let unhealthy = Command::ReportHealth {
        terminator: id.clone(),
        is_healthy: false,
    };
    assert_eq!(commands(&mut tunneler), [unhealthy]);
    assert_eq!(tunneler.poll_timeout(), Some(start + seconds(10)));
    // A result counts once.
    tunneler.checked(&first, false, start + seconds(2));
    assert_eq!(commands(&mut tunneler), []);

    tunneler.handle_timeout(start + seconds(10));
    let second = the_check(&mut tunneler);
    let late = start + seconds(25);
    tunneler.checked(&second, false, late);
    assert_eq!(
        commands(&mut tunneler),
        [update(&id, Precedence::Failed, 0)]
    );
    assert_eq!(tunneler.poll_timeout(), Some(late), "it took too long");

    // A cost of its own does not heal it, nor does another terminator.
    let dearer = Service {
        terms: HostingTerms {
            precedence: None,
            cost: Some(3),
        },
        ..hosted("wiki", checked_server(80, "mark unhealthy"))
    };
    tunneler.set_service(dearer.clone(), late);
    assert_eq!(
        commands(&mut tunneler),
        [update(&id, Precedence::Failed, 3)]
    );
    let encrypted = Service {
        is_encrypted: true,
        ..dearer
    };
    tunneler.set_service(encrypted, late);
    let anew = commands(&mut tunneler);
    let [
        Command::RemoveTerminator(removed),
        Command::CreateTerminator(again, asked),
    ] = anew.as_slice()
    else {
        panic!("{anew:?}")
    };
    assert_eq!((removed, asked.precedence), (&id, Precedence::Failed));

    // One that is created again is as it was.
    tunneler.terminator_ended(again, late);
    let due = late + seconds(8);
    tunneler.handle_timeout(due);
    let again = commands(&mut tunneler);
    let is_failed = |command: &Command| {
        matches!(command, Command::CreateTerminator(_, options)
            if options.precedence == Precedence::Failed)
    };
    assert!(again.iter().any(is_failed), "{again:?}");
}

#[test]
fn what_checks_find_before_there_is_a_terminator_is_told_then() {
    let mut tunneler = hosting([hosted("wiki", checked_server(80, "increase cost 5"))]);
    let (id, _) = to_create(&mut tunneler);
    let (first, start) = first_check(&mut tunneler, at(0));
    tunneler.checked(&first, false, start);
    tunneler.handle_timeout(start + seconds(10));
    let second = the_check(&mut tunneler);
    tunneler.checked(&second, false, start + seconds(10));
    assert_eq!(commands(&mut tunneler), []);

    tunneler.terminator_created(&id);
    let unhealthy = Command::ReportHealth {
        terminator: id.clone(),
        is_healthy: false,
    };
    assert_eq!(
        commands(&mut tunneler),
        [update(&id, Precedence::Default, 5), unhealthy]
    );
}

#[test]
fn results_of_checks_that_are_no_more_do_not_count() {
    let mut tunneler = hosting([hosted("wiki", checked_server(80, "mark unhealthy"))]);
    created(&mut tunneler);
    let (old, start) = first_check(&mut tunneler, at(0));
    let changed = start + seconds(1);
    tunneler.set_service(
        hosted("wiki", checked_server(80, "increase cost 5")),
        changed,
    );
    tunneler.checked(&old, false, changed);
    assert_eq!(commands(&mut tunneler), []);

    let (new, start) = first_check(&mut tunneler, changed);
    // Another server behind the same checks goes on with them.
    tunneler.set_service(hosted("wiki", checked_server(81, "increase cost 5")), start);
    assert_eq!(commands(&mut tunneler), []);
    tunneler.checked(&new, true, start + seconds(1));
    assert_eq!(tunneler.poll_timeout(), Some(start + seconds(10)));
}
