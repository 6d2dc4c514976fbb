//! A controller reads the hello of a router, answers, and talks with it, over two buffers.
//!
//! `cargo run -p portcullis-wire --example router_comes_online`
//!
//! The channel does frames and connections; what is in them are the types of this crate.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use bytes::BytesMut;
use portcullis_channel::group::{
    Admission, GeneratedCredentials, GroupId, GroupLimits, GroupRegistry, GroupSecret,
};
use portcullis_channel::hello::{
    AnswerReader, GroupHello, Grouping, HELLO_TIMEOUT, Hello, HelloAnswer, HelloReader,
};
use portcullis_channel::{
    BuildVersion, Frame, FrameLimits, Message, Moment, ResultMessage, ResultStatus, Sequence,
};
use portcullis_wire::capability::{Capabilities, ControllerCapability, RouterCapability};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::address::{Controller, ControllerAddresses, Endpoint};
use portcullis_wire::control::edge_hello::{
    ClientHello, ClientHelloBody, ServerHello, ServerHelloBody,
};
use portcullis_wire::control::hello::{ControllerHello, RouterHello};
use portcullis_wire::control::link::{LinkConnections, RouterLink, RouterLinks, VerifyRouter};
use portcullis_wire::control::peer::Listener;
use std::error::Error;

const VERSION: &str = "v2.1.0|0000000|2026-01-01T00:00:00Z|linux|amd64";

fn main() -> Result<(), Box<dyn Error>> {
    let mut wire = BytesMut::from(&router_hello()?[..]);
    let reader = HelloReader::new(Moment::ZERO + HELLO_TIMEOUT);
    let hello = reader
        .read(&mut wire, Moment::ZERO)?
        .ok_or("half a hello")?;
    // Here a controller verifies that the certificate is the one of this router.
    let router = RouterHello::from_headers(&hello.headers)?;
    println!("router {} has version {}", hello.id, router.version);
    for listener in &router.listeners {
        println!("it listens for links at {}", listener.address);
    }
    let has_model = router.capabilities.has(RouterCapability::RouterDataModel);
    println!("it keeps the router data model: {has_model}");

    let mut answer = BytesMut::from(&answer(&hello)?[..]);
    let reader = AnswerReader::new(Moment::ZERO + HELLO_TIMEOUT);
    let Some(HelloAnswer::Accepted(accepted)) = reader.read(&mut answer, Moment::ZERO)? else {
        return Err("the router is not accepted".into());
    };
    let controller = ControllerHello::from_headers(&accepted.headers)?;
    let is_enough = controller
        .capabilities
        .has(ControllerCapability::LegacySessionsAreJwts);
    println!(
        "the router stays with {:?}: {is_enough}",
        accepted.responder
    );

    for (sequence, message) in (1..).zip(first_messages()) {
        for said in router_answers(&Frame::new(
            message.encode()?,
            Sequence(sequence),
            &FrameLimits::default(),
        )?)? {
            controller_hears(&said)?;
        }
    }
    Ok(())
}

fn router_hello() -> Result<bytes::Bytes, Box<dyn Error>> {
    let headers = RouterHello {
        version: VERSION.parse()?,
        capabilities: Capabilities::of([
            RouterCapability::MultiChannel,
            RouterCapability::RouterDataModel,
        ]),
        listeners: vec![Listener {
            address: "tls:router.example.com:6262".to_owned(),
            protocol: "tls".to_owned(),
            groups: vec!["default".to_owned()],
            local_binding: String::new(),
        }],
        control_listeners: Vec::new(),
        unreadable: Vec::new(),
    };
    let first = GroupHello {
        is_first: true,
        ..GroupHello::default()
    };
    let hello = Hello::new(
        "router-1".to_owned(),
        Some("ctrl.default".to_owned()),
        Grouping::Grouped(first),
        headers.to_headers(),
    );
    Ok(hello.encode()?)
}

