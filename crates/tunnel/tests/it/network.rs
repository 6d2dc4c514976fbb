//! A network in memory, which connects those who dial with those who host.

use bytes::Bytes;
use parking_lot::Mutex;
use portcullis_domain::identity::Precedence;
use portcullis_tunnel::{
    Circuit, DatagramCircuit, DialError, DialRequest, Host, HostError, Incoming, Network,
    RefusalKind,
};
use portcullis_tunneler::{TerminatorId, TerminatorOptions};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{DuplexStream, copy_bidirectional, duplex};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, oneshot};

/// Bytes and datagrams on the way.
const ROOM: usize = 64 << 10;
const DATAGRAMS: usize = 256;

#[derive(Clone, Default)]
pub(crate) struct MemoryNetwork {
    state: Arc<Mutex<State>>,
    open_circuits: Arc<AtomicUsize>,
    most_circuits: Arc<AtomicUsize>,
}

#[derive(Default)]
struct State {
    terminators: Vec<(Terminator, mpsc::UnboundedSender<MemoryIncoming>)>,
    created: usize,
    dials: Vec<DialRequest>,
    refusals: Vec<String>,
}

/// What the network knows of a terminator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Terminator {
    number: usize,
    pub(crate) service: String,
    pub(crate) precedence: Precedence,
    pub(crate) cost: u16,
    pub(crate) is_healthy: Option<bool>,
}

impl MemoryNetwork {
    pub(crate) fn terminators(&self, service: &str) -> Vec<Terminator> {
        let state = self.state.lock();
        let all = state.terminators.iter().map(|(terminator, _)| terminator);
        all.filter(|terminator| terminator.service == service)
            .cloned()
            .collect()
    }

    /// Terminators that have been created, with those that have ended.
    pub(crate) fn created(&self) -> usize {
        self.state.lock().created
    }

    /// Loses all terminators.
    pub(crate) fn lose_terminators(&self) {
        self.state.lock().terminators.clear();
    }

    pub(crate) fn dials(&self) -> Vec<DialRequest> {
        self.state.lock().dials.clone()
    }

    /// Why hosts have refused dials.
    pub(crate) fn refusals(&self) -> Vec<String> {
        self.state.lock().refusals.clone()
    }

    /// Ends of circuits at clients that are open.
    pub(crate) fn open_circuits(&self) -> usize {
        self.open_circuits.load(Ordering::SeqCst)
    }

    /// The most that there were at a time.
    pub(crate) fn most_circuits(&self) -> usize {
        self.most_circuits.load(Ordering::SeqCst)
    }

    /// The terminator that a dial goes to.
    fn choose(&self, request: &DialRequest) -> Option<mpsc::UnboundedSender<MemoryIncoming>> {
        let mut state = self.state.lock();
        state.dials.push(request.clone());
        let name = request.dial.service_name.as_ref();
        let of_service = state.terminators.iter();
        let of_service = of_service.filter(|(terminator, _)| terminator.service == name);
        let best = of_service.min_by_key(|(terminator, _)| {
            let rank = match terminator.precedence {
                Precedence::Required => 0,
                Precedence::Default => 1,
                Precedence::Failed => 2,
            };
            (rank, terminator.cost)
        });
        best.map(|(_, dials)| dials.clone())
    }
}

impl Network for MemoryNetwork {
    type Circuit = MemoryCircuit;
    type Host = MemoryHost;

    async fn dial(&self, request: DialRequest) -> Result<MemoryCircuit, DialError> {
        let failed = |reason: &str| DialError {
            reason: reason.to_owned(),
        };
        let host = self.choose(&request);
        let host = host.ok_or_else(|| failed("the service has no terminators"))?;
        let (answer, answered) = oneshot::channel();
        let incoming = MemoryIncoming {
            app_data: request.dial.app_data.encode(),
            network: self.clone(),
            answer: Some(answer),
        };
        host.send(incoming)
            .map_err(|_gone| failed("it has ended"))?;
        match answered.await {
            Ok(Ok(mut circuit)) => {
                circuit.counted = Some(Counted::new(self));
                Ok(circuit)
            },
            Ok(Err(reason)) => {
                self.state.lock().refusals.push(reason.clone());
                Err(failed(&reason))
            },
            Err(_gone) => Err(failed("the host has gone")),
        }
    }

    async fn host(
        &self,
        _terminator: TerminatorId,
        options: TerminatorOptions,
    ) -> Result<MemoryHost, HostError> {
        let (sender, dials) = mpsc::unbounded_channel();
        let mut state = self.state.lock();
        state.created += 1;
        let terminator = Terminator {
            number: state.created,
            service: options.service_name.to_string(),
            precedence: options.precedence,
            cost: options.cost,
            is_healthy: None,
        };
        let number = terminator.number;
        state.terminators.push((terminator, sender));
        drop(state);
        Ok(MemoryHost {
            network: self.clone(),
            number,
            dials,
        })
    }
}

