//! Options of the tunnel, a client built into the router.

use crate::table::key::{Key, KeyGroup, StringFormat, ValueType};

/// Options of the binding `tunnel` apart from those of circuits.
pub(crate) const TUNNEL: KeyGroup = &[
    Key::new(
        "mode",
        ValueType::String(StringFormat::TunnelMode),
        "What the tunnel does: `host` serves what a service policy lets it bind; `tproxy` also intercepts the traffic of its network for services that it may dial, and answers DNS queries; `proxy` \
         also opens a port for each entry of `services`. `tproxy:` may be followed by the path of a \
         program that diverts the traffic. OpenZiti uses `tproxy` when the key is missing.",
    )
    .default("host")
    .example("host"),
    Key::duration("svcPollRate", "No longer used.").default("15s").example("15s"),
    Key::new(
        "resolver",
        ValueType::StringOrList(StringFormat::Resolver),
        "Where the name server listens, `udp://ip:port`, or a hosts file, `file:///path`. Only in mode \
         `tproxy`. A list is added to the default.",
    )
    .default("udp://127.0.0.1:53")
    .example("udp://127.0.0.1:53"),
    Key::new(
        "dnsSvcIpRange",
        ValueType::String(StringFormat::Cidr),
        "Range from which names of services get their addresses. Only in mode `tproxy`.",
    )
    .default("100.64.0.1/10")
    .example("100.64.0.1/10"),
    Key::new(
        "dnsUpstream",
        ValueType::StringOrList(StringFormat::Upstream),
        "Name servers for other names, `udp://ip:port` or `tcp://ip:port`. Only in mode \
         `tproxy`.",
    )
    .example("udp://10.0.0.2:53"),
    Key::new(
        "dnsUpstreamMode",
        ValueType::EnumIgnoreCase(&["parallel", "serial", "failover", "random"]),
        "Order in which they are queried.",
    )
    .default("parallel")
    .example("parallel"),
    Key::new(
        "dnsUnanswerable",
        ValueType::EnumIgnoreCase(&["refused", "servfail", "timeout"]),
        "Answer for an unknown name.",
    )
    .default("refused")
    .example("refused"),
    Key::new(
        "services",
        ValueType::StringList(StringFormat::ServicePort),
        "Services and the port that is opened for each, `name:port` or `name:port:udp`, at 0.0.0.0: \
         all IPv4 addresses. Only in mode `proxy`.",
    )
    .example("[\"echo:8000\"]"),
    Key::new(
        "lanIf",
        ValueType::StringOrList(StringFormat::Interface),
        "Network interfaces whose traffic is intercepted; without any, only what the machine itself sends is, \
         unlike at OpenZiti. Only in mode `tproxy`. Leave the key out rather than without a value.",
    )
    .example("eth0"),
    Key::duration(
        "udpIdleTimeout",
        "After how long a silent UDP connection is forgotten; less than 5s counts as 5m.",
    )
    .default("5m")
    .example("5m"),
    Key::duration(
        "udpCheckInterval",
        "How often silent UDP connections are looked for; less than 1s counts as 30s.",
    )
    .default("30s")
    .example("30s"),
];
