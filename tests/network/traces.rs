//! What the log tells of the circuits of an identity that is traced, and what a router writes to its trace.

use crate::network::{Flow, Network};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::mem;
use std::sync::{Mutex, Once};
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// The lines of the log that have the id of a trace.
#[derive(Debug)]
struct Log {
    trace_id: &'static str,
}

/// All lines about traces, of all tests in this process.
static LINES: Mutex<Vec<Value>> = Mutex::new(Vec::new());

/// Keeps the lines that have the id of a trace.
#[derive(Debug, Default)]
struct TraceWriter {
    begun: Vec<u8>,
}

impl Write for TraceWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.begun.extend_from_slice(bytes);
        if bytes.ends_with(b"\n") {
            let line = mem::take(&mut self.begun);
            if let Ok(line) = serde_json::from_slice::<Value>(&line)
                && line["fields"]["trace_id"].is_string()
            {
                LINES.lock().unwrap().push(line);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Log {
    /// Each test has a trace of its own.
    fn start(trace_id: &'static str) -> Self {
        static STARTED: Once = Once::new();
        STARTED.call_once(|| {
            let subscriber = tracing_subscriber::fmt()
                .json()
                .with_writer(TraceWriter::default)
                .finish();
            tracing::subscriber::set_global_default(subscriber).unwrap();
        });
        Self { trace_id }
    }

    fn lines(&self) -> Vec<Value> {
        let mut lines: Vec<_> = LINES
            .lock()
            .unwrap()
            .iter()
            .map(|line| line["fields"].clone())
            .collect();
        lines.retain(|fields| fields["trace_id"] == self.trace_id);
        lines
    }

    /// What was told so often, once it was.
    async fn has(&self, count: usize, message: &str) -> Vec<Value> {
        let waiting = async {
            loop {
                let mut found = self.lines();
                found.retain(|fields| fields["message"] == message);
                if found.len() >= count {
                    return found;
                }
                sleep(Duration::from_millis(10)).await;
            }
        };
        let found: Result<Vec<Value>, _> = timeout(Duration::from_secs(20), waiting).await;
        let found = found.unwrap_or_else(|_| panic!("not told: {message}"));
        assert_eq!(found.len(), count, "{message}: {found:?}");
        found
    }
}

/// What the router of a client tells of the message that has asked for a circuit.
const CLIENT_ASKED: &str = "a client has asked for a traced circuit";

/// The id of the request that a line is about.
fn request_id(line: &Value) -> String {
    let id = line["request_id"].as_str().unwrap_or_default();
    assert!(!id.is_empty(), "{line}");
    id.to_owned()
}

#[tokio::test]
async fn circuits_of_a_traced_identity_are_told_by_controller_and_routers() {
    let log = Log::start("a dialing identity");
    let (network, _routers) = Network::linked().await;
    let mut hosting = network.host("bob", 1, Flow::Legacy).await;
    let mut dialing = network.client("alice", 0).await;
    let before = dialing.dials(1, &mut hosting, Flow::Legacy).await;
    before.echoes(&mut dialing.sdk, &mut hosting).await;
    assert_eq!(log.lines(), Vec::<Value>::new());

    network
        .controller
        .trace(&dialing.person.id, log.trace_id)
        .await;
    let circuit = dialing.dials(2, &mut hosting, Flow::Legacy).await;
    circuit.echoes(&mut dialing.sdk, &mut hosting).await;
    let asked = log
        .has(1, "a router asks for a circuit for a traced identity")
        .await;
    let request = asked[0]["request_id"].clone();
    assert_eq!(asked[0]["identity"], *dialing.person.id);
    assert_eq!(asked[0]["router"], *network.routers[0].id);
    drop(dialing.sdk);
    for (count, message) in [
        (1, "circuit of a traced identity made"),
        (1, CLIENT_ASKED),
        (2, "route of a traced circuit taken"),
        (1, "the terminator of a traced circuit is dialed"),
        (1, "the terminator of a traced circuit has answered"),
        // At both routers, both ways.
        (4, "first payload of a traced circuit"),
        (2, "a traced circuit has ended"),
        (1, "circuit of a traced identity has ended"),
    ] {
        for line in log.has(count, message).await {
            assert_eq!(line["circuit"], *circuit.id, "{line}");
            assert_eq!(line["request_id"], request, "{line}");
        }
    }
    let client = &log.has(1, CLIENT_ASKED).await[0];
    assert_eq!(client["client"], *dialing.person.id);
    assert_eq!(client["sdk_message"], "Connect");
    assert_eq!(client["connection"], 2);
    assert!(client["took_ms"].is_u64(), "{client}");
    for ended in log.has(2, "a traced circuit has ended").await {
        assert!(ended["bytes_from_client"].as_u64().unwrap() > 0, "{ended}");
        assert!(ended["bytes_from_host"].as_u64().unwrap() > 0, "{ended}");
        assert!(ended["reason"].is_string(), "{ended}");
    }
}

#[tokio::test]
async fn what_a_traced_identity_hosts_is_told_with_the_circuits_to_it() {
    let log = Log::start("a hosting identity");
    let (network, _routers) = Network::linked().await;
    let host = network.controller.person("bob").await;
    network.controller.trace(&host.id, log.trace_id).await;
    let session = network.controller.session(&host, &network.service, "Bind");
    let session = session.await;
    let mut hosting = host.connect(network.routers[1].edge()).await.unwrap();
    hosting.binds(&session, "bob", false).await;
    let granted = log
        .has(1, "request about a terminator of a traced identity granted")
        .await;
    assert_eq!(granted[0]["identity"], *host.id);
    assert_eq!(granted[0]["request"], "create");
    let hosting_request = request_id(&granted[0]);

    let mut dialing = network.client("alice", 0).await;
    let circuit = dialing.dials(1, &mut hosting, Flow::Legacy).await;
    circuit.echoes(&mut dialing.sdk, &mut hosting).await;
    drop(dialing.sdk);
    // The host is known once a terminator is chosen: then the request for the circuit gets its id.
    let made = log.has(1, "circuit of a traced identity made").await;
    let dial_request = request_id(&made[0]);
    assert_ne!(dial_request, hosting_request);
    for (count, message) in [
        (1, CLIENT_ASKED),
        (2, "route of a traced circuit taken"),
        (1, "the terminator of a traced circuit has answered"),
        (4, "first payload of a traced circuit"),
        (1, "circuit of a traced identity has ended"),
    ] {
        for line in log.has(count, message).await {
            assert_eq!(line["circuit"], *circuit.id, "{line}");
            assert_eq!(request_id(&line), dial_request, "{line}");
        }
    }
}

#[tokio::test]
async fn refused_dials_of_a_traced_identity_are_told() {
    let log = Log::start("an identity without a right");
    let (network, _routers) = Network::linked().await;
    let _hosting = network.host("bob", 1, Flow::Legacy).await;
    let dialing = network.client("alice", 0).await;
    let controller = &network.controller;
    controller.trace(&dialing.person.id, log.trace_id).await;
    // No router may be used for the service any more, which the controller alone decides.
    let policies = controller.get("service-edge-router-policies").await;
    for policy in policies.as_array().unwrap() {
        let id = policy["id"].as_str().unwrap();
        let path = format!("service-edge-router-policies/{id}");
        controller.delete(&path).await;
    }
    dialing.tries(1, Flow::Legacy).await.unwrap_err();
    let refused = log.has(1, "dial of a traced identity refused").await;
    assert_eq!(refused[0]["identity"], *dialing.person.id);
    assert_eq!(refused[0]["router"], *network.routers[0].id);
    let error = refused[0]["error"].as_str().unwrap();
    assert!(error.contains("service-edge-router policies"), "{error}");
    let first = request_id(&refused[0]);

    dialing.tries(2, Flow::Legacy).await.unwrap_err();
    let refused = log.has(2, "dial of a traced identity refused").await;
    let requests: BTreeSet<_> = refused.iter().map(request_id).collect();
    assert!(
        requests.len() == 2 && requests.contains(&first),
        "{refused:?}"
    );
    // No router is told of a circuit.
    assert_eq!(log.lines().len(), 2);
}

#[tokio::test]
async fn router_writes_messages_of_all_channels_to_its_trace_without_what_they_carry() {
    let network = Network::new(2).await;
    let traced = &network.routers[0];
    let path = traced.beside("messages.trace");
    traced.add_to_config(&format!("trace: {{path: {}}}\n", path.display()));
    let mut routers = Vec::new();
    for router in &network.routers {
        routers.push(router.start().await);
    }
    network.controller.until_online(2).await;
    network.controller.until_count("links", 1).await;
    let mut hosting = network.host("bob", 1, Flow::Legacy).await;
    let mut dialing = network.client("alice", 0).await;
    let circuit = dialing.dials(1, &mut hosting, Flow::Legacy).await;
    circuit.echoes(&mut dialing.sdk, &mut hosting).await;
    let expected = [
        ("control", "Route"),
        ("edge", "Connect"),
        ("edge", "Data"),
        ("link", "Payload"),
    ];
    let expected: BTreeSet<_> = expected
        .map(|(protocol, name)| (protocol.to_owned(), name.to_owned()))
        .into();
    let written = async {
        loop {
            let text = fs::read_to_string(&path).unwrap();
            // The last line may be half written.
            let lines = text
                .lines()
                .filter_map(|line| serde_json::from_str::<Value>(line).ok());
            let named: BTreeSet<_> = lines
                .map(|line| ["protocol", "name"].map(|key| line[key].as_str().unwrap().to_owned()))
                .map(|[protocol, name]| (protocol, name))
                .collect();
            if named.is_superset(&expected) {
                return text;
            }
            sleep(Duration::from_millis(50)).await;
        }
    };
    let text = timeout(Duration::from_secs(20), written).await;
    let text = text.unwrap_or_else(|_| panic!("{}", fs::read_to_string(&path).unwrap()));
    // What was said, as text, as bytes and in hexadecimal digits, and tokens.
    for secret in [
        "there",
        "116, 104, 101, 114, 101",
        "7468657265",
        &dialing.person.token,
    ] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
}
