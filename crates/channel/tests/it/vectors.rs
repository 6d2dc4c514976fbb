//! Recorded frames: what real peers say, read and said by this crate.

use crate::support::{at_us, bytes, channel, corpus, frame, id, secret, sent};
use bytes::{Bytes, BytesMut};
use portcullis_channel::group::{GroupLimits, GroupRegistry, GroupSecret};
use portcullis_channel::headers::key;
use portcullis_channel::hello::{
    Accepted, AnswerReader, GroupHello, Grouping, Hello, HelloAnswer, HelloReader, RejectClass,
    Rejection, VERSIONS_ANSWER,
};
use portcullis_channel::{
    BuildVersion, ChannelKind, ChannelSide, ContentType, FrameLimits, FrameReader, HeaderKey,
    Headers, Moment, ResultMessage, ResultStatus, Role, Sequence,
};
use std::collections::BTreeMap;

const ROUTER_HELLO: &str = "0306090c00000000ffffffff9b00000009000000ea030000080000004000000000000076040000002c00000076302e302e307c6c6f63616c7c323032302d30312d30312030313a30313a30317c6c696e75787c616d643634e8030000290000000a270a13746c733a3132372e302e302e313a31353233311203746c73220764656661756c742a026c6f070000000c0000006374726c2e64656661756c740b00000001000000010900000001000000014c6964617852596f59";
const MINIMAL_ANSWER: &str = "0306090c02000000ffffffffa700000000000000020000000100000001040000002c00000076322e312e307c6c6f63616c7c323032302d30312d30312030313a30313a30317c6c696e75787c616d6436340000000006000000363365653535080000000a000000696e7374616e63652d31090000000100000001070000000c0000006374726c2e64656661756c740a00000010000000000102030405060708090a0b0c0d0e0f0100000004000000ffffffffea030000010000007e";
const NEGATIVE_ANSWER: &str = "0306090c02000000ffffffff210000000f0000000100000004000000ffffffff0200000001000000000d0000000400000002000000726f757465722064697361626c6564";
const FIRST_LINK_HELLO: &str = "0306090c00000000ffffffffb4000000160000000200000009000000414f6773364c557655050000000400000001000000070000000c0000006c696e6b2e64656661756c740b0000000100000001000000002400000063326364313563312d343835632d343762612d613164302d39663139666663353762343703000000060000";

fn decoded(frame: &portcullis_channel::Frame) -> BTreeMap<i32, Vec<u8>> {
    let headers = frame.headers().iter();
    headers
        .map(|(key, value)| (key.0, value.to_vec()))
        .collect()
}

#[test]
fn each_recorded_frame_is_read_and_written_as_it_is() {
    let reader = FrameReader::new(FrameLimits::default());
    let frames = corpus();
    assert!(frames.len() > 90);
    for (name, recorded) in frames {
        let mut input = BytesMut::from(&recorded[..]);
        let frame = reader.next(&mut input).unwrap().expect(&name);
        assert!(input.is_empty(), "{name}");
        assert_eq!(frame.to_bytes(), recorded, "{name}");
        let datagram = reader.read_datagram(Bytes::from(recorded.clone())).unwrap();
        assert_eq!(datagram, frame, "{name}");
    }
}

#[test]
fn recorded_frames_are_found_in_a_stream_of_them_wherever_it_is_cut() {
    let frames = corpus();
    let stream: Vec<u8> = frames.iter().flat_map(|(_, bytes)| bytes.clone()).collect();
    let reader = FrameReader::new(FrameLimits::default());
    for piece in [1, 7, 19, 20, 21, 1000] {
        let mut input = BytesMut::new();
        let mut found = Vec::new();
        for bytes in stream.chunks(piece) {
            input.extend_from_slice(bytes);
            while let Some(frame) = reader.next(&mut input).unwrap() {
                found.push(frame.to_bytes());
            }
        }
        assert!(input.is_empty());
        assert!(found.iter().eq(frames.iter().map(|(_, bytes)| bytes)));
    }
}

#[test]
fn the_first_hello_of_a_router() {
    let mut input = BytesMut::from(&bytes(ROUTER_HELLO)[..]);
    let reader = HelloReader::new(Moment::from_micros(5_000_000));
    let hello = reader.read(&mut input, Moment::ZERO).unwrap().unwrap();

    assert_eq!(hello.id, "LidaxRYoY");
    assert_eq!(hello.underlay_type.as_deref(), Some("ctrl.default"));
    let first = GroupHello {
        is_first: true,
        ..GroupHello::default()
    };
    assert_eq!(hello.grouping, Grouping::Grouped(first));
    let version: BuildVersion = hello.headers.string(key::VERSION).unwrap().parse().unwrap();
    assert_eq!(
        version.to_string(),
        "v0.0.0|local|2020-01-01 01:01:01|linux|amd64"
    );
    let mask = hello.headers.get(HeaderKey(1002));
    assert_eq!(mask, Some(&[0x40, 0, 0, 0, 0, 0, 0, 0x76][..]));
}

