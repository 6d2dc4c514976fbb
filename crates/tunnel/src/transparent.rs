//! Interception by the kernel of Linux.

use crate::flows::{DatagramReceiver, DatagramReplies};
use crate::interceptor::{InterceptError, Interceptor};
use crate::network::Network;
use crate::outbound::Kernel;
use crate::runner::{NameServerInput, NameServerSockets, Runner};
use crate::tunnel::Tunnel;
use bytes::Bytes;
use futures_util::future::select_all;
use portcullis_datagram_flows::FlowKey;
use portcullis_domain::entropy::Entropy;
use portcullis_name_server::{NameServerOptions, Output};
use portcullis_tproxy::{
    Instance, InterceptedDatagrams, InterceptorOptions, LocalNetworks, NameSockets,
};
use portcullis_tunneler::RuleChange;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

/// How the kernel intercepts connections.
#[derive(Debug, Clone)]
pub struct TransparentOptions {
    pub interceptor: InterceptorOptions,
    /// Where the name server is; without any, there is none.
    pub name_server_addresses: Vec<SocketAddr>,
    /// Whether nothing is intercepted if one of its addresses cannot be had. Otherwise the log says so.
    pub is_name_server_required: bool,
    pub name_server: NameServerOptions,
}

impl<N: Network> Runner<N> {
    /// Has the kernel intercept connections, if the tunnel's mode says so, and keeps what the tunnel itself connects
    /// to from being intercepted. All that is set up is removed at the end.
    ///
    /// # Errors
    ///
    /// If rights, programs or parts of the kernel lack, or an address of the name server cannot be had that is
    /// required.
    pub async fn with_transparent_proxy(
        self,
        options: TransparentOptions,
        entropy: Arc<dyn Entropy>,
    ) -> Result<Self, portcullis_tproxy::InterceptError> {
        let instance = options.interceptor.instance.clone();
        let starting = portcullis_tproxy::Interceptor::start(options.interceptor);
        let (interceptor, intercepted) = Box::pin(starting).await?;
        let local_networks = match LocalNetworks::start(&instance).await {
            Ok(local_networks) => local_networks,
            Err(error) => {
                interceptor.stop().await;
                return Err(error);
            },
        };
        let kernel = Kernel::new(instance.own_mark());
        let interceptor = KernelInterceptor {
            interceptor,
            local_networks,
        };
        let mut runner = self;
        let mut sockets = Vec::new();
        for address in options.name_server_addresses {
            match Box::pin(interceptor.open(address, &instance)).await {
                Ok(opened) => sockets.push(opened),
                Err(error) if options.is_name_server_required => {
                    interceptor.stop().await;
                    return Err(error);
                },
                Err(error) => {
                    tracing::warn!(%address, %error, "names are not answered at the address");
                },
            }
        }
        if let Some(sockets) = AllNameSockets::new(sockets) {
            let connected;
            (runner, connected) = runner.with_name_server(&options.name_server, entropy);
            runner.shared().tasks.spawn(serve_names(sockets, connected));
        }
        let shared = runner.shared();
        let _is_the_first = shared.outbound.kernel.set(kernel);
        let tunnel = Tunnel::of(Arc::clone(shared), runner.events().clone());
        let to_tunnel = tunnel.clone();
        let connections = intercepted.connections;
        shared.tasks.spawn(async move {
            loop {
                let connection = connections.accept().await;
                let (source, destination) = (connection.source, connection.destination);
                to_tunnel
                    .intercepted_stream(connection.stream, source, destination)
                    .await;
            }
        });
        let datagrams = Arc::new(intercepted.datagrams);
        let receiver = KernelDatagrams {
            datagrams: Arc::clone(&datagrams),
            buffer: vec![0; MAX_DATAGRAM],
        };
        tunnel.intercepted_datagrams(receiver, KernelReplies(datagrams));
        Ok(runner.with_interceptor(interceptor))
    }
}

/// The longest datagram.
const MAX_DATAGRAM: usize = 65_535;

