//! A server that sends back what it gets, and clients of it.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

/// How long a client waits for an answer.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct EchoServer {
    port: u16,
}

impl EchoServer {
    /// Serves until the process ends.
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            for connection in listener.incoming() {
                let Ok(connection) = connection else {
                    return;
                };
                thread::spawn(move || io::copy(&mut &connection, &mut &connection));
            }
        });
        Self { port }
    }

    pub(crate) const fn port(&self) -> u16 {
        self.port
    }
}

/// Bytes without a pattern that would hide some which are lost or doubled.
fn data(length: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_u32;
    let next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state.to_le_bytes()[0]
    };
    std::iter::repeat_with(next).take(length).collect()
}

/// Sends so many bytes, closes the sending half, and reads the same bytes to their end.
pub(crate) fn exchange(mut connection: &TcpStream, length: usize) -> io::Result<()> {
    connection.set_read_timeout(Some(PATIENCE))?;
    let sent = data(length);
    let mut sender = connection.try_clone()?;
    let sending = {
        let sent = sent.clone();
        thread::spawn(move || {
            sender.write_all(&sent)?;
            sender.shutdown(Shutdown::Write)
        })
    };
    let mut received = Vec::new();
    connection.read_to_end(&mut received)?;
    sending.join().unwrap()?;
    if received == sent {
        Ok(())
    } else {
        let text = format!("{} of {length} bytes came back", received.len());
        Err(io::Error::other(text))
    }
}

/// A connection that stays open.
pub(crate) struct OpenConnection(TcpStream);

impl OpenConnection {
    pub(crate) fn new(connection: TcpStream) -> Self {
        Self::try_new(connection).unwrap()
    }

    /// A connection over which something was sent and came back.
    pub(crate) fn try_new(connection: TcpStream) -> io::Result<Self> {
        connection.set_read_timeout(Some(PATIENCE))?;
        let mut open = Self(connection);
        open.try_echo(b"hello")?;
        Ok(open)
    }

    /// Sends something, and gets it back.
    pub(crate) fn echo(&mut self, text: &[u8]) {
        self.try_echo(text).unwrap();
    }

    fn try_echo(&mut self, text: &[u8]) -> io::Result<()> {
        self.0.write_all(text)?;
        let mut back = vec![0; text.len()];
        self.0.read_exact(&mut back)?;
        assert_eq!(back, text);
        Ok(())
    }
}

impl Read for OpenConnection {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}
