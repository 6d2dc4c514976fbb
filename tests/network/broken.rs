//! Peers that are let in, and then say what they should not: only their own connections suffer.

use crate::network::{Client, Flow, Network};
use crate::person;
use portcullis_channel::hello::{GroupHello, Grouping, Hello};
use portcullis_channel::{
    ContentType, Frame, FrameLimits, HeaderKey, Headers, MAGIC, Message, Priority, Sequence,
};
use portcullis_simulated_sdk::Sdk;
use portcullis_wire::link::LinkHello;
use portcullis_wire::xgress::PayloadFlags;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::client::TlsStream;

type Stream = TlsStream<TcpStream>;

const PAYLOAD: ContentType = ContentType(1100);
const ACKNOWLEDGEMENT: ContentType = ContentType(1101);
const CIRCUIT: HeaderKey = HeaderKey(2256);
const SEQUENCE: HeaderKey = HeaderKey(2257);
const FLAGS: HeaderKey = HeaderKey(2258);
const RECEIVE_BUFFER: HeaderKey = HeaderKey(2259);

const SOON: Duration = Duration::from_secs(20);

/// Numbers of payloads that are near some limit, or beyond it.
const SEQUENCES: [u64; 9] = [
    1,
    5_000,
    1 << 20,
    (1 << 31) - 2,
    (1 << 31) - 1,
    1 << 31,
    (1 << 32) - 1,
    1 << 32,
    u64::MAX,
];

/// What channels of SDKs, links and controllers use, and some that nobody does.
fn content_types() -> impl Iterator<Item = i32> {
    let channel = [-1, 0, 1, 2, 3, 4, 5, 6, 7, 99, i32::MAX, i32::MIN];
    let control = (1000..1070).chain(1100..1110).chain(20_000..20_010);
    let more = (10_797..10_810)
        .chain(60_780..60_810)
        .chain([108_001, 108_002]);
    // An update of a token that is none ends its channel, as it should.
    let all = channel.into_iter().chain(control).chain(more);
    all.filter(|kind| *kind != 60_803)
}

/// Messages of all kinds, with headers and bodies that fit none of them.
fn nonsense() -> impl Iterator<Item = Message> {
    content_types().flat_map(|kind| {
        let message = Message::new(ContentType(kind));
        let numbered = Headers::builder()
            .u32(HeaderKey(1000), u32::MAX)
            .u32(HeaderKey(2256), 7);
        [
            message.clone(),
            message.clone().with_body(&b"\xff\xff\xff\xff"[..]),
            message
                .with_headers(numbered.build())
                .with_body(vec![0x0a; 300]),
        ]
    })
}

/// Payloads and acknowledgements of a circuit with all of these numbers, from both of its ends.
fn of_circuit(circuit: &str) -> Vec<Message> {
    let mut messages = Vec::new();
    for number in SEQUENCES {
        for flags in [PayloadFlags::default(), PayloadFlags::FROM_TERMINATOR] {
            let headers = || {
                Headers::builder()
                    .string(CIRCUIT, circuit)
                    .u32(FLAGS, flags.bits())
            };
            let payload = Message::new(PAYLOAD)
                .with_headers(headers().u64(SEQUENCE, number).build())
                .with_body("out of order");
            let acknowledged = number.to_be_bytes().repeat(3);
            let acknowledgement = Message::new(ACKNOWLEDGEMENT)
                .with_headers(headers().u32(RECEIVE_BUFFER, u32::MAX).build())
                .with_body(acknowledged);
            messages.extend([payload, acknowledgement]);
        }
    }
    messages
}

/// The begin of a frame with these lengths.
fn prefix(kind: i32, headers: u32, body: u32) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(kind.to_le_bytes());
    bytes.extend(1_i32.to_le_bytes());
    bytes.extend(headers.to_le_bytes());
    bytes.extend(body.to_le_bytes());
    bytes
}

/// Frames that cannot be read.
fn unreadable() -> Vec<Vec<u8>> {
    vec![
        b"GET / HTTP/1.1\r\nHost: a\r\n\r\n".to_vec(),
        prefix(1101, 0, u32::MAX),
        prefix(1101, u32::MAX, 0),
        prefix(1101, 0, 1 << 30),
        [prefix(1101, 8, 0), vec![0xff; 8]].concat(),
    ]
}

/// Waits until a router has closed a connection.
async fn until_closed(mut stream: Stream) {
    let mut rest = Vec::new();
    let reading = stream.read_to_end(&mut rest);
    let _reset = timeout(SOON, reading).await.expect("it is closed in time");
}

async fn write(stream: &mut Stream, bytes: &[u8]) {
    // The router may have closed it.
    let _closed = stream.write_all(bytes).await;
    let _closed = stream.flush().await;
}

