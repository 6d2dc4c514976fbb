//! A router and a controller that find each other, ask and answer, over two buffers.
//!
//! `cargo run -p portcullis-channel --example two_sides`
//!
//! What a program around the crate does with sockets, this one does with bytes in memory: read into a
//! buffer, hand it in, write what comes out, and look at the clock when told to.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use bytes::BytesMut;
use portcullis_channel::group::{
    Admission, ConnectionCounts, DialOptions, GeneratedCredentials, GroupDialer, GroupId,
    GroupLimits, GroupRegistry, GroupSecret,
};
use portcullis_channel::headers::key;
use portcullis_channel::hello::{
    AnswerReader, Grouping, HELLO_TIMEOUT, Hello, HelloAnswer, HelloReader,
};
use portcullis_channel::{
    Channel, ChannelKind, ChannelOptions, ChannelSide, CloseReason, ContentType, FrameReader,
    Headers, Message, Now, Priority, REQUEST_TIMEOUT, Received, ResultMessage, ResultStatus,
    Transmit, UnderlayId,
};
use std::error::Error;

const KIND: ChannelKind = ChannelKind::Control;
/// Asks a controller whether a router is what it says.
const VERIFY_ROUTER: ContentType = ContentType(1036);
const VERSION: &str = "v2.1.0|0000000|2026-01-01T00:00:00Z|linux|amd64";

/// One end of a connection: what has arrived, and the channel that it belongs to.
struct End {
    name: &'static str,
    input: BytesMut,
    channel: Channel,
    underlay: UnderlayId,
}

fn main() -> Result<(), Box<dyn Error>> {
    let now = Now::default();
    let (mut router, mut controller) = connect(now)?;
    println!("both have channel {}", router.channel.id());

    let question = Message::new(VERIFY_ROUTER).with_body("router-1");
    let request = router
        .channel
        .request(Priority::Default, question, REQUEST_TIMEOUT, now)?;
    write(&mut router, &mut controller, now);
    read(&mut controller, now)?;
    write(&mut controller, &mut router, now);
    read(&mut router, now)?;
    println!(
        "{request:?} is answered: {}",
        router.channel.outstanding_requests() == 0
    );

    if let Some((at, cause)) = router.channel.poll_timeout() {
        println!("router: if nothing happens until {at:?}, then {cause:?}");
    }
    router.channel.close(CloseReason::Requested, now);
    write(&mut router, &mut controller, now);
    for end in [&mut router, &mut controller] {
        end.channel.detach(end.underlay, now);
        while let Some(event) = end.channel.poll_event() {
            println!("{}: {event:?}", end.name);
        }
    }
    Ok(())
}

/// Hello, answer, and a channel on both sides.
fn connect(now: Now) -> Result<(End, End), Box<dyn Error>> {
    let wanted = ConnectionCounts {
        default: 1,
        high: 0,
    };
    let mut dialer = GroupDialer::new(DialOptions::new(KIND), wanted, now.mono);
    let dial = dialer.poll_dial(now.mono).ok_or("nothing to dial")?;
    let mut wire = BytesMut::from(&hello(&dial)?[..]);

    let reader = HelloReader::new(now.mono + HELLO_TIMEOUT);
    let hello = reader.read(&mut wire, now.mono)?.ok_or("half a hello")?;
    // Here a controller verifies the certificate of the connection. What it proves is the peer.
    let peer = "fingerprint of the certificate";
    let mut groups: GroupRegistry<&str, u32> = GroupRegistry::new(GroupLimits::default());
    // Both are random in a real program.
    let fresh = GeneratedCredentials {
        id: GroupId::new("rGR8").ok_or("no id")?,
        secret: GroupSecret::new([7; 16]),
    };
    let Admission::New(reservation) = groups.admit(&peer, &hello, fresh, now.mono) else {
        return Err("the first connection is a new channel".into());
    };
    let headers = Headers::builder()
        .string(key::VERSION, VERSION)
        .u8(portcullis_channel::HeaderKey(1002), 0x7e)
        .build();
    let mut answer =
        BytesMut::from(&hello.accept(reservation.grant(), "controller", &headers)?[..]);
    let options = ChannelOptions::new(KIND, ChannelSide::Listener);
    let (channel, underlay) = Channel::open(reservation.grant().clone(), options, now);
    let _member = groups.open(reservation, 1)?;
    let controller = end("controller", channel, underlay);

    let reader = AnswerReader::new(now.mono + HELLO_TIMEOUT);
    let Some(HelloAnswer::Accepted(accepted)) = reader.read(&mut answer, now.mono)? else {
        return Err("the controller does not want the router".into());
    };
    println!("router: accepted by {:?}", accepted.responder);
    let grant = dialer.handle_accepted(&dial, &accepted, 0, now.mono)?;
    let options = ChannelOptions::new(KIND, ChannelSide::Dialer);
    let (channel, underlay) = Channel::open(grant, options, now);
    Ok((end("router", channel, underlay), controller))
}

fn hello(dial: &portcullis_channel::group::Dial) -> Result<bytes::Bytes, Box<dyn Error>> {
    let hello = Hello::new(
        "router-1".to_owned(),
        KIND.underlay_type(dial.role()).map(str::to_owned),
        Grouping::Grouped(dial.hello().clone()),
        Headers::builder().string(key::VERSION, VERSION).build(),
    );
    Ok(hello.encode()?)
}

fn end(name: &'static str, channel: Channel, underlay: UnderlayId) -> End {
    End {
        name,
        input: BytesMut::new(),
        channel,
        underlay,
    }
}

/// Writes what one side has, into the buffer of the other.
fn write(from: &mut End, to: &mut End, now: Now) {
    while let Some(transmit) = from.channel.poll_transmit(from.underlay, now) {
        match transmit {
            Transmit::Frame(frame) => {
                println!(
                    "{}: {:?} {:?}",
                    from.name,
                    frame.content_type(),
                    frame.headers()
                );
                frame.encode(&mut to.input);
            },
            Transmit::Close => println!("{}: closes the connection", from.name),
        }
    }
}

/// Reads what has arrived, and answers what is asked.
fn read(end: &mut End, now: Now) -> Result<(), Box<dyn Error>> {
    let reader = FrameReader::new(KIND.frame_limits(ChannelSide::Listener));
    while let Some(frame) = reader.next(&mut end.input)? {
        match end.channel.handle_frame(end.underlay, frame, now) {
            Some(Received::Message(frame)) => {
                let result = ResultMessage {
                    status: ResultStatus::Success,
                    text: "router verified".to_owned(),
                };
                let reply = frame.reply_to();
                end.channel
                    .reply(&reply, Priority::Default, result.into_message())?;
            },
            Some(Received::Reply { frame, .. }) => {
                println!("{}: {:?}", end.name, ResultMessage::from_frame(&frame));
            },
            None => {},
        }
    }
    Ok(())
}
