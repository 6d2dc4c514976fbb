//! What controllers and routers measure: its names and kinds are what dashboards and alerts go by. They are those of
//! OpenZiti, where it has them, and the documentation lists all of them.

use crate::network::Network;
use serde_json::Value;
use std::collections::BTreeSet;

/// Kinds and names.
type Names = BTreeSet<(String, String)>;

type Known = [(&'static str, &'static [&'static str]); 4];

/// Kinds of metrics, by what inspections call them.
const KINDS: [(&str, &str); 4] = [
    ("gauge", "intValues"),
    ("meter", "meters"),
    ("histogram", "histograms"),
    ("timer", "timers"),
];

/// What OpenZiti's controllers measure, but for their pools (observability, section 4.3).
const OF_CONTROLLERS: Known = [
    (
        "gauge",
        &[
            "auth.limiter.queued_count",
            "auth.limiter.window_size",
            "bolt.open_read_txs",
            "eventual.events",
            "raft.rate_limiter.queue_size",
            "raft.rate_limiter.window_size",
        ],
    ),
    (
        "meter",
        &[
            "api.session.enforcer.delete",
            "ctrl.rx.bytesrate:<router>",
            "ctrl.rx.msgrate:<router>",
            "ctrl.tx.bytesrate:<router>",
            "ctrl.tx.msgrate:<router>",
            "identity.refresh",
            "revocation.enforcer.delete",
            "service.policy.enforcer.event.deletes",
            "service.policy.enforcer.run.deletes",
        ],
    ),
    (
        "histogram",
        &[
            "ctrl.latency:<router>",
            "ctrl.queue_time:<router>",
            "ctrl.rx.msgsize:<router>",
            "ctrl.tx.msgsize:<router>",
            "peer.latency:<ctrl>",
            "peer.queue_time:<ctrl>",
        ],
    ),
    (
        "timer",
        &[
            OPERATION,
            "api-session.create",
            "api.session.enforcer.run",
            "auth.limiter.work_timer",
            "identity.update-sdk-info",
            "raft.rate_limiter.work_timer",
            "revocation.enforcer.run",
            "service.policy.enforcer.event",
            "service.policy.enforcer.run",
            "services.list",
            "session.create",
        ],
    ),
];

/// The timer of an operation of the APIs.
const OPERATION: &str = "<API path>.<METHOD>";

const POOLS_OF_CONTROLLERS: &[&str] = &[
    "command.background",
    "pool.listener.ctrl",
    "pool.router.messaging",
];

/// What OpenZiti's routers measure, but for their pools (observability, section 4.4).
const OF_ROUTERS: Known = [
    (
        "gauge",
        &[
            "ctrl_limiter.in_process",
            "ctrl_limiter.window_size",
            "edge.connections",
            "xgress.acks.queue_size",
            "xgress.blocked_by_local_window",
            "xgress.blocked_by_remote_window",
            "xgress.tx_unacked_payload_bytes",
            "xgress.tx_unacked_payloads",
        ],
    ),
    (
        "meter",
        &[
            "edge.connect.failures",
            "edge.connect.successes",
            "edge.disconnects",
            "edge.invalid_api_tokens",
            "edge.invalid_api_tokens_during_sync",
            "egress.rx.bytesrate",
            "egress.rx.msgrate",
            "egress.tx.bytesrate",
            "egress.tx.msgrate",
            "fabric.rx.bytesrate",
            "fabric.rx.msgrate",
            "fabric.tx.bytesrate",
            "fabric.tx.msgrate",
            "faults.circuit",
            "faults.link",
            "ingress.rx.bytesrate",
            "ingress.rx.msgrate",
            "ingress.tx.bytesrate",
            "ingress.tx.msgrate",
            "link.<id>.rx.bytesrate",
            "link.<id>.rx.msgrate",
            "link.<id>.tx.bytesrate",
            "link.<id>.tx.msgrate",
            "link.dropped_fwd_msgs:<id>",
            "link.dropped_msgs:<id>",
            "link.dropped_rtx_msgs:<id>",
            "link.dropped_xg_msgs:<id>",
            "xgress.ack_duplicates",
            "xgress.ack_failures",
            "xgress.blocked_by_local_window_rate",
            "xgress.blocked_by_remote_window_rate",
            "xgress.dropped_payloads",
            "xgress.edge.dropped_acks",
            "xgress.edge.dropped_msgs",
            "xgress.edge.dropped_payloads",
            "xgress.payload_duplicates",
            "xgress.retransmission_failures",
            "xgress.retransmissions",
            "xgress.rx.acks",
            "xgress.tx.acks",
        ],
    ),
    (
        "histogram",
        &[
            "egress.rx.msgsize",
            "egress.tx.msgsize",
            "fabric.rx.msgsize",
            "fabric.tx.msgsize",
            "ingress.rx.msgsize",
            "ingress.tx.msgsize",
            "link.<id>.latency",
            "link.<id>.queue_time",
            "link.<id>.rx.msgsize",
            "link.<id>.tx.msgsize",
        ],
    ),
    (
        "timer",
        &[
            "ctrl_limiter.work_timer",
            "xgress.blocked_time",
            "xgress.tx_write_time",
            "xgress_edge.long_data_queue_time",
            "xgress_edge_tunnel.terminator.create_timer",
        ],
    ),
];

const POOLS_OF_ROUTERS: &[&str] = &[
    "pool.link.dialer",
    "pool.listener.link",
    "pool.listener.xgress_edge",
    "pool.rate_limiter",
    "pool.rdm.handler",
    "pool.route.handler",
    "pool.terminator_validation",
];

/// What our routers measure and OpenZiti's do not.
const OF_OUR_ROUTERS: [&str; 11] = [
    "fabric.links",
    "forwarder.bytesrate",
    "forwarder.circuits",
    "forwarder.dropped_msgs",
    "forwarder.msgrate",
    "forwarder.no_forward_msgs",
    "forwarder.not_attached_msgs",
    "forwarder.unknown_circuit_msgs",
    "link.dropped_rx_msgs:<id>",
    "memory.buffers.limit",
    "memory.buffers.used",
];

/// All that OpenZiti measures, its pools included.
fn openziti(known: Known, pools: &[&str]) -> Names {
    let figures = [
        ("gauge", "busy_workers"),
        ("gauge", "queue_size"),
        ("gauge", "worker_count"),
        ("timer", "work_timer"),
    ];
    let of_pools = pools.iter().flat_map(|pool| {
        figures.map(|(kind, figure)| (kind.to_owned(), format!("{pool}.{figure}")))
    });
    let known = known.into_iter().flat_map(|(kind, names)| {
        let names = names.iter();
        names.map(move |name| (kind.to_owned(), (*name).to_owned()))
    });
    known.chain(of_pools).collect()
}

/// What is measured, with `<…>` in the place of ids.
fn measured(metrics: &Value, ids: &[&str], written: &str) -> Names {
    let mut names = Names::new();
    for (kind, group) in KINDS {
        for name in metrics[group].as_object().unwrap().keys() {
            let mut name = name.clone();
            for id in ids {
                name = name.replace(id, written);
            }
            if name.starts_with('/') {
                OPERATION.clone_into(&mut name);
            }
            names.insert((kind.to_owned(), name));
        }
    }
    names
}

/// The rows of the table of a document that has this head, without it.
fn rows<'d>(document: &'d str, head: &str) -> impl Iterator<Item = Vec<&'d str>> {
    let table = document.split_once(&format!("\n{head}\n"));
    let (_, table) = table.unwrap_or_else(|| panic!("there is no table {head}"));
    let lines = table.lines().take_while(|line| line.starts_with('|'));
    lines
        .skip(1)
        .map(|line| line.split('|').map(str::trim).skip(1).collect())
}

fn code_spans(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// What a document lists.
fn documented(document: &str) -> Names {
    let rows = rows(document, "| Names | Kind | What they tell |");
    rows.flat_map(|cells| {
        let names: Vec<_> = code_spans(cells[0]).collect();
        let of_kind = move |name: &str| (cells[1].to_owned(), name.to_owned());
        names.into_iter().map(of_kind).collect::<Vec<_>>()
    })
    .collect()
}

/// Whether a name is one of those for which a document writes this.
fn is_meant(written: &str, name: &str) -> bool {
    match written.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == written,
    }
}

/// Holds what is measured and what OpenZiti measures against a document; returns what OpenZiti does not measure.
fn compare(document: &str, openziti: &Names, measured: &Names) -> Vec<String> {
    assert_eq!(*measured, documented(document));
    let absent: Vec<_> = rows(document, "| Not told | Why |")
        .flat_map(|cells| code_spans(cells[0]).collect::<Vec<_>>())
        .collect();
    for metric in openziti {
        let is_absent = absent.iter().any(|written| is_meant(written, &metric.1));
        assert_ne!(measured.contains(metric), is_absent, "{metric:?}");
    }
    for written in absent {
        let mut names = openziti.iter().map(|(_, name)| name);
        assert!(names.any(|name| is_meant(written, name)), "{written}");
    }
    let own = measured.difference(openziti);
    own.map(|(_, name)| name.clone()).collect()
}

#[tokio::test]
async fn controller_measures_what_is_documented() {
    let (mut network, _routers) = Network::linked().await;
    network.others_go_on(0, 1).await;
    let controller = &network.controller;
    let person = controller.person("carol").await;
    controller.services_of(&person).await;
    controller.run_jobs().await;

    let metrics = controller.metrics(&controller.id()).await;
    for (name, timer) in metrics["timers"].as_object().unwrap() {
        assert!(timer["count"].as_u64() > Some(0), "{name}: {timer}");
    }
    let ended = &metrics["meters"]["api.session.enforcer.delete"];
    assert!(ended["count"].as_u64() > Some(0), "{ended}");
    let routers: Vec<_> = network.routers.iter().map(|router| &*router.id).collect();
    let own = compare(
        include_str!("../../docs/operations.md"),
        &openziti(OF_CONTROLLERS, POOLS_OF_CONTROLLERS),
        &measured(&metrics, &routers, "<router>"),
    );
    assert_eq!(own, [""; 0]);
}

#[tokio::test]
async fn routers_measure_what_is_documented() {
    let (mut network, _routers) = Network::linked().await;
    network.others_go_on(0, 1).await;
    let (controller, router) = (&network.controller, &network.routers[0].id);
    let links = controller.fabric("links").await;
    let link = links[0]["id"].as_str().unwrap();
    // A router looks at its links now and then.
    let latency = format!("link.{link}.latency");
    controller
        .until("the link is measured", async |controller| {
            let metrics = controller.metrics(router).await;
            metrics["histograms"].get(&latency).is_some()
        })
        .await;

    let metrics = controller.metrics(router).await;
    let mut own = compare(
        include_str!("../../docs/router-monitoring.md"),
        &openziti(OF_ROUTERS, POOLS_OF_ROUTERS),
        &measured(&metrics, &[link], "<id>"),
    );
    own.sort();
    assert_eq!(own, OF_OUR_ROUTERS);
}
