//! Percent-encoding of request targets that clients fail to encode.
//!
//! A client that sends a character raw can only mean the character itself.

/// Percent-encodes `target` where it has to be; `None` if it need not be.
pub(crate) fn encode(target: &[u8]) -> Option<Vec<u8>> {
    let start = path_start(target)?;
    let (authority, rest) = target.split_at_checked(start)?;
    let first = rest.iter().position(|byte| must_be_encoded(*byte))?;
    let (clean, dirty) = rest.split_at_checked(first)?;
    let mut encoded = Vec::with_capacity(target.len() + 2 * dirty.len().min(64));
    encoded.extend_from_slice(authority);
    encoded.extend_from_slice(clean);
    for &byte in dirty {
        if must_be_encoded(byte) {
            encoded.extend_from_slice(&[b'%', hex(byte >> 4), hex(byte & 0xF)]);
        } else {
            encoded.push(byte);
        }
    }
    Some(encoded)
}

/// Returns where path and query begin; `*` and the target of CONNECT have none.
fn path_start(target: &[u8]) -> Option<usize> {
    if target.first() == Some(&b'/') {
        return Some(0);
    }
    let authority = target.windows(3).position(|part| part == b"://")? + 3;
    let length = target
        .get(authority..)?
        .iter()
        .position(|byte| matches!(byte, b'/' | b'?'))?;
    Some(authority + length)
}

/// Reports whether hyper refuses or drops the byte in a path or query.
const fn must_be_encoded(byte: u8) -> bool {
    matches!(byte, b'"' | b'#' | b'<' | b'>' | b'`' | 0x80..)
}

fn hex(digit: u8) -> u8 {
    match digit {
        0..=9 => b'0' + digit,
        _ => b'A' + digit - 10,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_printable_byte_is_accepted_and_comes_through() {
        for place in ["/p", "/p?q=", "https://host/p?q=", "http://host?q="] {
            for byte in (0x21..=0x7E_u8).chain(0x80..=0xFF) {
                let mut target = place.as_bytes().to_vec();
                target.push(byte);
                let sent = encode(&target).unwrap_or_else(|| target.clone());
                let uri = http::Uri::try_from(sent.as_slice());
                assert!(uri.is_ok(), "{place} {byte:#x}: {uri:?}");
                let shown = uri.unwrap().to_string();
                let is_kept = shown.as_bytes().ends_with(&[byte]);
                let is_encoded = shown.ends_with(&format!("%{byte:02X}"));
                assert!(is_kept || is_encoded, "{place} {byte:#x}: {shown}");
            }
        }
    }

    #[test]
    fn what_is_encoded_already_stays() {
        for target in [
            "/a?filter=name%3D%22x%22&b=[1]&c=\\",
            "*",
            "host:443",
            "https://host/a%23b",
        ] {
            assert_eq!(encode(target.as_bytes()), None, "{target}");
        }
    }

    #[test]
    fn authority_is_left_alone() {
        let encoded = encode(b"http://ho<st/a<b").unwrap();
        assert_eq!(encoded, b"http://ho<st/a%3Cb");
    }
}
