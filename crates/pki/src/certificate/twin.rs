//! Signature malleability: the second certificate that the same signature yields.
//!
//! If (r, s) is an ECDSA signature, so is (r, n - s), where n is the order of the curve, and
//! computing it takes no key. A certificate signed this way has a twin with the same contents and
//! another fingerprint. RSA and Ed25519 signatures cannot be rewritten.

use der::{Decode as _, Encode as _, Tag, asn1::AnyRef, asn1::BitString, asn1::UintRef};

use super::Certificate;
use crate::key::PublicKeyKind;
use crate::signed::{SignedStructure, elements};

impl Certificate {
    /// The other certificate with the same contents that verifies with the key of `issuer`, which
    /// signed this one. `None` if signatures of that key cannot be rewritten.
    pub fn twin(&self, issuer: &Self) -> Option<Self> {
        let order = curve_order(issuer.public_key().ok()?.kind())?;
        let signed = SignedStructure::parse(self.as_der()).ok()?;
        let mirrored = negate_s(signed.signature()?, order)?;
        let [contents, algorithm, _] = elements(AnyRef::from_der(self.as_der()).ok()?)
            .ok()?
            .try_into()
            .ok()?;
        let signature = BitString::from_bytes(&mirrored).ok()?.to_der().ok()?;
        let whole = [contents, algorithm, &signature].concat();
        let whole = AnyRef::new(Tag::Sequence, &whole).ok()?.to_der().ok()?;
        Self::from_der(whole).ok()
    }
}

/// Replaces s by n - s in an ECDSA signature in DER (RFC 3279 section 2.2.3).
fn negate_s(signature: &[u8], order: &[u8]) -> Option<Vec<u8>> {
    let [r, s] = Vec::<UintRef<'_>>::from_der(signature)
        .ok()?
        .try_into()
        .ok()?;
    let mirrored = subtract(order, s.as_bytes())?;
    vec![r, UintRef::new(&mirrored).ok()?].to_der().ok()
}

/// Subtracts a big-endian number from another that is not smaller, in as many bytes as the latter.
fn subtract(from: &[u8], number: &[u8]) -> Option<Vec<u8>> {
    if number.len() > from.len() {
        return None;
    }
    let number = number.iter().rev().chain(std::iter::repeat(&0));
    let mut borrow = false;
    let mut difference: Vec<u8> = from
        .iter()
        .rev()
        .zip(number)
        .map(|(digit, taken)| {
            let (digit, first) = digit.overflowing_sub(*taken);
            let (digit, second) = digit.overflowing_sub(borrow.into());
            borrow = first || second;
            digit
        })
        .collect();
    difference.reverse();
    (!borrow).then_some(difference)
}

/// The group order of the curve for ECDSA keys (SEC 2).
fn curve_order(kind: PublicKeyKind) -> Option<&'static [u8]> {
    match kind {
        PublicKeyKind::P256 => Some(&P256_ORDER),
        PublicKeyKind::P384 => Some(&P384_ORDER),
        PublicKeyKind::P521 => Some(&P521_ORDER),
        PublicKeyKind::Rsa { .. } | PublicKeyKind::Ed25519 => None,
    }
}

const P256_ORDER: [u8; 32] = [
    0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
];

const P384_ORDER: [u8; 48] = [
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xc7, 0x63, 0x4d, 0x81, 0xf4, 0x37, 0x2d, 0xdf,
    0x58, 0x1a, 0x0d, 0xb2, 0x48, 0xb0, 0xa7, 0x7a, 0xec, 0xec, 0x19, 0x6a, 0xcc, 0xc5, 0x29, 0x73,
];

const P521_ORDER: [u8; 66] = [
    0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xff, 0xfa, 0x51, 0x86, 0x87, 0x83, 0xbf, 0x2f, 0x96, 0x6b, 0x7f, 0xcc, 0x01, 0x48, 0xf7, 0x09,
    0xa5, 0xd0, 0x3b, 0xb5, 0xc9, 0xb8, 0x89, 0x9c, 0x47, 0xae, 0xbb, 0x6f, 0xb7, 0x1e, 0x91, 0x38,
    0x64, 0x09,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_subtracted_with_borrows() {
        for (from, number, expected) in [
            (&[1, 0, 0][..], &[1][..], Some(vec![0, 0xff, 0xff])),
            (&[5, 7], &[2, 9], Some(vec![2, 0xfe])),
            (&[5, 7], &[5, 7], Some(vec![0, 0])),
            (&[5, 7], &[5, 8], None),
            (&[5], &[0, 5], None),
        ] {
            assert_eq!(subtract(from, number), expected, "{from:?} - {number:?}");
        }
    }
}
