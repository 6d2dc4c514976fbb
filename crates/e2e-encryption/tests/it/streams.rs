//! Streams, as libsodium seals them, and what breaks them.

use crate::support::{array, hex};
use bytes::Bytes;
use portcullis_e2e_encryption::{Header, OVERHEAD, OpenError, Opener, Sealer, StreamKey};
use proptest::collection::vec;
use proptest::prelude::*;

fn key() -> StreamKey {
    StreamKey::from([7; 32])
}

const HEADER: Header = Header([9; 24]);

#[test]
fn messages_are_sealed_as_libsodium_does() {
    let key = "480bdea030a86ed807fc1a1d23bdd7d45913720606246843a1069d26af2bfc88";
    let key = StreamKey::from(array::<32>(key));
    let header = Header(array("935fe5c1a35df22dbbd783490a8f0de08846a12d62c6da13"));
    let mut sealer = Sealer::new(&key, &header);
    let mut opener = Opener::new(&key, &header);
    for (message, sealed) in [
        ("hello", "0f9eaf8697a693cc9db46e6031af678860535810e11b"),
        ("world", "b6bf4e7e7e64252540b55d950c1e55dcb0bd40e284a1"),
    ] {
        assert_eq!(sealer.seal(message.as_bytes()), hex(sealed), "{message}");
        assert_eq!(opener.open(hex(sealed).into()).unwrap(), message);
    }
}

/// Made with libsodium: an empty message, one that does not end with a block, and tags after which both
/// ends change their key.
#[test]
fn streams_of_libsodium_are_opened() {
    let key = "480bdea030a86ed807fc1a1d23bdd7d45913720606246843a1069d26af2bfc88";
    let header = "6aef184f4bbd6856e6cc9c9c5f16299d198c346b78861922";
    let mut opener = Opener::new(&StreamKey::from(array::<32>(key)), &Header(array(header)));
    let mut long: Vec<u8> = (0..64).cycle().take(3 * 64).collect();
    long.extend([b'x'; 17]);
    for (message, sealed) in [
        (
            &b"hello"[..],
            "66ce91fc6c824e7b5bd582bcc1f4f461032d0cebded2",
        ),
        (b"", "027de86bb85b936af8a8c3215f99c4e101"),
        (
            &long,
            "7b8ff2af199c7ae851dae6af21355cb063f45301c23994b3ac3a7e778ad9a58d4f4ccbd4fcc4f0adbd66bd12\
             2e676644d8469d9e1ed46c63b0059ff056268dd883918870fec4e165d0e17c46960cf5f32b453065431e5e05\
             e760c95c1089f70e04f0f2018e8e6514ff9fb9b3cbbdcc9ad3755998dd360df503f824aa73ca09b9b86ab72a\
             19ad340b2e38fd8c18e8911e1987ee0d579faea5cef247593e54b50a35e491d0d7e9b08ff1e754fe3f9934dc\
             df2f8d39de74783e5d2e4d718fe2a025cfcc996e3e54e1bd80db87261a37549d0178568dc19fe2045226155a\
             d794dc28f376",
        ),
        (b"rekey", "e71f57b207513a11faafb913b293ab0f7fda27f746dd"),
        (b"after", "21b07f8fecc67448907ac312dc38d05687d45f9bbb87"),
        (b"last", "0e0b0156bb3fe868f7ceca87a4e2969e8436131804"),
        (b"beyond", "96222d2a940d644b585b192ed5cab8c094b3987bc4426e"),
    ] {
        let found = opener.open(hex(sealed).into());
        assert_eq!(found.as_deref(), Ok(message), "{sealed}");
    }
}

#[test]
fn headers_have_24_bytes() {
    for length in [0, 23, 25] {
        let header = Header::try_from(&vec![1; length][..]);
        assert_eq!(header, Err(OpenError::Header), "{length}");
    }
}

/// Only the next message is opened, and one that is not does not disturb it.
#[test]
fn order_and_number_of_messages_are_kept() {
    let mut sealer = Sealer::new(&key(), &HEADER);
    let [first, second, third] =
        ["first", "second", "third"].map(|text| sealer.seal(text.as_bytes()));
    let mut opener = Opener::new(&key(), &HEADER);
    assert_eq!(
        opener.open(second.clone()),
        Err(OpenError::Message),
        "left out"
    );
    assert_eq!(opener.open(first.clone()).unwrap(), "first");
    assert_eq!(opener.open(first), Err(OpenError::Message), "doubled");
    assert_eq!(
        opener.open(third.clone()),
        Err(OpenError::Message),
        "overtaken"
    );
    assert_eq!(opener.open(second).unwrap(), "second");
    assert_eq!(opener.open(third).unwrap(), "third");
}

#[test]
fn streams_depend_on_key_and_header() {
    let sealed = Sealer::new(&key(), &HEADER).seal(b"hello");
    let other_key = StreamKey::from([8; 32]);
    let mut other = Opener::new(&other_key, &HEADER);
    assert_eq!(other.open(sealed.clone()), Err(OpenError::Message));
    let mut last_byte = HEADER;
    last_byte.0[23] ^= 1;
    let mut other = Opener::new(&key(), &last_byte);
    assert_eq!(other.open(sealed), Err(OpenError::Message));
}

/// Memory that others share is not decrypted under their eyes.
#[test]
fn sealed_bytes_of_others_stay_as_they_are() {
    let sealed = Sealer::new(&key(), &HEADER).seal(b"hello");
    let (shared, copy) = (sealed.clone(), sealed.to_vec());
    assert_eq!(Opener::new(&key(), &HEADER).open(sealed).unwrap(), "hello");
    assert_eq!(shared, copy);
}

proptest! {
    #[test]
    fn what_is_sealed_is_opened(messages in vec(vec(any::<u8>(), 0..200), 0..20)) {
        let mut sealer = Sealer::new(&key(), &HEADER);
        let mut opener = Opener::new(&key(), &HEADER);
        for message in messages {
            let sealed = sealer.seal(&message);
            prop_assert_eq!(sealed.len(), message.len() + OVERHEAD);
            prop_assert_eq!(opener.open(sealed).unwrap(), message);
        }
    }

    #[test]
    fn changed_bits_are_noticed(message in vec(any::<u8>(), 0..200), at: prop::sample::Index, bit in 0..8) {
        let sealed = Sealer::new(&key(), &HEADER).seal(&message);
        let mut changed = sealed.to_vec();
        let at = at.index(changed.len());
        changed[at] ^= 1_u8 << bit;
        let mut opener = Opener::new(&key(), &HEADER);
        prop_assert_eq!(opener.open(Bytes::from(changed)), Err(OpenError::Message));
        prop_assert_eq!(opener.open(sealed).unwrap(), message);
    }
}
