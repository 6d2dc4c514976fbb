//! All flows.

mod ends;

use crate::clients::{Clients, Room};
use crate::flow::{EndedFlow, Flow, FlowId, FlowKey, FlowState};
use crate::options::FlowOptions;
use crate::waiting::Waiting;
use bytes::Bytes;
use portcullis_channel::Moment;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::mem;
use std::time::Duration;

/// Flows of datagrams. `T` is what the caller knows a circuit by.
#[derive(Debug)]
pub struct FlowTable<T> {
    options: FlowOptions,
    flows: HashMap<FlowKey, Flow<T>>,
    clients: Clients,
    timers: BTreeSet<(Moment, FlowId)>,
    waiting_bytes: usize,
    next_number: u64,
    next_use: u64,
}

/// What becomes of a datagram.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub enum Received<'t, T> {
    /// It is for this circuit.
    Forward {
        circuit: &'t mut T,
        datagram: Bytes,
    },
    /// It waits for a circuit that is being dialed.
    Waits,
    /// It waits for a circuit that is to be dialed. [`FlowTable::opened`] or [`FlowTable::failed`] has to follow.
    Dial {
        flow: FlowId,
        /// The flow in whose place the new one is.
        displaced: Option<EndedFlow<T>>,
    },
    Dropped(DropReason),
}

/// Why a datagram is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum DropReason {
    #[error("too much waits for the circuit of the flow")]
    FlowFull,
    #[error("too much waits for circuits")]
    WaitingFull,
    #[error("the circuit of the flow could not be dialed a moment ago")]
    DialFailed,
    #[error("there are too many flows, and the client has none that could go instead")]
    TableFull,
}

impl<T> FlowTable<T> {
    pub fn new(options: FlowOptions) -> Self {
        Self {
            options,
            flows: HashMap::new(),
            clients: Clients::default(),
            timers: BTreeSet::new(),
            waiting_bytes: 0,
            next_number: 0,
            next_use: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.flows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.flows.is_empty()
    }

    /// Bytes that wait for circuits.
    pub const fn waiting_bytes(&self) -> usize {
        self.waiting_bytes
    }

    /// Takes a datagram of a client.
    pub fn receive(&mut self, key: FlowKey, datagram: Bytes, now: Moment) -> Received<'_, T> {
        match self.flows.get(&key).map(|flow| &flow.state) {
            None => self.begin(key, datagram, now),
            Some(FlowState::Failed { until }) if *until <= now => {
                self.remove(key);
                self.begin(key, datagram, now)
            },
            Some(FlowState::Failed { .. }) => Received::Dropped(DropReason::DialFailed),
            Some(FlowState::Dialing(_) | FlowState::Open(_)) => self.go_on(key, datagram, now),
        }
    }

