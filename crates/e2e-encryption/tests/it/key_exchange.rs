//! Both ends arrive at the same keys, which are those of libsodium's `crypto_kx`.

use crate::support::array;
use portcullis_e2e_encryption::{KeyExchangeError, KeyPair, PublicKey, Role};
use proptest::prelude::*;

#[test]
fn keys_are_those_of_libsodium() {
    let client = KeyPair::from_secret([1; 32]).unwrap();
    let host = KeyPair::from_secret([2; 32]).unwrap();
    assert_eq!(
        client.public_key().as_bytes(),
        &array::<32>("a4e09292b651c278b9772c569f5fa9bb13d906b46ab68c9df9dc2b4409f8a209")
    );
    assert_eq!(
        host.public_key().as_bytes(),
        &array::<32>("ce8d3ad1ccb633ec7b70c17814a5c76ecd029685050d344745ba05870e587d59")
    );
    let keys = client.agree(Role::Client, &host.public_key()).unwrap();
    assert_eq!(
        keys.receive.expose(),
        &array::<32>("4569885e3fc87a31376ed87c220f5aba6941fbdb8f18ae14880028c7af6a6401")
    );
    assert_eq!(
        keys.send.expose(),
        &array::<32>("9c5ef3ae6de0d9f80408d03495e5ebd68028b17d58e03dccf4ac736a007220dd")
    );
}

/// With these keys everybody would know the shared secret.
#[test]
fn points_of_low_order_are_refused() {
    let pair = KeyPair::from_secret([1; 32]).unwrap();
    for point in [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ] {
        let point = PublicKey::try_from(&array::<32>(point)[..]).unwrap();
        for role in [Role::Client, Role::Server] {
            let agreed = pair.agree(role, &point);
            assert_eq!(
                agreed.err(),
                Some(KeyExchangeError::Unacceptable),
                "{point:?}"
            );
        }
    }
}

#[test]
fn public_keys_have_32_bytes() {
    for length in [0, 31, 33, 65] {
        let key = PublicKey::try_from(&vec![1; length][..]);
        assert_eq!(key, Err(KeyExchangeError::WrongLength), "{length}");
    }
}

#[test]
fn secrets_are_not_shown() {
    let pair = KeyPair::from_secret([0xab; 32]).unwrap();
    let keys = pair.agree(Role::Client, &pair.public_key()).unwrap();
    let shown = format!("{keys:?}");
    assert_eq!(
        shown,
        "StreamKeys { receive: StreamKey(…), send: StreamKey(…) }"
    );
    assert!(!format!("{pair:?}").contains("171, 171"), "{pair:?}");
}

proptest! {
    #[test]
    fn both_ends_agree(one: [u8; 32], other: [u8; 32]) {
        let one = KeyPair::from_secret(one).unwrap();
        let other = KeyPair::from_secret(other).unwrap();
        let client = one.agree(Role::Client, &other.public_key()).unwrap();
        let server = other.agree(Role::Server, &one.public_key()).unwrap();
        prop_assert_eq!(client.send.expose(), server.receive.expose());
        prop_assert_eq!(client.receive.expose(), server.send.expose());
        prop_assert_ne!(client.send.expose(), client.receive.expose());
    }
}
