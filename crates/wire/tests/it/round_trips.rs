//! Every message, with contents that are drawn: decoded, encoded and decoded again.
//!
//! What is drawn knows nothing of the types: a field of a random shape is kept if the message can be
//! decoded with it. So it finds out which fields a message has, and the tables of the tests hold that
//! against what the protocol says.

mod nested;

use bytes::Bytes;
use portcullis_channel::{ContentType, HeaderKey, Headers, Message};
use portcullis_seeded_random::Random;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::edge::EdgeMessage;
use portcullis_wire::link::LinkMessage;
use portcullis_wire::management::ManagementMessage;
use std::collections::BTreeSet;

/// A protocol: decodes a message and encodes it again.
type Rewrite = fn(&Message) -> Option<Message>;

/// Decodes and encodes messages by the enum of a protocol.
macro_rules! rewrite {
    ($name:ident: $protocol:ident) => {
        fn $name(message: &Message) -> Option<Message> {
            let decoded = $protocol::decode(message).ok()?;
            assert!(!matches!(decoded, $protocol::Unknown(_)), "{message:?}");
            let written = decoded.encode().unwrap();
            assert_eq!($protocol::decode(&written).unwrap(), decoded);
            Some(written)
        }
    };
}

rewrite!(control: ControlMessage);
rewrite!(edge: EdgeMessage);
rewrite!(link: LinkMessage);
rewrite!(management: ManagementMessage);

