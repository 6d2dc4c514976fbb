//! The binding `transport_udp`.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use portcullis_router::address::PacketAddress;
use portcullis_router::egress::DialerSettings;
use portcullis_wire::peer_data::PeerData;
use portcullis_xgress::Options;
use tokio::net::UnixDatagram;

use super::connect::{deadline, udp};
use super::failure::{Unreached, reported};
use super::{check_room, terminating_end};
use crate::ends::{DatagramSide, Ends};
use crate::outgoing::Outgoing;
use crate::routes::{DialFailure, DialRequest, Dialer};

/// For traces.
const KIND: &str = "xgress/transport_udp";

/// Sends datagrams to servers.
#[derive(Clone)]
pub(super) struct PacketDialer {
    ends: Ends,
    outgoing: Outgoing,
    options: Arc<Options>,
    connect_timeout: Duration,
}

impl PacketDialer {
    pub(super) fn new(ends: Ends, outgoing: Outgoing, settings: &DialerSettings) -> Self {
        Self {
            ends,
            outgoing,
            options: Arc::new(settings.end),
            connect_timeout: settings.connect_timeout,
        }
    }

    async fn dial(self, request: DialRequest) -> Result<PeerData, Unreached> {
        let address = PacketAddress::to_dial(&request.destination)?;
        check_room(&self.ends, &request)?;
        let deadline = deadline(request.deadline, self.connect_timeout);
        let terms = terminating_end(request, self.options);
        let _goes_on = match &address {
            PacketAddress::Udp { family, place } => {
                let socket = udp(&self.outgoing, *family, place, deadline).await?;
                self.ends.open(&terms, DatagramSide::new(KIND, socket))
            },
            PacketAddress::Unix(path) => {
                let socket = unix(path)?;
                self.ends.open(&terms, DatagramSide::new(KIND, socket))
            },
        };
        Ok(PeerData::new())
    }
}

impl Dialer for PacketDialer {
    fn dial(&self, request: DialRequest) -> BoxFuture<'static, Result<PeerData, DialFailure>> {
        let destination = request.destination.clone();
        reported(destination, Self::dial(self.clone(), request))
    }
}

/// A socket without a name, so the server has nobody to answer; that is all there is at OpenZiti, too.
fn unix(path: &Path) -> Result<UnixDatagram, Unreached> {
    let connected = UnixDatagram::unbound().and_then(|socket| {
        socket.connect(path)?;
        Ok(socket)
    });
    connected.map_err(Unreached::Unconnected)
}