#[test]
fn a_routers_first_hello_is_said_as_routers_say_it() {
    let recorded = frame(ROUTER_HELLO);
    let own = |key: &HeaderKey| [4, 1000, 1002].contains(&key.0);
    let headers = recorded.headers().iter().filter(|(key, _)| own(key));
    let headers = headers.fold(Headers::builder(), |headers, (key, value)| {
        headers.bytes(key, value)
    });
    let first = GroupHello {
        is_first: true,
        ..GroupHello::default()
    };
    let hello = Hello::new(
        "LidaxRYoY".to_owned(),
        ChannelKind::Control
            .underlay_type(Role::Default)
            .map(str::to_owned),
        Grouping::Grouped(first),
        headers.build(),
    );
    let mut said = BytesMut::from(&hello.encode().unwrap()[..]);
    let reader = FrameReader::new(FrameLimits::HELLO);
    let said = reader.next(&mut said).unwrap().unwrap();
    assert_eq!(said.sequence(), Sequence::HELLO);
    assert_eq!(decoded(&said), decoded(&recorded));
    assert_eq!(said.body(), recorded.body());
}

/// What a listener with these values answers to the hello of a router.
fn accepted(fresh_secret: GroupSecret) -> Bytes {
    let hello = Hello::from_frame(&frame(ROUTER_HELLO)).unwrap();
    let mut groups: GroupRegistry<&str, ()> = GroupRegistry::new(GroupLimits::default());
    let fresh = portcullis_channel::group::GeneratedCredentials {
        id: id("63ee55"),
        secret: fresh_secret,
    };
    let admission = groups.admit(&"LidaxRYoY", &hello, fresh, Moment::ZERO);
    let portcullis_channel::group::Admission::New(reservation) = admission else {
        panic!("{admission:?}");
    };
    let headers = Headers::builder()
        .string(key::VERSION, "v2.1.0|local|2020-01-01 01:01:01|linux|amd64")
        .u8(HeaderKey(1002), 0x7e)
        .build();
    hello
        .accept(reservation.grant(), "instance-1", &headers)
        .unwrap()
}

#[test]
fn the_answer_that_a_router_is_content_with() {
    let bytes: [u8; 16] = std::array::from_fn(|place| u8::try_from(place).unwrap());
    let mut answer = BytesMut::from(&accepted(GroupSecret::new(bytes))[..]);
    let reader = FrameReader::new(FrameLimits::HELLO);
    let answer = reader.next(&mut answer).unwrap().unwrap();
    let recorded = frame(MINIMAL_ANSWER);
    assert_eq!(answer.content_type(), ContentType::RESULT);
    assert_eq!(answer.sequence(), recorded.sequence());
    assert_eq!(decoded(&answer), decoded(&recorded));
    assert_eq!(answer.body(), recorded.body());
}

fn answer(hex: &str) -> HelloAnswer {
    let mut input = BytesMut::from(&bytes(hex)[..]);
    let reader = AnswerReader::new(Moment::from_micros(1));
    reader.read(&mut input, Moment::ZERO).unwrap().unwrap()
}

#[test]
fn a_positive_answer_is_read() {
    let HelloAnswer::Accepted(Accepted {
        responder,
        group,
        secret,
        ..
    }) = answer(MINIMAL_ANSWER)
    else {
        panic!("not accepted");
    };
    assert_eq!(responder.as_deref(), Some("instance-1"));
    assert_eq!(group, Some(id("63ee55")));
    assert_eq!(secret.unwrap().as_bytes()[15], 15);
}

#[test]
fn the_answer_of_a_listener_for_sdks_names_a_channel_and_no_secret() {
    let (_, recorded) = corpus()
        .into_iter()
        .find(|(name, _)| name.contains("hello result, ungrouped"))
        .unwrap();
    let frame = FrameReader::new(FrameLimits::HELLO)
        .read_datagram(Bytes::from(recorded))
        .unwrap();
    let HelloAnswer::Accepted(accepted) = HelloAnswer::from_frame(&frame).unwrap() else {
        panic!("not accepted");
    };
    assert_eq!(accepted.group, Some(id("AdBM")));
    assert_eq!(accepted.secret, None);
}

#[test]
fn a_negative_answer_is_read_and_said() {
    let rejection = Rejection {
        class: RejectClass::NotPermitted,
        reason: "router disabled".to_owned(),
    };
    assert_eq!(answer(NEGATIVE_ANSWER), HelloAnswer::Rejected(rejection));

    let hello = Hello::from_frame(&frame(ROUTER_HELLO)).unwrap();
    let said = hello.reject(RejectClass::NotPermitted, "router disabled");
    let said = FrameReader::new(FrameLimits::HELLO)
        .read_datagram(said)
        .unwrap();
    assert_eq!(decoded(&said), decoded(&frame(NEGATIVE_ANSWER)));
    assert_eq!(&said.body()[..], b"router disabled");
}

