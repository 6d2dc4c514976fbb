//! What lies on the disk: frames of values, and keys.

use crate::driver::{fuzz, place};
use portcullis_storage::frame::{decode, encode};
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{AUTHENTICATOR, IDENTITY};

const KEY: &[u8] = b"key";

/// A frame that is accepted is one that would be written for its body.
#[test]
fn fuzzed_frames_are_damage_unless_they_are_whole() {
    let inputs = [b"".as_slice(), b"{}", &[0; 300]].map(|body| encode(KEY, body));
    fuzz("frames", inputs.into(), |input| match decode(KEY, input) {
        Ok(body) if encode(KEY, body) == input => Ok("whole".to_owned()),
        Ok(_) => Err("a frame is accepted that was never written".to_owned()),
        Err(damage) => Ok(place(&damage.reason)),
    });
}

/// A key that is read is one that would be written for the same record.
#[test]
fn fuzzed_keys_are_refused_unless_they_are_canonical() {
    let root = RecordKey::root(IDENTITY, 7);
    let inputs = [root, root.dependent(AUTHENTICATOR, u64::MAX)].map(|key| key.as_bytes().to_vec());
    fuzz(
        "keys of records",
        inputs.into(),
        |input| match RecordKey::parse(input) {
            Some(key) if key.as_bytes() == input => Ok(place(&key.is_root())),
            Some(_) => Err("a key is read that was never written".to_owned()),
            None => Ok("no key".to_owned()),
        },
    );
}
