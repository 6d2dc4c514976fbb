//! Least and largest values of integers, by both verdicts.

use portcullis_router_config::openziti::{Machine, evaluate};
use portcullis_router_config::{CheckOptions, SourceFile, check};

use crate::own::changed;

/// Bounds that one of the verdicts holds a value against; `None` when it has none.
type Bounds = Option<(i64, i64)>;

/// Each row: where the key is added, the key, its bounds here and those of the original.
type Row = (&'static str, &'static str, Bounds, Bounds);

const FORWARDER: &str = "v: 3\n|forwarder:\n  ";
const CTRL_OPTIONS: &str = "ctrl:\n|  options:\n    ";
const LINK: &str = "link:\n|  ";
const LINK_DIALER: &str = "    - binding: transport\n|      ";
const LINK_OPTIONS: &str = "    - binding: transport\n|      options:\n        ";
const LIMITER: &str = "ctrl:\n|  rateLimiter:\n    ";
const EDGE: &str = "edge:\n|  ";
const EVENTS: &str = "v: 3\n|connectEvents:\n  ";
const EDGE_OPTIONS: &str = "      advertise: r1.example:3022\n|      ";

const ALL: i64 = i64::MAX;
const U32: i64 = 4_294_967_295;

const ROWS: &[Row] = &[
    (
        FORWARDER,
        "linkDialQueueLength",
        Some((1, 10_000)),
        Some((1, 10_000)),
    ),
    (
        FORWARDER,
        "linkDialWorkerCount",
        Some((1, 10_000)),
        Some((2, 10_000)),
    ),
    (
        FORWARDER,
        "rateLimitedQueueLength",
        Some((1, 50_000)),
        Some((1, 50_000)),
    ),
    (
        FORWARDER,
        "rateLimitedWorkerCount",
        Some((1, 10_000)),
        Some((2, 10_000)),
    ),
    (
        FORWARDER,
        "xgressDialQueueLength",
        Some((1, 10_000)),
        Some((1, 10_000)),
    ),
    (
        FORWARDER,
        "xgressDialWorkerCount",
        Some((1, 10_000)),
        Some((1, 10_000)),
    ),
    (
        FORWARDER,
        "idleTxInterval",
        Some((0, 9_223_372_036_854)),
        None,
    ),
    (
        FORWARDER,
        "unresponsiveLinkTimeout",
        Some((5_000, 9_223_372_036_854)),
        Some((5_000, 9_223_372_036_854)),
    ),
    (
        CTRL_OPTIONS,
        "maxQueuedConnects",
        Some((1, 5_000)),
        Some((1, 5_000)),
    ),
    (
        CTRL_OPTIONS,
        "maxOutstandingConnects",
        Some((1, 1_000)),
        Some((1, 1_000)),
    ),
    (
        CTRL_OPTIONS,
        "connectTimeoutMs",
        Some((30, 60_000)),
        Some((30, 60_000)),
    ),
    (
        CTRL_OPTIONS,
        "outQueueSize",
        Some((0, 1_048_576)),
        Some((0, ALL)),
    ),
    (
        EDGE_OPTIONS,
        "maxQueuedConnects",
        Some((1, 5_000)),
        Some((1, 5_000)),
    ),
    (
        EDGE_OPTIONS,
        "maxOutstandingConnects",
        Some((1, 1_000)),
        Some((1, 1_000)),
    ),
    (
        EDGE_OPTIONS,
        "connectTimeoutMs",
        Some((30, 60_000)),
        Some((30, 60_000)),
    ),
    (EDGE_OPTIONS, "mtu", Some((0, 2_147_483_647)), None),
    (EDGE_OPTIONS, "txPortalMinSize", Some((0, U32)), None),
    (EDGE_OPTIONS, "maxRttScale", Some((0, 65_535)), None),
    (
        LINK,
        "payloadSenderQueueSize",
        Some((1, ALL)),
        Some((1, ALL)),
    ),
    (LINK, "ackSenderQueueSize", Some((1, ALL)), Some((1, ALL))),
    (
        LINK_DIALER,
        "maxDefaultConnections",
        Some((1, 100)),
        Some((1, 100)),
    ),
    (
        LINK_DIALER,
        "maxAckConnections",
        Some((0, 100)),
        Some((0, 100)),
    ),
    (
        LINK_OPTIONS,
        "maxQueuedConnects",
        Some((1, 5_000)),
        Some((0, ALL)),
    ),
    (
        LINK_OPTIONS,
        "maxOutstandingConnects",
        Some((1, 1_000)),
        Some((1, ALL)),
    ),
    (LIMITER, "minSize", Some((5, 250)), Some((5, 250))),
    (EDGE, "heartbeatIntervalSeconds", Some((10, 60)), None),
    (EDGE, "dbSaveIntervalSeconds", Some((30, 86_400)), None),
    (EDGE, "sessionValidateChunkSize", Some((1, U32)), None),
    (EVENTS, "maxQueuedEvents", Some((0, 10_000_000)), None),
];

/// Tells whether the two verdicts complain about the value of a key.
fn complaints((place, key, ..): Row, value: i64) -> [bool; 2] {
    let (part, before) = place
        .split_once('|')
        .expect("a place and what stands there");
    let file = changed(part, &format!("{part}{before}{key}: {value}\n"));
    let text = SourceFile::new("router.yml", file.as_bytes());
    let own = check(&text, &CheckOptions::new()).findings;
    let original = evaluate(&text, &Machine::new()).findings;
    [own, original].map(|findings| {
        findings.iter().any(|finding| {
            let diagnostic = &finding.diagnostic;
            diagnostic.severity.to_string() == "error"
                && diagnostic.path.to_string().ends_with(&format!(".{key}"))
        })
    })
}

#[test]
fn each_bound_belongs_to_what_is_allowed() {
    for row in ROWS {
        let ends = [row.2, row.3].into_iter().flatten();
        for end in ends.flat_map(|(least, most)| [least, most]) {
            for value in [end.saturating_sub(1), end, end.saturating_add(1)] {
                let outside = [row.2, row.3].map(|bounds| {
                    bounds.is_some_and(|(least, most)| !(least..=most).contains(&value))
                });
                assert_eq!(complaints(*row, value), outside, "{}: {value}", row.1);
            }
        }
    }
}
