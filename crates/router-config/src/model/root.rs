//! Root of the configuration and its smaller sections.

use portcullis_yaml::syntax::GoDuration;

use crate::model::identity::{Csr, Identity};
use crate::model::link::{ChannelOptions, Heartbeats, Link};
use crate::model::section::{FromEffective as _, config_section};
use crate::model::web::{HealthChecks, WebServer};
use portcullis_key_table::EffectiveConfig;

config_section! {
    /// A router's configuration.
    RouterConfig {
        /// Certificates and keys.
        identity: section<Identity> = "identity",
        /// Controllers and how to reach them.
        ctrl: section<Ctrl> = "ctrl",
        /// Links to other routers.
        link: section<Link> = "link",
        /// How services are dialed.
        dialers: list<Listener> = "dialers",
        /// Listeners for traffic that enters the network.
        listeners: list<Listener> = "listeners",
        /// Certificate request at the top level, which wins over that of `edge`.
        csr: section<Csr> = "csr",
        /// Settings of an edge router.
        edge: section<Edge> = "edge",
        transport: section<Transport> = "transport",
        /// Forwarding over links and to services.
        forwarder: section<Forwarder> = "forwarder",
        metrics: section<Metrics> = "metrics",
        health_checks: section<HealthChecks> = "healthChecks",
        /// HTTP servers.
        web: list<WebServer> = "web",
        trace: section<Trace> = "trace",
        profile: section<Profile> = "profile",
        interface_discovery: section<InterfaceDiscovery> = "interfaceDiscovery",
        connect_events: section<ConnectEvents> = "connectEvents",
        tls: section<Tls> = "tls",
    }
}

config_section! {
    /// Section `ctrl`: controllers and how to reach them.
    Ctrl {
        /// Address of the controller.
        endpoint: value<String> = "endpoint",
        /// Addresses of several controllers, not used beside `endpoint`.
        endpoints: value<Vec<String>> = "endpoints",
        /// Interface or address to dial from.
        bind: value<String> = "bind",
        /// How long an answer may take.
        default_request_timeout: value<GoDuration> = "defaultRequestTimeout",
        /// Time after which the router gives up connecting.
        startup_timeout: value<GoDuration> = "startupTimeout",
        /// Where the addresses of controllers are kept.
        endpoints_file: value<String> = "endpointsFile",
        /// Options of the channel.
        options: section<ChannelOptions> = "options",
        heartbeats: section<Heartbeats> = "heartbeats",
    }
}

config_section! {
    /// Entry of `listeners` or `dialers`.
    Listener {
        /// Type of the listener or dialer.
        binding: value<String> = "binding",
        /// Address to listen on.
        address: value<String> = "address",
        /// Service that everything is sent to.
        service: value<String> = "service",
        /// Address that clients are told.
        advertise: value<String> = "options.advertise",
        /// Mode of a tunnel.
        mode: value<String> = "options.mode",
        /// Services of a tunnel, each with its port.
        services: value<Vec<String>> = "options.services",
        /// Resolvers of a tunnel.
        resolver: value<Vec<String>> = "options.resolver",
        /// Network interfaces, or addresses of them, whose traffic a tunnel intercepts.
        lan_if: value<Vec<String>> = "options.lanIf",
        /// Name servers for names that are no service's.
        dns_upstream: value<Vec<String>> = "options.dnsUpstream",
        /// In which order they are asked.
        dns_upstream_mode: value<String> = "options.dnsUpstreamMode",
        /// Answer for names that nobody knows.
        dns_unanswerable: value<String> = "options.dnsUnanswerable",
        /// Range for the addresses of services.
        dns_svc_ip_range: value<String> = "options.dnsSvcIpRange",
        /// After how long a silent flow of datagrams is over.
        udp_idle_timeout: value<GoDuration> = "options.udpIdleTimeout",
        /// Largest payload.
        mtu: value<i64> = "options.mtu",
        /// Options of the channel.
        options: section<ChannelOptions> = "options",
        /// Options of circuits that start or end there.
        circuits: section<CircuitOptions> = "options",
    }
}

config_section! {
    /// Options of circuits that start or end at the router; sizes are in bytes, times in milliseconds.
    CircuitOptions {
        /// Window of sent data at the start.
        tx_portal_start_size: value<i64> = "txPortalStartSize",
        /// Smallest window.
        tx_portal_min_size: value<i64> = "txPortalMinSize",
        /// Largest window.
        tx_portal_max_size: value<i64> = "txPortalMaxSize",
        /// Acknowledgments after which the window grows.
        tx_portal_increase_thresh: value<i64> = "txPortalIncreaseThresh",
        /// Fraction of the acknowledged data by which it grows.
        tx_portal_increase_scale: value<f64> = "txPortalIncreaseScale",
        /// Retransmissions after which the window shrinks.
        tx_portal_retx_thresh: value<i64> = "txPortalRetxThresh",
        /// Factor by which it shrinks.
        tx_portal_retx_scale: value<f64> = "txPortalRetxScale",
        /// Duplicate acknowledgments after which there is more time.
        tx_portal_dup_ack_thresh: value<i64> = "txPortalDupAckThresh",
        /// Received data that may wait.
        rx_buffer_size: value<i64> = "rxBufferSize",
        /// Wait before the first retransmission.
        retx_start_ms: value<i64> = "retxStartMs",
        /// Factor on the round-trip time that gives the wait.
        retx_scale: value<f64> = "retxScale",
        /// Time added to that wait.
        retx_add_ms: value<i64> = "retxAddMs",
        /// Longest wait.
        retx_max_ms: value<i64> = "retxMaxMs",
        /// Upper bound of a round-trip time, in multiples of the one before.
        max_rtt_scale: value<i64> = "maxRttScale",
        /// How long a closed end waits for data in flight.
        max_close_wait_ms: value<i64> = "maxCloseWaitMs",
        /// How long the controller may take to create a circuit.
        get_circuit_timeout: value<GoDuration> = "getCircuitTimeout",
        /// How long the other end may take to start a circuit.
        circuit_start_timeout: value<GoDuration> = "circuitStartTimeout",
        /// How long connecting to a service may take; 0 leaves it to the operating system.
        connect_timeout: value<GoDuration> = "connectTimeout",
    }
}

