//! How far a router has been told of sessions.

use portcullis_channel::Message;
use std::sync::Arc;

/// Changes that wait for the full state before them, at most. A router for which there are more gets
/// another full state instead.
const MAX_WAITING: usize = 10_000;

/// What one commit has changed: its revision, and the messages about it.
type News = (u64, Arc<[Message]>);

/// How far a router has been told of sessions.
#[derive(Debug, Default)]
pub(crate) struct SyncState {
    /// Counts the full states that were begun.
    round: u64,
    phase: Phase,
}

#[derive(Debug, Default)]
enum Phase {
    /// Nobody has asked.
    #[default]
    Idle,
    /// The full state is on its way. `None` when there was more news than can wait.
    Pending(Option<Vec<News>>),
    /// The router knows everything, and gets what is new.
    Current,
}

impl SyncState {
    /// A full state is to be sent.
    pub(crate) fn begin(&mut self) {
        self.round += 1;
        self.phase = Phase::Pending(Some(Vec::new()));
    }

    /// Whether the router was or is being told.
    pub(crate) const fn is_begun(&self) -> bool {
        !matches!(self.phase, Phase::Idle)
    }

    pub(crate) const fn round(&self) -> u64 {
        self.round
    }

    /// Sends what is new, or keeps it until the full state is through. False if the router does not take
    /// it.
    pub(crate) fn publish(
        &mut self,
        revision: u64,
        messages: &Arc<[Message]>,
        send: impl Fn(&Message) -> bool,
    ) -> bool {
        match &mut self.phase {
            Phase::Idle => true,
            Phase::Pending(waiting) => {
                if let Some(news) = waiting {
                    news.push((revision, Arc::clone(messages)));
                    if news.len() > MAX_WAITING {
                        *waiting = None;
                    }
                }
                true
            },
            Phase::Current => messages.iter().all(send),
        }
    }

    /// The full state of a revision was sent in a round; sends what has changed since. False if it has
    /// to be sent again, `None` if that was begun already.
    pub(crate) fn finish(
        &mut self,
        round: u64,
        revision: u64,
        send: impl Fn(&Message) -> bool,
    ) -> Option<bool> {
        if self.round != round {
            return None;
        }
        let Phase::Pending(waiting) = std::mem::replace(&mut self.phase, Phase::Current) else {
            return None;
        };
        let Some(waiting) = waiting else {
            return Some(false);
        };
        let newer = waiting.iter().filter(|(of, _)| *of > revision);
        let mut messages = newer.flat_map(|(_, messages)| messages.iter());
        Some(messages.all(send))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_channel::ContentType;
    use std::cell::RefCell;

    /// News of a revision, which is the content type of its message.
    fn news(revision: i32) -> Arc<[Message]> {
        Arc::from([Message::new(ContentType(revision))])
    }

    /// What a router has got; it takes so many messages.
    #[derive(Default)]
    struct Router {
        got: RefCell<Vec<i32>>,
        takes: usize,
    }

    impl Router {
        fn taking(takes: usize) -> Self {
            Self {
                takes,
                ..Self::default()
            }
        }

        fn take(&self, message: &Message) -> bool {
            let mut got = self.got.borrow_mut();
            let has_room = got.len() < self.takes;
            if has_room {
                got.push(message.content_type.0);
            }
            has_room
        }
    }

    #[test]
    fn news_waits_for_the_full_state_and_follows_it() {
        let router = Router::taking(10);
        let mut state = SyncState::default();
        assert!(state.publish(1, &news(1), |message| router.take(message)));
        state.begin();
        for revision in 2..=4_i32 {
            let (number, messages) = (u64::from(revision.unsigned_abs()), news(revision));
            assert!(state.publish(number, &messages, |message| router.take(message)));
        }
        assert_eq!(router.got.borrow().len(), 0);
        // The full state is of revision 3.
        let finished = state.finish(1, 3, |message| router.take(message));
        assert_eq!(finished, Some(true));
        assert!(state.publish(5, &news(5), |message| router.take(message)));
        assert_eq!(*router.got.borrow(), [4, 5]);
    }

    #[test]
    fn router_that_does_not_take_its_news_is_noticed() {
        let router = Router::taking(1);
        let mut state = SyncState::default();
        state.begin();
        state.publish(1, &news(1), |message| router.take(message));
        state.publish(2, &news(2), |message| router.take(message));
        let finished = state.finish(1, 0, |message| router.take(message));
        assert_eq!(finished, Some(false));
        assert!(!state.publish(3, &news(3), |message| router.take(message)));
    }

    #[test]
    fn full_state_that_was_begun_again_ends_nothing() {
        let router = Router::taking(10);
        let mut state = SyncState::default();
        state.begin();
        state.begin();
        state.publish(7, &news(7), |message| router.take(message));
        let finished = state.finish(1, 5, |message| router.take(message));
        assert_eq!(finished, None);
        let finished = state.finish(2, 5, |message| router.take(message));
        assert_eq!(finished, Some(true));
        assert_eq!(*router.got.borrow(), [7]);
    }

    #[test]
    fn more_news_than_can_wait_makes_another_full_state() {
        let router = Router::taking(usize::MAX);
        let mut state = SyncState::default();
        state.begin();
        for revision in 0..=MAX_WAITING {
            let number = u64::try_from(revision).unwrap();
            state.publish(number, &news(1), |message| router.take(message));
        }
        let finished = state.finish(1, 0, |message| router.take(message));
        assert_eq!(finished, Some(false));
        assert_eq!(router.got.borrow().len(), 0);
    }
}
