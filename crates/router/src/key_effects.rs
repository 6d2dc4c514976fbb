//! Keys of the file that have no effect in a router of Portcullis, although OpenZiti's router knows them.

use std::collections::BTreeSet;

use portcullis_router_config::{
    Diagnostic, EffectiveConfig, Finding, KeyPath, Setting, Severity, Source, codes,
};

use crate::control::SHORTEST_QUEUE;

/// Keys without effect, each with the reason, which completes "it has no effect: ". A section stands for all
/// that it has; `[]` stands for every entry of a list, and `[edge]` for those with this binding.
const WITHOUT_EFFECT: &[(&str, &str)] = &[
    (
        "connectEvents.maxQueuedEvents",
        "controllers are told how clients are connected at the moment, so nothing queues",
    ),
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
    (
        "dialers[edge]",
        "what SDKs host has the options of the listener that they have connected to",
    ),
    ("dialers[proxy]", NOT_DIALED),
    ("dialers[proxy_udp]", NOT_DIALED),
    ("dialers[tunnel].options.connectTimeout", OF_SERVICES),
    ("dialers[tunnel].options.dnsSvcIpRange", OF_TUNNEL),
    ("dialers[tunnel].options.dnsUnanswerable", OF_TUNNEL),
    ("dialers[tunnel].options.dnsUpstream", OF_TUNNEL),
    ("dialers[tunnel].options.dnsUpstreamMode", OF_TUNNEL),
    ("dialers[tunnel].options.lanIf", OF_TUNNEL),
    ("dialers[tunnel].options.mode", OF_TUNNEL),
    ("dialers[tunnel].options.resolver", OF_TUNNEL),
    ("dialers[tunnel].options.services", OF_TUNNEL),
    ("dialers[tunnel].options.svcPollRate", NO_POLLING),
    ("dialers[tunnel].options.udpCheckInterval", OF_TUNNEL),
    ("dialers[tunnel].options.udpIdleTimeout", OF_TUNNEL),
    ("dialers[udp]", NOT_DIALED),
    ("dialers[].options.drop1InN", DROPS),
    (
        "dialers[].options.getCircuitTimeout",
        "dialers ask for no circuits, listeners do",
    ),
    ("dialers[].options.lookupApiSessionTimeout", SESSIONS),
    ("dialers[].options.lookupSessionTimeout", SESSIONS),
    ("dialers[].options.maxOutstandingConnects", OF_LISTENERS),
    ("dialers[].options.maxQueuedConnects", OF_LISTENERS),
    ("dialers[].options.mtu", MTU),
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
    ("link.dialers[].options.outQueueSize", OF_LINKS),
    ("link.dialers[].options.writeTimeout", STALLED_LINKS),
    ("link.listeners[].options.outQueueSize", OF_LINKS),
    ("link.listeners[].options.writeTimeout", STALLED_LINKS),
    ("listeners[proxy].options.circuitStartTimeout", OF_DIALERS),
    ("listeners[proxy].options.connectTimeout", OF_DIALERS),
    (
        "listeners[proxy_udp].options.circuitStartTimeout",
        OF_DIALERS,
    ),
    ("listeners[proxy_udp].options.connectTimeout", OF_DIALERS),
    (
        "listeners[transport].options.circuitStartTimeout",
        OF_DIALERS,
    ),
    ("listeners[transport].options.connectTimeout", OF_DIALERS),
    (
        "listeners[transport_udp].options.circuitStartTimeout",
        OF_DIALERS,
    ),
    (
        "listeners[transport_udp].options.connectTimeout",
        OF_DIALERS,
    ),
    ("listeners[tunnel].options.circuitStartTimeout", OF_DIALERS),
    ("listeners[tunnel].options.connectTimeout", OF_DIALERS),
    ("listeners[tunnel].options.getCircuitTimeout", OF_SERVICES),
    ("listeners[tunnel].options.svcPollRate", NO_POLLING),
    (
        "listeners[tunnel].options.udpCheckInterval",
        "a flow ends as soon as it was silent for `udpIdleTimeout`",
    ),
    ("listeners[].options.drop1InN", DROPS),
    ("listeners[].options.lookupApiSessionTimeout", SESSIONS),
    ("listeners[].options.lookupSessionTimeout", SESSIONS),
    ("listeners[].options.mtu", MTU),
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
    ("proxy", "controllers and routers are dialed directly"),
    ("transport.dtls", DTLS),
    ("transport.handshakeTimeout", DTLS),
    (
        "transport.protocol",
        "the router sets the protocol of each connection itself",
    ),
    ("transport.proxy", "services are dialed directly"),
    ("transport.wss.enableCompression", COMPRESSION),
    ("transport.wss.idleTimeout", UPGRADES),
    (
        "transport.wss.identity",
        "the certificates of the router are shown, `alt_server_certs` to those who ask for their hosts",
    ),
    ("transport.wss.readTimeout", UPGRADES),
    ("transport.wss.writeTimeout", UPGRADES),
    (
        "web[].bindPoints[].identity",
        "the router serves APIs on its own addresses only, not over the network",
    ),
];

