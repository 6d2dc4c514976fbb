//! Connects those who dial to servers.

use super::datagrams;
use super::failure::HostingFailure;
use super::server::{Connection, connect};
use crate::network::{Circuit as _, Incoming, Network};
use crate::requests::Server;
use crate::shared::Shared;
use crate::tcp::ResetOnDrop;
use portcullis_tunnel_config::AppData;
use portcullis_tunneler::TerminatorKey;
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use tokio::time::timeout;

/// Whose lines of the log those about dials are: all dialers, whose addresses are not known here.
const DIALERS: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

/// Connects somebody who dials to the server, or refuses, and carries what they say until both have ended or the
/// identity may not host the service any more.
pub(super) async fn serve<N: Network, I>(shared: &Shared<N>, key: &TerminatorKey, incoming: I)
where
    I: Incoming,
{
    let server = match find(shared, key, incoming.app_data()).await {
        Ok(server) => server,
        Err(failure) => return refuse(shared, key, incoming, &failure),
    };
    let cancellation = server.cancellation.clone();
    let service = &key.service;
    let serving = Box::pin(async {
        match reach(shared, &server).await {
            Ok(connection) => carry(shared, incoming, connection).await,
            Err(failure) => {
                refuse(shared, key, incoming, &failure);
                Ok(())
            },
        }
    });
    tokio::select! {
        result = serving => if let Err(error) = result {
            tracing::debug!(%service, server = %server.target, %error, "a connection to the server is lost");
        },
        () = cancellation.cancelled() => {
            tracing::debug!(%service, server = %server.target, "a connection to the server is ended");
        },
    }
}

/// The log has all of the reason; where the server is, is for nobody who dials to know.
fn refuse<N>(
    shared: &Shared<N>,
    key: &TerminatorKey,
    incoming: impl Incoming,
    failure: &HostingFailure,
) {
    if shared.refusals.admits(DIALERS) {
        let caller = incoming.caller().unwrap_or("unknown");
        tracing::info!(service = %key.service, caller, %failure, "a dial is refused");
    }
    incoming.refuse(failure.kind(), &failure.told());
}

async fn find<N: Network>(
    shared: &Shared<N>,
    key: &TerminatorKey,
    app_data: &[u8],
) -> Result<Server, HostingFailure> {
    let data = AppData::decode(app_data)?;
    if data.is_for_resolver() {
        return Err(HostingFailure::Resolver);
    }
    Ok(shared.requests.server(key, data).await??)
}

async fn reach<N: Network>(
    shared: &Shared<N>,
    server: &Server,
) -> Result<Connection, HostingFailure> {
    let limit = server.connect_timeout;
    let connecting = Box::pin(connect(&shared.outbound, server));
    let target = || server.target.to_string();
    match timeout(limit, connecting).await {
        Ok(Ok(connection)) => Ok(connection),
        Ok(Err(source)) => Err(HostingFailure::Connect {
            server: target(),
            source,
        }),
        Err(_elapsed) => Err(HostingFailure::TimedOut {
            server: target(),
            limit,
        }),
    }
}

async fn carry<N: Network>(
    shared: &Shared<N>,
    incoming: impl Incoming,
    connection: Connection,
) -> io::Result<()> {
    match connection {
        Connection::Tcp(stream) => {
            let (local, remote) = (stream.local_addr()?, stream.peer_addr()?);
            let reset = ResetOnDrop::new(&stream)?;
            incoming.accept(local, remote).carry(stream).await?;
            reset.disarm();
            Ok(())
        },
        Connection::Udp(socket) => {
            let (local, remote) = (socket.local_addr()?, socket.peer_addr()?);
            let circuit = incoming.accept(local, remote).into_datagrams();
            let idle_timeout = shared.options.flows.idle_timeout;
            datagrams::relay(&circuit, &socket, shared.clock, idle_timeout).await
        },
    }
}
