//! The sending side of a router's channel.
//!
//! Whoever tells a router something must not wait, and the queues of a channel are short. What comes at once
//! because of one event, such as the end of a link that carries thousands of circuits, waits here in its place
//! until the router has taken what is before it. Replies wait apart: a router that asks much and reads slowly
//! still hears what it has not asked for, and is heard.

mod answers;
mod line;
#[cfg(test)]
mod tests;

use crate::questions::Answered;
use answers::{Answers, Expected};
use line::{EachLine, Line, LineId, Sequel, Waiting};
use parking_lot::Mutex;
use portcullis_channel::{Message, Priority, ReplyTo, Role, SendError, SendErrorKind, Sequence};
use portcullis_fabric::{Moment, RouteId};
use portcullis_transport::ChannelHandle;
use tokio::sync::{Notify, oneshot};

/// Bytes of the messages that wait for one router. Those of 100 000 circuits, each of which ends or takes
/// another path, are half as many.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// Bytes of the replies among them from which on requests are turned away. Those to 4096 dials are a tenth.
const MAX_REPLY_BYTES: usize = MAX_BYTES / 4;

/// Bytes of what a router is told unasked from which on it is told no news that can be told later altogether.
const MAX_NEWS_BYTES: usize = 1024 * 1024;

/// Where news wait.
const NEWS: LineId = LineId::Told(Priority::Default);

/// The sending side of a router's channel. Nothing here waits but what says so.
///
/// What a router is told unasked is sent in the order in which it comes, as far as its priority is the same, and
/// so are replies; the one does not wait for the other. None is refused for want of room, as long as those that
/// wait take less than [`MAX_BYTES`]; a router for which there are more loses its channel, and is told everything
/// anew when it returns.
pub(crate) struct Outlet {
    channel: ChannelHandle,
    state: Mutex<State>,
    /// Told when something begins to wait.
    begun: EachLine<Notify>,
}

#[derive(Default)]
struct State {
    lines: EachLine<Line>,
    answers: Answers,
}

impl Outlet {
    pub(crate) fn new(channel: ChannelHandle) -> Self {
        Self {
            channel,
            state: Mutex::default(),
            begun: EachLine::default(),
        }
    }

    /// Tells the router something.
    pub(crate) fn send(&self, priority: Priority, message: Message) {
        self.put(LineId::Told(priority), message, Sequel::Nothing);
    }

    /// Replies to a message of the router.
    pub(crate) fn reply(&self, to: &ReplyTo, priority: Priority, message: Message) {
        self.put(
            LineId::Replies(priority),
            message.in_reply_to(to),
            Sequel::Nothing,
        );
    }

    /// Sends a route, whose result [`take_route`](Self::take_route) knows.
    pub(crate) fn send_route(
        &self,
        priority: Priority,
        message: Message,
        id: RouteId,
        now: Moment,
    ) {
        let answer = Sequel::Answer(Expected::Route(id, now));
        self.put(LineId::Told(priority), message, answer);
    }

    /// Asks the router what it carries, which [`take_question`](Self::take_question) knows.
    pub(crate) fn ask_for_circuits(&self, priority: Priority, message: Message, now: Moment) {
        let answer = Sequel::Answer(Expected::Circuits(now));
        self.put(LineId::Told(priority), message, answer);
    }

    /// Asks the router about its insides, unless too much waits already. The answer comes through `waiter`, which is
    /// dropped if there will be none.
    pub(crate) fn ask(
        &self,
        priority: Priority,
        message: Message,
        waiter: oneshot::Sender<Answered>,
    ) -> Result<(), SendErrorKind> {
        let line = LineId::Told(priority);
        if self.state.lock().lines.get(line).bytes() > MAX_NEWS_BYTES {
            return Err(SendErrorKind::QueueFull);
        }
        self.put(line, message, Sequel::Answer(Expected::Answer(waiter)));
        Ok(())
    }

    /// Whoever waits for what a message answers.
    pub(crate) fn take_waiter(
        &self,
        reply_for: Option<Sequence>,
    ) -> Option<oneshot::Sender<Answered>> {
        self.state.lock().answers.take_waiter(reply_for?)
    }

    /// Closes the channel, and lets nobody wait for an answer any more.
    pub(crate) fn end(&self) {
        self.close();
        let mut state = self.state.lock();
        state.lines = EachLine::default();
        state.answers = Answers::default();
    }

    /// The route that a message answers.
    pub(crate) fn take_route(&self, reply_for: Option<Sequence>) -> Option<RouteId> {
        self.state.lock().answers.take_route(reply_for?)
    }

    /// When the question was asked that a message answers.
    pub(crate) fn take_question(&self, reply_for: Option<Sequence>) -> Option<Moment> {
        self.state.lock().answers.take_question(reply_for?)
    }

    /// Tells the router news, unless too much waits; whether it is told.
    pub(crate) fn try_send(&self, message: Message) -> bool {
        self.put_news(message, Sequel::Nothing).is_ok()
    }

