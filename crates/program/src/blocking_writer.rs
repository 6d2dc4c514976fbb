//! Blocking writes to streams in non-blocking mode.
//!
//! The parent process may leave a stream in non-blocking mode. The mode belongs to the pipe or terminal and
//! not to this process, so it must not be changed: a program that shares standard error may depend on it.

use rustix::event::{PollFd, PollFlags, poll};
use std::io::{self, Write};
use std::os::fd::AsFd;

/// Writer that waits until the stream accepts more data, as a blocking one does. So `write_all` continues
/// where it stopped, and partial writes are neither lost nor repeated.
#[derive(Debug)]
pub struct BlockingWriter<S>(pub S);

impl<S: Write + AsFd> BlockingWriter<S> {
    fn retry_when_ready<T>(
        &mut self,
        mut work: impl FnMut(&mut S) -> io::Result<T>,
    ) -> io::Result<T> {
        loop {
            match work(&mut self.0) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.wait()?,
                outcome => return outcome,
            }
        }
    }

    /// Waits until the stream accepts data or is closed.
    fn wait(&self) -> io::Result<()> {
        let mut stream = [PollFd::new(&self.0, PollFlags::OUT)];
        match poll(&mut stream, None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

impl<S: Write + AsFd> Write for BlockingWriter<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.retry_when_ready(|stream| stream.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.retry_when_ready(Write::flush)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;
    use std::os::unix::net::UnixStream;
    use std::thread;

    #[test]
    fn nothing_is_lost_when_the_reader_is_slower() {
        let (stream, mut reader) = UnixStream::pair().unwrap();
        stream.set_nonblocking(true).unwrap();
        // Many times what waits between the two.
        let sent: Vec<u8> = (0..4 * 1024 * 1024)
            .map(|n: u32| n.to_le_bytes()[1])
            .collect();
        let text = sent.clone();
        let writing = thread::spawn(move || BlockingWriter(stream).write_all(&text));
        let mut received = Vec::new();
        reader.read_to_end(&mut received).unwrap();
        writing.join().unwrap().unwrap();
        assert!(
            received == sent,
            "{} of {} bytes",
            received.len(),
            sent.len()
        );
    }

    #[test]
    fn reader_that_is_gone_ends_the_wait() {
        let (stream, reader) = UnixStream::pair().unwrap();
        stream.set_nonblocking(true).unwrap();
        let writing =
            thread::spawn(move || BlockingWriter(stream).write_all(&vec![0; 4 * 1024 * 1024]));
        drop(reader);
        assert!(writing.join().unwrap().is_err());
    }
}
