//! What is answered without anybody else.

use super::*;

/// The answer to one message, in words.
fn answered(server: &mut NameServer, names: &mut Names, message: &[u8]) -> Option<String> {
    server.handle_query(message, client(5000), names, at(0));
    match &*outputs(server) {
        [] => None,
        [
            Output::Reply {
                client: to,
                message: reply,
            },
        ] => {
            assert_eq!(*to, client(5000));
            assert_eq!(reply[..2], message[..2], "the identifier");
            Some(words(reply))
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn intercepted_names_are_answered() {
    let mut server = server(&NameServerOptions::default());
    let mut names = names("100.64.0.0/10");
    for (name, rtype, expected) in [
        (
            "wiki.corp",
            A,
            "NOERROR; QR AA RD; wiki.corp; 60 A 100.64.0.2",
        ),
        (
            "WiKi.CORP",
            A,
            "NOERROR; QR AA RD; WiKi.CORP; 60 A 100.64.0.2",
        ),
        (
            "x.all.corp",
            ANY,
            "NOERROR; QR AA RD; x.all.corp; 60 A 100.64.0.3",
        ),
        (
            "all.corp",
            A,
            "NOERROR; QR AA RD; all.corp; 60 A 100.64.0.4",
        ),
        ("wiki.corp", AAAA, "NOERROR; QR AA RD; wiki.corp"),
        ("wiki.corp", HTTPS, "NOERROR; QR AA RD; wiki.corp"),
        ("wiki.corp", MX, "NOERROR; QR AA RD; wiki.corp"),
        (
            "2.0.64.100.in-addr.arpa",
            PTR,
            "NOERROR; QR AA RD; 2.0.64.100.in-addr.arpa; 60 PTR wiki.corp.",
        ),
        (
            "2.0.64.100.in-addr.arpa",
            A,
            "NOERROR; QR AA RD; 2.0.64.100.in-addr.arpa",
        ),
        (
            "9.0.64.100.in-addr.arpa",
            PTR,
            "NXDOMAIN; QR AA RD; 9.0.64.100.in-addr.arpa",
        ),
        ("a.wiki.corp", A, "REFUSED; QR RD; a.wiki.corp"),
        (
            "2.0.0.10.in-addr.arpa",
            PTR,
            "REFUSED; QR RD; 2.0.0.10.in-addr.arpa",
        ),
        ("", A, "REFUSED; QR RD; ."),
    ] {
        let reply = answered(&mut server, &mut names, &query(7, name, rtype));
        assert_eq!(reply.as_deref(), Some(expected), "{name} {rtype}");
    }
    let assigned: Vec<_> = events(&mut server)
        .into_iter()
        .map(|event| match event {
            NameServerEvent::AddressAssigned { name, address } => format!("{name} {address}"),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        assigned,
        [
            "wiki.corp 100.64.0.2",
            "x.all.corp 100.64.0.3",
            "all.corp 100.64.0.4"
        ]
    );
}

#[test]
fn addresses_of_ipv6_are_told_as_such() {
    let options = NameServerOptions {
        ttl: Duration::from_secs(5),
        ..NameServerOptions::default()
    };
    let mut server = server(&options);
    let mut names = names("fd00::/64");
    let reverse = format!("2.{}0.0.d.f.ip6.arpa", "0.".repeat(27));
    for (name, rtype, expected) in [
        ("wiki.corp", A, None),
        ("wiki.corp", AAAA, Some("5 AAAA fd00::2")),
        (&*reverse, PTR, Some("5 PTR wiki.corp.")),
    ] {
        let reply = answered(&mut server, &mut names, &query(7, name, rtype)).unwrap();
        let records = expected
            .map(|record| format!("; {record}"))
            .unwrap_or_default();
        assert_eq!(reply, format!("NOERROR; QR AA RD; {name}{records}"));
    }
}

/// Messages that are no queries that can be looked into, and what they get.
fn faulty() -> Vec<(&'static str, Vec<u8>, Option<&'static str>)> {
    let valid = query(7, "wiki.corp", A);
    let changed = |place: usize, byte: u8| {
        let mut message = valid.clone();
        message[place] = byte;
        message
    };
    let edns = |version, count| {
        let mut message = valid.clone();
        for _ in 0..count {
            message = with_edns(message, 1_232, version, 0);
        }
        message
    };
    let mut chaos = valid.clone();
    *chaos.last_mut().unwrap() = 3;
    let mut two = changed(5, 2);
    two.extend(question("wiki.corp", A, 1));
    let mut opt_of_a_name = changed(11, 1);
    opt_of_a_name.extend([0xc0, 12, 0, 41, 4, 0, 0, 0, 0, 0, 0, 0]);
    let mut pointer = valid[..12].to_vec();
    pointer.extend([0xc0, 12, 0, 1, 0, 1]);
    vec![
        ("an answer", changed(2, 0x81), None),
        ("three bytes", valid[..3].to_vec(), None),
        ("nothing", vec![], None),
        (
            "a short header",
            valid[..4].to_vec(),
            Some("FORMERR; QR RD"),
        ),
        ("a short answer", vec![0, 7, 0x80, 0], None),
        (
            "a header alone",
            valid[..12].to_vec(),
            Some("FORMERR; QR RD"),
        ),
        (
            "a short question",
            valid[..20].to_vec(),
            Some("FORMERR; QR RD"),
        ),
        ("a question too many", two, Some("FORMERR; QR RD")),
        ("no question", changed(5, 0), Some("FORMERR; QR RD")),
        (
            "a name that is its own end",
            pointer,
            Some("FORMERR; QR RD"),
        ),
        ("a missing record", changed(11, 1), Some("FORMERR; QR RD")),
        ("two OPT records", edns(0, 2), Some("FORMERR; QR RD")),
        ("OPT of a name", opt_of_a_name, Some("FORMERR; QR RD")),
        (
            "another EDNS",
            edns(1, 1),
            Some("BADVERS; QR RD; wiki.corp; EDNS 1232"),
        ),
        ("an update", changed(2, 0x28), Some("NOTIMP; QR")),
        ("another class", chaos, Some("REFUSED; QR RD; wiki.corp")),
        (
            "a transfer",
            query(7, "corp", AXFR),
            Some("REFUSED; QR RD; corp"),
        ),
        (
            "OPT as a question",
            query(7, "corp", 41),
            Some("FORMERR; QR RD; corp"),
        ),
    ]
}

#[test]
fn what_cannot_be_looked_into_gets_an_error() {
    let valid = query(7, "wiki.corp", A);
    let mut server = server(&NameServerOptions::default());
    let mut names = names("100.64.0.0/10");
    for (case, message, expected) in faulty() {
        let reply = if message.len() < 2 {
            server.handle_query(&message, client(5000), &mut names, at(0));
            assert_eq!(outputs(&mut server), []);
            None
        } else {
            answered(&mut server, &mut names, &message)
        };
        assert_eq!(reply.as_deref(), expected, "{case}");
    }
    let counters = server.counters();
    assert_eq!(
        (counters.received, counters.dropped, counters.rejected),
        (18, 4, 14)
    );
    let nowhere = client(0);
    server.handle_query(&valid, nowhere, &mut names, at(0));
    assert_eq!(outputs(&mut server), []);
}

#[test]
fn what_clients_say_by_edns_is_answered() {
    let mut server = server(&NameServerOptions::default());
    let mut names = names("100.64.0.0/10");
    let asked = with_edns(query(7, "wiki.corp", A), 4_096, 0, 0x8000);
    let reply = answered(&mut server, &mut names, &asked);
    assert_eq!(
        reply.as_deref(),
        Some("NOERROR; QR AA RD; wiki.corp; 60 A 100.64.0.2; EDNS 1232 do")
    );
    let refused = with_edns(query(7, "example.com", A), 512, 0, 0);
    let reply = answered(&mut server, &mut names, &refused);
    assert_eq!(
        reply.as_deref(),
        Some("REFUSED; QR RD; example.com; EDNS 1232")
    );
}

#[test]
fn the_longest_names_fit_into_an_answer() {
    let label = "a".repeat(60);
    let name = format!("{label}.{label}.{label}.{}.corp", "b".repeat(57));
    let mut names = Names::new(NameAddresses::default(), NameLimits::default());
    names.insert("all", &intercept(&["*.corp"]));
    let mut server = server(&NameServerOptions::default());
    let asked = with_edns(query(7, &name, A), 512, 0, 0);
    server.handle_query(&asked, client(5000), &mut names, at(0));
    let replies = outputs(&mut server);
    let [Output::Reply { message, .. }] = &*replies else {
        panic!("{replies:?}")
    };
    assert!(message.len() <= 512, "{}", message.len());
    let reverse = query(7, "2.0.64.100.in-addr.arpa", PTR);
    let reply = answered(&mut server, &mut names, &reverse).unwrap();
    assert!(reply.ends_with(&format!("60 PTR {name}.")), "{reply}");
}

#[test]
fn names_that_no_host_has_are_other_names() {
    let mut names = Names::new(NameAddresses::default(), NameLimits::default());
    names.insert("all", &intercept(&["*.corp"]));
    let mut server = server(&NameServerOptions::default());
    for label in ["a.b", "a b", "a\u{1}", "*"] {
        let mut asked = query(7, &format!("{}.corp", "x".repeat(label.len())), A);
        asked[13..13 + label.len()].copy_from_slice(label.as_bytes());
        server.handle_query(&asked, client(5000), &mut names, at(0));
        let replies = outputs(&mut server);
        let [Output::Reply { message, .. }] = &*replies else {
            panic!("{replies:?}")
        };
        assert!(words(message).starts_with("REFUSED"), "{label}");
    }
    assert!(names.is_empty());
}

#[test]
fn without_an_address_there_is_a_failure_that_is_told_once() {
    let mut server = server(&NameServerOptions::default());
    let mut names = names("192.0.2.0/30");
    let ask = |server: &mut NameServer, names: &mut Names, name: &str| {
        answered(server, names, &query(7, name, A)).unwrap()
    };
    ask(&mut server, &mut names, "wiki.corp");
    ask(&mut server, &mut names, "a.all.corp");
    events(&mut server);
    let failure = ask(&mut server, &mut names, "b.all.corp");
    assert_eq!(failure, "SERVFAIL; QR RD; b.all.corp");
    ask(&mut server, &mut names, "c.all.corp");
    let told: Vec<_> = events(&mut server)
        .into_iter()
        .map(|event| match event {
            NameServerEvent::NoAddress { name, reason } => format!("{name}: {reason}"),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        told,
        ["b.all.corp: all addresses of 192.0.2.0/30 are in use; a larger range is needed"]
    );
    assert_eq!(server.counters().without_address, 2);

    let released = names.remove(&"wiki");
    assert_eq!(released.len(), 1);
    let reply = ask(&mut server, &mut names, "b.all.corp");
    assert!(reply.ends_with("60 A 192.0.2.2"), "{reply}");
    ask(&mut server, &mut names, "c.all.corp");
    assert_eq!(
        events(&mut server).len(),
        2,
        "the address, and that there is none again"
    );
}

#[test]
fn other_names_get_what_is_wanted_without_upstreams() {
    for (unanswerable, expected) in [
        (Unanswerable::Refused, Some("REFUSED; QR RD; example.com")),
        (
            Unanswerable::ServerFailure,
            Some("SERVFAIL; QR RD; example.com"),
        ),
        (Unanswerable::Silence, None),
    ] {
        let options = NameServerOptions {
            unanswerable,
            ..NameServerOptions::default()
        };
        let mut server = server(&options);
        let reply = answered(
            &mut server,
            &mut names("100.64.0.0/10"),
            &query(7, "example.com", A),
        );
        assert_eq!(reply.as_deref(), expected);
        assert_eq!(server.counters().unanswerable, 1);
    }
}

#[test]
fn options_are_read_as_they_are_written_in_files() {
    for (word, order) in [
        ("Serial", Some(UpstreamOrder::Serial)),
        ("parallel", Some(UpstreamOrder::Parallel)),
        ("FAILOVER", Some(UpstreamOrder::Failover)),
        ("random", Some(UpstreamOrder::Random)),
        ("rr", None),
    ] {
        assert_eq!(word.parse::<UpstreamOrder>().ok(), order, "{word}");
    }
    for (word, unanswerable) in [
        ("refused", Some(Unanswerable::Refused)),
        ("ServFail", Some(Unanswerable::ServerFailure)),
        ("timeout", Some(Unanswerable::Silence)),
        ("drop", None),
    ] {
        assert_eq!(word.parse::<Unanswerable>().ok(), unanswerable, "{word}");
    }
    let error = "drop".parse::<Unanswerable>().unwrap_err().to_string();
    assert_eq!(
        error,
        "must be `refused`, `servfail` or `timeout`, not \"drop\""
    );
    for text in ["udp://10.0.0.2:53", "tcp://[2001:db8::1]:53"] {
        assert_eq!(text.parse::<Upstream>().unwrap().to_string(), text);
    }
    for text in [
        "10.0.0.2:53",
        "udp://10.0.0.2",
        "udp://10.0.0.2:0",
        "udp://dns.corp:53",
        "tls://10.0.0.2:53",
    ] {
        assert!(text.parse::<Upstream>().is_err(), "{text}");
    }
}
