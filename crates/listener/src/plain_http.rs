//! Clients that speak HTTP without TLS, and the answer that tells them.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Time for the client to take the answer.
const FAREWELL_TIMEOUT: Duration = Duration::from_secs(1);

/// Beginnings of requests. A TLS record begins with a byte that is no letter.
const BEGINNINGS: [&[u8]; 9] = [
    b"GET ",
    b"HEAD ",
    b"POST ",
    b"PUT ",
    b"PATCH ",
    b"DELETE ",
    b"OPTIONS ",
    b"CONNECT ",
    b"TRACE ",
];

/// Length of the longest beginning.
const LONGEST_BEGINNING: usize = 8;

const RESPONSE: &[u8] = b"HTTP/1.0 400 Bad Request\r\n\
    Content-Type: text/plain; charset=utf-8\r\n\
    Content-Length: 82\r\n\
    Connection: close\r\n\
    \r\n\
    This port speaks HTTPS, and the request came as plain HTTP: use an https:// URL.\r\n";

/// Whether the first bytes of a connection look like a request without TLS. They stay to be read.
pub(crate) async fn is_plain_http(socket: &TcpStream) -> bool {
    let mut first = [0; LONGEST_BEGINNING];
    let peeked = socket.peek(&mut first).await;
    peeked.is_ok_and(|length| is_request(first.get(..length).unwrap_or_default()))
}

fn is_request(first: &[u8]) -> bool {
    BEGINNINGS.iter().any(|method| first.starts_with(method))
}

/// Answers whatever was asked, and closes.
pub(crate) async fn refuse(mut socket: TcpStream) {
    let farewell = async {
        socket.write_all(RESPONSE).await?;
        socket.shutdown().await?;
        // Closing with unread bytes would reset the connection, and the client lose the answer.
        let mut rest = [0; 512];
        while socket.read(&mut rest).await? > 0 {}
        Ok::<_, std::io::Error>(())
    };
    // A client that does not take it has lost nothing else.
    let _ = timeout(FAREWELL_TIMEOUT, farewell).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_told_from_handshakes_and_other_bytes() {
        for request in ["GET / HTT", "DELETE /", "OPTIONS ", "GET "] {
            assert!(is_request(request.as_bytes()), "{request}");
        }
        let hello: &[u8] = &[0x16, 3, 1, 0, 0xc0, 1, 0, 0];
        for other in [
            hello,
            b"",
            b"G",
            b"GET",
            b"get / HT",
            b"SSH-2.0-",
            b"\0GET / ",
        ] {
            assert!(!is_request(other), "{other:?}");
        }
    }

    #[test]
    fn response_has_the_length_that_it_names() {
        let text = std::str::from_utf8(RESPONSE).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("Content-Length: {}\r\n", body.len())));
        let longest = BEGINNINGS.iter().map(|method| method.len()).max();
        assert_eq!(longest, Some(LONGEST_BEGINNING));
    }
}
