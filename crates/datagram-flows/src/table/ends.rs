//! How flows end.

use super::FlowTable;
use crate::flow::{EndedFlow, FlowId, FlowKey, FlowState};
use portcullis_channel::Moment;

impl<T> FlowTable<T> {
    /// Ends a flow, such as one whose circuit has ended. `None` if it has ended already.
    pub fn end(&mut self, id: FlowId) -> Option<EndedFlow<T>> {
        self.flow_mut(id)?;
        self.remove(id.key)
    }

    /// Ends all flows that are meant, such as those of a service that has gone. It is told the circuit of a flow
    /// that has one, and looks at every flow.
    pub fn end_where(
        &mut self,
        is_meant: impl Fn(&FlowKey, Option<&T>) -> bool,
    ) -> Vec<EndedFlow<T>> {
        let meant = self.flows.iter();
        let meant = meant.filter(|(key, flow)| is_meant(key, flow.circuit()));
        let keys: Vec<FlowKey> = meant.map(|(key, _)| *key).collect();
        keys.into_iter()
            .filter_map(|key| self.remove(key))
            .collect()
    }

    /// When to call [`handle_timeout`](Self::handle_timeout), at the latest.
    pub fn poll_timeout(&self) -> Option<Moment> {
        self.timers.first().map(|(timer, _)| *timer)
    }

    /// A flow that was idle for long, and has ended. To be called until there is none.
    pub fn handle_timeout(&mut self, now: Moment) -> Option<EndedFlow<T>> {
        while let Some((timer, id)) = self.timers.first().copied()
            && timer <= now
        {
            let ends_at = self.flow_mut(id).map(|flow| flow.ends_at());
            if ends_at.is_some_and(|ends_at| now < ends_at) {
                self.set_timer(id);
                continue;
            }
            self.timers.remove(&(timer, id));
            if let Some(ended) = self.remove(id.key) {
                return Some(ended);
            }
        }
        None
    }

    pub(super) fn set_timer(&mut self, id: FlowId) {
        let flow = self.flows.get_mut(&id.key);
        if let Some(flow) = flow.filter(|flow| flow.number == id.number) {
            self.timers.remove(&(flow.timer, id));
            flow.timer = flow.ends_at();
            self.timers.insert((flow.timer, id));
        }
    }

    /// `None` if there was nothing to end: no flow, or one whose dial failed.
    pub(super) fn remove(&mut self, key: FlowKey) -> Option<EndedFlow<T>> {
        let flow = self.flows.remove(&key)?;
        let id = FlowId {
            key,
            number: flow.number,
        };
        self.clients.remove(key, flow.last_use);
        self.timers.remove(&(flow.timer, id));
        let circuit = match flow.state {
            FlowState::Open(circuit) => Some(circuit),
            FlowState::Failed { .. } => return None,
            dialing @ FlowState::Dialing(_) => {
                self.take_waiting(dialing);
                None
            },
        };
        Some(EndedFlow { id, circuit })
    }
}