#[test]
fn versions_are_listed_as_recorded() {
    assert_eq!(
        bytes("0306090a020000000100000002000000"),
        VERSIONS_ANSWER.to_vec()
    );
}

#[test]
fn the_first_hello_of_a_link_uses_low_numbers_for_its_own_purposes() {
    let (_, recorded) = corpus()
        .into_iter()
        .find(|(_, recorded)| recorded.starts_with(&bytes(&FIRST_LINK_HELLO[..60])))
        .unwrap();
    let reader = FrameReader::new(FrameLimits::HELLO);
    let hello = Hello::from_frame(&reader.read_datagram(Bytes::from(recorded)).unwrap()).unwrap();
    assert_eq!(hello.underlay_type.as_deref(), Some("link.default"));
    let Grouping::Grouped(group) = &hello.grouping else {
        panic!("not grouped");
    };
    assert!(group.is_first);
    assert_eq!(group.secret, None);
    assert_eq!(group.id.as_ref().unwrap().as_str().len(), 36);
    assert_eq!(
        hello.headers.u32(HeaderKey(5)),
        Some(1),
        "iteration of the link"
    );
}

#[test]
fn a_heartbeat_is_answered_and_sent_as_recorded() {
    // Sequence number 22, own heartbeat and the answer to another in one message.
    let recorded = frame(
        "0306090c0500000016000000200000000000000005000000080000001b2784ddba10ea180600000008000000f54058ddba10ea18",
    );
    let theirs = recorded.headers().u64(key::HEARTBEAT_RESPONSE).unwrap();
    let (mut channel, underlay) = channel(ChannelKind::Control, ChannelSide::Listener);
    let headers = Headers::builder().u64(key::HEARTBEAT, theirs).build();
    let beat = portcullis_channel::Message::new(ContentType::HEARTBEAT).with_headers(headers);
    let now = at_us(1_000_000);
    assert_eq!(
        channel.handle_frame(underlay, crate::support::incoming(beat, 1), now),
        None
    );
    channel.handle_timeout(now);
    let mine = sent(&mut channel, underlay, now).unwrap();
    assert_eq!(mine.content_type(), recorded.content_type());
    assert_eq!(
        mine.headers().block().len(),
        recorded.headers().block().len()
    );
    assert_eq!(mine.headers().u64(key::HEARTBEAT), Some(now.wall.0));
    assert_eq!(mine.headers().u64(key::HEARTBEAT_RESPONSE), Some(theirs));
}

#[test]
fn results_are_read_as_recorded() {
    let success = frame(
        "0306090c0200000006000000150000000f000000020000000100000001010000000400000005000000726f75746572207665726966696564",
    );
    assert_eq!(success.reply_for(), Some(Sequence(5)));
    let result = ResultMessage::from_frame(&success).unwrap();
    assert_eq!(result.status, ResultStatus::Success);
    assert_eq!(result.text, "router verified");

    let failure = frame(
        "0306090c02000000010000001500000018000000020000000100000000010000000400000001000000696e76616c696420666f726d6174205b27706c61696e275d",
    );
    let result = ResultMessage::from_frame(&failure).unwrap();
    assert_eq!(result.status, ResultStatus::Failure);
    assert_eq!(result.text, "invalid format ['plain']");
}

#[test]
fn a_map_of_bytes_is_read_as_recorded() {
    // The answer to a created circuit: texts by text, and bytes by number.
    let circuit = frame(
        "0306090cfb4e00008c000000f7000000000000000d0000005b0000000300000008000000636c69656e74496409000000426d6153616751784f06000000686f7374496409000000425a323032674f784f0900000073657276696365496416000000315570674f34494c3850736637504873327a6972753501000000040000001f0000000b000000160000003252356b4951737a6d51367361725669706d546730540c000000160000003559417271554f71324a4a76655051505945573479330a0000004400000003000000eb03000020000000f9f17abb21e511cfea61805e4a726e7f04d3af6335f2ccb43c387eb5885c7a2601000000040000008b0000004d0400000400000000000000",
    );
    let peer_data = circuit.headers().u32_bytes_map(HeaderKey(10)).unwrap();
    assert_eq!(
        peer_data.keys().copied().collect::<Vec<_>>(),
        [1, 1003, 1101]
    );
    assert_eq!(peer_data[&1003].len(), 32);
    let tags = circuit.headers().string_map(HeaderKey(13)).unwrap();
    assert_eq!(tags["hostId"], "BZ202gOxO");
    assert_eq!(secret(1), secret(1));
}

#[test]
fn a_list_of_texts_is_read_as_recorded() {
    let inspect = frame(
        "0306090c84ed00000c0000002300000000000000070400001b0000000200000008000000636972637569747307000000636f6e74657874",
    );
    let values = inspect.headers().string_list(HeaderKey(1031)).unwrap();
    assert_eq!(values, ["circuits", "context"]);
}
