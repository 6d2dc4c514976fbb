//! Queries that are passed on.

use super::*;

const FIRST: &str = "udp://10.0.0.1:53";
const SECOND: &str = "udp://10.0.0.2:53";

struct World {
    server: NameServer,
    names: Names,
    entropy: Arc<SeededEntropy>,
    now: u64,
}

/// A query that an upstream was asked.
#[derive(Debug, Clone)]
struct Asked {
    query: UpstreamQueryId,
    upstream: Upstream,
    message: Vec<u8>,
}

#[derive(Debug, Default)]
struct Done {
    replies: Vec<(Client, Vec<u8>)>,
    asked: Vec<Asked>,
    forgotten: Vec<UpstreamQueryId>,
}

fn world(order: UpstreamOrder, upstreams: &[&str]) -> World {
    let upstreams = upstreams.iter().map(|text| text.parse().unwrap());
    let options = NameServerOptions {
        upstreams: upstreams.collect(),
        order,
        ..NameServerOptions::default()
    };
    let entropy = Arc::new(SeededEntropy::default());
    World {
        server: NameServer::new(&options, entropy.clone()),
        names: names("100.64.0.0/10"),
        entropy,
        now: 0,
    }
}

impl World {
    fn done(&mut self) -> Done {
        let mut done = Done::default();
        for output in outputs(&mut self.server) {
            match output {
                Output::Reply { client, message } => done.replies.push((client, message)),
                Output::Ask {
                    query,
                    upstream,
                    message,
                } => done.asked.push(Asked {
                    query,
                    upstream,
                    message,
                }),
                Output::Forget(query) => done.forgotten.push(query),
            }
        }
        done
    }

    fn ask(&mut self, client: Client, message: &[u8]) -> Done {
        self.server
            .handle_query(message, client, &mut self.names, at(self.now));
        self.done()
    }

    fn answer(&mut self, asked: &Asked, message: &[u8]) -> Done {
        let from = asked.upstream.address;
        self.server
            .handle_answer(asked.query, from, message, at(self.now));
        self.done()
    }

    /// Lets time pass, to the instant at which the server wants to be called.
    fn wait(&mut self, millis: u64) -> Done {
        self.now += millis;
        assert_eq!(self.server.poll_timeout(), Some(at(self.now)));
        self.server.handle_timeout(at(self.now));
        self.done()
    }
}

fn upstreams(done: &Done) -> Vec<String> {
    done.asked
        .iter()
        .map(|asked| asked.upstream.to_string())
        .collect()
}

fn answer_of(asked: &Asked) -> Vec<u8> {
    answer(&asked.message, 0, 1, &a_record([203, 0, 113, 9]))
}

#[test]
fn an_answer_goes_to_the_client_with_its_own_identifier_and_spelling() {
    let mut world = world(UpstreamOrder::Parallel, &[FIRST]);
    let done = world.ask(client(5000), &query(0x1234, "Example.COM", A));
    let [asked] = &*done.asked else {
        panic!("{done:?}")
    };
    assert_eq!(asked.upstream.to_string(), FIRST);
    assert_ne!(asked.message[..2], [0x12, 0x34]);
    assert_eq!(words(&asked.message), "NOERROR; RD; Example.COM");

    let reply = answer(
        &asked.message.to_ascii_lowercase(),
        0,
        1,
        &a_record([203, 0, 113, 9]),
    );
    let mut reply = reply;
    reply[..2].copy_from_slice(&asked.message[..2]);
    let done = world.answer(asked, &reply);
    assert_eq!(done.forgotten, [asked.query]);
    let [(to, message)] = &*done.replies else {
        panic!("{done:?}")
    };
    assert_eq!(
        (*to, &message[..2]),
        (client(5000), [0x12, 0x34].as_slice())
    );
    assert_eq!(
        words(message),
        "NOERROR; QR RD RA; Example.COM; 256 A 203.0.113.9"
    );
    assert_eq!((world.server.lookups(), world.server.waiting()), (0, 0));
    assert_eq!(world.server.poll_timeout(), None);

    let late = world.answer(asked, &reply);
    assert!(late.replies.is_empty());
    assert_eq!(world.server.counters().forged, 0, "it is only late");
}

