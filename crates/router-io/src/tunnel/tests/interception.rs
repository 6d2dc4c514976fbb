//! A router whose kernel intercepts connections, in a network namespace of its own.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use portcullis_router::tunnel::{InterceptSettings, TunnelMode, TunnelSettings};
use portcullis_router_config::{CheckOptions, SourceFile, load};
use portcullis_tunnel_config::{AppData, Protocol};
use portcullis_wire::peer_data::APP_DATA;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpStream, UdpSocket};
use tokio::time::{sleep, timeout};

use super::namespace::{isolated, ruleset};
use super::world::{
    ENCRYPTED, PATIENCE, PLAIN, ROUTER, World, echo_datagrams, echo_server, read_all,
};
use crate::tcp::connect_to;
use crate::tunnel::own_mark;

const NAME_SERVER: &str = "127.0.0.1:53";

/// Where the service without encryption is.
const DESTINATION: (Ipv4Addr, u16) = (Ipv4Addr::new(192, 0, 2, 7), 443);

/// What a file says with these options of a tunneler.
fn settings(options: &str) -> InterceptSettings {
    let text = format!("listeners: [{{binding: tunnel, options: {{mode: tproxy, {options}}}}}]\n");
    let file = SourceFile::new("router.yml", text.as_bytes());
    let config = load(&file, &CheckOptions::new()).config;
    let settings = TunnelSettings::from_config(&config.listeners, &config.dialers).unwrap();
    match settings.unwrap().mode {
        TunnelMode::Intercept(settings) => *settings,
        mode => panic!("{mode:?}"),
    }
}

/// Connects as soon as the kernel intercepts.
async fn connect(to: SocketAddr) -> TcpStream {
    let connecting = async {
        loop {
            let attempt = timeout(Duration::from_millis(200), TcpStream::connect(to));
            if let Ok(Ok(stream)) = attempt.await {
                return stream;
            }
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(PATIENCE, connecting).await.unwrap()
}

/// Asks a name server until it knows `vault.corp`.
async fn resolve(name_server: &str) -> IpAddr {
    let query =
        b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x05vault\x04corp\x00\x00\x01\x00\x01";
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    socket.connect(name_server).await.unwrap();
    let mut answer = [0; 512];
    let asking = async {
        loop {
            socket.send(query).await.unwrap();
            let length = socket.recv(&mut answer).await.unwrap();
            let octets: [u8; 4] = *answer[..length].last_chunk().unwrap();
            if octets[0] == 100 {
                return IpAddr::from(octets);
            }
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(PATIENCE, asking).await.unwrap()
}

async fn echo(mut client: TcpStream, text: &[u8]) {
    client.write_all(text).await.unwrap();
    client.shutdown().await.unwrap();
    let echoed = read_all(&mut client).await.unwrap();
    assert_eq!(echoed, [text, b"end"].concat());
}

#[test]
fn programs_reach_services_by_address_and_name() {
    let test = "tunnel::tests::interception::programs_reach_services_by_address_and_name";
    isolated(test, || async {
        // Whoever has the port keeps the tunneler from one of its resolvers, and from nothing else.
        let _holder = UdpSocket::bind("127.0.0.2:53").await.unwrap();
        let settings = settings("resolver: ['udp://127.0.0.2:53', 'udp://100.64.0.1:53']");
        let server = echo_server().await;
        let world = World::start_intercepting(settings, Protocol::Tcp, server);
        let world = world.await.unwrap();
        for service in [PLAIN, ENCRYPTED] {
            world.controller.until_hosted(service).await;
        }
        echo(connect(DESTINATION.into()).await, b"by address").await;
        for name_server in [NAME_SERVER, "100.64.0.1:53"] {
            let address = resolve(name_server).await;
            echo(connect((address, 443).into()).await, b"by name").await;
        }
        let dial = world.controller.dials().pop().unwrap();
        assert_eq!(dial.service_name, ENCRYPTED);
        let data = dial.peer_data.get(&APP_DATA).unwrap();
        let data = AppData::decode(data.expose()).unwrap();
        assert_eq!(data.hostname.as_deref(), Some("vault.corp"));

        // What the router itself sends there passes by.
        let own = connect_to(DESTINATION.into(), None, own_mark(ROUTER));
        let own = timeout(Duration::from_millis(200), own).await;
        assert!(!matches!(own, Ok(Ok(_))), "{own:?}");

        world.end().await;
        assert_eq!(ruleset(), "");
    });
}

#[test]
fn datagrams_come_back_from_where_they_were_sent_to() {
    let test = "tunnel::tests::interception::datagrams_come_back_from_where_they_were_sent_to";
    isolated(test, || async {
        let server = echo_datagrams().await;
        let world = World::start_intercepting(settings(""), Protocol::Udp, server);
        let world = world.await.unwrap();
        world.controller.until_hosted(PLAIN).await;
        let client = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        let asking = async {
            let mut buffer = [0; 16];
            loop {
                let _not_yet = client.send_to(b"hello", DESTINATION).await;
                let answer = client.recv_from(&mut buffer);
                if let Ok(Ok((_, from))) = timeout(Duration::from_millis(50), answer).await {
                    return from;
                }
            }
        };
        let from = timeout(PATIENCE, asking).await.unwrap();
        assert_eq!(from, DESTINATION.into());
        world.end().await;
    });
}

#[test]
fn what_lacks_is_told_at_the_start() {
    let test = "tunnel::tests::interception::what_lacks_is_told_at_the_start";
    isolated(test, || async {
        let settings = settings("lanIf: none0");
        let world = World::start_intercepting(settings, Protocol::Tcp, echo_server().await);
        let error = world.await.err().unwrap().to_string();
        assert_eq!(
            error,
            "the tunneler of the router cannot intercept traffic, as its mode `tproxy` asks for: there is no network \
             interface \"none0\""
        );
        assert_eq!(ruleset(), "");
    });
}
