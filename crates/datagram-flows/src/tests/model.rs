//! The table agrees with one that is written as its rules are, without any index.

use super::{at, key};
use crate::{DropReason, FlowId, FlowKey, FlowOptions, FlowTable, Received};
use bytes::Bytes;
use proptest::prelude::*;
use std::net::IpAddr;
use std::time::Duration;

#[derive(Debug, Clone)]
enum Step {
    Receive(FlowKey, usize),
    Open(usize),
    Fail(usize),
    Answer(usize),
    End(usize),
    Shorten(usize, u64),
    Pass(u64),
}

#[derive(Debug, Clone, PartialEq)]
enum State {
    Dialing(Vec<usize>),
    Open(FlowId),
    Failed(u64),
}

#[derive(Debug, Clone)]
struct ModelFlow {
    key: FlowKey,
    id: Option<FlowId>,
    state: State,
    last_used: u64,
    last_use: u64,
    timeout: u64,
}

#[derive(Debug, Default)]
struct Model {
    flows: Vec<ModelFlow>,
    uses: u64,
    now: u64,
}

const IDLE: u64 = 300;
const PAUSE: u64 = 5;

fn options() -> FlowOptions {
    FlowOptions {
        idle_timeout: Duration::from_secs(IDLE),
        failure_pause: Duration::from_secs(PAUSE),
        max_flows: 6,
        max_flows_of_client: 4,
        max_waiting_of_flow: 3,
        max_waiting_bytes_of_flow: 20,
        max_waiting_bytes: 40,
    }
}

impl ModelFlow {
    fn ends_at(&self) -> u64 {
        match self.state {
            State::Failed(until) => until,
            State::Dialing(_) | State::Open(_) => self.last_used + self.timeout,
        }
    }

    fn waiting(&self) -> &[usize] {
        match &self.state {
            State::Dialing(waiting) => waiting,
            State::Open(_) | State::Failed(_) => &[],
        }
    }
}

impl Model {
    fn count(&self, client: IpAddr) -> usize {
        let flows = self.flows.iter();
        flows.filter(|flow| flow.key.client.ip() == client).count()
    }

    fn waiting_bytes(&self) -> usize {
        let flows = self.flows.iter();
        flows.flat_map(ModelFlow::waiting).sum()
    }

    fn renew(&mut self, place: usize) {
        self.uses += 1;
        self.flows[place].last_used = self.now;
        self.flows[place].last_use = self.uses;
    }

    fn oldest(&self, client: IpAddr) -> Option<usize> {
        let flows = self.flows.iter().enumerate();
        let own = flows.filter(|(_, flow)| flow.key.client.ip() == client);
        own.min_by_key(|(_, flow)| flow.last_use)
            .map(|(place, _)| place)
    }

    /// Which flow goes for a new one: `Err` if none may.
    fn victim(&self, client: IpAddr) -> Result<Option<usize>, DropReason> {
        let own = self.count(client);
        if own >= options().max_flows_of_client {
            return Ok(self.oldest(client));
        }
        if self.flows.len() < options().max_flows {
            return Ok(None);
        }
        let clients = self.flows.iter().map(|flow| flow.key.client.ip());
        let heaviest = clients.max_by_key(|client| (self.count(*client), *client));
        let heaviest = heaviest.unwrap();
        if self.count(heaviest) > own + 1 {
            return Ok(self.oldest(heaviest));
        }
        self.oldest(client).map(Some).ok_or(DropReason::TableFull)
    }

    /// What becomes of a datagram, in words, and the id of the flow that goes for it.
    fn receive(&mut self, key: FlowKey, length: usize) -> (String, Option<FlowId>) {
        let dropped = |reason: DropReason| (format!("{reason:?}"), None);
        let place = self.flows.iter().position(|flow| flow.key == key);
        let fits = self.waiting_bytes() + length <= options().max_waiting_bytes;
        if let Some(place) = place {
            match self.flows[place].state.clone() {
                State::Failed(until) if until > self.now => return dropped(DropReason::DialFailed),
                State::Failed(_) => drop(self.flows.remove(place)),
                State::Open(_) => {
                    self.renew(place);
                    return ("forward".to_owned(), None);
                },
                State::Dialing(mut waiting) => {
                    self.renew(place);
                    let sum: usize = waiting.iter().sum();
                    if waiting.len() >= options().max_waiting_of_flow
                        || sum + length > options().max_waiting_bytes_of_flow
                    {
                        return dropped(DropReason::FlowFull);
                    }
                    if !fits {
                        return dropped(DropReason::WaitingFull);
                    }
                    waiting.push(length);
                    self.flows[place].state = State::Dialing(waiting);
                    return ("waits".to_owned(), None);
                },
            }
        }
        if length > options().max_waiting_bytes_of_flow {
            return dropped(DropReason::FlowFull);
        }
        if !fits {
            return dropped(DropReason::WaitingFull);
        }
        let displaced = match self.victim(key.client.ip()) {
            Err(reason) => return dropped(reason),
            Ok(None) => None,
            Ok(Some(place)) => Some(self.flows.remove(place)),
        };
        self.uses += 1;
        self.flows.push(ModelFlow {
            key,
            id: None,
            state: State::Dialing(vec![length]),
            last_used: self.now,
            last_use: self.uses,
            timeout: IDLE,
        });
        let told = displaced.filter(|flow| !matches!(flow.state, State::Failed(_)));
        ("dial".to_owned(), told.and_then(|flow| flow.id))
    }