config_section! {
    /// Section `edge`.
    Edge {
        /// Certificate request.
        csr: section<Csr> = "csr",
        /// File with the router's data model.
        db: value<String> = "db",
        /// How often that file is written, in seconds.
        db_save_interval_seconds: value<i64> = "dbSaveIntervalSeconds",
        /// How often sessions are reported, in seconds.
        heartbeat_interval_seconds: value<i64> = "heartbeatIntervalSeconds",
    }
}

config_section! {
    /// Section `transport`.
    Transport {
        /// Protocol that is negotiated in TLS.
        protocol: value<String> = "protocol",
        /// How long a DTLS handshake may take.
        handshake_timeout: value<GoDuration> = "handshakeTimeout",
        /// Listeners with `wss:` addresses.
        wss: section<WebSockets> = "wss",
    }
}

config_section! {
    /// Listeners with `wss:` addresses; times are in seconds, sizes in bytes.
    WebSockets {
        /// How long the handshake may take.
        handshake_timeout: value<i64> = "handshakeTimeout",
        /// How often a ping is sent.
        ping_interval: value<i64> = "pingInterval",
        /// How long the answer to a ping may take.
        pong_timeout: value<i64> = "pongTimeout",
        read_buffer_size: value<i64> = "readBufferSize",
        write_buffer_size: value<i64> = "writeBufferSize",
    }
}

config_section! {
    /// Forwarding; times are in milliseconds.
    Forwarder {
        /// Wait between checks for faulted circuits; 0 for none.
        fault_tx_interval: value<i64> = "faultTxInterval",
        /// When a circuit counts as idle.
        idle_circuit_timeout: value<i64> = "idleCircuitTimeout",
        /// Wait between checks of idle circuits; 0 for none.
        idle_tx_interval: value<i64> = "idleTxInterval",
        /// Dials of links that may wait.
        link_dial_queue_length: value<i64> = "linkDialQueueLength",
        /// Links dialed at a time.
        link_dial_worker_count: value<i64> = "linkDialWorkerCount",
        /// Rate-limited requests that may wait.
        rate_limited_queue_length: value<i64> = "rateLimitedQueueLength",
        /// Rate-limited requests made at a time.
        rate_limited_worker_count: value<i64> = "rateLimitedWorkerCount",
        /// Wait before an idle circuit is taken down.
        xgress_close_check_interval: value<i64> = "xgressCloseCheckInterval",
        /// Wait before a service is dialed.
        xgress_dial_dwell_time: value<i64> = "xgressDialDwellTime",
        /// Dials of services that may wait.
        xgress_dial_queue_length: value<i64> = "xgressDialQueueLength",
        /// Services dialed at a time.
        xgress_dial_worker_count: value<i64> = "xgressDialWorkerCount",
    }
}

config_section! {
    /// Section `metrics`.
    Metrics {
        /// How often they are sent.
        report_interval: value<GoDuration> = "reportInterval",
        /// Messages that may wait.
        message_queue_size: value<i64> = "messageQueueSize",
        /// How old a set must be before it is sent.
        interval_age_threshold: value<GoDuration> = "intervalAgeThreshold",
    }
}

config_section! {
    /// Section `trace`: a trace of all messages.
    Trace {
        /// Output file.
        path: value<String> = "path",
    }
}

config_section! {
    /// Section `profile`.
    Profile {
        /// Output file of the CPU profile.
        cpu_path: value<String> = "cpu.path",
        /// Output file of the memory profile.
        memory_path: value<String> = "memory.path",
        /// How often the memory profile is written, in milliseconds.
        memory_interval_ms: value<i64> = "memory.intervalMs",
    }
}

config_section! {
    /// Section `connectEvents`: what controllers are told of connected clients.
    ConnectEvents {
        /// Whether they are told anything.
        enabled: value<bool> = "enabled",
        /// How often they are told what is new.
        batch_interval: value<GoDuration> = "batchInterval",
        /// How often they are told everything.
        full_sync_interval: value<GoDuration> = "fullSyncInterval",
    }
}

config_section! {
    /// Section `tls`.
    Tls {
        /// How long a handshake may take.
        handshake_timeout: value<GoDuration> = "handshakeTimeout",
    }
}

config_section! {
    /// Section `interfaceDiscovery`.
    InterfaceDiscovery {
        /// Whether network interfaces are hidden from the controllers.
        disabled: value<bool> = "disabled",
        /// How often they are looked at.
        check_interval: value<GoDuration> = "checkInterval",
        /// How often they are reported without a change.
        min_report_interval: value<GoDuration> = "minReportInterval",
    }
}

impl RouterConfig {
    pub(crate) fn from_effective(effective: &EffectiveConfig) -> Self {
        Self::read(effective, "")
    }
}