#[test]
fn what_is_no_answer_to_the_query_is_not_believed() {
    let mut world = world(UpstreamOrder::Parallel, &[FIRST]);
    let done = world.ask(client(5000), &query(7, "example.com", A));
    let asked = done.asked[0].clone();
    let good = answer_of(&asked);
    let changed = |place: usize, byte: u8| {
        let mut message = good.clone();
        message[place] ^= byte;
        message
    };
    for (case, message) in [
        ("another identifier", changed(1, 1)),
        ("a query", changed(2, 0x80)),
        ("another opcode", changed(2, 0x10)),
        ("no question", changed(5, 1)),
        ("two questions", changed(5, 3)),
        ("another name", changed(14, 1)),
        ("a name of other labels", changed(12, 1)),
        ("another type", changed(12 + 14, 2)),
        (
            "a type that would be the same as a letter",
            changed(12 + 14, 0x20),
        ),
        ("another class", changed(12 + 16, 2)),
        ("a short one", good[..20].to_vec()),
        ("nothing", vec![]),
    ] {
        let done = world.answer(&asked, &message);
        assert!(done.replies.is_empty(), "{case}");
    }
    for from in ["10.0.0.1:54", "10.0.0.2:53"] {
        world
            .server
            .handle_answer(asked.query, from.parse().unwrap(), &good, at(0));
        assert!(world.done().replies.is_empty(), "{from}");
    }
    assert_eq!(world.server.counters().forged, 14);
    assert_eq!(world.answer(&asked, &good).replies.len(), 1);
}

#[test]
fn all_are_asked_at_a_time_and_the_first_good_answer_counts() {
    let mut world = world(UpstreamOrder::Parallel, &[FIRST, SECOND]);
    let done = world.ask(client(5000), &query(7, "example.com", A));
    assert_eq!(upstreams(&done), [FIRST, SECOND]);
    let (first, second) = (done.asked[0].clone(), done.asked[1].clone());
    let refused = answer(&first.message, 5, 0, &[]);
    let done = world.answer(&first, &refused);
    assert!(done.replies.is_empty());
    assert_eq!(done.forgotten, [first.query]);
    let nothing = answer(&second.message, 3, 0, &[]);
    let done = world.answer(&second, &nothing);
    assert_eq!(words(&done.replies[0].1), "NXDOMAIN; QR RD RA; example.com");
    assert_eq!(done.forgotten, [second.query]);
}

#[test]
fn if_all_fail_the_client_is_told_how() {
    for order in [UpstreamOrder::Parallel, UpstreamOrder::Serial] {
        let mut world = world(order, &[FIRST, SECOND]);
        let mut done = world.ask(
            client(5000),
            &with_edns(query(7, "example.com", A), 512, 0, 0),
        );
        while done.replies.is_empty() {
            let mut replied = Done::default();
            for asked in done.asked {
                let failure = answer(&asked.message, 5, 0, &[]);
                let done = world.answer(&asked, &failure);
                replied.replies.extend(done.replies);
                replied.asked.extend(done.asked);
            }
            done = replied;
        }
        assert_eq!(
            words(&done.replies[0].1),
            "REFUSED; QR RD; example.com; EDNS 1232"
        );
        assert_eq!(world.server.counters().timed_out, 0);
    }
}

#[test]
fn the_next_one_is_asked_when_one_is_silent_or_cannot_be_reached() {
    let mut world = world(UpstreamOrder::Serial, &[FIRST, SECOND]);
    let done = world.ask(client(5000), &query(7, "example.com", A));
    assert_eq!(upstreams(&done), [FIRST]);
    let first = done.asked[0].clone();
    let done = world.wait(1_500);
    assert_eq!(upstreams(&done), [SECOND]);
    world
        .server
        .handle_unreachable(done.asked[0].query, at(world.now));
    let done = world.done();
    assert_eq!(done.forgotten.len(), 1);
    assert!(done.replies.is_empty(), "the first one may still answer");
    let done = world.answer(&first, &answer_of(&first));
    assert_eq!(
        words(&done.replies[0].1),
        "NOERROR; QR RD RA; example.com; 256 A 203.0.113.9"
    );
}