/// Content types of the control channel whose body is protobuf, with the fields of the message.
const CONTROL: &[(i32, &[u32])] = &[
    (1000, &[1, 2, 3]),
    (1004, &[1, 2, 3]),
    (1005, &[1, 2, 3, 4, 5, 6, 7]),
    (1006, &[1, 2]),
    (1007, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
    (1008, &[1, 2, 3, 4]),
    (1010, &[1, 2, 3, 4, 5, 6, 7, 8, 9]),
    (1011, &[2, 3, 4, 5, 6, 7, 8, 9]),
    (1012, &[1]),
    (1013, &[1]),
    (1014, &[1, 2, 3]),
    (1017, &[1]),
    (1018, &[1, 2, 3, 4, 5]),
    (1020, &[1]),
    (1034, &[1, 2]),
    (1035, &[1, 2]),
    (1036, &[1, 2]),
    (1037, &[1, 2, 3, 4]),
    (1038, &[1]),
    (1041, &[1, 2, 3]),
    (1042, &[1]),
    (1050, &[1]),
    (1051, &[1]),
    (1052, &[1]),
    (1053, &[1, 2, 3]),
    (1054, &[1]),
    (1056, &[1]),
    (20000, &[1, 2, 3]),
    (20001, &[1, 2, 3, 4, 5, 10]),
    (20102, &[1, 2]),
    (20200, &[1, 2]),
    (20201, &[1]),
    (20202, &[1, 2]),
    (20203, &[1]),
    (20204, &[1]),
    (20205, &[1, 2, 3, 4, 5]),
    (20206, &[1, 2, 3, 4]),
    (20209, &[1, 2, 3, 4, 5, 6, 7, 8]),
    (20211, &[1, 2, 3, 4]),
    (20213, &[1]),
    (20214, &[1, 2, 3, 4, 5]),
    (20216, &[1, 2, 3, 4, 5, 6, 7, 8, 9]),
    (20217, &[1, 2, 3, 4, 5]),
    (20220, &[1, 2, 3]),
    (20221, &[1, 2, 3, 4]),
    (20301, &[1, 2, 3]),
    (20302, &[1, 2, 3]),
    (20303, &[1]),
    (20408, &[1, 2, 3, 4, 5]),
    (20413, &[1, 2, 3, 4, 5, 6, 7, 8]),
    (20414, &[1, 2, 3, 4, 5, 6]),
    (20415, &[1, 2]),
    (20500, &[1, 2, 3, 4]),
    (20501, &[1, 2, 3, 4, 5]),
    (20503, &[1, 2]),
    (20504, &[1, 2, 3]),
    (20505, &[1, 2, 3, 4, 5]),
];

/// Content types of the control channel that have headers of their own, with those.
const CONTROL_HEADERS: &[(i32, &[i32])] = &[
    (1001, &[1100]),
    (1022, &[1101, 1102, 1103, 1104]),
    (20000, &[1024]),
    (20001, &[1024, 1025]),
    (20002, &[18, 1014, 1026]),
    (20200, &[1013, 1014]),
    (20201, &[1013, 1014]),
    (20218, &[10, 11, 12, 13, 14]),
    (20219, &[10, 11, 12, 13]),
    (20222, &[10, 12, 13, 14, 15, 16, 17]),
    (20223, &[10, 11, 12, 13]),
    (20412, &[1022, 1023]),
    (20500, &[1026]),
    (20501, &[1026]),
    (20506, &[1025]),
];

/// The same at the edge.
const EDGE: &[(i32, &[u32])] = &[
    (10800, &[1]),
    (10900, &[1]),
    (10903, &[1, 2, 3, 4, 5]),
    (10904, &[1, 2, 4, 5, 6]),
];

const EDGE_HEADERS: &[(i32, &[i32])] = &[
    (
        60783,
        &[1000, 1003, 1006, 1008, 1009, 1011, 1025, 1027, 1028],
    ),
    (60784, &[1000, 1003, 1012, 1026, 1027, 1028, 1029, 1030]),
    (60785, &[1000, 1001, 1014, 1026, 1033]),
    (60786, &[128, 1000, 1001, 1010]),
    (
        60787,
        &[
            1000, 1003, 1008, 1011, 1012, 1025, 1026, 1028, 1029, 1030, 1034, 1035,
        ],
    ),
    (60789, &[1000, 1001]),
    (
        60790,
        &[
            1000, 1001, 1003, 1004, 1005, 1006, 1007, 1009, 1012, 1021, 1023, 1024, 1028,
        ],
    ),
    (60791, &[1000, 1001]),
    (60794, &[1000, 1001, 1004, 1005]),
    (60795, &[1000, 1001, 1013]),
    (60796, &[1000, 1015, 1016, 1019]),
    (60797, &[1000, 1015, 1016, 1017, 1018, 1019, 1020]),
    (60798, &[1000]),
    (60799, &[1000, 1022]),
    (60800, &[1000]),
    (60802, &[1014, 1033]),
    (60804, &[1000, 1031]),
    (60805, &[1000, 1022]),
    (
        60806,
        &[
            1000, 1003, 1006, 1008, 1009, 1011, 1025, 1027, 1028, 1036, 1037,
        ],
    ),
];

/// The same on the management channel.
const MANAGEMENT: &[(i32, &[u32])] = &[
    (10044, &[1, 2, 3, 4]),
    (10046, &[1, 2, 3]),
    (10047, &[1, 2, 3, 4, 5, 6, 7, 8, 9]),
    (10048, &[1, 2]),
    (10049, &[1, 2, 3]),
    (10100, &[1, 2, 3, 4, 5]),
    (10101, &[1, 2, 3]),
    (10102, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
    (10103, &[1]),
    (10104, &[1, 2, 3]),
    (10105, &[1, 2, 3, 4, 5]),
    (10106, &[1]),
    (10107, &[1, 2, 3]),
    (10108, &[1, 2, 3, 4, 5]),
    (10109, &[1, 2, 3]),
    (10110, &[1, 2, 3]),
    (10111, &[1, 2, 3, 4, 5]),
    (10112, &[1]),
    (10113, &[1, 2, 3]),
    (10114, &[1, 2, 3, 4, 5]),
    (10115, &[1]),
    (10116, &[1, 2, 3]),
    (10117, &[1, 2, 3, 4, 5]),
    (10118, &[1]),
    (10119, &[1, 2, 3]),
    (10120, &[1, 2, 3, 4, 5]),
    (10121, &[1, 2, 3]),
    (10123, &[1, 2, 3]),
    (10124, &[1, 2, 3, 4]),
];

/// Content types of circuits.
const XGRESS_HEADERS: &[(i32, &[i32])] = &[
    (
        1100,
        &[1000, 2000, 2001, 2016, 2255, 2256, 2257, 2258, 2260],
    ),
    (1101, &[1000, 2256, 2258, 2259, 2260]),
];

fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(u8::try_from(number & 0x7f).unwrap() | 0x80);
        number >>= 7;
    }
    out.push(u8::try_from(number).unwrap());
}

