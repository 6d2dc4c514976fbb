//! Programs that know nothing of the network, reached through the tunnelers of two routers.

use crate::controller::{Controller, PATIENCE};
use crate::network::{Client, Network};
use crate::router::RunningRouter;
use aws_lc_rs::digest::{SHA256, digest};
use portcullis_simulated_sdk::{data, next_data};
use portcullis_wire::Token;
use portcullis_wire::edge::{Connect, ConnectionId, DataFlags, EdgeMessage, StateClosed};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::Duration;
use support::controller::free_port;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::time::{Instant, sleep, timeout};

/// A network whose first router has ports, and whose second one hosts.
struct Scene {
    network: Network,
    routers: Vec<RunningRouter>,
}

/// A service, and the port of the first router that stands for it.
struct Service {
    id: String,
    port: SocketAddr,
    dial_policy: String,
}

impl Scene {
    /// Routers that do not run yet.
    async fn new() -> Self {
        let network = Network::new(2).await;
        network.routers[1].configure(network.routers[1].link, "");
        for router in &network.routers {
            let path = format!("edge-routers/{}", router.id);
            let enabled = json!({"isTunnelerEnabled": true});
            network.controller.patch(&path, &enabled).await;
        }
        network.routers[1].add_listener("{binding: tunnel, options: {mode: host}}");
        Self {
            network,
            routers: Vec::new(),
        }
    }

    /// Starts the routers. These services have ports at the first one.
    async fn start(&mut self, services: &[(&str, &Service)]) {
        let ports = services.iter();
        let ports: Vec<_> = ports
            .map(|(name, service)| {
                let protocol = if name.starts_with("udp") {
                    "udp"
                } else {
                    "tcp"
                };
                format!("\"{name}:{}:{protocol}\"", service.port.port())
            })
            .collect();
        let ports = ports.join(", ");
        let tunnel = format!("{{binding: tunnel, options: {{mode: proxy, services: [{ports}]}}}}");
        self.network.routers[0].add_listener(&tunnel);
        for router in &self.network.routers {
            self.routers.push(router.start().await);
        }
        self.network.controller.until_online(2).await;
        self.network.controller.until_count("links", 1).await;
        for (_, service) in services {
            self.until_hosted(service).await;
        }
    }

    async fn until_hosted(&self, service: &Service) {
        let controller = &self.network.controller;
        controller
            .until("the service is hosted once", async |controller| {
                controller.terminators(&service.id).await == 1
            })
            .await;
    }

    /// A service that the first router may dial, and the second one host.
    async fn service(&self, name: &str, is_encrypted: bool, host: Value) -> Service {
        let controller = &self.network.controller;
        let configs = [create_host(controller, name, host).await];
        let service = json!({
            "name": name, "encryptionRequired": is_encrypted, "configs": configs,
        });
        let id = controller.create("services", &service).await;
        let policy = async |kind: &str, router: usize| {
            let policy = json!({
                "name": format!("{kind} {name}"), "type": kind, "semantic": "AnyOf",
                "identityRoles": [format!("@{}", self.network.routers[router].id)],
                "serviceRoles": [format!("@{id}")],
            });
            controller.create("service-policies", &policy).await
        };
        policy("Bind", 1).await;
        Service {
            dial_policy: policy("Dial", 0).await,
            id,
            port: SocketAddr::from(([127, 0, 0, 1], free_port())),
        }
    }
}

async fn create_host(controller: &Controller, name: &str, host: Value) -> String {
    let types = controller.get("config-types?limit=100").await;
    let mut types = types.as_array().unwrap().iter();
    let host_v1 = types.find(|one| one["name"] == "host.v1").unwrap();
    let config = json!({
        "name": name, "configTypeId": host_v1["id"], "data": host,
    });
    controller.create("configs", &config).await
}

fn host(protocol: &str, server: SocketAddr) -> Value {
    json!({
        "protocol": protocol, "address": server.ip().to_string(), "port": server.port(),
    })
}

