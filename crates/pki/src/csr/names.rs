//! Subject alternative names in certificate requests.

use super::{Csr, CsrError};
use crate::signed::elements;
use const_oid::ObjectIdentifier;
use const_oid::db::rfc5280::ID_CE_SUBJECT_ALT_NAME;
use const_oid::db::rfc5912::ID_EXTENSION_REQ;
use der::{
    Decode as _, Encode as _, Reader as _, SliceReader,
    asn1::{Any, AnyRef, OctetString, SetOfVec},
};
use x509_cert::attr::{Attribute, Attributes};
use x509_cert::ext::Extension;
use x509_cert::ext::pkix::{SubjectAltName, name::GeneralName};

impl Csr {
    /// The requested names in their order.
    ///
    /// # Errors
    ///
    /// [`CsrError::InvalidNames`] if they cannot be parsed.
    pub(crate) fn names(&self) -> Result<Vec<GeneralName>, CsrError> {
        let Some(attributes) = &self.attributes else {
            return Ok(Vec::new());
        };
        parse_names(attributes).or(Err(CsrError::InvalidNames))
    }
}

/// Parses the names in the attributes of a request.
fn parse_names(attributes: &[u8]) -> der::Result<Vec<GeneralName>> {
    let mut names = Vec::new();
    for attribute in set_members(AnyRef::from_der(attributes)?)? {
        let parts = elements(AnyRef::from_der(attribute)?)?;
        let [kind, values] = *parts.as_slice() else {
            continue;
        };
        if ObjectIdentifier::from_der(kind)? != ID_EXTENSION_REQ {
            continue;
        }
        for extensions in set_members(AnyRef::from_der(values)?)? {
            for extension in Vec::<Extension>::from_der(extensions)? {
                if extension.extn_id == ID_CE_SUBJECT_ALT_NAME {
                    names.extend(SubjectAltName::from_der(extension.extn_value.as_bytes())?.0);
                }
            }
        }
    }
    Ok(names)
}

/// Attributes that request these names.
pub(super) fn extension_request(names: Vec<GeneralName>) -> der::Result<Attributes> {
    let extension = Extension {
        extn_id: ID_CE_SUBJECT_ALT_NAME,
        critical: false,
        extn_value: OctetString::new(SubjectAltName(names).to_der()?)?,
    };
    let mut values = SetOfVec::new();
    values.insert(Any::encode_from(&vec![extension])?)?;
    let mut attributes = Attributes::new();
    attributes.insert(Attribute {
        oid: ID_EXTENSION_REQ,
        values,
    })?;
    Ok(attributes)
}

/// Splits a set of any tag into the encodings of its members.
fn set_members(set: AnyRef<'_>) -> der::Result<Vec<&[u8]>> {
    let mut reader = SliceReader::new(set.value())?;
    let mut members = Vec::new();
    while !reader.is_finished() {
        members.push(reader.tlv_bytes()?);
    }
    Ok(members)
}
