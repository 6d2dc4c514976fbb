//! TLS by openssl in front of a client that does not do it itself.
//!
//! The controller speaks HTTP/2 only with clients that offer nothing else, and curl always offers
//! both. Through a tunnel curl speaks HTTP/2 in the clear, and openssl offers what it is told to.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;

/// Takes one connection and carries it to where `client`, an `openssl s_client -quiet`, connects.
pub(crate) fn open(mut client: Command) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let (socket, _) = listener.accept().unwrap();
        let child = client
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        carry(&socket, child);
    });
    address
}

fn carry(socket: &TcpStream, mut child: Child) {
    let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let incoming = socket.try_clone().unwrap();
    thread::spawn(move || drop(pump(incoming, stdin)));
    let outgoing = socket.try_clone().unwrap();
    let _ = pump(stdout, outgoing);
    let _ = child.kill();
    let _ = child.wait();
}

/// Passes on what there is, at once: a buffer that waits to be full would hold an answer back.
fn pump(mut from: impl Read, mut to: impl Write) -> io::Result<()> {
    let mut buffer = [0; 16 * 1024];
    loop {
        let count = from.read(&mut buffer)?;
        if count == 0 {
            return Ok(());
        }
        to.write_all(&buffer[..count])?;
        to.flush()?;
    }
}