/// A field of a random shape.
fn field(random: &mut Random, depth: u32) -> Vec<u8> {
    let mut out = Vec::new();
    let tag = random.below(21) + 1;
    let tag = if tag > 20 {
        30 + random.below(2) * 10
    } else {
        tag
    };
    let content = match random.below(6) {
        0 | 1 => {
            varint(tag << 3, &mut out);
            let number = random.next() >> [0, 32, 48, 56, 62][random.index(5)];
            varint(number, &mut out);
            return out;
        },
        2 => {
            varint(tag << 3 | 1, &mut out);
            let number = f64::from(random.word()) / 16.0;
            out.extend(number.to_le_bytes());
            return out;
        },
        3 if depth > 0 => {
            let fields = random.below(5);
            (0..fields).flat_map(|_| field(random, depth - 1)).collect()
        },
        // An entry of a map.
        4 if depth > 0 => {
            let key = [&b"\x0a\x01k"[..], b"\x08\x07"][random.index(2)];
            let mut entry = key.to_vec();
            let value = field(random, depth - 1);
            // The value of a map has tag 2, whatever its shape.
            let kind = value[0] & 7;
            entry.push(2 << 3 | kind);
            let tag_bytes = if tag_of(&value) > 15 { 2 } else { 1 };
            entry.extend(&value[tag_bytes..]);
            entry
        },
        _ => {
            let length = random.below(12);
            (0..length)
                .map(|_| b'a' + u8::try_from(random.below(26)).unwrap())
                .collect()
        },
    };
    varint(tag << 3 | 2, &mut out);
    varint(u64::try_from(content.len()).unwrap(), &mut out);
    out.extend(content);
    out
}

/// The tag of the field at the start.
fn tag_of(field: &[u8]) -> u32 {
    let low = u32::from(field[0]) >> 3 & 0xf;
    let high = if field[0] & 0x80 == 0 {
        0
    } else {
        u32::from(field[1])
    };
    high << 4 | low
}

/// The tags of the fields of a message.
fn tags_of(mut body: &[u8]) -> BTreeSet<u32> {
    let number = |body: &mut &[u8]| {
        let mut number = 0;
        for shift in (0..).step_by(7) {
            let byte = body[0];
            *body = &body[1..];
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                break;
            }
        }
        number
    };
    let mut tags = BTreeSet::new();
    while !body.is_empty() {
        let key = number(&mut body);
        tags.insert(u32::try_from(key >> 3).unwrap());
        let skipped = match key & 7 {
            0 => {
                number(&mut body);
                0
            },
            1 => 8,
            2 => usize::try_from(number(&mut body)).unwrap(),
            kind => panic!("wire type {kind}"),
        };
        body = &body[skipped..];
    }
    tags
}

/// The headers that no message can do without.
fn needed(content_type: i32) -> Headers {
    let keys: &[i32] = match content_type {
        20200 | 20201 => &[1013, 1014],
        _ => &[],
    };
    let headers = keys.iter().map(|key| HeaderKey(*key));
    headers
        .fold(Headers::builder(), |all, key| all.string(key, "instant"))
        .build()
}

