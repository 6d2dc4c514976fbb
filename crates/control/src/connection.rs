//! A connection of a router, from its hello to the channel that it belongs to.

use crate::events;
use crate::handle::Handler;
use crate::outlet::Outlet;
use crate::places::Placed;
use crate::plane::Plane;
use crate::session::Session;
use crate::sessions::Connecting;
use portcullis_app::routers::{self, ConnectedRouter};
use portcullis_channel::group::{
    Attachment, GeneratedCredentials, GroupId, GroupSecret, Reservation,
};
use portcullis_channel::hello::RejectClass;
use portcullis_channel::{ChannelKind, ChannelOptions, ChannelSide};
use portcullis_domain::access::Origin;
use portcullis_domain::entropy::{self, EntropyError};
use portcullis_domain::ids::RequestId;
use portcullis_transport::{ChannelHandle, Inbox, Incoming, Place, Stream};
use portcullis_wire::control::hello::RouterHello;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

/// Who is at the other end of a connection.
#[derive(Debug, Clone)]
pub struct Peer {
    pub address: SocketAddr,
    /// The address here that it has connected to.
    pub local: SocketAddr,
    /// The chain that it has presented, in DER, leaf first. It has proved that it has the leaf's key; the
    /// rest is judged here.
    pub certificates: Vec<Vec<u8>>,
}

/// A connection of a router whose certificate was judged.
struct Admitted<S> {
    address: SocketAddr,
    incoming: Incoming<S>,
    router: ConnectedRouter,
    hello: RouterHello,
}

/// Answers the hello of a connection, and leaves it to its channel.
pub(crate) async fn serve<S: Stream>(plane: &Arc<Plane>, peer: &Peer, incoming: Incoming<S>) {
    let Some(admitted) = judge(plane, peer, incoming).await else {
        return;
    };
    let generated = match credentials(plane) {
        Ok(generated) => generated,
        Err(error) => {
            tracing::error!(%error, "no group can be made for a router");
            return;
        },
    };
    let proven = admitted.router.fingerprint().to_owned();
    let hello = admitted.incoming.hello();
    match plane.groups.place(&proven, hello, generated).await {
        Ok(Place::First(reservation)) => open(plane, admitted, reservation).await,
        Ok(Place::Further(attachment)) => attach(plane, admitted, attachment).await,
        // Closed without an answer, on which routers begin anew.
        Err(reason) => {
            tracing::debug!(%reason, "a connection of a router belongs to no channel");
        },
    }
}

/// Judges certificate and hello of a router. If they are refused, the router is told why.
async fn judge<S: Stream>(
    plane: &Plane,
    peer: &Peer,
    incoming: Incoming<S>,
) -> Option<Admitted<S>> {
    let chain: Vec<&[u8]> = peer.certificates.iter().map(Vec::as_slice).collect();
    let hello = incoming.hello();
    let origin = origin(plane, peer)?;
    let router = routers::admit(&plane.app, &origin, &chain, &hello.id);
    let read = RouterHello::from_headers(&hello.headers);
    let judged = match (router, read) {
        (Ok(router), Ok(hello)) => Ok((router, hello)),
        (Err(refusal), _) => Err(refusal.to_string()),
        (_, Err(error)) => Err(error.to_string()),
    };
    match judged {
        Ok((router, hello)) => {
            let router = router.with_capabilities(hello.capabilities.mask());
            for error in &hello.unreadable {
                tracing::warn!(router = %router.id(), %error, "a part of a router's hello cannot be read");
            }
            Some(Admitted {
                address: peer.address,
                incoming,
                router,
                hello,
            })
        },
        Err(reason) => {
            tracing::debug!(address = %peer.address, reason, "a router is refused");
            incoming.reject(RejectClass::NotPermitted, &reason).await;
            None
        },
    }
}

/// Gives a connection a place. If there is none, its router is told so.
///
/// This comes after everything else that may refuse a connection, so that one that is refused never holds
/// a place: not even while its router is told why, however many it dials.
async fn seat<S: Stream>(plane: &Plane, incoming: Incoming<S>) -> Option<Incoming<Placed<S>>> {
    let Some(seat) = plane.places.take() else {
        let reason = "the controller has as many connections of routers as it may have";
        incoming.reject(RejectClass::Busy, reason).await;
        return None;
    };
    Some(incoming.map_stream(|stream| Placed::new(stream, seat)))
}