#[test]
fn silence_ends_with_a_failure_in_time() {
    let mut world = world(UpstreamOrder::Parallel, &[FIRST, SECOND]);
    let mut asked: Vec<_> = world.ask(client(5000), &query(7, "example.com", A)).asked;
    for millis in [1_500, 1_500] {
        let done = world.wait(millis);
        assert_eq!(upstreams(&done), [FIRST, SECOND], "they are asked again");
        asked.extend(done.asked);
    }
    let done = world.wait(1_000);
    assert_eq!(words(&done.replies[0].1), "SERVFAIL; QR RD; example.com");
    assert_eq!(
        done.forgotten,
        asked.iter().map(|asked| asked.query).collect::<Vec<_>>()
    );
    assert_eq!(world.server.counters().timed_out, 1);
    assert_eq!(world.server.poll_timeout(), None);
}

#[test]
fn upstreams_that_are_away_are_told_of_and_asked_last() {
    let mut world = world(UpstreamOrder::Serial, &[FIRST, SECOND]);
    let mut first = Vec::new();
    for id in 0..3 {
        let done = world.ask(client(5000), &query(id, "example.com", A));
        assert_eq!(upstreams(&done), [FIRST]);
        first.extend(done.asked);
        let done = world.wait(1_500);
        world.answer(&done.asked[0], &answer_of(&done.asked[0]));
    }
    let away: Upstream = FIRST.parse().unwrap();
    assert_eq!(
        events(&mut world.server),
        [NameServerEvent::UpstreamAway(away)]
    );
    let done = world.ask(client(5000), &query(9, "example.com", A));
    assert_eq!(upstreams(&done), [SECOND]);
    let done = world.wait(1_500);
    assert_eq!(upstreams(&done), [FIRST]);
    world.answer(&done.asked[0], &answer_of(&done.asked[0]));
    assert_eq!(
        events(&mut world.server),
        [NameServerEvent::UpstreamBack(away)]
    );
    let done = world.ask(client(5000), &query(10, "example.com", A));
    assert_eq!(upstreams(&done), [FIRST]);
}

#[test]
fn failover_stays_with_the_one_that_answered() {
    let mut world = world(UpstreamOrder::Failover, &[FIRST, SECOND]);
    world.ask(client(5000), &query(1, "example.com", A));
    let done = world.wait(1_500);
    assert_eq!(upstreams(&done), [SECOND]);
    world.answer(&done.asked[0], &answer_of(&done.asked[0]));
    let done = world.ask(client(5000), &query(2, "example.com", A));
    assert_eq!(upstreams(&done), [SECOND]);
}

#[test]
fn random_order_asks_each_first_sometimes() {
    let mut world = world(UpstreamOrder::Random, &[FIRST, SECOND]);
    let mut counts = [0, 0];
    for id in 0..200 {
        let done = world.ask(client(5000), &query(id, "example.com", A));
        counts[usize::from(upstreams(&done) == [SECOND])] += 1;
        world.answer(&done.asked[0], &answer_of(&done.asked[0]));
    }
    assert!(counts.iter().all(|count| *count > 60), "{counts:?}");
}

#[test]
fn without_randomness_nobody_is_asked() {
    let mut world = world(UpstreamOrder::Parallel, &[FIRST]);
    world.entropy.is_broken.store(true, Ordering::Relaxed);
    for id in 0..2 {
        let done = world.ask(client(5000), &query(id, "example.com", A));
        assert!(done.asked.is_empty());
        assert_eq!(words(&done.replies[0].1), "SERVFAIL; QR RD; example.com");
    }
    assert_eq!(events(&mut world.server), [NameServerEvent::NoRandomness]);
    world.entropy.is_broken.store(false, Ordering::Relaxed);
    assert_eq!(
        world
            .ask(client(5000), &query(3, "example.com", A))
            .asked
            .len(),
        1
    );
}
