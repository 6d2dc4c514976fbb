//! Header blocks: encodings, and blocks that lie.

use bytes::Bytes;
use portcullis_channel::headers::{EncodeError, HeaderError, MAX_ENTRIES, MAX_ENTRY_BYTES};
use portcullis_channel::{HeaderKey, Headers};

const KEY: HeaderKey = HeaderKey(1000);

fn value(bytes: &[u8]) -> Headers {
    Headers::builder().bytes(KEY, bytes).build()
}

#[test]
fn every_encoding_comes_back() {
    let key = HeaderKey;
    let headers = Headers::builder()
        .string(key(1), "größe")
        .bool(key(2), true)
        .u8(key(3), 3)
        .u16(key(4), 0x1234)
        .u32(key(5), 0x1234_5678)
        .u64(key(6), u64::MAX)
        .i32(key(7), -1)
        .bytes(key(-8), b"\0")
        .string_list(key(9), &["a", ""])
        .unwrap()
        .u32_bytes_map(key(10), [(7, &b"x"[..]), (1, b"")].into_iter())
        .unwrap()
        .string_map(key(11), [("k", "v")].into_iter())
        .unwrap()
        .build();
    assert_eq!(headers.string(key(1)), Some("größe"));
    assert_eq!(headers.bool(key(2)), Some(true));
    assert_eq!(headers.u8(key(3)), Some(3));
    assert_eq!(headers.u16(key(4)), Some(0x1234));
    assert_eq!(headers.u32(key(5)), Some(0x1234_5678));
    assert_eq!(headers.u64(key(6)), Some(u64::MAX));
    assert_eq!(headers.i32(key(7)), Some(-1));
    assert_eq!(headers.get(key(-8)), Some(&b"\0"[..]));
    assert_eq!(headers.string_list(key(9)).unwrap(), ["a", ""]);
    assert_eq!(headers.u32_bytes_map(key(10)).unwrap()[&7], "x");
    assert_eq!(headers.string_map(key(11)).unwrap()["k"], "v");
    assert_eq!(Headers::decode(headers.block().clone(), 11), Ok(headers));
}

#[test]
fn numbers_of_another_length_are_absent() {
    for length in [0, 1, 2, 3, 5, 7, 8, 9] {
        let headers = value(&vec![1; length]);
        assert_eq!(headers.u8(KEY).is_some(), length == 1);
        assert_eq!(headers.u16(KEY).is_some(), length == 2);
        assert_eq!(headers.u32(KEY).is_some(), length == 4);
        assert_eq!(headers.u64(KEY).is_some(), length == 8);
    }
}

#[test]
fn only_the_byte_one_is_true() {
    assert_eq!(value(&[1]).bool(KEY), Some(true));
    for other in [&[0][..], &[2], &[1, 1], &[]] {
        assert_eq!(value(other).bool(KEY), Some(false));
    }
    assert_eq!(Headers::empty().bool(KEY), None);
}

#[test]
fn text_that_is_not_utf8_is_absent() {
    assert_eq!(value(&[0xff]).string(KEY), None);
    assert_eq!(
        value(&[1, 0, 0, 0, 1, 0, 0, 0, 0xff]).string_list(KEY),
        None
    );
}

#[test]
fn the_last_of_repeated_keys_counts() {
    let headers = Headers::builder().u8(KEY, 1).u8(KEY, 2).build();
    assert_eq!(headers.u8(KEY), Some(2));
    let later = Headers::builder().append(&headers).u8(KEY, 3).build();
    assert_eq!(later.u8(KEY), Some(3));
}

#[test]
fn an_empty_value_is_an_empty_list() {
    assert_eq!(value(&[]).string_list(KEY), Some(Vec::new()));
    assert!(value(&[]).u32_bytes_map(KEY).unwrap().is_empty());
    assert!(value(&[]).string_map(KEY).unwrap().is_empty());
    let empty = Headers::builder().string_list(KEY, &[]).unwrap().build();
    assert_eq!(empty.get(KEY), Some(&[][..]));
}

#[test]
fn lists_that_lie_are_absent() {
    let entry = [1, 0, 0, 0, b'x'];
    let many = u32::to_le_bytes(MAX_ENTRIES + 1);
    let long = u32::to_le_bytes(MAX_ENTRY_BYTES + 1);
    let lies: [Vec<u8>; 7] = [
        vec![1],
        vec![1, 0, 0, 0],
        [&[2, 0, 0, 0][..], &entry].concat(),
        [&[1, 0, 0, 0][..], &entry, b"y"].concat(),
        [&many[..], &entry.repeat(129)].concat(),
        [&[1, 0, 0, 0][..], &long, &vec![b'x'; 8193]].concat(),
        vec![0xff; 12],
    ];
    for lie in lies {
        assert_eq!(value(&lie).string_list(KEY), None, "{lie:?}");
        assert_eq!(value(&lie).u32_bytes_map(KEY), None, "{lie:?}");
        assert_eq!(value(&lie).string_map(KEY), None, "{lie:?}");
    }
}

#[test]
fn the_longest_lists_are_read() {
    let long = "x".repeat(8192);
    let list = vec![long.as_str(); 128];
    let headers = Headers::builder().string_list(KEY, &list).unwrap().build();
    assert_eq!(headers.string_list(KEY).unwrap(), list);
}

#[test]
fn lists_that_peers_would_not_read_are_not_sent() {
    let long = "x".repeat(8193);
    let refused = Headers::builder().string_list(KEY, &[&long]).unwrap_err();
    assert_eq!(
        refused,
        EncodeError::EntryTooLong {
            key: KEY,
            length: 8193
        }
    );
    let refused = Headers::builder()
        .string_list(KEY, &["x"; 129])
        .unwrap_err();
    assert_eq!(
        refused,
        EncodeError::TooManyEntries {
            key: KEY,
            count: 129
        }
    );
}

#[test]
fn blocks_that_lie_are_refused() {
    let entry = value(b"four").block().clone();
    for length in 1..8 {
        let cut = entry.slice(..length);
        let refused = Headers::decode(cut, 9).unwrap_err();
        assert_eq!(refused, HeaderError::TruncatedHead { offset: 0 });
    }
    for length in 8..12 {
        let cut = [entry.clone(), entry.slice(..length)].concat();
        let refused = Headers::decode(Bytes::from(cut), 9).unwrap_err();
        let (offset, claimed) = (12, 4);
        assert_eq!(
            refused,
            HeaderError::TruncatedValue {
                key: KEY,
                offset,
                claimed
            }
        );
    }
    let huge = Bytes::from_static(&[0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]);
    assert!(matches!(
        Headers::decode(huge, 9),
        Err(HeaderError::TruncatedValue { .. })
    ));
}

#[test]
fn headers_are_counted() {
    let block = Headers::builder().u8(KEY, 1).u8(KEY, 1).build();
    assert!(Headers::decode(block.block().clone(), 2).is_ok());
    let refused = Headers::decode(block.block().clone(), 1).unwrap_err();
    assert_eq!(refused, HeaderError::TooMany { limit: 1 });
}

#[test]
fn what_is_printed_holds_no_values() {
    let printed = format!("{:?}", value(b"session token"));
    assert_eq!(printed, "{1000: 13}");
}
