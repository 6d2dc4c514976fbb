//! The configuration and its smaller sections.

use portcullis_yaml::syntax::GoDuration;

use crate::effective::Effective;
use crate::model::identity::{Csr, Identity};
use crate::model::link::{ChannelOptions, Heartbeats, Link};
use crate::model::part::{Part as _, part};
use crate::model::web::{HealthChecks, WebServer};

part! {
    /// A router's configuration.
    RouterConfig {
        /// Certificates and keys.
        identity: section<Identity> = "identity",
        /// The controllers and the way to them.
        ctrl: section<Ctrl> = "ctrl",
        /// Links to other routers.
        link: section<Link> = "link",
        /// How services are dialed.
        dialers: list<Listener> = "dialers",
        /// Ways into the network.
        listeners: list<Listener> = "listeners",
        /// Certificate request at the top level, which wins over that of `edge`.
        csr: section<Csr> = "csr",
        /// What makes an edge router.
        edge: section<Edge> = "edge",
        /// Tuning of the connections.
        transport: section<Transport> = "transport",
        /// Forwarding over links and to services.
        forwarder: section<Forwarder> = "forwarder",
        /// Measurements.
        metrics: section<Metrics> = "metrics",
        /// What the health API reports.
        health_checks: section<HealthChecks> = "healthChecks",
        /// HTTP servers.
        web: list<WebServer> = "web",
        /// Record of all messages.
        trace: section<Trace> = "trace",
        /// Profiles.
        profile: section<Profile> = "profile",
    }
}

part! {
    /// The controllers and the way to them.
    Ctrl {
        /// Address of the controller.
        endpoint: value<String> = "endpoint",
        /// Addresses of several controllers, not used beside `endpoint`.
        endpoints: value<Vec<String>> = "endpoints",
        /// Interface or address to dial from.
        bind: value<String> = "bind",
        /// How long an answer may take.
        default_request_timeout: value<GoDuration> = "defaultRequestTimeout",
        /// When the router gives up.
        startup_timeout: value<GoDuration> = "startupTimeout",
        /// Options of the channel.
        options: section<ChannelOptions> = "options",
        /// Signs of life.
        heartbeats: section<Heartbeats> = "heartbeats",
    }
}

part! {
    /// A way into the network, or a way to services.
    Listener {
        /// Component that does the work.
        binding: value<String> = "binding",
        /// Address to listen on.
        address: value<String> = "address",
        /// Service that everything is sent to.
        service: value<String> = "service",
        /// Address that clients are told.
        advertise: value<String> = "options.advertise",
        /// What a tunnel does.
        mode: value<String> = "options.mode",
        /// Services of a tunnel with the port of each.
        services: value<Vec<String>> = "options.services",
        /// Where a tunnel resolves names.
        resolver: value<Vec<String>> = "options.resolver",
        /// Range for the addresses of services.
        dns_svc_ip_range: value<String> = "options.dnsSvcIpRange",
        /// Largest payload.
        mtu: value<i64> = "options.mtu",
        /// Options of the channel.
        options: section<ChannelOptions> = "options",
    }
}

part! {
    /// What makes an edge router.
    Edge {
        /// Certificate request.
        csr: section<Csr> = "csr",
        /// File with what the router knows of the network.
        db: value<String> = "db",
        /// How often sessions are reported, in seconds.
        heartbeat_interval_seconds: value<i64> = "heartbeatIntervalSeconds",
    }
}

part! {
    /// Tuning of the connections.
    Transport {
        /// Protocol that is negotiated in TLS.
        protocol: value<String> = "protocol",
        /// How long a DTLS handshake may take.
        handshake_timeout: value<GoDuration> = "handshakeTimeout",
    }
}

part! {
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
        /// Limited requests that may wait.
        rate_limited_queue_length: value<i64> = "rateLimitedQueueLength",
        /// Limited requests made at a time.
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

part! {
    /// Measurements.
    Metrics {
        /// How often they are sent.
        report_interval: value<GoDuration> = "reportInterval",
        /// Messages that may wait.
        message_queue_size: value<i64> = "messageQueueSize",
        /// How old a set must be before it is sent.
        interval_age_threshold: value<GoDuration> = "intervalAgeThreshold",
    }
}

part! {
    /// Record of all messages.
    Trace {
        /// File that gets it.
        path: value<String> = "path",
    }
}

part! {
    /// Profiles.
    Profile {
        /// File for the time spent.
        cpu_path: value<String> = "cpu.path",
        /// File for the memory.
        memory_path: value<String> = "memory.path",
        /// How often that is written, in milliseconds.
        memory_interval_ms: value<i64> = "memory.intervalMs",
    }
}

impl RouterConfig {
    pub(crate) fn from_effective(effective: &Effective) -> Self {
        Self::read(effective, "")
    }

    /// Gives the certificate request that holds.
    pub fn certificate_request(&self) -> &Csr {
        if self.csr == Csr::default() {
            &self.edge.csr
        } else {
            &self.csr
        }
    }
}
