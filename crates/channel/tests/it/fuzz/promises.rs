//! What holds for every stream of bytes.

use crate::support::{at_ms, channel, fresh};
use bytes::BytesMut;
use portcullis_channel::group::{Admission, GroupLimits, GroupRegistry};
use portcullis_channel::hello::{AnswerReader, Hello, HelloAnswer, HelloReader};
use portcullis_channel::{
    Channel, ChannelKind, ChannelSide, Frame, FrameError, FrameLimits, FrameReader, Headers,
    Moment, Priority, Received, ResultMessage, Transmit,
};

/// Small enough that limits are met.
const LIMITS: FrameLimits = FrameLimits {
    header_block: 4_096,
    header_count: 24,
    body: 8_192,
};

/// Reads a stream in every way that there is. Returns what it leads to, or which promise it breaks.
pub(super) fn check(stream: &[u8]) -> Result<String, String> {
    let whole = frames(stream, stream.len().max(1));
    for piece in [1, 19, 33] {
        if frames(stream, piece) != whole {
            return Err(format!("pieces of {piece} bytes are read otherwise"));
        }
    }
    let (frames, error) = whole;
    let mut place = format!("{error:?} ");
    for frame in &frames {
        place.push_str(&look(frame)?);
    }
    place.push_str(&greet(stream)?);
    for kind in [
        ChannelKind::Control,
        ChannelKind::Link,
        ChannelKind::Edge,
        ChannelKind::Management,
    ] {
        for side in [ChannelSide::Dialer, ChannelSide::Listener] {
            place.push_str(&feed(kind, side, &frames)?);
        }
    }
    Ok(place)
}

/// The frames of a stream that arrives in pieces, and what ends it. Numbers in errors are left out, or
/// each would look like a place of its own.
fn frames(stream: &[u8], piece: usize) -> (Vec<Frame>, Option<FrameError>) {
    let reader = FrameReader::new(LIMITS);
    let mut input = BytesMut::new();
    let mut frames = Vec::new();
    for bytes in stream.chunks(piece) {
        input.extend_from_slice(bytes);
        loop {
            match reader.next(&mut input) {
                Ok(Some(frame)) => frames.push(frame),
                Ok(None) => break,
                Err(error) => return (frames, Some(error)),
            }
        }
    }
    (frames, None)
}

/// Reads a frame as everything that it might be.
fn look(frame: &Frame) -> Result<String, String> {
    let bytes = frame.to_bytes();
    if bytes.len() != frame.wire_len() {
        return Err("the length of a frame is not its length".to_owned());
    }
    if FrameReader::new(LIMITS).read_datagram(bytes).as_ref() != Ok(frame) {
        return Err("a frame does not come back".to_owned());
    }
    let mut place = format!(
        "{:?}",
        ResultMessage::from_frame(frame).map(|read| read.status)
    );
    for (key, _) in frame.headers().iter() {
        let headers = frame.headers();
        place.push_str(&again(headers, key)?);
    }
    Ok(place)
}

/// What is read as a list or a map is written the same way, but for what is repeated in it.
fn again(headers: &Headers, key: portcullis_channel::HeaderKey) -> Result<String, String> {
    let mut place = String::new();
    let empty = || Headers::builder();
    if let Some(list) = headers.string_list(key) {
        let texts: Vec<&str> = list.iter().map(String::as_str).collect();
        let written = empty()
            .string_list(key, &texts)
            .map_err(|error| error.to_string())?;
        if !list.is_empty() && written.build().get(key) != headers.get(key) {
            return Err("a list is written otherwise than it was read".to_owned());
        }
        place.push('l');
    }
    if let Some(map) = headers.u32_bytes_map(key) {
        let entries = map.iter().map(|(number, bytes)| (*number, &bytes[..]));
        let written = empty()
            .u32_bytes_map(key, entries)
            .map_err(|error| error.to_string())?;
        if written.build().u32_bytes_map(key) != Some(map) {
            return Err("a map does not come back".to_owned());
        }
        place.push('m');
    }
    if let Some(map) = headers.string_map(key) {
        let entries = map
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str()));
        let written = empty()
            .string_map(key, entries)
            .map_err(|error| error.to_string())?;
        if written.build().string_map(key) != Some(map) {
            return Err("a map does not come back".to_owned());
        }
        place.push('s');
    }
    if headers.u32(key).is_some() && headers.u64(key).is_some() {
        return Err("a number has two lengths".to_owned());
    }
    Ok(place)
}

