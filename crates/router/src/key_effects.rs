//! Keys of the file that have no effect in a router of Portcullis, although OpenZiti's router knows them.

use std::collections::BTreeSet;

use portcullis_router_config::{
    Diagnostic, EffectiveConfig, Finding, KeyPath, Severity, Source, codes,
};

/// Keys without effect, each with the reason, which completes "it has no effect: ". A section stands for all
/// that it has; `[]` stands for every entry of a list.
const WITHOUT_EFFECT: &[(&str, &str)] = &[
    ("connectEvents.batchInterval", BATCHES),
    ("connectEvents.maxQueuedEvents", BATCHES),
    (
        "ctrl.listeners",
        "controllers are dialed, and do not dial routers",
    ),
    ("ctrl.options.maxOutstandingConnects", OF_LISTENERS),
    ("ctrl.options.maxQueuedConnects", OF_LISTENERS),
    (
        "ctrl.rateLimiter",
        "`forwarder.rateLimitedQueueLength` and `forwarder.rateLimitedWorkerCount` bound requests to controllers",
    ),
    ("dialers[].options.drop1InN", DROPS),
    ("dialers[].options.lookupApiSessionTimeout", SESSIONS),
    ("dialers[].options.lookupSessionTimeout", SESSIONS),
    ("dialers[].options.maxOutstandingConnects", OF_LISTENERS),
    ("dialers[].options.maxQueuedConnects", OF_LISTENERS),
    ("dialers[].options.outQueueSize", OF_CHANNELS),
    ("dialers[].options.randomDrops", DROPS),
    ("dialers[].options.txPortalDupAckScale", WINDOW),
    ("dialers[].options.txQueueSize", WINDOW),
    ("dialers[].options.writeTimeout", OF_CHANNELS),
    (
        "edge.apiProxy",
        "clients reach the controllers by themselves",
    ),
    ("edge.sessionValidateChunkSize", VALIDATION),
    ("edge.sessionValidateMaxInterval", VALIDATION),
    ("edge.sessionValidateMinInterval", VALIDATION),
    (
        "enableDebugOps",
        "the router has no agent; controllers inspect it, and `web` serves its metrics",
    ),
    (
        "forwarder.unresponsiveLinkTimeout",
        "`link.heartbeats.closeUnresponsiveTimeout` closes silent links",
    ),
    (
        "link.dialers[].options.maxOutstandingConnects",
        OF_LISTENERS,
    ),
    ("link.dialers[].options.maxQueuedConnects", OF_LISTENERS),
    ("listeners[].options.drop1InN", DROPS),
    ("listeners[].options.lookupApiSessionTimeout", SESSIONS),
    ("listeners[].options.lookupSessionTimeout", SESSIONS),
    ("listeners[].options.randomDrops", DROPS),
    ("listeners[].options.txPortalDupAckScale", WINDOW),
    ("listeners[].options.txQueueSize", WINDOW),
    (
        "managedConfig",
        "controllers do not set parts of the configuration",
    ),
    (
        "metrics.enableDataDelayMetric",
        "how long data waits in the router is not measured",
    ),
    (
        "metrics.eventQueueSize",
        "metrics are counted where they arise, without a queue",
    ),
    (
        "plugins",
        "shared objects of Go cannot be loaded into this router",
    ),
    (
        "profile.memory",
        "the allocator of the router keeps no profile; the metrics and the system tell how much it takes",
    ),
    ("proxy", "controllers and routers are dialed directly"),
    ("transport.dtls", DTLS),
    ("transport.handshakeTimeout", DTLS),
    (
        "transport.protocol",
        "the router sets the protocol of each connection itself",
    ),
    ("transport.proxy", "services are dialed directly"),
    ("transport.wss", "addresses with `wss:` are not served"),
    (
        "web[].bindPoints[].identity",
        "the router serves APIs on its own addresses only, not over the network",
    ),
];

const BATCHES: &str = "connections of clients are told when they begin and end, without a queue";
const OF_LISTENERS: &str = "it is an option of listeners";
const OF_CHANNELS: &str = "it is an option of channels, and what services are dialed with is none";
const DROPS: &str = "it is a test of OpenZiti, and this router drops nothing on purpose";
const SESSIONS: &str =
    "`getCircuitTimeout` and `ctrl.defaultRequestTimeout` bound what controllers are asked";
const WINDOW: &str = "the window alone says how much is under way";
const VALIDATION: &str =
    "controllers tell of sessions that end, and all are validated after each connection";
