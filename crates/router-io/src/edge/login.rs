//! Connections of SDKs, from their hellos to their channels.

use std::io;
use std::sync::Arc;

use portcullis_channel::group::{Attachment, RefusalReason, Reservation};
use portcullis_channel::hello::RejectClass;
use portcullis_listener::Connection;
use portcullis_memory_budget::{Account, Shortage};
use portcullis_router::edge::{
    ChannelId, Client, ClientCertificates, Denial, EdgeLimits, IdentityId, Login, LoginStep,
    SdkChannel, SdkPeer, hello_headers,
};
use portcullis_transport::{ChannelHandle, Inbox, Incoming, Place, Stream, Transport};
use portcullis_wire::control::connect_event::ConnectTime;
use portcullis_wire::edge::SdkHello;
use portcullis_xgress::Options;
use tokio::time::sleep_until;

use super::Shared;
use super::channel_task::{ChannelTask, NewChannel, RESERVED};
use crate::access::Distrust;
use crate::group_credentials::group_credentials;
use crate::refusal_log::shown;
use crate::sdk_channels::{Command, SdkHandle};

/// What the listener of a connection settles.
#[derive(Debug, Clone)]
pub(super) struct ListenerTerms {
    pub(super) transport: Transport,
    pub(super) options: portcullis_channel::ChannelOptions,
    /// Of each channel.
    pub(super) limits: EdgeLimits,
    /// Of circuits that end in the router.
    pub(super) end_options: Arc<Options>,
}

/// A connection whose client may connect.
struct Admitted<S> {
    incoming: Incoming<S>,
    client: Client,
    connection: Arc<Connection>,
}

/// Finds out whether a client may connect. Whoever may not is told why.
pub(super) async fn admit(
    shared: &Shared,
    connection: &Connection,
    hello: SdkHello,
) -> Result<Client, Denial> {
    shared.ends.relay().memory().check_room().map_err(busy)?;
    let now = shared.clock.timestamp();
    let certificates = certificates(shared, connection).await?;
    let mut login = Login::new(hello, certificates, &shared.limits, now)?;
    loop {
        // Created first, so that nothing that arrives from now on is missed.
        let news = shared.rights.news();
        let now = shared.clock.timestamp();
        match login.poll(&*shared.rights, now) {
            LoginStep::Admitted(client) => return Ok(client),
            LoginStep::Denied(denial) => {
                shared
                    .metrics
                    .invalid_token(shared.rights.model_index() > 0);
                return Err(denial);
            },
            LoginStep::Wait(until) => {
                tokio::select! {
                    () = news => {},
                    () = sleep_until(shared.clock.instant_of(until)) => {},
                }
            },
        }
    }
}

fn busy(shortage: Shortage) -> Denial {
    Denial::busy(shortage.to_string())
}

/// The memory of a channel.
fn memory(shared: &Shared, identity: &IdentityId) -> Result<Account, Denial> {
    let share = shared.ends.memory_of(identity);
    share.check_room().map_err(busy)?;
    Ok(Account::reserving(&share, RESERVED))
}

/// The certificates of a client. Until the data model has arrived, they cannot be judged.
async fn certificates(
    shared: &Shared,
    connection: &Connection,
) -> Result<ClientCertificates, Denial> {
    let give_up = tokio::time::Instant::now() + shared.limits.login_time;
    loop {
        let news = shared.rights.news();
        let distrust = match shared.trust.judge(&connection.client_certificates) {
            Ok(certificates) => return Ok(certificates),
            Err(distrust) => distrust,
        };
        let is_waiting = matches!(distrust, Distrust::NoAuthorities)
            && tokio::time::timeout_at(give_up, news).await.is_ok();
        if !is_waiting {
            return Err(Denial {
                class: RejectClass::NotPermitted,
                reason: distrust.to_string(),
            });
        }
    }
}

/// Leaves the connection of a client to its channel.
pub(super) async fn enter<S: Stream>(
    shared: &Arc<Shared>,
    terms: &ListenerTerms,
    connection: Arc<Connection>,
    incoming: Incoming<S>,
    client: Client,
) {
    let generated = match group_credentials(&*shared.entropy) {
        Ok(generated) => generated,
        Err(error) => {
            tracing::error!(%error, "no channel can be made for a client");
            return;
        },
    };
    let peer = client.peer();
    let placing = shared.groups.place(&peer, incoming.hello(), generated);
    let place = placing.await;
    let admitted = Admitted {
        incoming,
        client,
        connection,
    };
    match place {
        Ok(Place::First(reservation)) => open(shared, terms, admitted, reservation).await,
        Ok(Place::Further(attachment)) => attach(shared, admitted, attachment).await,
        // Its SDK begins anew then.
        Err(RefusalReason::UnknownGroup) => {
            tracing::debug!(peer = %admitted.connection.peer, "a connection of a client belongs to no channel");
        },
        Err(reason) => {
            let class = match reason {
                RefusalReason::WrongSecret => RejectClass::NotPermitted,
                _ => RejectClass::Busy,
            };
            let reason = reason.to_string();
            refuse(
                shared,
                &admitted.connection,
                admitted.incoming,
                Denial { class, reason },
            )
            .await;
        },
    }
}

