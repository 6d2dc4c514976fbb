//! How many links a router dials at a time, and how many may wait for that.

use std::collections::BTreeMap;

use portcullis_wire::control::peer::{Listener, PeerState, PeerStateChange, PeerStateChanges};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::time::sleep;

use super::*;

const FILE: &str = "
v: 3
identity: {cert: DIR/r1.cert, server_cert: DIR/r1.server.cert, key: DIR/r1.key, ca: DIR/r1.cas}
ctrl: {endpoint: 'CONTROLLER'}
forwarder: {linkDialWorkerCount: WORKERS, linkDialQueueLength: QUEUE}
link:
  dialers:
    - binding: transport
      startupDelay: 0s
      options: {connectTimeout: 1m}
      healthyDialBackoff: {minRetryInterval: 1m, maxRetryInterval: 1m}
";

/// Routers that are to be linked with.
const PEERS: usize = 6;

/// Routers whose listeners accept connections, and say nothing.
struct SilentPeers {
    changes: Vec<PeerStateChange>,
    accepted: mpsc::UnboundedReceiver<TcpStream>,
}

impl SilentPeers {
    async fn start() -> Self {
        let (sender, accepted) = mpsc::unbounded_channel();
        let mut changes = Vec::new();
        for number in 0..PEERS {
            let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let port = socket.local_addr().unwrap().port();
            let sender = sender.clone();
            tokio::spawn(async move {
                while let Ok((stream, _)) = socket.accept().await {
                    // The test may have ended.
                    let _is_over = sender.send(stream);
                }
            });
            let listener = Listener {
                address: format!("tls:localhost:{port}"),
                protocol: "tls".to_owned(),
                groups: vec!["default".to_owned()],
                local_binding: "default".to_owned(),
            };
            changes.push(PeerStateChange {
                id: format!("peer {number}"),
                version: "v2.1.0".to_owned(),
                state: PeerState::Healthy,
                listeners: vec![listener],
            });
        }
        Self { changes, accepted }
    }

    /// Takes so many connections, and sees that there are no more.
    async fn accept(&mut self, count: usize) -> Vec<TcpStream> {
        let mut streams = Vec::new();
        for _ in 0..count {
            let accepting = timeout(Duration::from_secs(20), self.accepted.recv());
            streams.push(accepting.await.unwrap().unwrap());
        }
        let more = timeout(Duration::from_millis(200), self.accepted.recv());
        assert!(more.await.is_err(), "more than {count} are dialed");
        streams
    }
}

/// The links that a router wants, by what it says of them.
async fn wanted(channel: &RouterChannel) -> BTreeMap<String, usize> {
    let question = ControlMessage::InspectRequest(InspectRequest {
        names: vec!["links".to_owned()],
    });
    let (priority, encoded) = (question.priority(), question.encode().unwrap());
    let asking = channel
        .handle
        .request(priority, encoded, Duration::from_secs(20));
    let answer = asking.unwrap().await.unwrap().into_message();
    let Ok(ControlMessage::InspectResponse(answer)) = ControlMessage::decode(&answer) else {
        panic!("it is not inspected");
    };
    let links: serde_json::Value = serde_json::from_str(answer.values[0].value.expose()).unwrap();
    let mut statuses = BTreeMap::new();
    for destination in links["destinations"].as_array().unwrap() {
        let status = destination["linkStates"][0]["status"].as_str().unwrap();
        *statuses.entry(status.to_owned()).or_default() += 1;
    }
    statuses
}

/// So many links are dialed or wait for that, and the others of the peers have to wait for another attempt.
async fn until_taken(channel: &RouterChannel, taken: usize) {
    let expected = [("dialFailed", PEERS - taken), ("dialing", taken)];
    let expected = expected.map(|(status, count)| (status.to_owned(), count));
    let waiting = async {
        while wanted(channel).await != BTreeMap::from(expected.clone()) {
            sleep(Duration::from_millis(10)).await;
        }
    };
    let seen = timeout(Duration::from_secs(20), waiting).await;
    assert!(
        seen.is_ok(),
        "{:?} instead of {expected:?}",
        wanted(channel).await
    );
}

async fn dial(workers: usize, queue: usize) {
    let files = TestFiles::new();
    let authority = Authority::new();
    let cas = fs::read_to_string(files.path("r1.cas")).unwrap();
    files.write("r1.cas", &format!("{cas}{}", authority.root_pem()));
    let mut controller = FakeController::start("c1", &authority).await;
    let text = FILE
        .replace("CONTROLLER", &controller.place())
        .replace("WORKERS", &workers.to_string())
        .replace("QUEUE", &queue.to_string());
    let router = start(&files, &text).await;
    let channel = controller.router().await;
    let mut peers = SilentPeers::start().await;
    let changes = std::mem::take(&mut peers.changes);
    channel.send(&ControlMessage::PeerStateChanges(PeerStateChanges {
        changes,
    }));
    until_taken(&channel, workers + queue).await;
    let mut streams = peers.accept(workers).await;
    // Those that wait follow, one for each that is over.
    for left in (0..queue).rev() {
        drop(streams.pop());
        streams.extend(peers.accept(1).await);
        until_taken(&channel, workers + left).await;
    }
    router.stop.cancel();
    router.wait().await;
}

#[tokio::test]
async fn one_link_is_dialed_after_the_other_where_the_file_says_so() {
    dial(1, 1).await;
}

#[tokio::test]
async fn so_many_links_are_dialed_at_a_time_as_the_file_says() {
    dial(3, 1).await;
}

#[tokio::test]
async fn so_many_links_wait_to_be_dialed_as_the_file_says() {
    dial(1, 3).await;
}