const DTLS: &str = "addresses with `dtls:` are not served";

/// Says which keys that a file sets have no effect in this router, and why: a warning for each, with its place.
/// Keys that have no effect anywhere are among the findings of the file itself.
///
/// # Examples
///
/// ```
/// use portcullis_router::keys_without_effect;
/// use portcullis_router_config::{CheckOptions, SourceFile, load};
///
/// let file = SourceFile::new("router.yml", b"v: 3\nmetrics: {eventQueueSize: 5}\n");
/// let found = keys_without_effect(&load(&file, &CheckOptions::new()).effective);
/// assert_eq!(found[0].diagnostic.line, 2);
/// assert!(found[0].diagnostic.message.starts_with("`metrics.eventQueueSize` has no effect: "));
/// ```
pub fn keys_without_effect(config: &EffectiveConfig) -> Vec<Finding> {
    let mut told = BTreeSet::new();
    let mut findings = Vec::new();
    for (path, setting) in config.iter() {
        let (Source::File(place) | Source::Environment(place, _)) = &setting.source else {
            continue;
        };
        let Some((key, reason)) = find(path) else {
            continue;
        };
        if told.insert(key.clone()) {
            let message = format!("`{key}` has no effect: {reason}");
            findings.push(Finding {
                diagnostic: Diagnostic::new(
                    Severity::Warning,
                    codes::UNUSED_KEY,
                    key_path(&key),
                    *place,
                    message,
                ),
                effect: None,
            });
        }
    }
    findings.sort_by_key(|finding| (finding.diagnostic.line, finding.diagnostic.column));
    findings
}

/// The key of the list that a path of the file belongs to, with its reason.
fn find(path: &str) -> Option<(String, &'static str)> {
    let mut steps: Vec<&str> = path.split('.').collect();
    while !steps.is_empty() {
        // A list is named without the position of an entry.
        if let Some((list, _)) = steps.last().and_then(|step| step.split_once('[')) {
            steps.pop();
            steps.push(list);
        }
        let without_positions: Vec<_> = steps.iter().map(|step| without_position(step)).collect();
        let name = without_positions.join(".");
        let known = WITHOUT_EFFECT.iter().find(|(key, _)| *key == name);
        if let Some((_, reason)) = known {
            return Some((steps.join("."), reason));
        }
        steps.pop();
    }
    None
}

/// `listeners[]` for `listeners[3]`.
fn without_position(step: &str) -> String {
    match step.split_once('[') {
        Some((name, _)) => format!("{name}[]"),
        None => step.to_owned(),
    }
}

fn key_path(dotted: &str) -> KeyPath {
    dotted.split('.').fold(KeyPath::root(), |path, step| {
        let (name, position) = step.split_once('[').unwrap_or((step, ""));
        let path = path.key(name);
        match position.trim_end_matches(']').parse() {
            Ok(position) => path.index(position),
            Err(_not_in_a_list) => path,
        }
    })
}

#[cfg(test)]
mod tests {
    use portcullis_router_config::table::{KeyState, ValueType, visit_keys};
    use portcullis_router_config::{CheckOptions, SourceFile, load};

    use super::*;

