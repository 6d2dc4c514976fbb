//! A listener that sends back what it gets, and a dialer, over a socket of this machine.
//!
//! `cargo run -p portcullis-transport --example channel_echo`

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use portcullis_channel::group::{ChannelGrant, GroupId};
use portcullis_channel::hello::HELLO_TIMEOUT;
use portcullis_channel::{
    ChannelKind, ChannelOptions, ChannelSide, ContentType, Headers, Message, Priority,
    REQUEST_TIMEOUT, Role, UnixNanos,
};
use portcullis_transport::{
    Clock, Connector, Group, GroupSettings, Incoming, Transport, TransportLimits,
};
use std::error::Error;
use std::io;
use std::net::SocketAddr;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;

const KIND: ChannelKind = ChannelKind::Control;

/// Dials a listener; a real one would add TLS.
struct Tcp(SocketAddr);

impl Connector for Tcp {
    type Stream = TcpStream;

    async fn connect(&mut self, _role: Role) -> io::Result<TcpStream> {
        TcpStream::connect(self.0).await
    }

    fn random(&mut self) -> u32 {
        // Only one dialer: it need not spread its attempts.
        0
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let transport = Transport::new(
        Clock::start(UnixNanos::default()),
        TransportLimits::default(),
    );
    let socket = TcpListener::bind("127.0.0.1:0").await?;
    let address = socket.local_addr()?;
    let listener = tokio::spawn(echo(transport.clone(), socket));

    let options = ChannelOptions::new(KIND, ChannelSide::Dialer);
    let settings = GroupSettings::new("dialer".to_owned(), Headers::empty(), options);
    let group = Group::open(&transport, settings, Tcp(address), |error| {
        println!("dialer: {error}");
    })
    .await;
    println!("dialer: accepted by {:?}", group.answer.responder);

    let question = Message::new(ContentType::RAW).with_body("hello?");
    let reply = group
        .handle
        .request(Priority::Default, question, REQUEST_TIMEOUT)?
        .await;
    println!("dialer: got {:?}", reply.map(|frame| frame.body().clone()));

    drop(group);
    println!("listener: {}", listener.await??);
    transport.tasks().close();
    transport.tasks().wait().await;
    Ok(())
}

/// Sends back all messages of one channel; returns why it was closed.
async fn echo(transport: Transport, socket: TcpListener) -> io::Result<String> {
    let (stream, _peer) = socket.accept().await?;
    let incoming = Incoming::read(stream, Instant::now() + HELLO_TIMEOUT)
        .await
        .map_err(io::Error::other)?;
    println!("listener: {} connects", incoming.hello().id.escape_debug());
    // Here a real listener verifies the peer, and asks a registry of groups.
    let grant = ChannelGrant::ungrouped(GroupId::new("echo").ok_or(io::ErrorKind::InvalidInput)?);
    let connected = incoming
        .accept(&grant, "listener", &Headers::empty())
        .await?;
    let options = ChannelOptions::new(KIND, ChannelSide::Listener);
    let (handle, mut inbox) = transport.open(grant, options, connected);
    while let Some(frame) = inbox.next().await {
        let request = frame.reply_to();
        if handle
            .reply(&request, Priority::Default, frame.into_message())
            .is_err()
        {
            break;
        }
    }
    Ok(handle.closed().await.to_string())
}