    fn place(&self, id: FlowId) -> Option<usize> {
        self.flows.iter().position(|flow| flow.id == Some(id))
    }
}

fn step() -> impl Strategy<Value = Step> {
    let keys = (0..4_u8, 0..4_u16).prop_map(|(client, port)| key(client, port));
    prop_oneof![
        8 => (keys, 0..24_usize).prop_map(|(key, length)| Step::Receive(key, length)),
        3 => any::<usize>().prop_map(Step::Open),
        1 => any::<usize>().prop_map(Step::Fail),
        1 => any::<usize>().prop_map(Step::Answer),
        1 => any::<usize>().prop_map(Step::End),
        1 => (any::<usize>(), 1..50_u64).prop_map(|(flow, timeout)| Step::Shorten(flow, timeout)),
        2 => (0..200_u64).prop_map(Step::Pass),
    ]
}

proptest! {
    #[test]
    fn the_table_agrees_with_its_rules(steps in prop::collection::vec(step(), 0..120)) {
        let mut table = FlowTable::<FlowId>::new(options());
        let mut model = Model::default();
        let mut ids: Vec<FlowId> = Vec::new();
        for step in steps {
            let chosen = |number: usize| ids.get(number % ids.len().max(1)).copied();
            let now = at(model.now);
            match step {
                Step::Receive(key, length) => {
                    let (expected, displaced) = model.receive(key, length);
                    let datagram = Bytes::from(vec![0; length]);
                    match table.receive(key, datagram.clone(), now) {
                        Received::Forward { circuit, datagram: same } => {
                            prop_assert_eq!(expected, "forward");
                            prop_assert_eq!(circuit.key(), key);
                            prop_assert_eq!(same, datagram);
                        },
                        Received::Waits => prop_assert_eq!(expected, "waits"),
                        Received::Dropped(reason) => prop_assert_eq!(expected, format!("{reason:?}")),
                        Received::Dial { flow, displaced: other } => {
                            prop_assert_eq!(expected, "dial");
                            prop_assert_eq!(other.map(|ended| ended.id), displaced);
                            model.flows.last_mut().unwrap().id = Some(flow);
                            ids.push(flow);
                        },
                    }
                },
                Step::Open(number) => if let Some(id) = chosen(number) {
                    let waiting = table.opened(id, id, now);
                    let place = model.place(id);
                    let dialing = place.filter(|place| matches!(model.flows[*place].state, State::Dialing(_)));
                    let lengths = waiting.map(|waiting| waiting.iter().map(Bytes::len).collect::<Vec<_>>());
                    if let Some(place) = dialing {
                            prop_assert_eq!(lengths, Ok(model.flows[place].waiting().to_vec()));
                            model.renew(place);
                            model.flows[place].state = State::Open(id);
                    } else {
                        prop_assert_eq!(lengths, Err(id));
                    }
                },
                Step::Fail(number) => if let Some(id) = chosen(number) {
                    table.failed(id, now);
                    let until = model.now + PAUSE;
                    if let Some(place) = model.place(id)
                        && matches!(model.flows[place].state, State::Dialing(_))
                    {
                        model.flows[place].state = State::Failed(until);
                    }
                },
                Step::Answer(number) => if let Some(id) = chosen(number) {
                    let place = model.place(id);
                    let open = place.filter(|place| matches!(model.flows[*place].state, State::Open(_)));
                    prop_assert_eq!(table.answered(id, now), open.is_some());
                    if let Some(place) = open {
                        model.renew(place);
                    }
                },
                Step::End(number) => if let Some(id) = chosen(number) {
                    let ended = table.end(id).map(|ended| ended.id);
                    let flow = model.place(id).map(|place| model.flows.remove(place));
                    let told = flow.filter(|flow| !matches!(flow.state, State::Failed(_)));
                    prop_assert_eq!(ended, told.and_then(|flow| flow.id));
                },
                Step::Shorten(number, timeout) => if let Some(id) = chosen(number) {
                    table.set_idle_timeout(id, Duration::from_secs(timeout));
                    if let Some(place) = model.place(id) {
                        model.flows[place].timeout = timeout;
                    }
                },
                Step::Pass(seconds) => {
                    model.now += seconds;
                    let due = table.poll_timeout().is_some_and(|timer| timer <= at(model.now));
                    let mut ended = Vec::new();
                    while let Some(flow) = table.handle_timeout(at(model.now)) {
                        ended.push(flow.id);
                    }
                    let (over, on): (Vec<_>, Vec<_>) =
                        model.flows.drain(..).partition(|flow| flow.ends_at() <= model.now);
                    model.flows = on;
                    prop_assert!(over.is_empty() || due, "the table did not ask to be called");
                    let told = over.into_iter().filter(|flow| !matches!(flow.state, State::Failed(_)));
                    let mut told: Vec<_> = told.filter_map(|flow| flow.id).collect();
                    told.sort_unstable();
                    ended.sort_unstable();
                    prop_assert_eq!(ended, told);
                },
            }
            prop_assert_eq!(table.len(), model.flows.len());
            prop_assert_eq!(table.waiting_bytes(), model.waiting_bytes());
            prop_assert!(table.len() <= options().max_flows);
            prop_assert!(table.waiting_bytes() <= options().max_waiting_bytes);
            let next = model.flows.iter().map(ModelFlow::ends_at).min();
            prop_assert_eq!(table.poll_timeout().is_some(), next.is_some());
            if let Some(timer) = table.poll_timeout() {
                prop_assert!(timer <= at(next.unwrap()), "a flow ends unnoticed");
            }
        }
    }
}
