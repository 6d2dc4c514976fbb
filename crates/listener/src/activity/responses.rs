//! Responses in progress on a connection.

use super::Activity;

impl Activity {
    /// Records a response of which `bytes` are available; returns its number.
    pub(crate) fn begin_response(&self, bytes: usize) -> u64 {
        let mut state = self.lock();
        let number = state.unread.begin(bytes);
        self.notify_if_nearer(&state);
        number
    }

    /// Records that `bytes` more of a response are available.
    pub(crate) fn add_to_response(&self, number: u64, bytes: usize) {
        let mut state = self.lock();
        state.unread.add(number, bytes);
        self.notify_if_nearer(&state);
    }

    /// Records that the client took `bytes` of a response.
    pub(crate) fn take_from_response(&self, number: u64, bytes: usize) {
        self.lock().unread.take(number, bytes);
    }

    /// Records that `bytes` of a response will never be taken.
    pub(crate) fn discard_from_response(&self, number: u64, bytes: usize) {
        self.lock().unread.discard(number, bytes);
    }

    /// Records that a response is handed over, or given up with `left` bytes remaining.
    pub(crate) fn end_response(&self, number: u64, left: usize) {
        let mut state = self.lock();
        state.unread.discard(number, left);
        state.unread.end(number);
    }
}
