//! A queue that flows share.

use super::delay::Delay;
use super::{Flow, Lane, QueueLimits};
use crate::frame::{Frame, Sequence};
use crate::time::Moment;
use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

/// Bytes that a flow may send in a turn. What exceeds them is taken off its next ones.
const TURN: usize = 32 * 1024;

/// Frames that wait to be written.
///
/// Flows that have frames take turns, and the limits are divided among them: one that is alone may fill the
/// queue, one of many has a small part. A flow that has none may add one beside what others have added
/// before, so that nobody has to wait for what others cannot take back; together they have twice the limits
/// and one frame then. Beyond that, flows without frames are let in one after the other.
#[derive(Debug)]
pub(crate) struct Queue {
    limits: QueueLimits,
    frames: usize,
    bytes: usize,
    /// Those that have frames. Nothing follows from its order.
    flows: HashMap<Flow, Backlog>,
    /// The same, in the order of their turns, for each connection.
    turns: Vec<VecDeque<Flow>>,
    /// Those that want to be told of room.
    waiting: HashSet<Flow>,
    /// Those among them that have no frames, in the order in which they are let in.
    line: VecDeque<Flow>,
    /// Those that are to be told.
    relieved: VecDeque<Flow>,
    /// The memory of a flow that has no more frames.
    spare: VecDeque<Queued>,
    delay: Delay,
}

/// The frames of a flow, of which there is at least one.
#[derive(Debug, Default)]
struct Backlog {
    frames: VecDeque<Queued>,
    bytes: usize,
    /// Bytes that were sent in this turn.
    spent: usize,
}

#[derive(Debug)]
struct Queued {
    frame: Frame,
    is_request: bool,
}

impl Queue {
    pub(super) fn new(limits: QueueLimits) -> Self {
        Self {
            limits,
            frames: 0,
            bytes: 0,
            flows: HashMap::new(),
            turns: vec![VecDeque::new()],
            waiting: HashSet::new(),
            line: VecDeque::new(),
            relieved: VecDeque::new(),
            spare: VecDeque::new(),
            delay: Delay::default(),
        }
    }

    pub(crate) const fn len(&self) -> usize {
        self.frames
    }

    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Accepts no more than so many bytes from now on. What is queued stays.
    pub(crate) const fn limit_bytes(&mut self, bytes: usize) {
        self.limits.bytes = bytes;
    }

    /// Whether a connection has something to carry.
    pub(crate) fn has_frame(&self, lane: Lane) -> bool {
        let turns = self.turns.get(lane.index());
        turns.is_some_and(|turns| !turns.is_empty())
    }

    /// How long frames wait, by the last one that was followed.
    pub(crate) fn delay(&self, now: Moment) -> Duration {
        self.delay.get(now)
    }

    /// Whether a frame of this size is accepted from a flow.
    pub(crate) fn has_room(&self, flow: Flow, bytes: usize) -> bool {
        let Some(backlog) = self.flows.get(&flow) else {
            return self.lets_in();
        };
        let share = self.share();
        let fits = |limits: QueueLimits, frames: usize, before: usize| {
            frames < limits.frames && before.saturating_add(bytes) <= limits.bytes
        };
        fits(self.limits, self.frames, self.bytes)
            && fits(share, backlog.frames.len(), backlog.bytes)
    }

    /// Whether a frame is accepted from a flow that has none.
    const fn lets_in(&self) -> bool {
        let frames = self.limits.frames.saturating_mul(2);
        let bytes = self.limits.bytes.saturating_mul(2);
        self.frames == 0 || (self.frames < frames && self.bytes < bytes)
    }

    /// The limits of each flow that has frames.
    fn share(&self) -> QueueLimits {
        let flows = self.flows.len().max(1);
        QueueLimits {
            frames: self.limits.frames / flows,
            bytes: self.limits.bytes / flows,
        }
    }