/// Says hello by hand, and reads the begin of the answer.
async fn greet(stream: &mut Stream, hello: &Hello) {
    write(stream, &hello.encode().unwrap()).await;
    let mut answer = [0; 20];
    stream.read_exact(&mut answer).await.unwrap();
}

async fn open(network: &Network, client: &Client) -> Stream {
    let files = &network.routers[0];
    let tls = client.person.tls(&files.authorities);
    let mut stream = person::connect(tls, files.edge).await.unwrap();
    let headers = portcullis_wire::edge::SdkHello {
        api_session_token: Some(portcullis_wire::Token::new(client.person.token.clone())),
    };
    let hello = Hello::new(
        "an SDK".to_owned(),
        None,
        Grouping::Ungrouped,
        headers.to_headers(),
    );
    greet(&mut stream, &hello).await;
    stream
}

/// Sends a message, unless the channel has ended.
async fn send(sdk: &Sdk, message: Message) {
    while sdk.channel.close_reason().is_none() {
        if sdk.channel.send(Priority::Default, message.clone()).is_ok() {
            return;
        }
        sdk.channel.writable(Priority::Default).await;
    }
}

#[tokio::test]
async fn sdk_that_sends_nonsense() {
    let mut network = Network::new(1).await;
    let _router = network.routers[0].start().await;
    network.controller.until_online(1).await;
    let client = network.client("alice", 0).await;
    for message in nonsense().chain(of_circuit("unknown")) {
        send(&client.sdk, message).await;
    }
    network.others_go_on(0, 0).await;
    // Nobody was hurt but perhaps the channel itself.
    println!("{:?}", client.sdk.channel.close_reason());
}

#[tokio::test]
async fn sdk_whose_numbers_are_far_off_ends_its_own_circuit_at_most() {
    let mut network = Network::new(1).await;
    let _router = network.routers[0].start().await;
    network.controller.until_online(1).await;
    // The end of the host is in the router.
    let mut host = network.host("bob", 0, Flow::Legacy).await;
    let client = network.client("alice", 0).await;
    let circuit = client.dials(1, &mut host, Flow::Sdk).await;
    for message in of_circuit(&circuit.id) {
        send(&client.sdk, message).await;
    }
    network.others_go_on(0, 0).await;
    drop(client);
    network.controller.until_count("circuits", 0).await;
}

#[tokio::test]
async fn sdk_whose_frames_cannot_be_read_loses_its_connection() {
    let mut network = Network::new(1).await;
    let files = &network.routers[0];
    let _router = files.start().await;
    network.controller.until_online(1).await;
    let client = network.client("alice", 0).await;
    for bytes in unreadable() {
        let tls = person::stranger(&files.authorities);
        let mut stranger = person::connect(tls, files.edge).await.unwrap();
        write(&mut stranger, &bytes).await;
        let mut known = open(&network, &client).await;
        write(&mut known, &bytes).await;
        tokio::join!(until_closed(stranger), until_closed(known));
    }
    network.others_go_on(0, 0).await;
}

/// A connection of a router of the network, which is a link.
async fn link(network: &Network, from: usize, to: usize, id: &str) -> Stream {
    let (from, to) = (&network.routers[from], &network.routers[to]);
    let mut stream = person::connect(from.tls(), to.link).await.unwrap();
    let link = LinkHello {
        link_id: id.to_owned(),
        router_id: from.id.clone(),
        version: "v2.1.0".to_owned(),
        iteration: 1,
        destination: Some(to.id.clone()),
        ..LinkHello::default()
    };
    let group = Grouping::Grouped(GroupHello {
        is_first: true,
        ..GroupHello::default()
    });
    let kind = Some("link.default".to_owned());
    let hello = Hello::new(id.to_owned(), kind, group, link.to_headers());
    greet(&mut stream, &hello).await;
    stream
}

#[tokio::test]
async fn router_that_sends_nonsense_over_its_link() {
    // The third one has a certificate, and is not run.
    let mut network = Network::new(3).await;
    let routers = [
        network.routers[0].start().await,
        network.routers[1].start().await,
    ];
    network.controller.until_online(2).await;
    network
        .controller
        .until("the routers are linked", async |controller| {
            !controller.fabric("links").await.is_empty()
        })
        .await;
    let mut lively = link(&network, 2, 0, "lively").await;
    let circuit = of_circuit("unknown");
    for (number, message) in (1..).zip(nonsense().chain(circuit)) {
        if let Ok(frame) = Frame::new(message, Sequence(number), &FrameLimits::LARGE) {
            write(&mut lively, &frame.to_bytes()).await;
        }
    }
    for (number, bytes) in unreadable().iter().enumerate() {
        let mut broken = link(&network, 2, 0, &format!("broken {number}")).await;
        write(&mut broken, bytes).await;
        until_closed(broken).await;
    }
    network.others_go_on(0, 1).await;
    drop(routers);
}