const COMPRESSION: &str = "messages are not compressed: what they carry is encrypted";
const UPGRADES: &str = "`handshakeTimeout` bounds each upgrade, and nothing else is served there";
const OF_LISTENERS: &str = "it is an option of listeners";
const OF_DIALERS: &str = "it is an option of dialers";
const OF_CHANNELS: &str = "it is an option of channels, and what services are dialed with is none";
const OF_LINKS: &str =
    "`link.payloadSenderQueueSize` and `link.ackSenderQueueSize` bound what waits on links";
const STALLED_LINKS: &str = "a connection of a link that takes nothing for 20s is closed";
const NOT_DIALED: &str =
    "no service is dialed by this binding; `transport` and `transport_udp` are those for servers";
const NO_POLLING: &str = "services are told when they change";
const OF_SERVICES: &str = "the configuration of a service says how long it may take";
const OF_TUNNEL: &str = "it is an option of the listener with this binding";
const MTU: &str = "payloads are as large as what is read at once; links and channels split nothing";
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
        let steps = Step::of_path(path, |entry| binding(config, entry));
        let listed = find(&steps).map(|(key, reason)| (key, reason.to_owned()));
        let Some((key, reason)) = listed.or_else(|| too_short_queue(path, setting)) else {
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

/// The queue to a controller is made longer only.
fn too_short_queue(path: &str, setting: &Setting) -> Option<(String, String)> {
    let length = setting.value.as_u64()?;
    let is_short = usize::try_from(length).is_ok_and(|length| length <= SHORTEST_QUEUE);
    (path == "ctrl.options.outQueueSize" && is_short).then(|| {
        let reason = format!("{SHORTEST_QUEUE} messages may wait in any case");
        (path.to_owned(), reason)
    })
}

/// A step of a path: a name, perhaps with an entry of the list that it names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Step<'path> {
    /// As in the file, such as `listeners[3]`.
    text: &'path str,
    name: &'path str,
    entry: Option<Entry<'path>>,
}

/// An entry of a list, by its binding if it is of a list whose entries have one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Entry<'path>(Option<&'path str>);

impl<'path> Step<'path> {
    /// The steps of a path. `binding` has the binding of an entry of `listeners` or `dialers`.
    fn of_path(path: &'path str, binding: impl Fn(&str) -> Option<&'path str>) -> Vec<Self> {
        let steps = path.split('.').enumerate().map(|(depth, text)| {
            let (name, entry) = match text.split_once('[') {
                Some((name, _)) if depth == 0 => (name, Some(Entry(binding(text)))),
                Some((name, _)) => (name, Some(Entry(None))),
                None => (text, None),
            };
            Self { text, name, entry }
        });
        steps.collect()
    }

    /// Whether a step of a listed key stands for this one.
    fn is_meant_by(&self, listed: &str) -> bool {
        match (listed.split_once('['), &self.entry) {
            // A list with all its entries, or no list.
            (None, _) => listed == self.name,
            (Some((name, "]")), Some(_)) => name == self.name,
            (Some((name, binding)), Some(Entry(given))) => {
                name == self.name && *given == binding.strip_suffix(']')
            },
            (Some(_), None) => false,
        }
    }
}

