//! The alternative names that a certificate request asks for.

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
    /// The names, in their order; none where it asks for none.
    ///
    /// # Errors
    ///
    /// [`CsrError::Names`] when they cannot be read.
    pub(crate) fn names(&self) -> Result<Vec<GeneralName>, CsrError> {
        let Some(attributes) = &self.attributes else {
            return Ok(Vec::new());
        };
        read(attributes).or(Err(CsrError::Names))
    }
}

/// Reads the names out of the attributes of a request.
fn read(attributes: &[u8]) -> der::Result<Vec<GeneralName>> {
    let mut names = Vec::new();
    for attribute in members(AnyRef::from_der(attributes)?)? {
        let parts = elements(AnyRef::from_der(attribute)?)?;
        let [kind, values] = *parts.as_slice() else {
            continue;
        };
        if ObjectIdentifier::from_der(kind)? != ID_EXTENSION_REQ {
            continue;
        }
        for extensions in members(AnyRef::from_der(values)?)? {
            for extension in Vec::<Extension>::from_der(extensions)? {
                if extension.extn_id == ID_CE_SUBJECT_ALT_NAME {
                    names.extend(SubjectAltName::from_der(extension.extn_value.as_bytes())?.0);
                }
            }
        }
    }
    Ok(names)
}

/// Attributes that ask for these names.
pub(super) fn asking_for(names: Vec<GeneralName>) -> der::Result<Attributes> {
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

/// Splits a set, whatever its tag, into the encodings of its members.
fn members(set: AnyRef<'_>) -> der::Result<Vec<&[u8]>> {
    let mut reader = SliceReader::new(set.value())?;
    let mut members = Vec::new();
    while !reader.is_finished() {
        members.push(reader.tlv_bytes()?);
    }
    Ok(members)
}
