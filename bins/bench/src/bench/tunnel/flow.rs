//! Flows of datagrams, each of which is answered by one.

use crate::bench::load::{Budget, Pace, drive};
use crate::testbed::statistics::float;
use anyhow::bail;
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use std::mem;
use std::net::{Ipv4Addr, SocketAddr};
use std::ops::AddAssign;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::UdpSocket;
use tokio::time::timeout;

/// Writes a datagram, which begins with the given identifier, as its answer does, and is one of many by its number.
pub(super) type Writer = fn(identifier: u16, number: u32) -> Vec<u8>;

/// How many flows there are, and how many of their datagrams are under way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) flows: usize,
    /// Flows that have datagrams under way at a time.
    pub(super) lanes: usize,
    /// Datagrams of each of these.
    pub(super) window: u32,
}

/// Flows that are open.
pub(super) struct Flows {
    lanes: Vec<Lane>,
    window: u32,
    write: Writer,
}

/// Flows that take turns.
#[derive(Default)]
struct Lane {
    flows: Vec<Flow>,
    passed: Passed,
}

struct Flow {
    socket: UdpSocket,
    /// What the datagrams that are under way begin with.
    identifier: u16,
    under_way: u32,
    number: u32,
}

/// What got through.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Passed {
    sent: u64,
    answered: u64,
    elapsed: Duration,
}

/// What is not answered by then is lost.
const LOST: Duration = Duration::from_millis(500);
/// How often a new flow is tried. Tunnelers may not have the service yet.
const ATTEMPTS: u32 = 60;
/// Flows that are opened at a time.
const AT_A_TIME: usize = 32;

impl Flows {
    /// Opens them: each has had an answer.
    pub(super) async fn open(
        entry: SocketAddr,
        shape: Shape,
        write: Writer,
    ) -> anyhow::Result<Self> {
        let opening = (0..shape.flows).map(|_number| Flow::open(entry, write));
        let opening = stream::iter(opening).buffer_unordered(AT_A_TIME);
        let flows: Vec<Flow> = opening.try_collect().await?;
        let mut lanes: Vec<Lane> = (0..shape.lanes).map(|_lane| Lane::default()).collect();
        for (flow, lane) in flows.into_iter().zip((0..shape.lanes).cycle()) {
            if let Some(lane) = lanes.get_mut(lane) {
                lane.flows.push(flow);
            }
        }
        Ok(Self {
            lanes,
            window: shape.window,
            write,
        })
    }

    /// Sends as much as is answered.
    pub(super) async fn send(&mut self, time: Duration) -> anyhow::Result<Passed> {
        let (window, write) = (self.window, self.write);
        let budget = Budget {
            time,
            count: u64::MAX,
        };
        let send = move |lane: Lane, pace| lane.send(window, write, pace);
        let (_, lanes) = drive(mem::take(&mut self.lanes), budget, send).await?;
        self.lanes = lanes;
        let mut passed = Passed::default();
        for lane in &mut self.lanes {
            let of_lane = mem::take(&mut lane.passed);
            passed.sent += of_lane.sent;
            passed.answered += of_lane.answered;
            passed.elapsed = passed.elapsed.max(of_lane.elapsed);
        }
        Ok(passed)
    }
}

impl Lane {
    async fn send(mut self, window: u32, write: Writer, pace: Arc<Pace>) -> anyhow::Result<Self> {
        let start = Instant::now();
        let Self { flows, passed } = &mut self;
        'turns: loop {
            for flow in flows.iter_mut() {
                if pace.next().is_none() {
                    break 'turns;
                }
                passed.sent += flow.fill(window, write).await?;
                if flow.receive().await? {
                    passed.answered += 1;
                    passed.elapsed = start.elapsed();
                }
            }
        }
        for flow in flows.iter_mut() {
            while flow.under_way > 0 {
                if flow.receive().await? {
                    passed.answered += 1;
                    passed.elapsed = start.elapsed();
                }
            }
        }
        Ok(self)
    }
}

impl Flow {
    async fn open(entry: SocketAddr, write: Writer) -> anyhow::Result<Self> {
        // The kernel chooses the source: addresses that are intercepted are not those of the loopback.
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).await?;
        socket.connect(entry).await?;
        let mut flow = Self {
            socket,
            identifier: 0,
            under_way: 0,
            number: 0,
        };
        for _attempt in 0..ATTEMPTS {
            // Where nothing listens yet, sending and receiving are refused.
            let answered = match flow.fill(1, write).await {
                Ok(_) => flow.receive().await.unwrap_or(false),
                Err(_) => false,
            };
            if answered {
                return Ok(flow);
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        bail!("no datagram to {entry} is answered");
    }

    /// Sends until so many are under way.
    async fn fill(&mut self, window: u32, write: Writer) -> anyhow::Result<u64> {
        let mut sent = 0;
        while self.under_way < window {
            let datagram = write(self.identifier, self.number);
            self.number = self.number.wrapping_add(1);
            self.socket.send(&datagram).await?;
            self.under_way += 1;
            sent += 1;
        }
        Ok(sent)
    }

    /// Waits for an answer. If there is none, all that is under way is lost.
    async fn receive(&mut self) -> anyhow::Result<bool> {
        let mut buffer = [0; 2048];
        while let Ok(received) = timeout(LOST, self.socket.recv(&mut buffer)).await {
            let datagram = buffer.get(..received?).unwrap_or_default();
            if datagram.first_chunk() == Some(&self.identifier.to_be_bytes()) {
                self.under_way -= 1;
                return Ok(true);
            }
        }
        // What comes after all does not count any more.
        self.identifier = self.identifier.wrapping_add(1);
        self.under_way = 0;
        Ok(false)
    }
}

impl Passed {
    /// Answers per second.
    pub(super) fn rate(&self) -> f64 {
        self.per(self.elapsed)
    }

    /// Answers per second of another time than that on the wall.
    pub(super) fn per(&self, time: Duration) -> f64 {
        float(self.answered) / time.as_secs_f64().max(1e-9)
    }

    /// The part that is lost.
    pub(super) fn lost(&self) -> f64 {
        float(self.sent.saturating_sub(self.answered)) / float(self.sent.max(1))
    }
}

impl AddAssign for Passed {
    fn add_assign(&mut self, other: Self) {
        self.sent += other.sent;
        self.answered += other.answered;
        self.elapsed += other.elapsed;
    }
}
