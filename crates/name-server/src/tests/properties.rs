//! What holds whatever comes.

use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone)]
enum Step {
    /// A query of a client, with some bytes changed.
    Query(Client, Vec<u8>, Vec<(usize, u8)>),
    /// An answer to one of the queries, with some bytes changed.
    Answer(usize, u8, u8, Vec<(usize, u8)>),
    Unreachable(usize),
    Pass(u64),
    Remove,
    Insert,
}

const NAMES: [&str; 6] = [
    "wiki.corp",
    "a.all.corp",
    "b.all.corp",
    "example.com",
    "EXAMPLE.com",
    "2.0.64.100.in-addr.arpa",
];

fn changes() -> impl Strategy<Value = Vec<(usize, u8)>> {
    prop_oneof![
        3 => Just(Vec::new()),
        1 => prop::collection::vec((0..60_usize, any::<u8>()), 0..3),
    ]
}

fn queries() -> impl Strategy<Value = Vec<u8>> {
    let plain = (
        0..4_u16,
        0..NAMES.len(),
        prop::sample::select(vec![A, AAAA, PTR, ANY]),
    );
    let plain = plain.prop_map(|(id, name, rtype)| query(id, NAMES[name], rtype));
    let edns = (plain.clone(), any::<u16>(), 0..2_u8, any::<bool>());
    prop_oneof![
        plain,
        edns.prop_map(|(query, size, version, is_secure)| {
            with_edns(query, size, version, u16::from(is_secure) << 15)
        }),
        prop::collection::vec(any::<u8>(), 0..80),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let clients = (1..4_u16, any::<bool>()).prop_map(|(port, is_tcp)| Client {
        transport: if is_tcp {
            Transport::Tcp
        } else {
            Transport::Udp
        },
        ..client(port)
    });
    let answers = (any::<usize>(), 0..6_u8, 0..60_u8, changes());
    prop_oneof![
        6 => (clients, queries(), changes()).prop_map(|(client, query, changes)| Step::Query(client, query, changes)),
        3 => answers.prop_map(|(query, code, records, changes)| Step::Answer(query, code, records, changes)),
        1 => any::<usize>().prop_map(Step::Unreachable),
        2 => (0..2_000_u64).prop_map(Step::Pass),
        1 => Just(Step::Remove),
        1 => Just(Step::Insert),
    ]
}

fn change(message: &mut [u8], changes: &[(usize, u8)]) {
    for (place, bits) in changes {
        if let Some(byte) = message.get_mut(*place) {
            *byte ^= bits;
        }
    }
}

fn options(order: UpstreamOrder) -> NameServerOptions {
    let upstreams = [
        "udp://10.0.0.1:53",
        "tcp://10.0.0.2:53",
        "udp://[2001:db8::1]:53",
    ];
    NameServerOptions {
        upstreams: upstreams.map(|text| text.parse().unwrap()).into(),
        order,
        max_lookups: 5,
        max_waiting: 9,
        max_waiting_of_client: 9,
        ..NameServerOptions::default()
    }
}

proptest! {
    #[test]
    fn any_bytes_are_answered_once_at_most(message in prop::collection::vec(any::<u8>(), 0..600)) {
        let mut server = server(&NameServerOptions::default());
        server.handle_query(&message, client(1), &mut names("100.64.0.0/10"), at(0));
        let outputs = outputs(&mut server);
        prop_assert!(outputs.len() <= 1);
        if let Some(Output::Reply { message: reply, .. }) = outputs.first() {
            prop_assert_eq!(&reply[..2], &message[..2]);
            prop_assert!(reply[2] & 0x80 != 0 && message[2] & 0x80 == 0);
            prop_assert!(reply.len() <= 512);
        }
    }

    #[test]
    fn queries_get_one_answer_and_everything_ends(
        order in prop::sample::select(vec![
            UpstreamOrder::Parallel, UpstreamOrder::Serial, UpstreamOrder::Failover, UpstreamOrder::Random,
        ]),
        steps in prop::collection::vec(step(), 0..80),
    ) {
        let options = options(order);
        let mut server = server(&options);
        let mut names = names("100.64.0.0/28");
        let mut now = 0;
        // What upstreams were asked and are still to answer, and how many replies each client may still get.
        let mut asked: BTreeMap<UpstreamQueryId, (Upstream, Vec<u8>)> = BTreeMap::new();
        let mut forgotten = BTreeSet::new();
        let mut open: BTreeMap<(Client, [u8; 2]), u32> = BTreeMap::new();
        let quiet = [Step::Pass(4_000), Step::Pass(4_000)];
        for step in steps.into_iter().chain(quiet) {
            let chosen = |number: usize| {
                let place = number % asked.len().max(1);
                asked.iter().nth(place).map(|(query, asked)| (*query, asked.clone()))
            };
            match step {
                Step::Query(client, mut message, changes) => {
                    change(&mut message, &changes);
                    if let Some(id) = message.first_chunk() {
                        *open.entry((client, *id)).or_default() += 1;
                    }
                    server.handle_query(&message, client, &mut names, at(now));
                },
                Step::Answer(number, code, records, changes) => {
                    if let Some((query, (upstream, message))) = chosen(number) {
                        let mut message = answer(&message, code, records, &a_record([1, 2, 3, 4]).repeat(records.into()));
                        change(&mut message, &changes);
                        server.handle_answer(query, upstream.address, &message, at(now));
                    }
                },
                Step::Unreachable(number) => {
                    if let Some((query, _)) = chosen(number) {
                        server.handle_unreachable(query, at(now));
                    }
                },
                Step::Pass(millis) => {
                    now += millis;
                    server.handle_timeout(at(now));
                },
                Step::Remove => drop(names.remove(&"all")),
                Step::Insert => drop(names.insert("all", &intercept(&["*.all.corp"]))),
            }
            for output in outputs(&mut server) {
                match output {
                    Output::Reply { client, message } => {
                        let left = open.get_mut(&(client, *message.first_chunk().unwrap()));
                        let left = left.filter(|left| **left > 0);
                        prop_assert!(left.is_some(), "an answer that nobody asked for");
                        *left.unwrap() -= 1;
                        let longest = if client.transport == Transport::Udp { 1_232 } else { 65_535 };
                        prop_assert!(message.len() <= longest);
                    },
                    Output::Ask { query, upstream, message } => {
                        prop_assert!(asked.insert(query, (upstream, message)).is_none());
                    },
                    Output::Forget(query) => {
                        prop_assert!(asked.remove(&query).is_some() && forgotten.insert(query));
                    },
                }
            }
            prop_assert!(server.lookups() <= options.max_lookups);
            prop_assert!(server.waiting() <= options.max_waiting);
            // Each lookup asks three upstreams, three times at most.
            prop_assert!(asked.len() <= 9 * server.lookups());
            prop_assert!(names.len() <= 14);
        }
        prop_assert_eq!((server.lookups(), server.waiting(), asked.len()), (0, 0, 0));
        prop_assert_eq!(server.poll_timeout(), None);
        let counters = server.counters();
        let answered = counters.rejected + counters.answered + counters.without_address + counters.passed_on
            + counters.refused_full;
        prop_assert_eq!(counters.received, counters.dropped + counters.repeated + answered);
        // Queries of fewer than four bytes, and those that were no queries or repeated, have none.
        prop_assert!(u64::from(open.values().sum::<u32>()) <= counters.dropped + counters.repeated);
    }
}
