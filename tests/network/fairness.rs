//! Several streams over one link, near or far: each of them gets on, and together they get as far as one alone.

use crate::line::Line;
use crate::network::{Flow, Network};
use crate::router::RunningRouter;
use portcullis_simulated_sdk::data;
use portcullis_wire::edge::{ConnectionId, DataFlags};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::AsyncReadExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

/// Until windows have grown.
const WARM_UP: Duration = Duration::from_millis(500);
const MEASURED: Duration = Duration::from_secs(1);
/// A busy machine may take as long until all streams have got going; one that starves does so for ever.
const MEASUREMENTS: usize = 10;

/// A network whose second router dials a server that counts.
struct Scene {
    network: Network,
    accepted: mpsc::UnboundedReceiver<Arc<AtomicU64>>,
    /// How many clients there have been.
    clients: usize,
    _line: Option<Line>,
    _routers: [RunningRouter; 2],
}

impl Scene {
    /// One whose link needs so long for a round trip, or as long as the loopback does.
    async fn start(round_trip: Option<Duration>) -> Self {
        let network = Network::new(2).await;
        let [first, second] = &network.routers[..] else {
            unreachable!("two routers");
        };
        let line = match round_trip {
            Some(round_trip) => Some(Line::start_with_delay(second.link, round_trip / 2).await),
            None => None,
        };
        let advertised = line.as_ref().map_or(second.link, |line| line.address);
        second.configure(advertised, "");
        let routers = [first.start().await, second.start().await];
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, accepted) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                let count = Arc::new(AtomicU64::new(0));
                tokio::spawn(consume(connection, Arc::clone(&count)));
                if sender.send(count).is_err() {
                    return;
                }
            }
        });
        let controller = &network.controller;
        controller.until_online(2).await;
        controller.until_count("links", 1).await;
        controller.server(&network.service, second, address).await;
        Self {
            network,
            accepted,
            clients: 0,
            _line: line,
            _routers: routers,
        }
    }

    /// Bytes that arrive of so many streams at once, by stream; measured again while that is not as it should be.
    async fn measure(
        &mut self,
        streams: usize,
        mut is_fair: impl FnMut(&[u64]) -> bool,
    ) -> Vec<u64> {
        let mut writing = JoinSet::new();
        let mut counts = Vec::new();
        for _ in 0..streams {
            self.clients += 1;
            let name = format!("client {}", self.clients);
            let client = self.network.client(&name, 0).await;
            client.tries(1, Flow::Legacy).await.unwrap();
            counts.push(self.accepted.recv().await.unwrap());
            writing.spawn(async move {
                let bytes = || data(ConnectionId(1), vec![1; 16_000], DataFlags::default());
                while client.sdk.says(bytes()).await {}
            });
        }
        sleep(WARM_UP).await;
        let read = || counts.iter().map(|count| count.load(Ordering::Relaxed));
        let mut passed = Vec::new();
        for _ in 0..MEASUREMENTS {
            let (before, start): (Vec<_>, _) = (read().collect(), Instant::now());
            sleep(MEASURED).await;
            let since = read().zip(before).map(|(after, before)| after - before);
            passed = since.collect();
            println!(
                "{streams} streams: {} KiB/s, {:?} KiB each",
                passed.iter().sum::<u64>() / 1024 * 1000
                    / u64::try_from(start.elapsed().as_millis()).unwrap(),
                passed.iter().map(|bytes| bytes / 1024).collect::<Vec<_>>()
            );
            if is_fair(&passed) {
                break;
            }
        }
        writing.shutdown().await;
        self.network.controller.until_count("circuits", 0).await;
        passed
    }

    /// Bytes of one stream alone, at its best.
    async fn measure_alone(&mut self) -> u64 {
        let mut measured = Vec::new();
        let measuring = self.measure(1, |passed| {
            measured.extend_from_slice(passed);
            measured.len() == 3
        });
        measuring.await;
        measured.into_iter().max().unwrap()
    }
}

async fn consume(mut connection: TcpStream, count: Arc<AtomicU64>) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(length @ 1..) = connection.read(&mut buffer).await {
        let length = u64::try_from(length).unwrap();
        count.fetch_add(length, Ordering::Relaxed);
    }
}

/// None has less than an eighth of its share, and all together have half of what one has at least; more cannot be
/// asked of a busy machine. On the loopback, what SDKs and servers of this process take is the limit, and a quarter
/// has to do.
async fn share(round_trip: Option<Duration>) {
    let least = if round_trip.is_some() { 2 } else { 4 };
    let mut scene = Scene::start(round_trip).await;
    let is_fair = |passed: &[u64], alone: u64| {
        let sum: u64 = passed.iter().sum();
        let share = sum / u64::try_from(passed.len()).unwrap();
        sum * least > alone && passed.iter().all(|bytes| bytes * 8 > share)
    };
    let before = scene.measure_alone().await;
    let mut series = Vec::new();
    for streams in [2, 4, 8, 16] {
        let measuring = scene.measure(streams, |passed| is_fair(passed, before));
        series.push(measuring.await);
    }
    // The machine may have become busier meanwhile.
    let alone = before.min(scene.measure_alone().await);
    for passed in series {
        let is_fair = is_fair(&passed, alone);
        assert!(is_fair, "{passed:?} bytes, {alone} of one alone");
    }
}

#[tokio::test]
async fn streams_share_a_link_of_the_loopback() {
    share(None).await;
}

#[tokio::test]
async fn streams_share_a_link_of_twenty_milliseconds() {
    share(Some(Duration::from_millis(20))).await;
}

#[tokio::test]
async fn streams_share_a_link_of_fifty_milliseconds() {
    share(Some(Duration::from_millis(50))).await;
}
