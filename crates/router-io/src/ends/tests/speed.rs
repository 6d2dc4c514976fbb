//! How fast ends are between sockets of this machine, beside a plain relay with as many hops.
//!
//! `cargo test --release -p portcullis-router-io --lib speed -- --ignored --nocapture`

use std::time::Duration;

use portcullis_wire::control::route::{DestinationKind, Route};
use portcullis_xgress::Side;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional_with_sizes};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;

use super::{Start, terms};
use crate::ends::{EndTerms, Ends, SocketSide};
use crate::testing::{Disturbance, TestRouter, connect, controller_id, forward};

const BYTES: usize = 1 << 30;
const ROUND_TRIPS: usize = 20_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes a while, and says something only in release form on an idle machine"]
async fn speed() {
    for streams in [1, 4, 16] {
        let routers = throughput(streams, true).await;
        let plain = throughput(streams, false).await;
        println!("{streams} streams: {routers:.0} MB/s; plain relay {plain:.0} MB/s");
    }
    for is_routed in [true, false] {
        let [half, most] = round_trips(is_routed).await;
        let what = if is_routed { "circuit" } else { "plain relay" };
        println!("round trip over a {what}: p50 {half:?}, p99 {most:?}");
    }
}

async fn throughput(streams: usize, is_routed: bool) -> f64 {
    let mut pairs = open(streams, is_routed).await;
    let each = BYTES / streams;
    let begin = Instant::now();
    let tasks: Vec<_> = pairs
        .drain(..)
        .map(|(mut client, mut server)| {
            tokio::spawn(async move {
                let sending = async {
                    let part = vec![7; 256 << 10];
                    for _ in 0..each / part.len() {
                        client.write_all(&part).await.unwrap();
                    }
                    client.shutdown().await.unwrap();
                };
                let receiving = async {
                    let mut buffer = vec![0; 256 << 10];
                    while server.read(&mut buffer).await.unwrap() > 0 {}
                };
                tokio::join!(sending, receiving);
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let megabytes = u32::try_from(BYTES / 1_000_000).unwrap();
    f64::from(megabytes) / begin.elapsed().as_secs_f64()
}

async fn round_trips(is_routed: bool) -> [Duration; 2] {
    let (mut client, mut server) = open(1, is_routed).await.remove(0);
    tokio::spawn(async move {
        let mut buffer = [0; 100];
        while server.read_exact(&mut buffer).await.is_ok() {
            server.write_all(&buffer).await.unwrap();
        }
    });
    let mut times = Vec::with_capacity(ROUND_TRIPS);
    let mut buffer = [0; 100];
    for _ in 0..ROUND_TRIPS {
        let begin = Instant::now();
        client.write_all(&buffer).await.unwrap();
        client.read_exact(&mut buffer).await.unwrap();
        times.push(begin.elapsed());
    }
    times.sort_unstable();
    [times[ROUND_TRIPS / 2], times[ROUND_TRIPS * 99 / 100]]
}

/// Programs whose streams are joined, through two routers or two plain hops.
async fn open(count: usize, is_routed: bool) -> Vec<(TcpStream, TcpStream)> {
    let (near, far) = (TestRouter::new("near"), TestRouter::new("far"));
    connect("link", &near.relay, &far.relay, Disturbance::NONE, 0);
    let mut pairs = Vec::new();
    for number in 0..count {
        let (client, near_socket) = connection().await;
        let (server, far_socket) = connection().await;
        if is_routed {
            let circuit = format!("circuit {number}");
            carry(&far, &circuit, Side::Terminator, far_socket);
            carry(&near, &circuit, Side::Initiator, near_socket);
        } else {
            let (first, second) = connection().await;
            for (mut one, mut other) in [(near_socket, first), (second, far_socket)] {
                tokio::spawn(async move {
                    let sizes = (32 << 10, 32 << 10);
                    copy_bidirectional_with_sizes(&mut one, &mut other, sizes.0, sizes.1).await
                });
            }
        }
        pairs.push((client, server));
    }
    pairs
}

fn carry(router: &TestRouter, circuit: &str, side: Side, socket: TcpStream) {
    let address = format!("end of {circuit}");
    let terms = EndTerms {
        circuit: circuit.into(),
        address: address.clone(),
        ..terms(side, Start::AtOnce)
    };
    let ends: &Ends = &router.ends;
    let (end, link) = (
        (address.as_str(), DestinationKind::Start),
        ("link", DestinationKind::Link),
    );
    let route = Route {
        circuit_id: circuit.to_owned(),
        forwards: vec![forward(end, link), forward(link, end)],
        ..Route::default()
    };
    router.relay.route(&route, &controller_id()).unwrap();
    ends.open(&terms, SocketSide::new("test", socket));
}

async fn connection() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (dialed, accepted) = tokio::join!(TcpStream::connect(address), listener.accept());
    let (dialed, (accepted, _)) = (dialed.unwrap(), accepted.unwrap());
    for socket in [&dialed, &accepted] {
        socket.set_nodelay(true).unwrap();
    }
    (dialed, accepted)
}
