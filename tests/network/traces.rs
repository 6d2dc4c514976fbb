//! What the log tells of the circuits of an identity that is traced.

use crate::network::{Flow, Network};
use serde_json::Value;
use std::io::{self, Write};
use std::mem;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::{sleep, timeout};

const TRACE_ID: &str = "a trace of the tests";

/// The lines of the log that have the id of the trace.
#[derive(Debug, Clone, Default)]
struct Log {
    lines: Arc<Mutex<Vec<Value>>>,
    begun: Vec<u8>,
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.begun.extend_from_slice(bytes);
        if bytes.ends_with(b"\n") {
            let line = mem::take(&mut self.begun);
            if String::from_utf8_lossy(&line).contains(TRACE_ID) {
                let line = serde_json::from_slice(&line).unwrap();
                self.lines.lock().unwrap().push(line);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Log {
    /// Of all tests in this process, which do not have this id.
    fn start() -> Self {
        let log = Self::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt()
            .json()
            .with_writer(move || writer.clone())
            .finish();
        tracing::subscriber::set_global_default(subscriber).unwrap();
        log
    }

    /// What was told so often, once it was.
    async fn has(&self, count: usize, message: &str) -> Vec<Value> {
        let waiting = async {
            loop {
                let lines = self.lines.lock().unwrap().clone();
                let is_meant = |line: &Value| line["fields"]["message"] == message;
                let found: Vec<_> = lines.into_iter().filter(is_meant).collect();
                if found.len() >= count {
                    return found
                        .into_iter()
                        .map(|line| line["fields"].clone())
                        .collect();
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

#[tokio::test]
async fn circuits_of_a_traced_identity_are_told_by_controller_and_routers() {
    let log = Log::start();
    let network = Network::new(2).await;
    let mut routers = Vec::new();
    for router in &network.routers {
        routers.push(router.start().await);
    }
    network.controller.until_online(2).await;
    network.controller.until_count("links", 1).await;
    let mut hosting = network.host("bob", 1, Flow::Legacy).await;
    let mut dialing = network.client("alice", 0).await;
    let before = dialing.dials(1, &mut hosting, Flow::Legacy).await;
    before.echoes(&mut dialing.sdk, &mut hosting).await;
    assert!(log.lines.lock().unwrap().is_empty());

    network.controller.trace(&dialing.person.id, TRACE_ID).await;
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
            assert_eq!(line["trace_id"], TRACE_ID, "{line}");
            assert_eq!(line["request_id"], request, "{line}");
        }
    }
    for ended in log.has(2, "a traced circuit has ended").await {
        assert!(ended["bytes_from_client"].as_u64().unwrap() > 0, "{ended}");
        assert!(ended["bytes_from_host"].as_u64().unwrap() > 0, "{ended}");
        assert!(ended["reason"].is_string(), "{ended}");
    }
}
