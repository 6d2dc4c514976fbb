//! Where routers connect: the hello of each connection, and who gets it.

use crate::build::BUILD;
use portcullis_app::App;
use portcullis_channel::BuildVersion;
use portcullis_channel::hello::HELLO_TIMEOUT;
use portcullis_control::{ControlOptions, ControlPlane, Peer};
use portcullis_controller_config::NetworkConfig;
use portcullis_domain::compatibility::OPENZITI_LEVEL;
use portcullis_fabric::{FabricOptions, NetworkOptions, SmartRerouting};
use portcullis_listener::{Connection, DrainFuture, Greeting, StreamFuture, StreamService};
use portcullis_transport::Incoming;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio::time::Instant;
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;

/// ALPN name of the control channel.
pub(super) const PROTOCOL: &str = "ziti-ctrl";

/// Reads the hellos of routers for a [`ControlPlane`].
pub(super) struct ControlChannel {
    plane: ControlPlane,
}

impl ControlChannel {
    /// Starts the control plane, which ends with `stop`.
    pub(super) fn start(
        app: &Arc<App>,
        options: ControlOptions,
        stop: &CancellationToken,
    ) -> Arc<Self> {
        let plane = ControlPlane::start(app, options, stop.clone());
        Arc::new(Self { plane })
    }

    /// What knows the routers.
    pub(super) fn plane(&self) -> ControlPlane {
        self.plane.clone()
    }
}

impl StreamService for ControlChannel {
    fn serve(
        &self,
        connection: Arc<Connection>,
        stream: TlsStream<TcpStream>,
        greeting: Greeting,
        shutdown: CancellationToken,
    ) -> StreamFuture {
        let plane = self.plane.clone();
        Box::pin(async move {
            let reading = Incoming::read(stream, Instant::now() + HELLO_TIMEOUT);
            match shutdown.run_until_cancelled(reading).await {
                Some(Ok(incoming)) => {
                    greeting.finish();
                    Box::pin(plane.serve(peer(&connection), incoming)).await;
                },
                Some(Err(error)) => {
                    tracing::debug!(peer = %connection.peer, %error, "connection of a router refused");
                },
                None => {},
            }
        })
    }

    fn drain(&self) -> DrainFuture<'_> {
        Box::pin(self.plane.wait())
    }
}

fn peer(connection: &Connection) -> Peer {
    let certificates = connection.certificates();
    Peer {
        address: connection.peer,
        local: connection.local,
        certificates: certificates.into_iter().map(<[u8]>::to_vec).collect(),
    }
}

/// Options from the section `network`, for so many connections.
pub(super) fn options(network: &NetworkConfig, max_connections: usize) -> ControlOptions {
    ControlOptions {
        version: version(),
        fabric: fabric_options(network),
        takeover_after: network.router_connect_churn_limit,
        report_interval: network.metrics_report_interval,
        interval_age: network.interval_age_threshold,
        max_connections,
    }
}

fn fabric_options(network: &NetworkConfig) -> FabricOptions {
    let default = FabricOptions::default();
    FabricOptions {
        network: NetworkOptions {
            min_router_cost: network.min_router_cost,
            initial_link_latency: network.initial_link_latency,
            ..default.network
        },
        attempts: network.dial_attempts,
        route_timeout: network.route_timeout,
        smart_rerouting: Some(SmartRerouting {
            cycle: network.cycle,
            per_million: network.smart.per_million,
            max: network.smart.cap.into(),
            min_gain: network.smart.min_cost_delta.into(),
        }),
        ..default
    }
}

/// What routers and controllers are told of this program.
pub(crate) fn version() -> BuildVersion {
    BuildVersion::of_program(OPENZITI_LEVEL, BUILD.revision, BUILD.build_date)
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_controller_config::SmartReroutingConfig;
    use std::time::Duration;

    #[test]
    fn without_a_section_the_fabric_has_its_own_defaults() {
        let options = options(&NetworkConfig::default(), 1);
        assert_eq!(options.fabric, FabricOptions::default());
    }

    #[test]
    fn each_key_reaches_the_fabric() {
        let network = NetworkConfig {
            dial_attempts: 3,
            route_timeout: Duration::from_secs(4),
            cycle: Duration::from_secs(5),
            smart: SmartReroutingConfig {
                per_million: 6,
                cap: 7,
                min_cost_delta: 8,
            },
            min_router_cost: 9,
            initial_link_latency: Duration::from_secs(11),
            router_connect_churn_limit: Duration::from_secs(12),
            metrics_report_interval: Duration::from_secs(14),
            interval_age_threshold: Duration::from_secs(15),
        };
        let options = options(&network, 13);
        assert_eq!(options.takeover_after, Duration::from_secs(12));
        assert_eq!(options.max_connections, 13);
        assert_eq!(options.report_interval, Duration::from_secs(14));
        assert_eq!(options.interval_age, Duration::from_secs(15));
        let options = options.fabric;
        assert_eq!(options.attempts, 3);
        assert_eq!(options.route_timeout, Duration::from_secs(4));
        let smart = SmartRerouting {
            cycle: Duration::from_secs(5),
            per_million: 6,
            max: 7,
            min_gain: 8,
        };
        assert_eq!(options.smart_rerouting, Some(smart));
        assert_eq!(options.network.min_router_cost, 9);
        assert_eq!(
            options.network.initial_link_latency,
            Duration::from_secs(11)
        );
    }
}
