//! Interception by the kernel of Linux.

use crate::flows::{DatagramReceiver, DatagramReplies};
use crate::interceptor::{InterceptError, Interceptor};
use crate::network::Network;
use crate::outbound::Kernel;
use crate::runner::{NameServerInput, NameServerSockets, Runner};
use crate::tunnel::Tunnel;
use bytes::Bytes;
use portcullis_datagram_flows::FlowKey;
use portcullis_domain::entropy::Entropy;
use portcullis_name_server::NameServerOptions;
use portcullis_tproxy::{InterceptedDatagrams, InterceptorOptions, LocalNetworks, NameSockets};
use portcullis_tunneler::RuleChange;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

/// How the kernel intercepts connections.
#[derive(Debug, Clone)]
pub struct TransparentOptions {
    pub interceptor: InterceptorOptions,
    /// Where the name server is, if there is one.
    pub name_server_address: Option<SocketAddr>,
    pub name_server: NameServerOptions,
}

impl<N: Network> Runner<N> {
    /// Has the kernel intercept connections, if the tunnel's mode says so, and keeps what the tunnel itself connects
    /// to from being intercepted. All that is set up is removed at the end.
    ///
    /// # Errors
    ///
    /// If rights, programs or parts of the kernel lack, or the name server's address cannot be had.
    pub async fn with_transparent_proxy(
        self,
        options: TransparentOptions,
        entropy: Arc<dyn Entropy>,
    ) -> Result<Self, portcullis_tproxy::InterceptError> {
        let instance = options.interceptor.instance.clone();
        let starting = portcullis_tproxy::Interceptor::start(options.interceptor);
        let (interceptor, intercepted) = Box::pin(starting).await?;
        let local_networks = LocalNetworks::start(&instance).await?;
        let kernel = Kernel::new(instance.own_mark(), local_networks.clone());
        let mut runner = self;
        if let Some(address) = options.name_server_address {
            let opening = NameSockets::open(address, &instance, &interceptor, &local_networks);
            let sockets = Box::pin(opening).await?;
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
        Ok(runner.with_interceptor(KernelInterceptor {
            interceptor,
            local_networks,
        }))
    }
}

/// The longest datagram.
const MAX_DATAGRAM: usize = 65_535;

struct KernelInterceptor {
    interceptor: portcullis_tproxy::Interceptor,
    local_networks: LocalNetworks,
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

/// Carries between a name server and its sockets.
async fn serve_names(mut sockets: NameSockets, connected: NameServerSockets) {
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
