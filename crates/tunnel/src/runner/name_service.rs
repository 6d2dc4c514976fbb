//! The name server between its sockets and the names that services intercept.

use bytes::Bytes;
use portcullis_channel::Moment;
use portcullis_domain::entropy::Entropy;
use portcullis_name_server::{
    Client, InterceptedNames, NameServer, NameServerEvent, NameServerOptions, Output,
    UpstreamQueryId,
};
use portcullis_tunneler::ServiceId;
use std::future::pending;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::sync::mpsc;

/// What sockets of a name server have received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameServerInput {
    /// A message of a client.
    Query { message: Bytes, client: Client },
    /// What came back for a query to an upstream, to the socket that it was sent from.
    Answer {
        query: UpstreamQueryId,
        from: SocketAddr,
        message: Bytes,
    },
    /// Nothing will come back for a query to an upstream.
    Unreachable(UpstreamQueryId),
}

/// Where the sockets of a name server are connected to it.
///
/// The name server takes nothing more while nobody takes its outputs.
#[derive(Debug)]
pub struct NameServerSockets {
    pub inputs: mpsc::Sender<NameServerInput>,
    pub outputs: mpsc::Receiver<Output>,
}

/// A name server and its sockets.
#[derive(Debug)]
pub(super) struct NameService {
    server: NameServer,
    inputs: mpsc::Receiver<NameServerInput>,
    outputs: mpsc::Sender<Output>,
    /// What waits for room in `outputs`. The name server has the rest.
    unsent: Option<Output>,
}

const ROOM: usize = 256;

impl NameService {
    pub(super) fn new(
        options: &NameServerOptions,
        entropy: Arc<dyn Entropy>,
    ) -> (Self, NameServerSockets) {
        let (input_sender, inputs) = mpsc::channel(ROOM);
        let (outputs, output_receiver) = mpsc::channel(ROOM);
        let service = Self {
            server: NameServer::new(options, entropy),
            inputs,
            outputs,
            unsent: None,
        };
        let sockets = NameServerSockets {
            inputs: input_sender,
            outputs: output_receiver,
        };
        (service, sockets)
    }

    /// Sends what is to be sent, and then the next input; `None` if the sockets have gone. Nothing is lost if it is
    /// dropped.
    pub(super) async fn ready(service: Option<&mut Self>) -> Option<NameServerInput> {
        let Some(service) = service else {
            return pending().await;
        };
        loop {
            if service.unsent.is_none() {
                service.unsent = service.server.poll_output();
            }
            if service.unsent.is_none() {
                return service.inputs.recv().await;
            }
            let room = service.outputs.reserve().await.ok()?;
            if let Some(output) = service.unsent.take() {
                room.send(output);
            }
        }
    }

    /// `names` is `None` if nothing is intercepted; then nobody gets an answer.
    pub(super) fn handle(
        &mut self,
        input: NameServerInput,
        names: Option<&mut InterceptedNames<ServiceId>>,
        now: Moment,
    ) {
        match input {
            NameServerInput::Query { message, client } => {
                if let Some(names) = names {
                    self.server.handle_query(&message, client, names, now);
                }
            },
            NameServerInput::Answer {
                query,
                from,
                message,
            } => self.server.handle_answer(query, from, &message, now),
            NameServerInput::Unreachable(query) => self.server.handle_unreachable(query, now),
        }
        self.log();
    }

    pub(super) fn handle_timeout(&mut self, now: Moment) {
        self.server.handle_timeout(now);
        self.log();
    }

    pub(super) fn poll_timeout(&self) -> Option<Moment> {
        self.server.poll_timeout()
    }

    fn log(&mut self) {
        while let Some(event) = self.server.poll_event() {
            match event {
                NameServerEvent::AddressAssigned { name, address } => {
                    tracing::debug!(%name, %address, "the name has got its address");
                },
                NameServerEvent::NoAddress { name, reason } => {
                    tracing::warn!(%name, %reason, "there is no address for a name");
                },
                NameServerEvent::UpstreamAway(upstream) => {
                    tracing::warn!(%upstream, "the name server does not answer");
                },
                NameServerEvent::UpstreamBack(upstream) => {
                    tracing::info!(%upstream, "the name server answers again");
                },
                NameServerEvent::TooManyQueries => {
                    tracing::warn!("so many queries wait for name servers that others are refused");
                },
                NameServerEvent::NoRandomness => {
                    tracing::error!("there is no randomness: no name server is asked");
                },
            }
        }
    }
}
