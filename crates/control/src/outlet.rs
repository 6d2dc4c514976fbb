//! The sending side of a router's channel.
//!
//! Whoever tells a router something must not wait, and the queues of a channel are short. What comes at once
//! because of one event, such as the end of a link that carries thousands of circuits, waits here in its place
//! until the router has taken what is before it.

mod answers;
mod line;
#[cfg(test)]
mod tests;

use answers::{Answers, Expected};
use line::{Line, Waiting};
use parking_lot::Mutex;
use portcullis_channel::{Message, Priority, ReplyTo, Role, SendError, SendErrorKind, Sequence};
use portcullis_fabric::{Moment, RouteId};
use portcullis_transport::{ChannelHandle, Written};
use tokio::sync::Notify;

/// Bytes of the messages that wait for one router. Those of 100 000 circuits, each of which ends or takes
/// another path, are half as many.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// The sending side of a router's channel. Nothing here waits but what says so.
///
/// Messages of one priority are sent in the order in which they come. None is refused for want of room, as long
/// as those that wait take less than [`MAX_BYTES`]; a router for which there are more loses its channel, and is
/// told everything anew when it returns.
pub(crate) struct Outlet {
    channel: ChannelHandle,
    state: Mutex<State>,
    /// Told when something begins to wait.
    high_begun: Notify,
    default_begun: Notify,
    /// Told when no reply waits any more.
    replied: Notify,
}

#[derive(Default)]
struct State {
    high: Line,
    default: Line,
    answers: Answers,
}

impl Outlet {
    pub(crate) fn new(channel: ChannelHandle) -> Self {
        Self {
            channel,
            state: Mutex::default(),
            high_begun: Notify::new(),
            default_begun: Notify::new(),
            replied: Notify::new(),
        }
    }

    /// Tells the router something.
    pub(crate) fn send(&self, priority: Priority, message: Message) {
        self.put(priority, Waiting::new(message));
    }

    /// Replies to a message of the router.
    pub(crate) fn reply(&self, to: &ReplyTo, priority: Priority, message: Message) {
        self.put(priority, Waiting::new(message).in_reply_to(to));
    }

    /// Sends a route, whose result [`take_route`](Self::take_route) knows.
    pub(crate) fn send_route(
        &self,
        priority: Priority,
        message: Message,
        id: RouteId,
        now: Moment,
    ) {
        let expected = Expected::Route(id, now);
        self.put(priority, Waiting::new(message).expecting(expected));
    }

    /// Asks the router what it carries, which [`take_question`](Self::take_question) knows.
    pub(crate) fn ask_for_circuits(&self, priority: Priority, message: Message, now: Moment) {
        let expected = Expected::Circuits(now);
        self.put(priority, Waiting::new(message).expecting(expected));
    }

    /// The route that a message answers.
    pub(crate) fn take_route(&self, reply_for: Option<Sequence>) -> Option<RouteId> {
        self.state.lock().answers.take_route(reply_for?)
    }

    /// When the question was asked that a message answers.
    pub(crate) fn take_question(&self, reply_for: Option<Sequence>) -> Option<Moment> {
        self.state.lock().answers.take_question(reply_for?)
    }

    /// Sends a message if there is room; whether it was taken.
    pub(crate) fn try_send(&self, message: Message) -> bool {
        let state = self.state.lock();
        state.default.is_empty() && self.channel.send(Priority::Default, message).is_ok()
    }

    /// Sends a message if there is room, and tells when it was written.
    pub(crate) fn send_tracked(&self, message: Message) -> Result<Written, SendErrorKind> {
        let state = self.state.lock();
        if !state.default.is_empty() {
            return Err(SendErrorKind::QueueFull);
        }
        let sent = self.channel.send_tracked(Priority::Default, message);
        sent.map_err(|error| error.why)
    }

    /// Waits until the router has room for all replies to it. Who asks more before, without taking them, has to
    /// wait as well.
    pub(crate) async fn replied(&self) {
        while self.state.lock().replies() > 0 {
            self.replied.notified().await;
        }
    }

    /// Sends what waits as soon as there is room for it, until the future is dropped.
    pub(crate) async fn run(&self) {
        tokio::join!(
            self.run_line(Priority::High),
            self.run_line(Priority::Default)
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

    fn put(&self, priority: Priority, waiting: Waiting) {
        let mut state = self.state.lock();
        let waiting = if state.line(priority).is_empty() {
            self.hand_over(&mut state.answers, priority, waiting)
        } else {
            Some(waiting)
        };
        let Some(waiting) = waiting else {
            return;
        };
        state.line_mut(priority).push(waiting);
        if state.high.bytes() + state.default.bytes() > MAX_BYTES {
            tracing::warn!("a router does not take its messages, and is put off");
            self.channel.close();
            state.clear();
            self.replied.notify_one();
        }
        self.begun(priority).notify_one();
    }

    /// Gives a message to the channel. Returns it if there is no room for it.
    fn hand_over(
        &self,
        answers: &mut Answers,
        priority: Priority,
        waiting: Waiting,
    ) -> Option<Waiting> {
        let Waiting {
            message,
            reply_to,
            expected,
        } = waiting;
        let sent = match &reply_to {
            Some(to) => self.channel.reply(to, priority, message),
            None => self.channel.send(priority, message),
        };
        match sent {
            Ok(sequence) => {
                if let Some(expected) = expected {
                    answers.expect(sequence, expected);
                }
                None
            },
            Err(SendError {
                message,
                why: SendErrorKind::QueueFull,
            }) => Some(Waiting {
                message,
                reply_to,
                expected,
            }),
            // It is told everything anew when it returns.
            Err(SendError {
                why: SendErrorKind::Closed,
                ..
            }) => None,
            // Without this message the router would not know what others rely on.
            Err(error) => {
                tracing::warn!(%error, "a router cannot be told something, and is put off");
                self.channel.close();
                None
            },
        }
    }

    async fn run_line(&self, priority: Priority) {
        loop {
            if self.state.lock().line(priority).is_empty() {
                self.begun(priority).notified().await;
            } else {
                self.channel.writable(priority).await;
                self.pass_on(priority);
            }
        }
    }

    const fn begun(&self, priority: Priority) -> &Notify {
        match priority {
            Priority::High => &self.high_begun,
            Priority::Default => &self.default_begun,
        }
    }

    /// Sends what waits, as far as there is room.
    fn pass_on(&self, priority: Priority) {
        let mut state = self.state.lock();
        while let Some(waiting) = state.line_mut(priority).pop() {
            if let Some(refused) = self.hand_over(&mut state.answers, priority, waiting) {
                state.line_mut(priority).put_back(refused);
                break;
            }
        }
        if state.replies() == 0 {
            self.replied.notify_one();
        }
    }
}

impl State {
    const fn line(&self, priority: Priority) -> &Line {
        match priority {
            Priority::High => &self.high,
            Priority::Default => &self.default,
        }
    }

    const fn line_mut(&mut self, priority: Priority) -> &mut Line {
        match priority {
            Priority::High => &mut self.high,
            Priority::Default => &mut self.default,
        }
    }

    const fn replies(&self) -> usize {
        self.high.replies() + self.default.replies()
    }

    fn clear(&mut self) {
        self.high = Line::default();
        self.default = Line::default();
    }
}