/// Reads a stream as a hello and as the answer to one.
fn greet(stream: &[u8]) -> Result<String, String> {
    let late = Moment::from_micros(1);
    let hello = HelloReader::new(late).read(&mut BytesMut::from(stream), late);
    let answer = AnswerReader::new(late).read(&mut BytesMut::from(stream), late);
    if hello == Ok(None) || answer == Ok(None) {
        return Err("a deadline does not hold".to_owned());
    }
    let answer = match answer {
        Ok(Some(HelloAnswer::Accepted(_))) => "accepted",
        Ok(_) => "rejected",
        Err(_) => "none",
    };
    let Ok(Some(hello)) = hello else {
        return Ok(answer.to_owned());
    };
    let said = hello.encode().map_err(|error| error.to_string());
    if let Ok(said) = said {
        let again = HelloReader::new(late).read(&mut BytesMut::from(&said[..]), Moment::ZERO);
        let again = again
            .map_err(|error| error.to_string())?
            .ok_or("a hello is cut")?;
        if (again.id, again.grouping) != (hello.id.clone(), hello.grouping.clone()) {
            return Err("a hello does not come back".to_owned());
        }
    }
    Ok(format!("{answer}{}", admit(&hello)?))
}

/// Lets a hello into a registry with one group, whose secret it does not know.
fn admit(hello: &Hello) -> Result<&'static str, String> {
    let mut groups: GroupRegistry<&str, ()> = GroupRegistry::new(GroupLimits::default());
    let Admission::New(reservation) = groups.admit(&"p", hello, fresh("g", 0xa5), Moment::ZERO)
    else {
        return Ok("refused");
    };
    let grant = reservation.grant().clone();
    let _member = groups
        .open(reservation, ())
        .map_err(|error| error.to_string())?;
    let answer = hello.accept(&grant, "c", &Headers::empty());
    match groups.admit(&"p", hello, fresh("h", 0xa6), Moment::ZERO) {
        Admission::Attach(_) if grant.secret().is_none() => {
            Err("a second connection joins one that is alone".to_owned())
        },
        _ if answer.is_err() && hello.underlay_type.is_none() => {
            Err("a hello cannot be answered".to_owned())
        },
        Admission::Attach(_) => Ok("again"),
        _ => Ok("new"),
    }
}

/// Lets frames arrive at a channel with one request under way.
fn feed(kind: ChannelKind, side: ChannelSide, frames: &[Frame]) -> Result<String, String> {
    let (mut channel, underlay) = channel(kind, side);
    let request = crate::support::message(1, "");
    let within = portcullis_channel::REQUEST_TIMEOUT;
    let request = channel.request(Priority::Default, request, within, at_ms(0));
    let request = request.map_err(|error| error.to_string())?;
    let mut replies = 0;
    let mut place = String::new();
    for frame in frames {
        let _sent = drain(&mut channel)?;
        match channel.handle_frame(underlay, frame.clone(), at_ms(1)) {
            Some(Received::Reply { request: id, .. }) if id == request => replies += 1,
            Some(Received::Reply { .. }) => return Err("a reply to nothing".to_owned()),
            Some(Received::Message(message)) if message.body() != frame.body() => {
                return Err("a body is changed".to_owned());
            },
            Some(Received::Message(_)) => place.push('m'),
            None => place.push('-'),
        }
    }
    channel.handle_timeout(at_ms(5));
    let sent = drain(&mut channel)?.min(3);
    place.push_str(&[replies, sent].map(|count| count.to_string()).concat());
    if replies > 1 {
        return Err("a request is answered twice".to_owned());
    }
    Ok(place)
}

/// Takes what a channel sends; everything that it sends can be read.
fn drain(channel: &mut Channel) -> Result<usize, String> {
    let mut sent = 0;
    loop {
        let next = channel.underlays_with_output().next();
        let Some(underlay) = next else {
            break;
        };
        let Some(Transmit::Frame(frame)) = channel.poll_transmit(underlay, at_ms(5)) else {
            return Err("what is announced is not there".to_owned());
        };
        let reader = FrameReader::new(FrameLimits::default());
        reader
            .read_datagram(frame.to_bytes())
            .map_err(|error| format!("what is sent cannot be read: {error}"))?;
        sent += 1;
    }
    Ok(sent)
}
