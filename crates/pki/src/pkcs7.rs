//! Certificate bundles as PKCS#7 "certs-only" messages (RFC 5652 section 5, RFC 7030 section 4.1.3).

use base64::{Engine as _, engine::general_purpose::STANDARD};
use const_oid::db::rfc5911::{ID_DATA, ID_SIGNED_DATA};
use der::{
    Decode as _, Encode as _, Reader as _, SliceReader, Tag, TagNumber, Tagged as _,
    asn1::{AnyRef, ObjectIdentifier},
};

use crate::{
    certificate::{Certificate, CertificateError},
    pem,
};

const MAX_BYTES: usize = 4 * 1024 * 1024;
const EXPLICIT_0: Tag = Tag::ContextSpecific {
    constructed: true,
    number: TagNumber(0),
};

/// A bundle could not be decoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Pkcs7Error {
    #[error("the certificate bundle is larger than 4 MiB")]
    TooLarge,
    #[error("the certificate bundle is not base64")]
    NotBase64,
    /// The bytes are not a PKCS#7 message with certificates.
    #[error("the certificate bundle is not a PKCS#7 message with certificates")]
    Malformed,
    #[error("a certificate of the bundle cannot be read")]
    Certificate(#[from] CertificateError),
}

/// Encodes the CA certificates among `certificates` as a bundle in DER, each of them once.
///
/// Other certificates are left out, because clients would trust them.
///
/// # Errors
///
/// [`der::Error`] if the bundle is too large for DER.
pub fn encode_der<'a>(
    certificates: impl IntoIterator<Item = &'a Certificate>,
) -> Result<Vec<u8>, der::Error> {
    let mut bundle: Vec<&[u8]> = certificates
        .into_iter()
        .filter(|certificate| certificate.is_ca())
        .map(Certificate::as_der)
        .collect();
    // The order of a set in DER.
    bundle.sort_unstable();
    bundle.dedup();

    let content = encode_element(Tag::Sequence, &ID_DATA.to_der()?)?;
    let signed_data = encode_element(
        Tag::Sequence,
        &[
            1_u8.to_der()?,
            encode_element(Tag::Set, &[])?,
            content,
            encode_element(EXPLICIT_0, &bundle.concat())?,
            encode_element(Tag::Set, &[])?,
        ]
        .concat(),
    )?;
    let wrapped = encode_element(EXPLICIT_0, &signed_data)?;
    encode_element(Tag::Sequence, &[ID_SIGNED_DATA.to_der()?, wrapped].concat())
}

/// Encodes the bundle of [`encode_der`] in base64, in lines of 64 characters, without a trailing
/// newline.
///
/// # Errors
///
/// As for [`encode_der`].
pub fn encode_base64<'a>(
    certificates: impl IntoIterator<Item = &'a Certificate>,
) -> Result<String, der::Error> {
    encode_der(certificates).map(|der| pem::base64_lines(&der))
}

fn encode_element(tag: Tag, value: &[u8]) -> Result<Vec<u8>, der::Error> {
    AnyRef::new(tag, value)?.to_der()
}

/// Decodes the certificates of a bundle in base64; white space is ignored.
///
/// # Errors
///
/// [`Pkcs7Error`].
pub fn decode_base64(text: &str) -> Result<Vec<Certificate>, Pkcs7Error> {
    if text.len() > MAX_BYTES {
        return Err(Pkcs7Error::TooLarge);
    }
    let compact: String = text
        .chars()
        .filter(|character| !character.is_whitespace())
        .collect();
    decode_der(&STANDARD.decode(compact).or(Err(Pkcs7Error::NotBase64))?)
}

/// Decodes all certificates of a bundle in DER, in their order.
///
/// # Errors
///
/// [`Pkcs7Error`].
pub fn decode_der(der: &[u8]) -> Result<Vec<Certificate>, Pkcs7Error> {
    if der.len() > MAX_BYTES {
        return Err(Pkcs7Error::TooLarge);
    }
    let certificates = certificate_set(der)
        .ok()
        .flatten()
        .ok_or(Pkcs7Error::Malformed)?;
    certificates
        .into_iter()
        .map(|certificate| Certificate::from_der(certificate).map_err(Pkcs7Error::from))
        .collect()
}

fn certificate_set(der: &[u8]) -> Result<Option<Vec<&[u8]>>, der::Error> {
    let outer = AnyRef::from_der(der)?;
    outer.tag().assert_eq(Tag::Sequence)?;
    let mut reader = SliceReader::new(outer.value())?;
    if reader.decode::<ObjectIdentifier>()? != ID_SIGNED_DATA {
        return Ok(None);
    }
    let wrapped: AnyRef<'_> = reader.decode()?;
    wrapped.tag().assert_eq(EXPLICIT_0)?;
    let signed_data = AnyRef::from_der(wrapped.value())?;
    let mut reader = SliceReader::new(signed_data.value())?;
    for _version_digests_content in 0..3 {
        reader.decode::<AnyRef<'_>>()?;
    }
    let set: AnyRef<'_> = reader.decode()?;
    if set.tag() != EXPLICIT_0 {
        return Ok(None);
    }
    let mut reader = SliceReader::new(set.value())?;
    let mut certificates = Vec::new();
    while !reader.is_finished() {
        certificates.push(reader.tlv_bytes()?);
    }
    Ok(Some(certificates))
}
