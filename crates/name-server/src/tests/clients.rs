//! What clients that ask the same, too much, or more than fits get.

use super::*;

const UPSTREAM: &str = "udp://10.0.0.1:53";

fn options() -> NameServerOptions {
    NameServerOptions {
        upstreams: vec![UPSTREAM.parse().unwrap()],
        ..NameServerOptions::default()
    }
}

struct World {
    server: NameServer,
    names: Names,
}

impl World {
    fn new(options: &NameServerOptions) -> Self {
        Self {
            server: server(options),
            names: names("100.64.0.0/10"),
        }
    }

    fn ask(&mut self, client: Client, message: &[u8]) -> Vec<Output> {
        self.server
            .handle_query(message, client, &mut self.names, at(0));
        outputs(&mut self.server)
    }

    /// Answers what an upstream was asked, with so many records. The answer is what each client gets.
    fn answer(&mut self, asked: &Output, records: u8) -> Vec<(Client, Vec<u8>)> {
        let Output::Ask {
            query,
            upstream,
            message,
        } = asked
        else {
            panic!("{asked:?}")
        };
        let records_of = a_record([203, 0, 113, 9]).repeat(records.into());
        let message = answer(message, 0, records, &records_of);
        self.server
            .handle_answer(*query, upstream.address, &message, at(0));
        let replies = outputs(&mut self.server).into_iter();
        replies
            .filter_map(|output| match output {
                Output::Reply { client, message } => Some((client, message)),
                Output::Ask { .. } | Output::Forget(_) => None,
            })
            .collect()
    }
}

fn over_tcp(port: u16) -> Client {
    Client {
        transport: Transport::Tcp,
        ..client(port)
    }
}

#[test]
fn one_question_is_asked_once_and_each_client_gets_the_answer() {
    let mut world = World::new(&options());
    let asked = world.ask(client(1), &query(1, "example.com", A));
    assert_eq!(asked.len(), 1);
    let other_socket = Client {
        socket: 1,
        ..client(1)
    };
    for (client, id, name) in [
        (client(2), 1, "EXAMPLE.com"),
        (client(1), 2, "example.com"),
        (other_socket, 1, "example.COM"),
    ] {
        assert_eq!(world.ask(client, &query(id, name, A)), []);
    }
    // The first query, sent again, and a different spelling of it.
    assert_eq!(world.ask(client(1), &query(1, "example.com", A)), []);
    assert_eq!(world.ask(client(1), &query(1, "Example.com", A)), []);
    let replies = world.answer(&asked[0], 1);
    let told: Vec<_> = replies
        .iter()
        .map(|(client, message)| {
            let name = words(message).split("; ").nth(2).unwrap().to_owned();
            (client.address.port(), client.socket, message[1], name)
        })
        .collect();
    let expected = [
        (1, 0, 1, "example.com"),
        (1, 0, 2, "example.com"),
        (1, 1, 1, "example.COM"),
        (2, 0, 1, "EXAMPLE.com"),
    ];
    assert_eq!(
        told,
        expected.map(|(port, socket, id, name)| (port, socket, id, name.to_owned()))
    );
    let counters = world.server.counters();
    assert_eq!(
        (counters.passed_on, counters.joined, counters.repeated),
        (4, 3, 2)
    );
}

#[test]
fn what_upstreams_would_answer_otherwise_is_another_question() {
    let mut world = World::new(&options());
    let first = query(1, "example.com", A);
    let with_flags = |place: usize, flags: u8| {
        let mut message = first.clone();
        message[place] |= flags;
        message
    };
    let mut without_recursion = first.clone();
    without_recursion[2] = 0;
    for (case, message, flags) in [
        ("the first one", first.clone(), "RD"),
        ("another type", query(1, "example.com", AAAA), "RD"),
        ("no recursion", without_recursion, ""),
        ("no checking", with_flags(3, 0x10), "RD CD"),
        ("authentic data", with_flags(3, 0x20), "RD AD"),
        (
            "EDNS",
            with_edns(first.clone(), 4_096, 0, 0),
            "RD; EDNS 1232",
        ),
        (
            "DNSSEC",
            with_edns(first.clone(), 4_096, 0, 0x8000),
            "RD; EDNS 1232 do",
        ),
    ] {
        let outputs = world.ask(client(1), &message);
        let [Output::Ask { message, .. }] = &*outputs else {
            panic!("{case}: {outputs:?}")
        };
        let expected = match flags.split_once("; ") {
            Some((flags, edns)) => format!("NOERROR; {flags}; example.com; {edns}"),
            None => format!("NOERROR; {flags}; example.com"),
        };
        assert_eq!(words(message), expected, "{case}");
    }
    let outputs = world.ask(over_tcp(1), &first);
    let [Output::Ask { upstream, .. }] = &*outputs else {
        panic!("{outputs:?}")
    };
    assert_eq!(upstream.transport, Transport::Tcp);
}

