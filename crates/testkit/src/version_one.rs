//! X.509 version 1 certificates, as older tools issue them without extensions.

use portcullis_pki::Certificate;

/// Converts `certificate`, in DER, to version 1 by removing its extensions; `sign` signs it with the
/// key of the original issuer.
pub fn version_one(certificate: &[u8], sign: impl FnOnce(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let [body, algorithm, _signature] = parts(contents(certificate)).try_into().unwrap();
    // Version and extensions are the members with context tags 0 and 3 (RFC 5280 section 4.1).
    let members = parts(contents(body)).into_iter();
    let kept: Vec<&[u8]> = members
        .filter(|member| !matches!(member[0], 0xa0 | 0xa3))
        .collect();
    let body = element(0x30, &kept.concat());
    let signature = element(0x03, &[&[0], sign(&body).as_slice()].concat());
    let certificate_v1 = element(0x30, &[&body, algorithm, &signature].concat());
    assert!(Certificate::from_der(certificate_v1.as_slice()).is_ok());
    certificate_v1
}

/// Lengths of the head of the first element, and of the whole element.
fn lengths(der: &[u8]) -> (usize, usize) {
    let first = usize::from(der[1]);
    if first < 0x80 {
        return (2, 2 + first);
    }
    let head = 2 + (first & 0x7f);
    let length = der[2..head]
        .iter()
        .fold(0, |so_far, byte| so_far << 8 | usize::from(*byte));
    (head, head + length)
}

fn contents(element: &[u8]) -> &[u8] {
    let (head, whole) = lengths(element);
    &element[head..whole]
}

fn parts(mut der: &[u8]) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    while !der.is_empty() {
        let (part, rest) = der.split_at(lengths(der).1);
        parts.push(part);
        der = rest;
    }
    parts
}

fn element(tag: u8, contents: &[u8]) -> Vec<u8> {
    let length = u16::try_from(contents.len()).unwrap().to_be_bytes();
    let length: &[u8] = match contents.len() {
        0..0x80 => &length[1..],
        0x80..0x100 => &[0x81, length[1]],
        _ => &[0x82, length[0], length[1]],
    };
    [&[tag], length, contents].concat()
}
