//! Frames of an OpenZiti router.

use bytes::BytesMut;
use portcullis_channel::hello::{Grouping, Hello};
use portcullis_channel::{ContentType, FrameLimits, FrameReader};
use portcullis_wire::link::LinkHello;

#[test]
fn hello_of_an_openziti_router_is_understood() {
    let frame = read(
        "0306090c00000000ffffffffb4000000160000000200000009000000414f6773364c557655050000000400000001000000\
         070000000c0000006c696e6b2e64656661756c740b0000000100000001000000002400000063326364313563312d343835\
         632d343762612d613164302d396631396666663537623437030000000600000076302e302e300400000000000000060000\
         0009000000512d3376364c335233640000001600000033627245795575397355444c4273377569374d3954430900000001\
         0000000133627245795575397355444c4273377569374d395443",
    );
    let hello = Hello::from_frame(&frame).unwrap();
    let Grouping::Grouped(group) = &hello.grouping else {
        panic!("a group");
    };
    assert!(group.is_first);
    assert_eq!(hello.underlay_type.as_deref(), Some("link.default"));
    let expected = LinkHello {
        link_id: "3brEyUu9sUDLBs7ui7M9TC".to_owned(),
        router_id: "AOgs6LUvU".to_owned(),
        version: "v0.0.0".to_owned(),
        binding: String::new(),
        iteration: 1,
        destination: Some("Q-3v6L3R3".to_owned()),
        split_part: None,
    };
    assert_eq!(LinkHello::from_hello(&hello), Ok(expected));
}

#[test]
fn heartbeats_of_an_openziti_router_are_those_of_channels() {
    for text in [
        "0306090c0500000001000000100000000000000005000000080000003ef48891eb10ea18",
        "0306090c0500000001000000200000000000000006000000080000003ef48891eb10ea1805000000080000007683af91eb10ea18",
    ] {
        assert_eq!(read(text).content_type(), ContentType::HEARTBEAT);
    }
}

fn read(hex: &str) -> portcullis_channel::Frame {
    let digits: Vec<_> = hex.bytes().collect();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    let mut bytes: BytesMut = digits.chunks(2).map(byte).collect();
    let reader = FrameReader::new(FrameLimits::LARGE);
    let frame = reader.next(&mut bytes).unwrap().unwrap();
    assert!(bytes.is_empty());
    frame
}
