//! Sockets of a name server.

mod tcp;
mod udp;
mod upstream;

use crate::error::InterceptError;
use crate::instance::Instance;
use crate::interceptor::Interceptor;
use crate::local_networks::LocalNetworks;
use crate::redirect::Redirect;
use crate::transparent::{self, is_address_of_this_machine};
use portcullis_domain::ip_network::IpNetwork;
use portcullis_name_server::{Client, Output, Transport, UpstreamQueryId};
use socket2::Type;
use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use tcp::Connections;
use tokio::net::{TcpListener, UdpSocket};
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

/// What a [`NameServer`](portcullis_name_server::NameServer) has to be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    Query {
        message: Vec<u8>,
        client: Client,
    },
    Answer {
        query: UpstreamQueryId,
        from: SocketAddr,
        message: Vec<u8>,
    },
    /// Nothing will come back for a query.
    Unreachable {
        query: UpstreamQueryId,
    },
}

/// The sockets of a name server: one for UDP and TCP each, one for each connection, and one for each query to an
/// upstream. All of them are closed when this is dropped.
#[derive(Debug)]
pub struct NameSockets {
    address: SocketAddr,
    own_mark: u32,
    datagrams: Arc<UdpSocket>,
    connections: Arc<Connections>,
    asked: HashMap<UpstreamQueryId, AbortOnDropHandle<()>>,
    _listeners: [AbortOnDropHandle<()>; 2],
    inputs: mpsc::Receiver<Input>,
    sender: mpsc::Sender<Input>,
}

/// Messages that wait for the name server. Sockets are not read while there is no room.
const MAX_WAITING: usize = 256;

/// How often a port is drawn that has to be free for UDP and for TCP.
const ATTEMPTS: usize = 16;

impl NameSockets {
    /// Opens the sockets at an address, and has it answer whatever it is: one that no interface has is made local,
    /// and if it takes a right to open the port, another one is opened and stands behind it. Nothing that is sent to
    /// the address is intercepted.
    ///
    /// # Errors
    ///
    /// If another program has the port, or the kernel refuses what has to be set up.
    pub async fn open(
        address: SocketAddr,
        instance: &Instance,
        interceptor: &Interceptor,
        local_networks: &LocalNetworks,
    ) -> Result<Self, InterceptError> {
        let failed = |reason| InterceptError::NameServer { address, reason };
        let host = IpNetwork::new(address.ip(), u8::MAX);
        // It may be among the addresses that stand for names.
        interceptor.exempt(host).await?;
        if !is_address_of_this_machine(address.ip()).map_err(failed)? {
            local_networks.admit(interceptor.lan_interfaces()).await?;
            local_networks.add(host).await?;
        }
        let own_mark = instance.own_mark();
        match Self::bind(address, own_mark) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                let sockets = Self::bind_free(address, own_mark).map_err(failed)?;
                let to = sockets.address();
                interceptor.redirect(Redirect { from: address, to }).await?;
                tracing::info!(
                    %address, %to,
                    "the port takes CAP_NET_BIND_SERVICE, and is led to another one"
                );
                Ok(sockets)
            },
            bound => bound.map_err(failed),
        }
    }

    /// Where the sockets are.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The next input for the name server. The future may be dropped.
    pub async fn next(&mut self) -> Input {
        match self.inputs.recv().await {
            Some(input) => input,
            // Never: `self` has a sender.
            None => std::future::pending().await,
        }
    }

    /// Does what a name server wants done.
    pub fn perform(&mut self, output: Output) {
        match output {
            Output::Reply { client, message } => match client.transport {
                Transport::Udp => self.reply(client.address, &message),
                Transport::Tcp => self.connections.answer(client.socket, message),
            },
            Output::Ask {
                query,
                upstream,
                message,
            } => {
                let inputs = self.sender.clone();
                let asking = upstream::ask(query, upstream, message, self.own_mark, inputs);
                let asking = AbortOnDropHandle::new(tokio::spawn(asking));
                self.asked.insert(query, asking);
            },
            Output::Forget(query) => {
                self.asked.remove(&query);
            },
        }
    }

    /// Opens both sockets at a port that is free for both.
    fn bind_free(address: SocketAddr, own_mark: u32) -> io::Result<Self> {
        let any = SocketAddr::new(address.ip(), 0);
        let mut bound = Self::bind(any, own_mark);
        for _ in 1..ATTEMPTS {
            match bound {
                Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                    bound = Self::bind(any, own_mark);
                },
                _ => break,
            }
        }
        bound
    }

    fn bind(address: SocketAddr, own_mark: u32) -> io::Result<Self> {
        let datagrams = transparent::bound(Type::DGRAM, address, own_mark)?;
        let datagrams = Arc::new(UdpSocket::from_std(datagrams.into())?);
        let address = datagrams.local_addr()?;
        let listener = transparent::unbound(Type::STREAM, address, own_mark)?;
        listener.set_reuse_address(true)?;
        listener.bind(&address.into())?;
        listener.listen(BACKLOG)?;
        let listener = TcpListener::from_std(listener.into())?;

        let (sender, inputs) = mpsc::channel(MAX_WAITING);
        let connections = Arc::new(Connections::default());
        let receiving = udp::listen(Arc::clone(&datagrams), sender.clone());
        let accepting = tcp::listen(listener, Arc::clone(&connections), sender.clone());
        Ok(Self {
            address,
            own_mark,
            datagrams,
            connections,
            asked: HashMap::new(),
            _listeners: [
                AbortOnDropHandle::new(tokio::spawn(receiving)),
                AbortOnDropHandle::new(tokio::spawn(accepting)),
            ],
            inputs,
            sender,
        })
    }

    fn reply(&self, client: SocketAddr, message: &[u8]) {
        if let Err(error) = self.datagrams.try_send_to(message, client) {
            tracing::debug!(%client, %error, "an answer of the name server cannot be sent");
        }
    }
}

/// Connections that may wait to be accepted.
const BACKLOG: i32 = 128;