    /// Keys that have an effect; a section stands for all that it has, but for what [`WITHOUT_EFFECT`] names.
    const WITH_EFFECT: &[&str] = &[
        "connectEvents.enabled",
        "connectEvents.fullSyncInterval",
        "csr",
        "ctrl.bind",
        "ctrl.defaultRequestTimeout",
        "ctrl.endpoint",
        "ctrl.endpoints",
        "ctrl.endpointsFile",
        "ctrl.heartbeats",
        "ctrl.options.connectTimeout",
        "ctrl.options.outQueueSize",
        "ctrl.options.writeTimeout",
        "ctrl.startupTimeout",
        "dialers[].binding",
        "dialers[].options.circuitStartTimeout",
        "dialers[].options.connectTimeout",
        "dialers[].options.getCircuitTimeout",
        "dialers[].options.maxCloseWaitMs",
        "dialers[].options.maxRttScale",
        "dialers[].options.mtu",
        "dialers[].options.retxAddMs",
        "dialers[].options.retxMaxMs",
        "dialers[].options.retxScale",
        "dialers[].options.retxStartMs",
        "dialers[].options.rxBufferSize",
        "dialers[].options.txPortalDupAckThresh",
        "dialers[].options.txPortalIncreaseScale",
        "dialers[].options.txPortalIncreaseThresh",
        "dialers[].options.txPortalMaxSize",
        "dialers[].options.txPortalMinSize",
        "dialers[].options.txPortalRetxScale",
        "dialers[].options.txPortalRetxThresh",
        "dialers[].options.txPortalStartSize",
        "edge.csr",
        "edge.db",
        "edge.dbSaveIntervalSeconds",
        "edge.heartbeatIntervalSeconds",
        "forwarder.faultTxInterval",
        "forwarder.idleCircuitTimeout",
        "forwarder.idleTxInterval",
        "forwarder.linkDialQueueLength",
        "forwarder.linkDialWorkerCount",
        "forwarder.rateLimitedQueueLength",
        "forwarder.rateLimitedWorkerCount",
        "forwarder.xgressCloseCheckInterval",
        "forwarder.xgressDialDwellTime",
        "forwarder.xgressDialQueueLength",
        "forwarder.xgressDialWorkerCount",
        "healthChecks",
        "identity",
        "interfaceDiscovery",
        "link",
        "listeners[].address",
        "listeners[].binding",
        "listeners[].options",
        "listeners[].service",
        "metrics.intervalAgeThreshold",
        "metrics.messageQueueSize",
        "metrics.reportInterval",
        "profile.cpu",
        "tls.handshakeTimeout",
        "trace.path",
        "v",
        "web",
    ];

    /// Entries that are refused with a sentence of their own.
    const REFUSED: &str = "[tunnel]";

    fn names_or_contains(list: &str, path: &str) -> bool {
        let rest = path.strip_prefix(list);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    }

    /// All keys that hold a value, but for those that are dead, and those in dead sections.
    fn keys() -> BTreeSet<String> {
        let mut keys = BTreeSet::new();
        let mut dead = Vec::new();
        visit_keys(&mut |path, found| {
            let is_section = matches!(
                found.key.value_type,
                ValueType::Map(_) | ValueType::MapList(_) | ValueType::BindingList(_)
            );
            if found.key.state != KeyState::Active {
                dead.push(path.to_owned());
            } else if !is_section && !path.contains(REFUSED) {
                let steps: Vec<_> = path.split('.').map(without_position).collect();
                keys.insert(steps.join("."));
            }
        });
        keys.retain(|key| !dead.iter().any(|dead| names_or_contains(dead, key)));
        keys
    }

    #[test]
    fn every_key_has_an_effect_or_a_reason_why_not() {
        let keys = keys();
        assert!(keys.len() > 150, "{}", keys.len());
        let has_effect = |key: &str| WITH_EFFECT.iter().any(|with| names_or_contains(with, key));
        let unlisted: Vec<_> = keys
            .iter()
            .filter(|key| !has_effect(key) && find(key).is_none())
            .collect();
        assert!(unlisted.is_empty(), "in neither list: {unlisted:?}");
        for (key, _) in WITHOUT_EFFECT {
            let is_exact = WITH_EFFECT.contains(key);
            assert!(!is_exact, "`{key}` is in both lists");
        }
        let listed = WITHOUT_EFFECT.iter().map(|(key, _)| key);
        let unknown: Vec<_> = listed
            .chain(WITH_EFFECT)
            .filter(|listed| !keys.iter().any(|key| names_or_contains(listed, key)))
            .collect();
        assert!(unknown.is_empty(), "no such keys: {unknown:?}");
    }

    fn found(text: &str) -> Vec<(String, u32)> {
        let file = SourceFile::new("router.yml", text.as_bytes());
        let findings = keys_without_effect(&load(&file, &CheckOptions::new()).effective);
        let place = |finding: Finding| (finding.diagnostic.path.dotted(), finding.diagnostic.line);
        findings.into_iter().map(place).collect()
    }

    #[test]
    fn sections_are_named_once_where_they_begin() {
        let file = "v: 3
profile:
  cpu: {path: a}
  memory: {path: b, intervalMs: 5}
transport:
  wss:
    readTimeout: 5
    writeTimeout: 5
listeners:
  - binding: edge
    address: tls:0.0.0.0:3022
    options: {advertise: 'r.example.test:3022', randomDrops: true}
";
        assert_eq!(
            found(file),
            [
                ("profile.memory".to_owned(), 4),
                ("transport.wss".to_owned(), 7),
                ("listeners[0].options.randomDrops".to_owned(), 12),
            ]
        );
    }

    #[test]
    fn defaults_are_not_told() {
        assert!(found("v: 3\n").is_empty());
    }
}