impl Service {
    /// Connects to the port as soon as it is open.
    async fn connect(&self) -> TcpStream {
        let connecting = async {
            loop {
                match TcpStream::connect(self.port).await {
                    Ok(stream) => return stream,
                    Err(_not_open_yet) => sleep(Duration::from_millis(10)).await,
                }
            }
        };
        timeout(PATIENCE, connecting).await.unwrap()
    }

    /// A few bytes go there and back, perhaps after a few attempts.
    async fn answers(&self) {
        let answering = async {
            loop {
                let mut stream = self.connect().await;
                let mut answer = [0; 5];
                if stream.write_all(b"hello").await.is_ok()
                    && stream.read_exact(&mut answer).await.is_ok()
                {
                    assert_eq!(&answer, b"hello");
                    return;
                }
                sleep(Duration::from_millis(50)).await;
            }
        };
        timeout(PATIENCE, answering).await.unwrap();
    }
}

/// Sends back what it gets, and after the end of that its digest.
async fn echo_server() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(echo(stream));
        }
    });
    address
}

async fn echo(mut stream: TcpStream) -> std::io::Result<()> {
    let mut all = Vec::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        let length = stream.read(&mut buffer).await?;
        if length == 0 {
            return stream.write_all(digest(&SHA256, &all).as_ref()).await;
        }
        all.extend_from_slice(&buffer[..length]);
        stream.write_all(&buffer[..length]).await?;
    }
}

async fn echo_datagrams() -> SocketAddr {
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let address = socket.local_addr().unwrap();
    tokio::spawn(async move {
        let mut buffer = vec![0; 64 << 10];
        while let Ok((length, from)) = socket.recv_from(&mut buffer).await {
            let _may_be_lost = socket.send_to(&buffer[..length], from).await;
        }
    });
    address
}

#[tokio::test]
async fn programs_reach_servers() {
    let mut scene = Scene::new().await;
    let server = echo_server().await;
    let plain = scene.service("plain", false, host("tcp", server)).await;
    let vault = scene.service("vault", true, host("tcp", server)).await;
    let datagrams = host("udp", echo_datagrams().await);
    let datagrams = scene.service("udp", true, datagrams).await;
    scene
        .start(&[("plain", &plain), ("vault", &vault), ("udp", &datagrams)])
        .await;

    for service in [&plain, &vault] {
        let sent: Vec<u8> = (0..2_000_000_u32)
            .map(|number| number.to_be_bytes()[2])
            .collect();
        let (mut reader, mut writer) = service.connect().await.into_split();
        let mut received = Vec::new();
        let writing = async {
            writer.write_all(&sent).await.unwrap();
            writer.shutdown().await.unwrap();
        };
        let carrying = async { tokio::join!(writing, reader.read_to_end(&mut received)) };
        let ((), read) = timeout(PATIENCE, carrying).await.unwrap();
        read.unwrap();
        let mut expected = sent.clone();
        expected.extend_from_slice(digest(&SHA256, &sent).as_ref());
        assert!(received == expected, "{} bytes", received.len());
    }
    scene.network.controller.until_count("circuits", 0).await;

    let client = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    client.connect(datagrams.port).await.unwrap();
    let mut buffer = vec![0; 64 << 10];
    for size in [1, 1_400, 20_000] {
        let sent = vec![7; size];
        client.send(&sent).await.unwrap();
        let length = timeout(PATIENCE, client.recv(&mut buffer)).await.unwrap();
        assert_eq!(&buffer[..length.unwrap()], sent);
    }
}

