//! TCP connections to routers.

use std::io;
use std::time::Duration;
use tokio::net::{TcpStream, lookup_host};
use tokio::task::JoinSet;
use tokio::time::sleep;

/// How long an address is tried alone before the next one is tried, too (RFC 8305 section 5).
const STAGGER: Duration = Duration::from_millis(250);

/// Connects to whichever address of a host answers first. How long that may take is for the caller to say.
pub(crate) async fn connect(host: &str, port: u16) -> io::Result<TcpStream> {
    let mut addresses = lookup_host((host, port)).await?;
    let mut attempts = JoinSet::new();
    let mut failure = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    loop {
        if let Some(address) = addresses.next() {
            attempts.spawn(TcpStream::connect(address));
        } else if attempts.is_empty() {
            return Err(failure);
        }
        tokio::select! {
            Some(attempt) = attempts.join_next() => match attempt {
                Ok(Ok(stream)) => {
                    stream.set_nodelay(true)?;
                    return Ok(stream);
                },
                Ok(Err(error)) => failure = error,
                Err(panicked) => failure = panicked.into(),
            },
            () = sleep(STAGGER) => {},
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    #[tokio::test]
    async fn first_address_that_answers_is_taken() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        // It may have an address of IPv6 before.
        let stream = connect("localhost", port).await.unwrap();
        assert_eq!(stream.peer_addr().unwrap().port(), port);
        drop(listener);
        let error = connect("127.0.0.1", port).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
    }
}
