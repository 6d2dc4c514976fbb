//! Fuzzing: streams of frames of an SDK, grown out of recorded ones.
//!
//! `cargo test` tries more than a thousand streams, the same ones each time. For longer:
//!
//! ```text
//! PORTCULLIS_FUZZ_SECONDS=600 cargo test --release -p portcullis-router --test it edge::fuzz -- --nocapture
//! ```
//!
//! That starts from a number of its own, which it prints; `PORTCULLIS_FUZZ_SEED` repeats it. A stream that
//! breaks a promise is shown in hexadecimal; it belongs into `tests/corpus/edge.txt` with the change that
//! mends it.

use super::judge::service_token;
use super::world::{World, bind, connect, connect_v2, created, on_the_wire, success};
use bytes::BytesMut;
use portcullis_channel::{Frame, FrameLimits, FrameReader, Sequence};
use portcullis_domain::policies::ServiceGrant;
use portcullis_router::edge::{ChannelId, EdgeLimits};
use portcullis_seeded_random::Random;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::edge::{ConnectionId, DialSuccess, EdgeMessage, StateClosed, Unbind};
use portcullis_wire::xgress::Payload;
use std::collections::BTreeSet;
use std::env;
use std::fmt::Write as _;
use std::hash::{BuildHasher as _, RandomState};
use std::panic::catch_unwind;
use std::time::{Duration, Instant};

/// Streams of a run without a time.
const STREAMS: u64 = 1_500;
/// Most streams that are mutated further, and the longest.
const KEPT: usize = 2_000;
const LONGEST: usize = 8 * 1024;

fn limits() -> EdgeLimits {
    EdgeLimits {
        connections: 8,
        pending_dials: 3,
        pending_offers: 2,
        binds: 2,
        ..EdgeLimits::default()
    }
}

fn bytes_of(hex: &str) -> Vec<u8> {
    let pairs = (0..hex.len()).step_by(2).map(|at| &hex[at..at + 2]);
    pairs
        .map(|pair| u8::from_str_radix(pair, 16).unwrap())
        .collect()
}

/// The recorded frames, and some that lead further.
fn streams() -> Vec<Vec<u8>> {
    let recorded = include_str!("../../corpus/edge.txt");
    let recorded = recorded.lines().filter(|line| !line.starts_with('#'));
    let token = service_token(ServiceGrant::Bind, "svc1");
    let made = [
        EdgeMessage::Connect(connect(1)),
        EdgeMessage::ConnectV2(connect_v2(2, "svc1")),
        EdgeMessage::Bind(bind(3, "listener")),
        EdgeMessage::Unbind(Unbind {
            session_token: token,
            connection: ConnectionId(3),
            sequence: None,
        }),
        EdgeMessage::StateClosed(StateClosed {
            connection: Some(ConnectionId(1)),
            ..StateClosed::default()
        }),
        EdgeMessage::Payload(Payload {
            circuit_id: "c1".to_owned(),
            ..Payload::default()
        }),
    ];
    let made = made.into_iter().map(|message| {
        let frame = Frame::new(message.encode().unwrap(), Sequence(1), &FrameLimits::LARGE);
        frame.unwrap().to_bytes().to_vec()
    });
    recorded.map(bytes_of).chain(made).collect()
}

/// A controller and a host that do as they are asked.
fn oblige(world: &mut World, channel: ChannelId, circuits: &mut u32, place: &mut String) {
    for (_, request, _) in std::mem::take(&mut world.done.requests) {
        *circuits += 1;
        world.controller_answers(channel, request, created(&format!("c{circuits}")));
    }
    for message in std::mem::take(&mut world.done.told) {
        if let ControlMessage::CreateTerminatorV2(create) = message {
            world.terminator_answered(success(&create.address));
            let bind = world.hosting.find(&create.address);
            if let Some(bind) = bind {
                *circuits += 1;
                world.offers(bind, &format!("c{circuits}"));
            }
        }
    }
    for (_, ask, question) in std::mem::take(&mut world.done.asked) {
        if let EdgeMessage::Dial(dial) = question {
            let answer = EdgeMessage::DialSuccess(DialSuccess {
                connection: dial.connection,
                new_connection: dial.new_connection.unwrap_or(ConnectionId(9)),
                ..DialSuccess::default()
            });
            world.answers(channel, ask, answer);
        }
    }
    for (_, outgoing) in std::mem::take(&mut world.done.sent) {
        let message = on_the_wire(&outgoing.message, outgoing.reply_to.as_ref());
        write!(place, "{} ", message.content_type.0).unwrap();
    }
}

