//! Bytes that go to an echo server and come back, until they are told to end.

use super::PATIENCE;
use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use support::wait;

/// Bytes that are written at a time.
const BLOCK: usize = 64 << 10;

pub(crate) struct Load {
    sending: JoinHandle<io::Result<u64>>,
    receiving: JoinHandle<io::Result<u64>>,
    /// Blocks.
    received: Arc<AtomicU64>,
    is_over: Arc<AtomicBool>,
}

impl Load {
    pub(crate) fn start(connection: TcpStream) -> Self {
        connection.set_read_timeout(Some(PATIENCE)).unwrap();
        let received = Arc::new(AtomicU64::new(0));
        let is_over = Arc::new(AtomicBool::new(false));
        let (writer, reader) = (connection.try_clone().unwrap(), connection);
        let (counter, end) = (Arc::clone(&received), Arc::clone(&is_over));
        Self {
            sending: thread::spawn(move || send(writer, &end)),
            receiving: thread::spawn(move || receive(&reader, &counter)),
            received,
            is_over,
        }
    }

    /// Waits until so many more bytes have come back.
    pub(crate) fn until_moved(&self, bytes: usize) {
        let goal = self.received.load(Ordering::Relaxed) + (bytes / BLOCK) as u64;
        let seen = wait::until(PATIENCE, || {
            let received = self.received.load(Ordering::Relaxed);
            let missing = goal.saturating_sub(received);
            (missing == 0).then_some(()).ok_or(missing)
        });
        seen.unwrap_or_else(|missing| panic!("{missing} blocks have not come back"));
    }

    /// Ends it. Everything that was sent has come back in its order.
    pub(crate) fn finish(self) {
        self.is_over.store(true, Ordering::Relaxed);
        let sent = self.sending.join().unwrap().unwrap();
        let received = self.receiving.join().unwrap().unwrap();
        assert_eq!(received, sent, "blocks");
    }
}

fn send(mut connection: TcpStream, is_over: &AtomicBool) -> io::Result<u64> {
    let mut sent = 0;
    while !is_over.load(Ordering::Relaxed) {
        connection.write_all(&block(sent))?;
        sent += 1;
    }
    connection.shutdown(Shutdown::Write)?;
    Ok(sent)
}

fn receive(connection: &TcpStream, received: &AtomicU64) -> io::Result<u64> {
    loop {
        let mut next = Vec::with_capacity(BLOCK);
        connection.take(BLOCK as u64).read_to_end(&mut next)?;
        let number = received.load(Ordering::Relaxed);
        if next.is_empty() {
            return Ok(number);
        }
        if next != block(number) {
            let text = format!("block {number} has come back as another one");
            return Err(io::Error::other(text));
        }
        received.fetch_add(1, Ordering::Relaxed);
    }
}

/// Bytes that no other block has, at no place.
fn block(number: u64) -> Vec<u8> {
    let words = BLOCK / size_of::<u64>();
    let first = number * words as u64;
    let words = (first..first + words as u64).map(|word| word.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    words.flat_map(u64::to_le_bytes).collect()
}
