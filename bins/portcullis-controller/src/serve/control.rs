//! Where routers connect: the hello of each connection, and who gets it.

use crate::build::BUILD;
use portcullis_app::App;
use portcullis_channel::BuildVersion;
use portcullis_channel::hello::HELLO_TIMEOUT;
use portcullis_control::{ControlOptions, ControlPlane, Peer};
use portcullis_fabric::FabricOptions;
use portcullis_http::routes::API_LEVEL;
use portcullis_listener::{Connection, DrainFuture, Greeting, StreamFuture, StreamService};
use portcullis_transport::Incoming;
use std::env::consts;
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
    pub(super) fn start(app: &Arc<App>, stop: &CancellationToken) -> Arc<Self> {
        let options = ControlOptions {
            version: version(),
            fabric: FabricOptions::default(),
        };
        let plane = ControlPlane::start(app, options, stop.clone());
        Arc::new(Self { plane })
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
        certificates: certificates.into_iter().map(<[u8]>::to_vec).collect(),
    }
}

/// What routers are told of this program.
fn version() -> BuildVersion {
    BuildVersion {
        version: API_LEVEL.to_owned(),
        revision: BUILD.revision.to_owned(),
        build_date: BUILD.build_date.to_owned(),
        os: consts::OS.to_owned(),
        arch: consts::ARCH.to_owned(),
    }
}
