//! Section `link` and channel options.

use portcullis_yaml::syntax::GoDuration;

use crate::model::section::config_section;

config_section! {
    /// Options of a channel.
    ChannelOptions {
        /// How many messages may wait.
        out_queue_size: value<i64> = "outQueueSize",
        /// How many accepted connections may wait.
        max_queued_connects: value<i64> = "maxQueuedConnects",
        /// How many connections may be in the first exchange.
        max_outstanding_connects: value<i64> = "maxOutstandingConnects",
        /// How long connecting may take.
        connect_timeout: value<GoDuration> = "connectTimeout",
        /// `connect_timeout` in milliseconds; ignored if that is set.
        connect_timeout_ms: value<i64> = "connectTimeoutMs",
        /// How long one write may take.
        write_timeout: value<GoDuration> = "writeTimeout",
    }
}

config_section! {
    /// Heartbeats of a channel.
    Heartbeats {
        /// How often a heartbeat is sent.
        send_interval: value<GoDuration> = "sendInterval",
        /// How often the router checks whether a heartbeat is due.
        check_interval: value<GoDuration> = "checkInterval",
        /// Time without an answer after which the connection is closed.
        close_unresponsive_timeout: value<GoDuration> = "closeUnresponsiveTimeout",
        /// Response time above which a controller counts as slow.
        unresponsive_after: value<GoDuration> = "unresponsiveAfter",
    }
}

config_section! {
    /// Links to other routers.
    Link {
        /// Where others can dial.
        listeners: list<LinkListener> = "listeners",
        /// How others are dialed.
        dialers: list<LinkDialer> = "dialers",
        heartbeats: section<Heartbeats> = "heartbeats",
        /// Messages with data that may wait on a link.
        payload_sender_queue_size: value<i64> = "payloadSenderQueueSize",
        /// Acknowledgments that may wait on a link.
        ack_sender_queue_size: value<i64> = "ackSenderQueueSize",
    }
}

config_section! {
    /// Where other routers can dial.
    LinkListener {
        /// Kind of link.
        binding: value<String> = "binding",
        /// Address to listen on.
        bind: value<String> = "bind",
        /// Address that others dial.
        advertise: value<String> = "advertise",
        /// Interface that is announced.
        bind_interface: value<String> = "bindInterface",
        groups: value<Vec<String>> = "groups",
        /// Channel options.
        options: section<ChannelOptions> = "options",
    }
}

config_section! {
    /// How other routers are dialed.
    LinkDialer {
        /// Kind of link.
        binding: value<String> = "binding",
        /// Interface or address to dial from.
        bind: value<String> = "bind",
        /// Alias of `bind`, which takes precedence.
        bind_interface: value<String> = "bindInterface",
        /// Whether data and acknowledgments use separate connections.
        split: value<bool> = "split",
        /// Connections for data.
        max_default_connections: value<i64> = "maxDefaultConnections",
        /// Connections for acknowledgments only.
        max_ack_connections: value<i64> = "maxAckConnections",
        /// Wait before the first dial.
        startup_delay: value<GoDuration> = "startupDelay",
        groups: value<Vec<String>> = "groups",
        /// Pauses while the peer is connected to a controller.
        healthy_dial_backoff: section<Backoff> = "healthyDialBackoff",
        /// Pauses while it is not.
        unhealthy_dial_backoff: section<Backoff> = "unhealthyDialBackoff",
        /// Channel options.
        options: section<ChannelOptions> = "options",
    }
}

config_section! {
    /// Pauses between attempts.
    Backoff {
        /// Shortest pause.
        min_retry_interval: value<GoDuration> = "minRetryInterval",
        /// Longest pause.
        max_retry_interval: value<GoDuration> = "maxRetryInterval",
        /// Factor by which the pause grows.
        retry_backoff_factor: value<f64> = "retryBackoffFactor",
    }
}