    pub(crate) fn push(&mut self, flow: Flow, frame: Frame, is_request: bool) {
        let bytes = frame.wire_len();
        self.delay.added(frame.sequence());
        let backlog = self.flows.entry(flow).or_insert_with(|| {
            take_turns(&mut self.turns, flow);
            Backlog {
                frames: std::mem::take(&mut self.spare),
                ..Backlog::default()
            }
        });
        backlog.frames.push_back(Queued { frame, is_request });
        backlog.bytes = backlog.bytes.saturating_add(bytes);
        self.frames += 1;
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// Divides the flows among so many connections.
    pub(crate) fn divide(&mut self, lanes: usize) {
        let lanes = lanes.max(1);
        if lanes == self.turns.len() {
            return;
        }
        let before = std::mem::replace(&mut self.turns, vec![VecDeque::new(); lanes]);
        let mut flows: Vec<_> = before.into_iter().flatten().collect();
        let mut seen = HashSet::new();
        flows.retain(|flow| seen.insert(*flow));
        for flow in flows {
            take_turns(&mut self.turns, flow);
        }
    }

    /// The next frame for a connection, and whether it is a request.
    pub(crate) fn pop(&mut self, lane: Lane, now: Moment) -> Option<(Frame, bool)> {
        let flow = self.next_turn(lane)?;
        let backlog = self.flows.get_mut(&flow)?;
        let queued = backlog.frames.pop_front()?;
        backlog.spent = backlog.spent.saturating_add(queued.frame.wire_len());
        self.left(flow, &queued.frame);
        self.delay.left(queued.frame.sequence(), now);
        Some((queued.frame, queued.is_request))
    }

    /// Whose turn it is.
    fn next_turn(&mut self, lane: Lane) -> Option<Flow> {
        let turns = self.turns.get_mut(lane.index())?;
        loop {
            let flow = *turns.front()?;
            let backlog = self.flows.get_mut(&flow)?;
            if backlog.spent < TURN {
                return Some(flow);
            }
            backlog.spent -= TURN;
            turns.rotate_left(1);
        }
    }

    /// Removes a request, all of which are common.
    pub(super) fn remove(&mut self, sequence: Sequence) {
        let Some(backlog) = self.flows.get_mut(&Flow::COMMON) else {
            return;
        };
        let is_meant = |queued: &Queued| queued.frame.sequence() == sequence;
        let place = backlog.frames.iter().position(is_meant);
        if let Some(queued) = place.and_then(|place| backlog.frames.remove(place)) {
            self.left(Flow::COMMON, &queued.frame);
            self.delay.forget(sequence);
        }
    }

    /// A frame is no longer among those of a flow.
    fn left(&mut self, flow: Flow, frame: &Frame) {
        let bytes = frame.wire_len();
        self.frames -= 1;
        self.bytes = self.bytes.saturating_sub(bytes);
        if let Some(backlog) = self.flows.get_mut(&flow) {
            backlog.bytes = backlog.bytes.saturating_sub(bytes);
            if backlog.frames.is_empty()
                && let Some(backlog) = self.flows.remove(&flow)
            {
                self.spare = backlog.frames;
                self.end_turns(flow);
            }
        }
        self.relieve(flow);
    }

    /// A flow has no more frames. If the last one was sent, it was its turn.
    fn end_turns(&mut self, flow: Flow) {
        let lanes = Lane::of(flow, self.turns.len());
        for turns in self.turns.get_mut(lanes).into_iter().flatten() {
            if turns.front() == Some(&flow) {
                turns.pop_front();
            } else {
                turns.retain(|other| *other != flow);
            }
        }
    }

    /// Whether there is room for a flow whose frame was rejected; otherwise it is told once there is.
    pub(crate) fn wait(&mut self, flow: Flow) -> bool {
        let has_frames = self.flows.contains_key(&flow);
        if !has_frames && self.lets_in() {
            return true;
        }
        if self.waiting.insert(flow) && !has_frames {
            self.line.push_back(flow);
        }
        false
    }

    /// A flow that is to be told that there is room.
    pub(crate) fn take_relieved(&mut self) -> Option<Flow> {
        self.relieved.pop_front()
    }

    /// A frame of a flow has left.
    fn relieve(&mut self, flow: Flow) {
        if self.waiting.contains(&flow) {
            match self.flows.get(&flow) {
                Some(backlog) if self.is_relieved(backlog) => self.tell(flow),
                Some(_) => {},
                None => self.line.push_back(flow),
            }
        }
        if self.lets_in()
            && let Some(first) = self.line.pop_front()
        {
            self.tell(first);
        }
        if self.is_within_limits() {
            while let Some(next) = self.line.pop_front() {
                self.tell(next);
            }
        }
    }

    /// Whether half of a flow's part is empty; or each frame that leaves would wake the sender.
    fn is_relieved(&self, backlog: &Backlog) -> bool {
        let share = self.share();
        self.is_within_limits()
            && backlog.frames.len() <= share.frames / 2
            && backlog.bytes <= share.bytes / 2
    }

    const fn is_within_limits(&self) -> bool {
        self.frames < self.limits.frames && self.bytes < self.limits.bytes
    }

    fn tell(&mut self, flow: Flow) {
        if self.waiting.remove(&flow) {
            self.relieved.push_back(flow);
        }
    }

    pub(super) fn clear(&mut self) {
        let lanes = self.turns.len();
        *self = Self::new(self.limits);
        self.divide(lanes);
    }
}

/// Lets a flow take turns at the connections that carry it.
fn take_turns(turns: &mut [VecDeque<Flow>], flow: Flow) {
    let lanes = Lane::of(flow, turns.len());
    for turns in turns.get_mut(lanes).into_iter().flatten() {
        turns.push_back(flow);
    }
}