/// Draws bodies, and returns the fields that were decoded and encoded.
fn bodies(rewrite: Rewrite, content_type: i32, rounds: u64) -> BTreeSet<u32> {
    let mut random = Random::new(u64::from(content_type.unsigned_abs()), "bodies");
    let message = |body: &[u8]| {
        Message::new(ContentType(content_type))
            .with_headers(needed(content_type))
            .with_body(body.to_vec())
    };
    let mut found = BTreeSet::new();
    for _ in 0..rounds {
        let mut body = Vec::new();
        for _ in 0..random.below(12) {
            let field = field(&mut random, 3);
            if rewrite(&message(&field)).is_some() {
                body.extend(field);
            }
        }
        let written = rewrite(&message(&body)).expect("each field of it can be decoded");
        let again = rewrite(&written).unwrap();
        assert_eq!(again, written);
        found.extend(tags_of(&written.body));
    }
    found
}

#[test]
fn every_field_comes_back() {
    for (rewrite, table) in [
        (control as Rewrite, CONTROL),
        (edge, EDGE),
        (management, MANAGEMENT),
    ] {
        for (content_type, fields) in table {
            let found = bodies(rewrite, *content_type, 600);
            assert!(found.iter().eq(*fields), "{content_type}: {found:?}");
        }
    }
}

/// A value of a random shape.
fn value(random: &mut Random) -> Bytes {
    let list = |entry: &[u8]| [&1_u32.to_le_bytes()[..], entry].concat();
    match random.below(9) {
        0 => Vec::new(),
        1 => vec![1],
        2 => vec![u8::try_from(random.below(3)).unwrap()],
        3 => random.word().to_le_bytes()[..2].to_vec(),
        4 => random.word().to_le_bytes().to_vec(),
        5 => random.next().to_le_bytes().to_vec(),
        6 => list(b"\x02\0\0\0ab"),
        7 => list(b"\x01\0\0\0k\x01\0\0\0v"),
        _ => list(b"\xeb\x03\0\0\x01\0\0\0v"),
    }
    .into()
}

/// Draws headers, and returns those that were decoded and encoded.
fn headers(rewrite: Rewrite, content_type: i32, known: &[i32], rounds: u64) -> BTreeSet<i32> {
    let mut random = Random::new(u64::from(content_type.unsigned_abs()), "headers");
    let mut found = BTreeSet::new();
    for _ in 0..rounds {
        let mut headers = Headers::builder();
        // What most headers that have to be there take: text, numbers of 32 or 64 bits, a list.
        for key in known.iter().filter(|_| random.below(8) > 0) {
            headers = match key {
                1000 | 1016 | 1101 => headers.u32(HeaderKey(*key), 7),
                1015 | 1025 | 2257 => headers.u64(HeaderKey(*key), 7),
                1022 => headers.bytes(HeaderKey(*key), &[2]),
                1031 => headers.string_list(HeaderKey(*key), &["circuits"]).unwrap(),
                _ => headers.string(HeaderKey(*key), "c1"),
            };
        }
        for _ in 0..=random.below(4) {
            let key = known[random.index(known.len())];
            headers = headers.bytes(HeaderKey(key), &value(&mut random));
        }
        let unknown = headers.string(HeaderKey(77), "new");
        let message = Message::new(ContentType(content_type)).with_headers(unknown.build());
        let Some(written) = rewrite(&message) else {
            continue;
        };
        assert_eq!(rewrite(&written), Some(written.clone()));
        found.extend(written.headers.iter().map(|(key, _)| key.0));
    }
    found
}

#[test]
fn every_header_comes_back() {
    for (rewrite, table) in [
        (control as Rewrite, CONTROL_HEADERS),
        (edge, EDGE_HEADERS),
        (edge, XGRESS_HEADERS),
        (link, XGRESS_HEADERS),
        (management, &[(10041, &[10])]),
    ] {
        for (content_type, keys) in table {
            let found = headers(rewrite, *content_type, keys, 800);
            assert!(found.iter().eq(*keys), "{content_type}: {found:?}");
        }
    }
}