/// Tells a client why it may not connect.
pub(super) async fn refuse<S: Stream>(
    shared: &Shared,
    connection: &Connection,
    incoming: Incoming<S>,
    denial: Denial,
) {
    let peer = connection.peer;
    if shared.refusals.admits(peer.ip()) {
        let says = shown(&incoming.hello().id);
        tracing::info!(%peer, client = says, reason = %denial.reason.escape_debug(), "a client is refused");
    }
    shared.metrics.refused.mark(1);
    incoming.reject(denial.class, &denial.reason).await;
}

async fn attach<S: Stream>(
    shared: &Shared,
    admitted: Admitted<S>,
    Attachment { channel, grant }: Attachment<ChannelHandle>,
) {
    let Admitted {
        incoming,
        connection,
        ..
    } = admitted;
    let room = match channel.reserve(grant) {
        Ok(room) => room,
        Err(error) => {
            refuse(
                shared,
                &connection,
                incoming,
                Denial::busy(error.to_string()),
            )
            .await;
            return;
        },
    };
    let headers = hello_headers(shared.version.clone());
    let accepting = incoming.accept(room.grant(), &shared.router, &headers);
    let attached = match accepting.await {
        Ok(connected) => room.attach(connected).map(drop).map_err(io::Error::other),
        Err(error) => Err(error),
    };
    if let Err(error) = attached {
        tracing::debug!(peer = %connection.peer, %error, "a further connection of a client has failed");
    }
}

async fn open<S: Stream>(
    shared: &Arc<Shared>,
    terms: &ListenerTerms,
    admitted: Admitted<S>,
    reservation: Reservation<SdkPeer>,
) {
    let Admitted {
        incoming,
        client,
        connection,
    } = admitted;
    let channel = shared.channels.next_id();
    let identity = client.session.identity.clone();
    let entering = memory(shared, &identity).and_then(|memory| {
        let presence = &shared.presence;
        let entered = presence.enter(channel, &identity, connect_time(shared, &connection));
        entered.map(|()| memory)
    });
    let memory = match entering {
        Ok(memory) => memory,
        Err(denial) => {
            shared.groups.abandon(reservation);
            refuse(shared, &connection, incoming, denial).await;
            return;
        },
    };
    let headers = hello_headers(shared.version.clone());
    let grant = reservation.grant().clone();
    let connected = match incoming.accept(&grant, &shared.router, &headers).await {
        Ok(connected) => connected,
        Err(error) => {
            tracing::debug!(peer = %connection.peer, %error, "the connection of a client has failed");
            shared.presence.leave(channel);
            shared.groups.abandon(reservation);
            return;
        },
    };
    let transport = terms.transport.clone();
    let transport = transport.within(Arc::clone(memory.budget()));
    let (handle, inbox) = transport.open(grant, terms.options, connected);
    let Ok(registration) = shared.groups.open(reservation, handle.clone()) else {
        shared.presence.leave(channel);
        handle.close();
        return;
    };
    tracing::info!(channel = channel.0, %identity, peer = %connection.peer, "a client is connected");
    shared.metrics.connected.mark(1);
    let handles = (handle.clone(), inbox);
    let task = channel_task(shared, terms, (channel, client), handles, memory);
    let served = Arc::clone(shared);
    shared.clients.spawn(async move {
        task.run().await;
        handle.close();
        served.metrics.disconnected.mark(1);
        served.groups.close(registration);
    });
}

/// Makes the channel of a client known, and its task.
fn channel_task(
    shared: &Arc<Shared>,
    terms: &ListenerTerms,
    (channel, client): (ChannelId, Client),
    (handle, inbox): (ChannelHandle, Inbox),
    memory: Account,
) -> ChannelTask {
    let identity = client.session.identity.clone();
    let (handle, commands) = SdkHandle::new(channel, identity, handle, &terms.limits);
    shared.channels.add(Arc::clone(&handle));
    shared.rights.open(channel, &client.session);
    if shared.stop.is_cancelled() {
        handle.command(Command::End(super::STOPPING.to_owned()));
    }
    let router = Arc::clone(&shared.router);
    let now = shared.clock.timestamp();
    let new = NewChannel {
        handle,
        sdk: SdkChannel::new(channel, client, router, terms.limits, now),
        inbox,
        commands,
        memory,
        end_options: Arc::clone(&terms.end_options),
    };
    ChannelTask::new(Arc::clone(shared), new)
}

fn connect_time(shared: &Shared, connection: &Connection) -> ConnectTime {
    ConnectTime {
        time_millis: shared.clock.timestamp().as_millisecond(),
        source_address: connection.peer.to_string(),
        destination_address: connection.local.to_string(),
    }
}
