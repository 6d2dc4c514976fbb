//! Sections `web` and `healthChecks`.

use portcullis_yaml::syntax::GoDuration;

use crate::model::identity::Identity;
use crate::model::section::config_section;

config_section! {
    /// Section `healthChecks`: checks that the health API reports.
    HealthChecks {
        /// Check of the controllers.
        ctrl_ping_check: section<CtrlPingCheck> = "ctrlPingCheck",
        /// Check of the links.
        link_check: section<LinkCheck> = "linkCheck",
    }
}

config_section! {
    /// Check of the controllers.
    CtrlPingCheck {
        /// How often they are pinged.
        interval: value<GoDuration> = "interval",
        /// How long the answer may take.
        timeout: value<GoDuration> = "timeout",
        /// Wait before the first ping.
        initial_delay: value<GoDuration> = "initialDelay",
    }
}

config_section! {
    /// Check of the links.
    LinkCheck {
        /// How often they are counted.
        interval: value<GoDuration> = "interval",
        /// Wait before the first count.
        initial_delay: value<GoDuration> = "initialDelay",
        /// Number below which the check fails.
        min_links: value<i64> = "minLinks",
    }
}

config_section! {
    /// Entry of `web`: an HTTP server.
    WebServer {
        /// Name for log lines.
        name: value<String> = "name",
        /// Addresses to serve on.
        bind_points: list<WebBindPoint> = "bindPoints",
        apis: list<WebApi> = "apis",
        /// Certificates in place of the router's.
        identity: section<Identity> = "identity",
        /// How long a request may take to arrive.
        read_timeout: value<GoDuration> = "options.readTimeout",
        /// How long a connection may wait.
        idle_timeout: value<GoDuration> = "options.idleTimeout",
        /// How long a response may take.
        write_timeout: value<GoDuration> = "options.writeTimeout",
        /// Minimum TLS version.
        min_tls_version: value<String> = "options.minTLSVersion",
        /// Maximum TLS version.
        max_tls_version: value<String> = "options.maxTLSVersion",
    }
}

config_section! {
    /// Address of an HTTP server.
    WebBindPoint {
        /// Host and port to listen on.
        interface: value<String> = "interface",
        /// Host and port that clients use.
        address: value<String> = "address",
        /// Host and port that clients are to use from now on.
        new_address: value<String> = "newAddress",
    }
}

config_section! {
    /// API of an HTTP server.
    WebApi {
        binding: value<String> = "binding",
    }
}