#[test]
fn what_is_too_long_for_a_client_is_truncated() {
    let small = query(1, "example.com", A);
    for (case, client, message, records, whole) in [
        ("no EDNS, short", client(1), small.clone(), 30, true),
        ("no EDNS, long", client(1), small.clone(), 31, false),
        (
            "EDNS of less",
            client(1),
            with_edns(small.clone(), 100, 0, 0),
            31,
            false,
        ),
        (
            "EDNS, short",
            client(1),
            with_edns(small.clone(), 1_000, 0, 0),
            50,
            true,
        ),
        (
            "EDNS, long",
            client(1),
            with_edns(small.clone(), 1_000, 0, 0),
            61,
            false,
        ),
        (
            "EDNS of more",
            client(1),
            with_edns(small.clone(), 4_096, 0, 0),
            76,
            false,
        ),
        ("TCP", over_tcp(1), small, 250, true),
    ] {
        let mut world = World::new(&options());
        let asked = world.ask(client, &message);
        let replies = world.answer(&asked[0], records);
        let [(_, reply)] = &*replies else {
            panic!("{case}")
        };
        let has_edns = message[11] > 0;
        if whole {
            assert_eq!(
                words(reply).matches("203.0.113.9").count(),
                usize::from(records),
                "{case}"
            );
        } else {
            let edns = if has_edns { "; EDNS 1232" } else { "" };
            let expected = format!("NOERROR; QR TC RD RA; example.com{edns}");
            assert_eq!(words(reply), expected, "{case}");
        }
    }
}

#[test]
fn few_get_copies_of_what_may_be_long() {
    let mut world = World::new(&options());
    let asked = world.ask(over_tcp(1), &query(0, "example.com", A));
    for id in 1..100 {
        world.ask(over_tcp(1), &query(id, "example.com", A));
    }
    assert_eq!(world.answer(&asked[0], 250).len(), 64);
    assert_eq!(world.server.counters().refused_full, 36);
}

#[test]
fn there_is_an_end_to_what_waits() {
    let mut world = World::new(&NameServerOptions {
        max_lookups: 3,
        max_waiting: 6,
        max_waiting_of_client: 4,
        ..options()
    });
    let other = Client {
        address: "192.0.2.8:1".parse().unwrap(),
        ..client(1)
    };
    let mut failed = Vec::new();
    for (who, id, name) in [
        (client(1), 1, "a.com"),
        (client(1), 2, "a.com"),
        (client(1), 3, "b.com"),
        (client(2), 4, "c.com"),
        (client(3), 5, "a.com"), // the address has four
        (other, 6, "d.com"),     // a fourth question
        (other, 7, "a.com"),
        (other, 8, "a.com"),
        (other, 9, "a.com"), // the seventh query
    ] {
        for output in world.ask(who, &query(id, name, A)) {
            if let Output::Reply { message, .. } = output {
                assert!(words(&message).starts_with("SERVFAIL"), "{id}");
                failed.push(id);
            }
        }
    }
    assert_eq!(failed, [5, 6, 9]);
    assert_eq!((world.server.lookups(), world.server.waiting()), (3, 6));
    assert_eq!(world.server.counters().refused_full, 3);
    let told = events(&mut world.server);
    assert_eq!(told, [NameServerEvent::TooManyQueries]);
}
