//! A line that leads back to this computer.

use crate::carrier::Carrier;
use crate::ip::ip;
use crate::quality::Quality;
use std::net::Ipv4Addr;
use std::process;

/// A line on which connections to [`FAR`](Self::FAR) arrive at [`NEAR`](Self::NEAR), as if they came from another
/// computer. So both ends can be on this one, without a namespace of their own.
#[derive(Debug)]
pub struct Mirror {
    _carrier: Carrier,
}

impl Mirror {
    /// Where servers listen.
    pub const NEAR: Ipv4Addr = Ipv4Addr::new(10, 213, 8, 1);
    /// Where clients reach them over the line.
    pub const FAR: Ipv4Addr = Ipv4Addr::new(10, 213, 8, 2);

    /// Lays it.
    ///
    /// # Errors
    /// Where the kernel or the rights of this user do not allow it, in words.
    pub fn start(quality: Quality) -> Result<Self, String> {
        let interface = format!("pc{}m", process::id());
        let carrier = Carrier::start(std::slice::from_ref(&interface), quality)?;
        let (near, far) = (Self::NEAR, Self::FAR);
        ip(&format!("address add {near} peer {far} dev {interface}"))?;
        ip(&format!("link set {interface} up"))?;
        Ok(Self { _carrier: carrier })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read as _, Write as _};
    use std::net::{TcpListener, TcpStream};
    use std::thread;
    use std::time::{Duration, Instant};

    #[test]
    fn connection_takes_the_delay_there_and_back() {
        let delay = Duration::from_millis(20);
        let quality = Quality {
            delay,
            loss: 0,
            reorder: 0,
        };
        let mirror = match Mirror::start(quality) {
            Ok(mirror) => mirror,
            Err(problem) => {
                crate::skip(&problem);
                return;
            },
        };
        let listener = TcpListener::bind((Mirror::NEAR, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = thread::spawn(move || {
            let (mut stream, peer) = listener.accept().unwrap();
            assert_eq!(peer.ip(), Mirror::FAR);
            let mut read = [0; 5];
            stream.read_exact(&mut read).unwrap();
            stream.write_all(&read).unwrap();
        });
        let start = Instant::now();
        let mut stream = TcpStream::connect((Mirror::FAR, port)).unwrap();
        assert!(start.elapsed() >= 2 * delay);
        stream.write_all(b"there").unwrap();
        let mut read = [0; 5];
        stream.read_exact(&mut read).unwrap();
        assert_eq!(&read, b"there");
        assert!(start.elapsed() >= 4 * delay);
        server.join().unwrap();
        drop(mirror);
    }
}