/// Where a connection comes from, for the audit trail.
fn origin(plane: &Plane, peer: &Peer) -> Option<Origin> {
    let request = RequestId::generate(&*plane.app.env().entropy)
        .inspect_err(|error| tracing::error!(%error, "a connection of a router has no id"))
        .ok()?;
    Some(Origin {
        target: Some(peer.local.to_string().into()),
        ..Origin::new(request, peer.address)
    })
}

/// Id and secret for a group that brings none.
fn credentials(plane: &Plane) -> Result<GeneratedCredentials, EntropyError> {
    let entropy = &*plane.app.env().entropy;
    let id = entropy::uuid(entropy)?;
    let id = GroupId::new(&id).ok_or(EntropyError)?;
    let secret = GroupSecret::new(entropy::bytes(entropy)?);
    Ok(GeneratedCredentials { id, secret })
}

/// Adds a connection to the channel of its router.
async fn attach<S: Stream>(
    plane: &Plane,
    admitted: Admitted<S>,
    Attachment { channel, grant }: Attachment<ChannelHandle>,
) {
    let (headers, controller) = (plane.hello.to_headers(), plane.controller_id());
    let Admitted {
        incoming, router, ..
    } = admitted;
    let Some(incoming) = seat(plane, incoming).await else {
        return;
    };
    let accepting = incoming.accept(&grant, &controller, &headers);
    let attached = match accepting.await {
        Ok(connected) => channel
            .attach(&grant, connected)
            .map(drop)
            .map_err(io::Error::other),
        Err(error) => Err(error),
    };
    if let Err(error) = attached {
        tracing::debug!(router = %router.id(), %error, "a further connection of a router has failed");
    }
}

/// Opens the channel of a router, which a task of its own serves until it is closed.
async fn open<S: Stream>(
    plane: &Arc<Plane>,
    admitted: Admitted<S>,
    reservation: Reservation<String>,
) {
    let Admitted {
        address,
        incoming,
        router,
        hello,
    } = admitted;
    if !plane
        .sessions
        .can_connect(router.id(), plane.transport.clock().now().mono)
    {
        plane.groups.abandon(reservation);
        let reason = format!(
            "the router has connected less than {:?} ago, and that connection is open",
            plane.sessions.takeover_after()
        );
        incoming.reject(RejectClass::Busy, &reason).await;
        return;
    }
    let Some(incoming) = seat(plane, incoming).await else {
        plane.groups.abandon(reservation);
        return;
    };
    let (headers, controller) = (plane.hello.to_headers(), plane.controller_id());
    let grant = reservation.grant().clone();
    let connected = match incoming.accept(&grant, &controller, &headers).await {
        Ok(connected) => connected,
        Err(error) => {
            tracing::debug!(router = %router.id(), %error, "a connection of a router has failed");
            plane.groups.abandon(reservation);
            return;
        },
    };
    let options = ChannelOptions::new(ChannelKind::Control, ChannelSide::Listener);
    let (channel, inbox) = plane.transport.open(grant, options, connected);
    let Ok(registration) = plane.groups.open(reservation, channel.clone()) else {
        return;
    };
    let connecting = Connecting {
        router,
        hello,
        outlet: Arc::new(Outlet::new(channel.clone())),
        at: plane.app.env().now(),
    };
    let served = Arc::clone(plane);
    plane.tasks.spawn(async move {
        if let Some(session) = served.sessions.connect(connecting, &served.network) {
            let _measured = served.traffic.measure(session.id(), &channel);
            events::publish_router_connect(&served, &session, address);
            let id = channel.id();
            served.traces.opened(id.clone(), session.id().clone());
            run(&served, session, inbox).await;
            served.traces.closed(&id);
        }
        channel.close();
        served.groups.close(registration);
    });
}

/// Serves the channel of a router.
async fn run(plane: &Arc<Plane>, session: Arc<Session>, inbox: Inbox) {
    tracing::info!(router = %session.id(), version = session.hello.version.version, "a router is connected");
    plane.identities.begin(&plane.app, &session);
    let handler = Handler::new(Arc::clone(plane), Arc::clone(&session));
    // Its record may have changed while it was let in, when nobody could know of this session yet.
    match routers::recheck(&plane.app, &session.router) {
        Ok(()) => handler.run(inbox).await,
        Err(refusal) => tracing::info!(router = %session.id(), %refusal, "a router is put off"),
    }
    let now = plane.app.env().now();
    plane.identities.end(&session);
    plane.sessions.disconnect(&session, now, &plane.network);
    tracing::info!(router = %session.id(), "a router is disconnected");
}