#[tokio::test]
async fn policy_that_goes_cuts_flows() {
    let mut scene = Scene::new().await;
    let server = echo_server().await;
    let plain = scene.service("plain", false, host("tcp", server)).await;
    let other = scene.service("other", true, host("tcp", server)).await;
    scene.start(&[("plain", &plain), ("other", &other)]).await;
    let (mut reader, mut writer) = plain.connect().await.into_split();
    let flowing =
        tokio::spawn(async move { while writer.write_all(&[7; 10_000]).await.is_ok() {} });
    let mut buffer = vec![0; 64 << 10];
    for _ in 0..20 {
        assert_ne!(reader.read(&mut buffer).await.unwrap(), 0);
    }
    let path = format!("service-policies/{}", plain.dial_policy);
    let start = Instant::now();
    scene.network.controller.delete(&path).await;
    while reader
        .read(&mut buffer)
        .await
        .is_ok_and(|length| length > 0)
    {
        assert!(start.elapsed() < PATIENCE, "it still flows");
    }
    timeout(PATIENCE, flowing).await.unwrap().unwrap();
    other.answers().await;
    assert!(
        TcpStream::connect(plain.port).await.is_err(),
        "the port is closed"
    );
}

#[tokio::test]
async fn controllers_and_routers_that_start_again_know_what_is_hosted() {
    let mut scene = Scene::new().await;
    let plain = host("tcp", echo_server().await);
    let plain = scene.service("plain", true, plain).await;
    scene.start(&[("plain", &plain)]).await;
    plain.answers().await;

    let Scene {
        network,
        mut routers,
    } = scene;
    let Network {
        controller,
        routers: files,
        service,
    } = network;
    let killed = controller.kill().await;
    let controller = Controller::restart(killed, Duration::from_secs(1)).await;
    controller.until_online(2).await;
    let scene = Scene {
        network: Network {
            controller,
            routers: files,
            service,
        },
        routers: Vec::new(),
    };
    scene.until_hosted(&plain).await;
    plain.answers().await;

    routers.remove(1).end().await;
    let hosting = scene.network.routers[1].start().await;
    // That of before is removed, and another one is there.
    plain.answers().await;
    scene.until_hosted(&plain).await;
    plain.answers().await;
    drop((hosting, routers));
}

/// What an SDK that dials says of its connection decides where it goes.
#[tokio::test]
async fn dialing_end_chooses_among_what_is_allowed() {
    let mut scene = Scene::new().await;
    let server = echo_server().await;
    let forwarding = json!({
        "protocol": "tcp", "address": "127.0.0.1", "forwardPort": true,
        "allowedPortRanges": [{"low": server.port(), "high": server.port()}],
        "listenOptions": {"bindUsingEdgeIdentity": true},
    });
    let service = scene.service("chosen", false, forwarding).await;
    let controller = &scene.network.controller;
    let policy = json!({
        "name": "anybody", "type": "Dial", "semantic": "AnyOf",
        "identityRoles": ["#all"], "serviceRoles": [format!("@{}", service.id)],
    });
    controller.create("service-policies", &policy).await;
    scene.start(&[("chosen", &service)]).await;
    scene.network.service.clone_from(&service.id);

    let mut client = scene.network.client("alice", 0).await;
    let dialed = dial(&client, 1, Some("r2"), server.port()).await;
    dialed.expect("the port is allowed");
    let said = data(ConnectionId(1), "hello", DataFlags::default());
    client.sdk.says(said).await;
    assert_eq!(next_data(&mut client.sdk).await.data.expose(), "hello");

    let other = server.port().wrapping_add(1);
    let refused = dial(&client, 2, Some("r2"), other).await.unwrap_err();
    assert!(refused.reason.contains("port"), "{}", refused.reason);
    let refused = dial(&client, 3, None, server.port()).await.unwrap_err();
    assert!(refused.reason.contains("terminators"), "{}", refused.reason);
}

async fn dial(
    client: &Client,
    id: u32,
    instance: Option<&str>,
    port: u16,
) -> Result<(), StateClosed> {
    let app_data = json!({"dst_port": port.to_string()}).to_string();
    let dial = EdgeMessage::Connect(Connect {
        connection: ConnectionId(id),
        session_token: Token::new(client.session.clone()),
        instance_id: instance.map(str::to_owned),
        app_data: Some(portcullis_wire::Secret::new(app_data.into())),
        ..Connect::default()
    });
    client.sdk.dials(dial).await.map(drop)
}