    /// Tells the router news, unless too much waits. The future completes when they are written, or never
    /// will be.
    pub(crate) fn send_tracked(
        &self,
        message: Message,
    ) -> Result<impl Future<Output = ()> + Send + use<>, SendErrorKind> {
        let (sender, sent) = oneshot::channel();
        self.put_news(message, Sequel::Written(sender))?;
        Ok(async move {
            if let Ok(written) = sent.await {
                written.await;
            }
        })
    }

    /// Whether the router has left so many replies unread that it gets no further ones: what it asks is to be
    /// turned away before anything is done for it.
    pub(crate) fn is_full_of_replies(&self) -> bool {
        self.state.lock().lines.reply_bytes() >= MAX_REPLY_BYTES
    }

    /// Sends what waits as soon as there is room for it, until the future is dropped.
    pub(crate) async fn run(&self) {
        tokio::join!(
            self.run_line(LineId::Told(Priority::High)),
            self.run_line(LineId::Told(Priority::Default)),
            self.run_line(LineId::Replies(Priority::High)),
            self.run_line(LineId::Replies(Priority::Default)),
        );
    }

    /// Closes the channel.
    pub(crate) fn close(&self) {
        self.channel.close();
    }

    /// The roles of the connections.
    pub(crate) fn roles(&self) -> Vec<Role> {
        self.channel.roles()
    }

    fn put(&self, line: LineId, message: Message, sequel: Sequel) {
        let waiting = Waiting { message, sequel };
        let mut state = self.state.lock();
        let waiting = if state.is_clear(line) {
            self.hand_over(&mut state.answers, line, waiting)
        } else {
            Some(waiting)
        };
        if let Some(waiting) = waiting {
            self.push(&mut state, line, waiting);
        }
    }

    fn put_news(&self, message: Message, sequel: Sequel) -> Result<(), SendErrorKind> {
        let mut waiting = Waiting { message, sequel };
        let mut state = self.state.lock();
        if state.is_clear(NEWS) {
            match self.transmit(&mut state.answers, NEWS, waiting) {
                Ok(()) => return Ok(()),
                Err((refused, SendErrorKind::QueueFull)) => waiting = *refused,
                Err((_, why)) => return Err(why),
            }
        }
        if state.lines.get(NEWS).bytes() + waiting.bytes() > MAX_NEWS_BYTES {
            return Err(SendErrorKind::QueueFull);
        }
        self.push(&mut state, NEWS, waiting);
        Ok(())
    }

    fn push(&self, state: &mut State, line: LineId, waiting: Waiting) {
        state.lines.get_mut(line).push(waiting);
        if state.lines.bytes() > MAX_BYTES {
            tracing::warn!("a router does not take its messages, and is put off");
            self.channel.close();
            state.lines = EachLine::default();
        }
        self.begun.get(line).notify_one();
    }

    /// Gives a message to the channel. Returns it if there is no room for it.
    fn hand_over(&self, answers: &mut Answers, line: LineId, waiting: Waiting) -> Option<Waiting> {
        match self.transmit(answers, line, waiting) {
            Err((waiting, SendErrorKind::QueueFull)) => Some(*waiting),
            // If the channel is closed, the router is told everything anew when it returns.
            Ok(()) | Err((_, SendErrorKind::Closed)) => None,
            // Without this message the router would not know what others rely on.
            Err((_, error)) => {
                tracing::warn!(%error, "a router cannot be told something, and is put off");
                self.channel.close();
                None
            },
        }
    }

    /// Gives a message to the channel, or says why it does not take it.
    fn transmit(
        &self,
        answers: &mut Answers,
        line: LineId,
        Waiting { message, sequel }: Waiting,
    ) -> Result<(), (Box<Waiting>, SendErrorKind)> {
        let refused = |SendError { message, why }, sequel| {
            let waiting = Waiting { message, sequel };
            (Box::new(waiting), why)
        };
        let priority = line.priority();
        match sequel {
            Sequel::Nothing | Sequel::Answer(_) => {
                match self.channel.send_in(line.flow(), priority, message) {
                    Ok(sequence) => {
                        if let Sequel::Answer(expected) = sequel {
                            answers.expect(sequence, expected);
                        }
                        Ok(())
                    },
                    Err(error) => Err(refused(error, sequel)),
                }
            },
            Sequel::Written(waiter) => match self.channel.send_tracked(priority, message) {
                Ok(written) => {
                    // Nobody may wait any more.
                    let _ = waiter.send(written);
                    Ok(())
                },
                Err(error) => Err(refused(error, Sequel::Written(waiter))),
            },
        }
    }

    async fn run_line(&self, line: LineId) {
        loop {
            if self.state.lock().is_clear(line) {
                self.begun.get(line).notified().await;
            } else {
                self.channel.writable_in(line.flow(), line.priority()).await;
                self.pass_on(line);
            }
        }
    }

    /// Sends what waits, as far as there is room.
    fn pass_on(&self, line: LineId) {
        let mut state = self.state.lock();
        let State { lines, answers } = &mut *state;
        let waiting_there = lines.get_mut(line);
        while let Some(waiting) = waiting_there.pop() {
            if let Some(refused) = self.hand_over(answers, line, waiting) {
                waiting_there.put_back(refused);
                break;
            }
        }
    }
}

impl State {
    fn is_clear(&self, line: LineId) -> bool {
        self.lines.get(line).is_empty()
    }
}