/// Whether a path is a listed key, or below it.
fn is_below(listed: &str, steps: &[Step<'_>]) -> bool {
    let mut listed = listed.split('.');
    let is_meant = steps.iter().map_while(|step| Some((step, listed.next()?)));
    let is_meant = is_meant.fold(true, |all, (step, listed)| all && step.is_meant_by(listed));
    is_meant && listed.next().is_none()
}

fn binding<'config>(config: &'config EffectiveConfig, entry: &str) -> Option<&'config str> {
    config.get(&format!("{entry}.binding"))?.value.as_str()
}

/// The outermost key without effect that a path of the file belongs to, with the reason.
fn find(steps: &[Step<'_>]) -> Option<(String, &'static str)> {
    let of_path = WITHOUT_EFFECT
        .iter()
        .filter(|(key, _)| is_below(key, steps));
    let depth = |key: &str| key.split('.').count();
    let (key, reason) = of_path.min_by_key(|(key, _)| depth(key))?;
    let named = key.split('.').zip(steps);
    let texts: Vec<_> = named
        .map(|(listed, step)| {
            if listed.contains('[') {
                step.text
            } else {
                step.name
            }
        })
        .collect();
    Some((texts.join("."), reason))
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
    use portcullis_router_config::{CheckOptions, SourceFile, explain, load};

    use super::*;

    /// Keys that have an effect; a section stands for all that it has.
    const WITH_EFFECT: &[&str] = &[
        "connectEvents.batchInterval",
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
        "link.ackSenderQueueSize",
        "link.dialers[].bind",
        "link.dialers[].bindInterface",
        "link.dialers[].binding",
        "link.dialers[].groups",
        "link.dialers[].healthyDialBackoff",
        "link.dialers[].maxAckConnections",
        "link.dialers[].maxDefaultConnections",
        "link.dialers[].options.connectTimeout",
        "link.dialers[].split",
        "link.dialers[].startupDelay",
        "link.dialers[].unhealthyDialBackoff",
        "link.heartbeats",
        "link.listeners[].advertise",
        "link.listeners[].bind",
        "link.listeners[].bindInterface",
        "link.listeners[].binding",
        "link.listeners[].groups",
        "link.listeners[].options.connectTimeout",
        "link.listeners[].options.maxOutstandingConnects",
        "link.listeners[].options.maxQueuedConnects",
        "link.payloadSenderQueueSize",
        "listeners[edge].options.circuitStartTimeout",
        "listeners[edge].options.connectTimeout",
        "listeners[edge].options.maxOutstandingConnects",
        "listeners[edge].options.maxQueuedConnects",
        "listeners[edge].options.outQueueSize",
        "listeners[edge].options.writeTimeout",
        "metrics.intervalAgeThreshold",
        "metrics.messageQueueSize",
        "metrics.reportInterval",
        "profile",
        "tls.handshakeTimeout",
        "trace.path",
        "transport.wss.handshakeTimeout",
        "transport.wss.pingInterval",
        "transport.wss.pongTimeout",
        "transport.wss.readBufferSize",
        "transport.wss.writeBufferSize",
        "v",
        "web[].apis",
        "web[].bindPoints[].address",
        "web[].bindPoints[].interface",
        "web[].bindPoints[].newAddress",
        "web[].identity",
        "web[].name",
        "web[].options",
    ];

    /// The same for what listeners for clients have, whatever their binding.
    const OF_CLIENT_LISTENERS: &[&str] = &[
        "address",
        "options.advertise",
        "options.getCircuitTimeout",
        "service",
    ];

    /// The same for dialers of servers.
    const OF_SERVER_DIALERS: &[&str] = &["options.circuitStartTimeout", "options.connectTimeout"];

    /// The same for both.
    const OF_ENDS: &[&str] = &[
        "binding",
        "options.maxCloseWaitMs",
        "options.maxRttScale",
        "options.retxAddMs",
        "options.retxMaxMs",
        "options.retxScale",
        "options.retxStartMs",
        "options.rxBufferSize",
        "options.txPortalDupAckThresh",
        "options.txPortalIncreaseScale",
        "options.txPortalIncreaseThresh",
        "options.txPortalMaxSize",
        "options.txPortalMinSize",
        "options.txPortalRetxScale",
        "options.txPortalRetxThresh",
        "options.txPortalStartSize",
    ];

    /// The same for the tunneler, and for what it hosts.
    const OF_TUNNELER: &[&str] = &[
        "options.dnsSvcIpRange",
        "options.dnsUnanswerable",
        "options.dnsUpstream",
        "options.dnsUpstreamMode",
        "options.lanIf",
        "options.mode",
        "options.resolver",
        "options.services",
        "options.udpIdleTimeout",
    ];
    const OF_TUNNEL_DIALER: &[&str] = &["options.circuitStartTimeout"];

    const CLIENT_LISTENERS: &[&str] = &["edge", "proxy", "proxy_udp", "transport", "transport_udp"];
    const SERVER_DIALERS: &[&str] = &["edge_transport", "transport", "transport_udp"];

    fn with_effect() -> Vec<String> {
        let mut all: Vec<_> = WITH_EFFECT.iter().map(ToString::to_string).collect();
        for (list, bindings, own) in [
            ("listeners", CLIENT_LISTENERS, OF_CLIENT_LISTENERS),
            ("dialers", SERVER_DIALERS, OF_SERVER_DIALERS),
            ("listeners", &["tunnel"], OF_TUNNELER),
            ("dialers", &["tunnel"], OF_TUNNEL_DIALER),
        ] {
            for binding in bindings {
                let keys = own.iter().chain(OF_ENDS);
                all.extend(keys.map(|key| format!("{list}[{binding}].{key}")));
            }
        }
        all
    }

    /// The steps of a path of the table.
    fn steps(path: &str) -> Vec<Step<'_>> {
        let binding = path
            .split_once('[')
            .and_then(|(_, rest)| rest.split_once(']'));
        Step::of_path(path, |_| {
            binding
                .map(|(binding, _)| binding)
                .filter(|binding| !binding.is_empty())
        })
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
            } else if !is_section {
                keys.insert(path.to_owned());
            }
        });
        keys.retain(|key| !dead.iter().any(|dead| is_below(dead, &steps(key))));
        keys
    }

    #[test]
    fn every_key_has_an_effect_or_a_reason_why_not() {
        let (keys, with_effect) = (keys(), with_effect());
        assert!(keys.len() > 150, "{}", keys.len());
        let lists = |key: &String| {
            let with = with_effect.iter().any(|with| is_below(with, &steps(key)));
            (with, find(&steps(key)).is_some())
        };
        let unlisted: Vec<_> = keys
            .iter()
            .filter(|key| lists(key) == (false, false))
            .collect();
        assert!(unlisted.is_empty(), "in neither list: {unlisted:?}");
        let doubled: Vec<_> = keys
            .iter()
            .filter(|key| lists(key) == (true, true))
            .collect();
        assert!(doubled.is_empty(), "in both lists: {doubled:?}");
        let without = WITHOUT_EFFECT.iter().map(|(key, _)| *key);
        let unknown: Vec<_> = without
            .chain(WITH_EFFECT.iter().copied())
            .filter(|listed| !keys.iter().any(|key| is_below(listed, &steps(key))))
            .collect();
        assert!(unknown.is_empty(), "no such keys: {unknown:?}");
    }

    #[test]
    fn queue_to_controllers_is_made_longer_only() {
        let file = |length: usize| format!("v: 3\nctrl: {{options: {{outQueueSize: {length}}}}}\n");
        let key = ("ctrl.options.outQueueSize".to_owned(), 2);
        assert_eq!(found(&file(SHORTEST_QUEUE)), [key]);
        assert_eq!(found(&file(SHORTEST_QUEUE + 1)), []);
        let explained = explain("ctrl.options.outQueueSize").unwrap();
        let doc = format!("{explained:?}");
        assert!(doc.contains(&SHORTEST_QUEUE.to_string()), "{doc}");
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
metrics: {eventQueueSize: 5}
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
dialers:
  - {binding: transport, options: {mtu: 1400, rxBufferSize: 5}}
  - {binding: edge, options: {mtu: 1400, rxBufferSize: 5}}
";
        assert_eq!(
            found(file),
            [
                ("metrics.eventQueueSize".to_owned(), 2),
                ("transport.wss.readTimeout".to_owned(), 8),
                ("transport.wss.writeTimeout".to_owned(), 9),
                ("listeners[0].options.randomDrops".to_owned(), 13),
                ("dialers[0].options.mtu".to_owned(), 15),
                ("dialers[1]".to_owned(), 16),
            ]
        );
    }

    #[test]
    fn defaults_are_not_told() {
        assert!(found("v: 3\n").is_empty());
    }
}