struct KernelInterceptor {
    interceptor: portcullis_tproxy::Interceptor,
    local_networks: LocalNetworks,
}

impl KernelInterceptor {
    /// Opens the sockets of a name server.
    async fn open(
        &self,
        address: SocketAddr,
        instance: &Instance,
    ) -> Result<NameSockets, portcullis_tproxy::InterceptError> {
        NameSockets::open(address, instance, &self.interceptor, &self.local_networks).await
    }
}

impl Interceptor for KernelInterceptor {
    async fn apply(&mut self, change: RuleChange) -> Result<(), InterceptError> {
        let applied = self.interceptor.apply(change).await;
        applied.map_err(|error| InterceptError {
            reason: error.to_string(),
        })
    }

    async fn stop(self) {
        self.interceptor.stop().await;
        self.local_networks.stop().await;
    }
}

struct KernelDatagrams {
    datagrams: Arc<InterceptedDatagrams>,
    buffer: Vec<u8>,
}

impl DatagramReceiver for KernelDatagrams {
    async fn receive(&mut self) -> io::Result<(FlowKey, Bytes)> {
        let received = self.datagrams.receive(&mut self.buffer).await;
        let key = FlowKey {
            client: received.source,
            destination: received.destination,
        };
        let datagram = self.buffer.get(..received.length).unwrap_or_default();
        Ok((key, Bytes::copy_from_slice(datagram)))
    }
}

struct KernelReplies(Arc<InterceptedDatagrams>);

impl DatagramReplies for KernelReplies {
    async fn send(&self, flow: FlowKey, datagram: &[u8]) -> io::Result<()> {
        self.0.send(flow.destination, flow.client, datagram)
    }
}

/// The sockets of a name server at all its addresses; at least one.
struct AllNameSockets(Vec<NameSockets>);

impl AllNameSockets {
    fn new(all: Vec<NameSockets>) -> Option<Self> {
        (!all.is_empty()).then_some(Self(all))
    }

    /// The next input. The future may be dropped.
    async fn next(&mut self) -> portcullis_tproxy::Input {
        let count = self.0.len();
        let waiting = self.0.iter_mut().enumerate();
        let waiting = waiting.map(|(index, sockets)| {
            Box::pin(async move {
                let mut input = sockets.next().await;
                if let portcullis_tproxy::Input::Query { client, .. } = &mut input {
                    client.socket = client.socket * count + index;
                }
                input
            })
        });
        select_all(waiting).await.0
    }

    /// Does what a name server wants done. Others are asked through the sockets of the first address.
    fn perform(&mut self, mut output: Output) {
        let mut index = 0;
        if let Output::Reply { client, .. } = &mut output {
            index = client.socket % self.0.len();
            client.socket /= self.0.len();
        }
        if let Some(sockets) = self.0.get_mut(index) {
            sockets.perform(output);
        }
    }
}

/// Carries between a name server and its sockets.
async fn serve_names(mut sockets: AllNameSockets, connected: NameServerSockets) {
    let NameServerSockets {
        inputs,
        mut outputs,
    } = connected;
    loop {
        // What the name server wants done comes first where it has no room: it takes nothing before that.
        let received = async { (inputs.reserve().await, sockets.next().await) };
        tokio::select! {
            (room, input) = received => match room {
                Ok(room) => room.send(convert(input)),
                Err(_ended) => return,
            },
            output = outputs.recv() => match output {
                Some(output) => sockets.perform(output),
                None => return,
            },
        }
    }
}

fn convert(input: portcullis_tproxy::Input) -> NameServerInput {
    use portcullis_tproxy::Input;
    match input {
        Input::Query { message, client } => NameServerInput::Query {
            message: message.into(),
            client,
        },
        Input::Answer {
            query,
            from,
            message,
        } => NameServerInput::Answer {
            query,
            from,
            message: message.into(),
        },
        Input::Unreachable { query } => NameServerInput::Unreachable(query),
    }
}