pub(crate) struct MemoryHost {
    network: MemoryNetwork,
    number: usize,
    dials: mpsc::UnboundedReceiver<MemoryIncoming>,
}

impl MemoryHost {
    fn change(&self, change: impl FnOnce(&mut Terminator)) {
        let mut state = self.network.state.lock();
        let mut all = state.terminators.iter_mut();
        let own = all.find(|(terminator, _)| terminator.number == self.number);
        if let Some((terminator, _)) = own {
            change(terminator);
        }
    }
}

impl Host for MemoryHost {
    type Circuit = MemoryCircuit;
    type Incoming = MemoryIncoming;

    async fn next(&mut self) -> Option<MemoryIncoming> {
        self.dials.recv().await
    }

    fn update(&self, precedence: Precedence, cost: u16) {
        self.change(|terminator| (terminator.precedence, terminator.cost) = (precedence, cost));
    }

    fn report_health(&self, is_healthy: bool) {
        self.change(|terminator| terminator.is_healthy = Some(is_healthy));
    }
}

impl Drop for MemoryHost {
    fn drop(&mut self) {
        let mut state = self.network.state.lock();
        let is_other = |terminator: &Terminator| terminator.number != self.number;
        state
            .terminators
            .retain(|(terminator, _)| is_other(terminator));
    }
}

pub(crate) struct MemoryIncoming {
    app_data: Vec<u8>,
    network: MemoryNetwork,
    answer: Option<oneshot::Sender<Result<MemoryCircuit, String>>>,
}

impl Incoming for MemoryIncoming {
    type Circuit = MemoryCircuit;

    fn app_data(&self) -> &[u8] {
        &self.app_data
    }

    fn caller(&self) -> Option<&str> {
        Some("alice")
    }

    fn accept(mut self, _local: SocketAddr, _remote: SocketAddr) -> MemoryCircuit {
        let (own, other) = MemoryCircuit::pair();
        if let Some(answer) = self.answer.take() {
            let _has_gone = answer.send(Ok(other));
        }
        own
    }

    fn refuse(mut self, _kind: RefusalKind, reason: &str) {
        if let Some(answer) = self.answer.take() {
            let _has_gone = answer.send(Err(reason.to_owned()));
        }
    }
}

impl Drop for MemoryIncoming {
    fn drop(&mut self) {
        if let Some(answer) = self.answer.take() {
            self.network
                .state
                .lock()
                .refusals
                .push("dropped".to_owned());
            let _has_gone = answer.send(Err("dropped".to_owned()));
        }
    }
}

/// One end of a circuit.
pub(crate) struct MemoryCircuit {
    stream: DuplexStream,
    sender: mpsc::Sender<Bytes>,
    receiver: mpsc::Receiver<Bytes>,
    counted: Option<Counted>,
}

impl MemoryCircuit {
    fn pair() -> (Self, Self) {
        let (one_stream, other_stream) = duplex(ROOM);
        let (one_sender, other_receiver) = mpsc::channel(DATAGRAMS);
        let (other_sender, one_receiver) = mpsc::channel(DATAGRAMS);
        let end = |stream, sender, receiver| Self {
            stream,
            sender,
            receiver,
            counted: None,
        };
        (
            end(one_stream, one_sender, one_receiver),
            end(other_stream, other_sender, other_receiver),
        )
    }
}

impl Circuit for MemoryCircuit {
    type Datagrams = MemoryDatagrams;

    async fn carry(mut self, mut socket: TcpStream) -> io::Result<()> {
        copy_bidirectional(&mut socket, &mut self.stream).await?;
        Ok(())
    }

    fn into_datagrams(self) -> MemoryDatagrams {
        MemoryDatagrams {
            sender: self.sender,
            receiver: tokio::sync::Mutex::new(self.receiver),
            _counted: self.counted,
        }
    }
}

pub(crate) struct MemoryDatagrams {
    sender: mpsc::Sender<Bytes>,
    receiver: tokio::sync::Mutex<mpsc::Receiver<Bytes>>,
    _counted: Option<Counted>,
}

impl DatagramCircuit for MemoryDatagrams {
    fn send(&self, datagram: Bytes) -> io::Result<()> {
        use mpsc::error::TrySendError;
        match self.sender.try_send(datagram) {
            Err(TrySendError::Closed(_)) => Err(io::ErrorKind::BrokenPipe.into()),
            Ok(()) | Err(TrySendError::Full(_)) => Ok(()),
        }
    }

    async fn receive(&self) -> Option<Bytes> {
        self.receiver.lock().await.recv().await
    }
}

/// Counts a circuit as long as it is there.
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(network: &MemoryNetwork) -> Self {
        let open = network.open_circuits.fetch_add(1, Ordering::SeqCst) + 1;
        network.most_circuits.fetch_max(open, Ordering::SeqCst);
        Self(Arc::clone(&network.open_circuits))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}