fn answer(hello: &Hello) -> Result<bytes::Bytes, Box<dyn Error>> {
    let mut groups: GroupRegistry<&str, u32> = GroupRegistry::new(GroupLimits::default());
    // Both are random in a real program.
    let fresh = GeneratedCredentials {
        id: GroupId::new("rGR8").ok_or("no id")?,
        secret: GroupSecret::new([7; 16]),
    };
    let peer = "fingerprint of the certificate";
    let Admission::New(reservation) = groups.admit(&peer, hello, fresh, Moment::ZERO) else {
        return Err("the first connection is a new channel".into());
    };
    let version: BuildVersion = VERSION.parse()?;
    let capabilities = Capabilities::of([
        ControllerCapability::RouterDataModel,
        ControllerCapability::GroupedConnections,
        ControllerCapability::LegacySessionsAreJwts,
    ]);
    let headers = ControllerHello {
        version,
        capabilities,
    };
    Ok(hello.accept(reservation.grant(), "controller", &headers.to_headers())?)
}

/// What a controller says first.
fn first_messages() -> [ControlMessage; 2] {
    let endpoint = Endpoint {
        address: "tls:controller.example.com:1280".to_owned(),
        groups: Vec::new(),
    };
    let addresses = ControllerAddresses {
        addresses: vec![endpoint.address.clone()],
        index: 1,
        is_leader: true,
        controllers: vec![Controller {
            id: "controller".to_owned(),
            endpoints: vec![endpoint],
        }],
    };
    let data = ["instant", "routerModel"].map(|name| (name.to_owned(), "true".to_owned()));
    let hello = ServerHello {
        hello: ServerHelloBody {
            version: "v2.1.0".to_owned(),
            data: data.into(),
            ..ServerHelloBody::default()
        },
        has_data_model: true,
    };
    [
        ControlMessage::ControllerAddresses(addresses),
        ControlMessage::ServerHello(hello),
    ]
}

/// What a router says to a message.
fn router_answers(frame: &Frame) -> Result<Vec<Message>, Box<dyn Error>> {
    let message = frame.clone().into_message();
    match ControlMessage::decode(&message)? {
        ControlMessage::ControllerAddresses(addresses) => {
            println!("router: {} controllers", addresses.controllers.len());
            Ok(Vec::new())
        },
        ControlMessage::ServerHello(_) => {
            let hello = ClientHello {
                hello: ClientHelloBody {
                    version: "v2.1.0".to_owned(),
                    hostname: "router.example.com".to_owned(),
                    ..ClientHelloBody::default()
                },
                has_data_model: true,
                model_index: Some(0),
            };
            let links = RouterLinks {
                links: vec![RouterLink {
                    id: "5aCQr2Nu6VROhyqTS7zCw2".to_owned(),
                    destination: "router-2".to_owned(),
                    iteration: 1,
                    connections: Some(LinkConnections::default()),
                    ..RouterLink::default()
                }],
                is_full: true,
            };
            let verify = VerifyRouter {
                router_id: "router-2".to_owned(),
                fingerprints: vec!["d3aa05664a966c3548cf9038537859ae9ce82aae".to_owned()],
            };
            let hello = ControlMessage::ClientHello(hello).encode()?;
            Ok(vec![
                hello.in_reply_to(&frame.reply_to()),
                ControlMessage::RouterLinks(links).encode()?,
                ControlMessage::VerifyRouter(verify).encode()?,
            ])
        },
        other => Err(format!("{other:?}").into()),
    }
}

/// What a controller makes of a message.
fn controller_hears(message: &Message) -> Result<(), Box<dyn Error>> {
    match ControlMessage::decode(message)? {
        ControlMessage::ClientHello(ClientHello { hello, .. }) => {
            println!("controller: SDKs find the router at {}", hello.hostname);
        },
        ControlMessage::RouterLinks(links) => {
            for link in links.links {
                println!("controller: link {} to {}", link.id, link.destination);
            }
        },
        ControlMessage::VerifyRouter(question) => {
            // Compared with the certificate that the router enrolled with.
            let result = ResultMessage {
                status: ResultStatus::Success,
                text: "router verified".to_owned(),
            };
            println!("controller: {}, {result:?}", question.router_id);
        },
        ControlMessage::Unknown(message) => println!("controller: passes over {message:?}"),
        other => println!("controller: {other:?}"),
    }
    Ok(())
}
