//! Connections whose peers never say who they are.

use crate::network::Network;
use crate::person;
use portcullis_channel::MAGIC;
use rustls::ClientConfig;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

/// The files of the routers give handshakes and hellos two seconds each; this machine may be busy.
const END: Duration = Duration::from_secs(20);

/// A connection of any kind.
trait Peer: AsyncRead + Unpin + Send {}

impl<P: AsyncRead + Unpin + Send> Peer for P {}

/// Connections that stop at each step: before TLS, in it, before the hello, and in it.
async fn strangers(address: SocketAddr, tls: &ClientConfig, count: usize) -> Vec<Box<dyn Peer>> {
    let mut all: Vec<Box<dyn Peer>> = Vec::new();
    for number in 0..count {
        match number % 4 {
            0 => all.push(Box::new(TcpStream::connect(address).await.unwrap())),
            1 => {
                let mut socket = TcpStream::connect(address).await.unwrap();
                // A record of a handshake, whose content does not come.
                socket.write_all(b"\x16\x03\x01\x02\x00\x01").await.unwrap();
                all.push(Box::new(socket));
            },
            step => {
                let mut stream = person::connect(tls.clone(), address).await.unwrap();
                if step == 3 {
                    stream.write_all(&MAGIC).await.unwrap();
                    stream.flush().await.unwrap();
                }
                all.push(Box::new(stream));
            },
        }
    }
    all
}

/// Waits until the router has closed all of them.
async fn until_closed(strangers: Vec<Box<dyn Peer>>) {
    for mut stranger in strangers {
        let mut rest = Vec::new();
        let reading = stranger.read_to_end(&mut rest);
        let _reset = timeout(END, reading).await.expect("it is closed in time");
    }
}

#[tokio::test]
async fn sdks_get_in_beside_connections_that_never_say_hello() {
    let mut network = Network::new(1).await;
    let files = &network.routers[0];
    let _router = files.start().await;
    network.controller.until_online(1).await;
    let tls = person::stranger(&files.authorities);
    let strangers = strangers(files.edge, &tls, 200).await;
    network.others_go_on(0, 0).await;
    until_closed(strangers).await;
}

#[tokio::test]
async fn routers_get_in_beside_connections_that_never_say_hello() {
    let mut network = Network::new(2).await;
    let [first, second] = &network.routers[..] else {
        unreachable!("two routers");
    };
    first.configure(first.link, "");
    let _first = first.start().await;
    network.controller.until_online(1).await;
    let mut tls = person::stranger(&first.authorities);
    tls.alpn_protocols = vec![b"ziti-link".to_vec()];
    let mut strangers = strangers(first.link, &tls, 100).await;
    // No more than the file allows are kept, whatever time they would have.
    sleep(Duration::from_millis(300)).await;
    let mut open = 0;
    for stranger in &mut strangers {
        let reading = stranger.read_u8();
        open += usize::from(timeout(Duration::from_millis(1), reading).await.is_err());
    }
    println!("{open} of 100 are open");
    assert!(open <= 20, "{open} connections are kept");
    let _second = second.start().await;
    network.controller.until_count("links", 1).await;
    network.others_go_on(0, 1).await;
    until_closed(strangers).await;
}