/// What a stream leads to, or which promise it breaks.
fn check(stream: &[u8]) -> Result<String, String> {
    let mut world = World::with_limits(limits());
    let channel = world.oidc("alice");
    let reader = FrameReader::new(FrameLimits::LARGE);
    let mut input = BytesMut::from(stream);
    let (mut circuits, mut place) = (0, String::new());
    while let Ok(Some(frame)) = reader.next(&mut input) {
        world.says_frame(channel, frame);
        for _ in 0..4 {
            oblige(&mut world, channel, &mut circuits, &mut place);
        }
        let connections = world.channel(channel).connections();
        if connections > limits().connections {
            return Err(format!("{connections} connections"));
        }
    }
    world.channel(channel).lost();
    world.settle();
    oblige(&mut world, channel, &mut circuits, &mut place);
    if !world.channel(channel).is_finished() {
        return Err("the channel never finishes".to_owned());
    }
    if world.hosting.terminators().count() > 0 {
        return Err("a terminator is left".to_owned());
    }
    Ok(place)
}

fn outcome(stream: &[u8]) -> Result<String, String> {
    catch_unwind(|| check(stream)).unwrap_or_else(|_| Err("it panics".to_owned()))
}

fn mutate(streams: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut stream = streams[random.index(streams.len())].clone();
    for _ in 0..=random.index(4) {
        let at = random.index(stream.len() + 1);
        match random.below(6) {
            0 | 1 => stream.extend_from_slice(&streams[random.index(streams.len())]),
            2 => {
                let mut other = streams[random.index(streams.len())].clone();
                other.append(&mut stream);
                stream = other;
            },
            3 => {
                let end = stream.len().min(at + random.index(16));
                stream.drain(at..end);
            },
            _ => {
                if let Some(byte) = stream.get_mut(at) {
                    *byte = random.next().to_le_bytes()[0];
                }
            },
        }
    }
    stream
}

fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|error| panic!("{variable}={text}: {error}")),
    )
}

fn hex(stream: &[u8]) -> String {
    stream.iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").unwrap();
        hex
    })
}

#[test]
fn streams_of_frames_keep_every_promise() {
    let time = number("PORTCULLIS_FUZZ_SECONDS").map(Duration::from_secs);
    let fresh = || time.map_or(23, |_| RandomState::new().hash_one(()));
    let seed = number("PORTCULLIS_FUZZ_SEED").unwrap_or_else(fresh);
    println!("PORTCULLIS_FUZZ_SEED={seed}");

    let mut streams = streams();
    for stream in &streams {
        assert_eq!(outcome(stream).err(), None, "{}", hex(stream));
    }
    let mut random = Random::new(seed, "streams");
    let mut places = BTreeSet::new();
    let start = Instant::now();
    let mut tried = 0;
    while time.map_or(tried < STREAMS, |time| start.elapsed() < time) {
        tried += 1;
        let stream = mutate(&streams, &mut random);
        let place = match outcome(&stream) {
            Ok(place) => place,
            Err(broken) => panic!("{broken}: {}", hex(&stream)),
        };
        if places.insert(place) && streams.len() < KEPT && stream.len() < LONGEST {
            streams.push(stream);
        }
    }
    let places = places.len();
    println!("{tried} streams led to {places} places");
    assert!(places > 100, "only {places} places: the streams are poor");
}