    fn begin(&mut self, key: FlowKey, datagram: Bytes, now: Moment) -> Received<'_, T> {
        let mut waiting = Waiting::default();
        if !waiting.has_room(&datagram, &self.options) {
            return Received::Dropped(DropReason::FlowFull);
        }
        if !self.has_room(&datagram) {
            return Received::Dropped(DropReason::WaitingFull);
        }
        let displaced = match self.clients.room_for(key, &self.options) {
            Room::Free => None,
            Room::InPlaceOf(other) => self.remove(other),
            Room::None => return Received::Dropped(DropReason::TableFull),
        };
        self.waiting_bytes += datagram.len();
        waiting.push(datagram);
        let flow = FlowId {
            key,
            number: next(&mut self.next_number),
        };
        let last_use = next(&mut self.next_use);
        let timer = now + self.options.idle_timeout;
        self.clients.insert(key, last_use);
        self.timers.insert((timer, flow));
        let state = Flow {
            number: flow.number,
            state: FlowState::Dialing(waiting),
            last_used: now,
            last_use,
            idle_timeout: self.options.idle_timeout,
            timer,
        };
        self.flows.insert(key, state);
        Received::Dial { flow, displaced }
    }

    fn go_on(&mut self, key: FlowKey, datagram: Bytes, now: Moment) -> Received<'_, T> {
        self.renew(key, now);
        let has_room = self.has_room(&datagram);
        let Some(flow) = self.flows.get_mut(&key) else {
            return Received::Dropped(DropReason::TableFull);
        };
        match &mut flow.state {
            FlowState::Open(circuit) => Received::Forward { circuit, datagram },
            FlowState::Dialing(waiting) if !waiting.has_room(&datagram, &self.options) => {
                Received::Dropped(DropReason::FlowFull)
            },
            FlowState::Dialing(_) if !has_room => Received::Dropped(DropReason::WaitingFull),
            FlowState::Dialing(waiting) => {
                self.waiting_bytes += datagram.len();
                waiting.push(datagram);
                Received::Waits
            },
            FlowState::Failed { .. } => Received::Dropped(DropReason::DialFailed),
        }
    }

    /// The circuit of a flow is there. The answer is what waited for it, in order.
    ///
    /// # Errors
    ///
    /// If the flow has ended; the circuit is given back, to be closed.
    pub fn opened(&mut self, id: FlowId, circuit: T, now: Moment) -> Result<VecDeque<Bytes>, T> {
        match self.flow_mut(id) {
            Some(flow) if matches!(flow.state, FlowState::Dialing(_)) => {
                let before = mem::replace(&mut flow.state, FlowState::Open(circuit));
                self.renew(id.key, now);
                Ok(self.take_waiting(before))
            },
            _ => Err(circuit),
        }
    }

    /// The circuit of a flow could not be dialed: what waited is dropped, and so is what comes for a while.
    pub fn failed(&mut self, id: FlowId, now: Moment) {
        let until = now + self.options.failure_pause;
        if let Some(flow) = self.flow_mut(id)
            && matches!(flow.state, FlowState::Dialing(_))
        {
            let before = mem::replace(&mut flow.state, FlowState::Failed { until });
            self.take_waiting(before);
            self.set_timer(id);
        }
    }

    /// A datagram comes back for the client of a flow. `false` if the flow has ended: nobody waits for it.
    pub fn answered(&mut self, id: FlowId, now: Moment) -> bool {
        let is_open = self.circuit(id).is_some();
        if is_open {
            self.renew(id.key, now);
        }
        is_open
    }

    pub fn circuit(&self, id: FlowId) -> Option<&T> {
        let flow = self.flows.get(&id.key);
        flow.filter(|flow| flow.number == id.number)?.circuit()
    }

    /// Whether there is a flow of these addresses, or was one whose dial failed a moment ago.
    pub fn contains(&self, key: &FlowKey) -> bool {
        self.flows.contains_key(key)
    }

    /// All flows that have a circuit.
    pub fn open_flows(&self) -> impl Iterator<Item = (FlowId, &T)> {
        self.flows.iter().filter_map(|(key, flow)| {
            let id = FlowId {
                key: *key,
                number: flow.number,
            };
            Some((id, flow.circuit()?))
        })
    }

    /// Gives a flow an idle timeout of its own, such as a short one where one answer is all that comes.
    pub fn set_idle_timeout(&mut self, id: FlowId, idle_timeout: Duration) {
        if let Some(flow) = self.flow_mut(id) {
            flow.idle_timeout = idle_timeout;
            self.set_timer(id);
        }
    }

    fn has_room(&self, datagram: &Bytes) -> bool {
        self.waiting_bytes.saturating_add(datagram.len()) <= self.options.max_waiting_bytes
    }

    fn flow_mut(&mut self, id: FlowId) -> Option<&mut Flow<T>> {
        let flow = self.flows.get_mut(&id.key);
        flow.filter(|flow| flow.number == id.number)
    }

    /// A flow is used. Its timer is put off when it rings, not now: that costs less.
    fn renew(&mut self, key: FlowKey, now: Moment) {
        if let Some(flow) = self.flows.get_mut(&key) {
            let this_use = next(&mut self.next_use);
            self.clients.renew(key, flow.last_use, this_use);
            flow.last_use = this_use;
            flow.last_used = flow.last_used.max(now);
        }
    }

    fn take_waiting(&mut self, state: FlowState<T>) -> VecDeque<Bytes> {
        let FlowState::Dialing(waiting) = state else {
            return VecDeque::new();
        };
        self.waiting_bytes -= waiting.bytes();
        waiting.into_datagrams()
    }
}

/// The next of numbers that are never used twice.
const fn next(counter: &mut u64) -> u64 {
    *counter += 1;
    *counter
}
