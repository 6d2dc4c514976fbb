//! What a connection is told of the answers on it.

use super::Activity;

impl Activity {
    /// Notes an answer of which `bytes` are there; returns its number.
    pub(in crate::listen) fn begin_answer(&self, bytes: usize) -> u64 {
        let mut state = self.lock();
        let number = state.unread.begin(bytes);
        self.tell_if_nearer(&state);
        number
    }

    /// Notes that there are so many bytes more of an answer.
    pub(in crate::listen) fn add_to_answer(&self, number: u64, bytes: usize) {
        let mut state = self.lock();
        state.unread.add(number, bytes);
        self.tell_if_nearer(&state);
    }

    /// Notes that the client took so many bytes of an answer.
    pub(in crate::listen) fn take_from_answer(&self, number: u64, bytes: usize) {
        self.lock().unread.take(number, bytes);
    }

    /// Notes that so many bytes of an answer will never be taken.
    pub(in crate::listen) fn discard_from_answer(&self, number: u64, bytes: usize) {
        self.lock().unread.discard(number, bytes);
    }

    /// Notes that an answer is handed over, or given up with so many bytes left.
    pub(in crate::listen) fn end_answer(&self, number: u64, left: usize) {
        let mut state = self.lock();
        state.unread.discard(number, left);
        state.unread.end(number);
    }
}
