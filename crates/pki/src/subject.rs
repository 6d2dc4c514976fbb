//! Distinguished names that the controller writes into certificates.

use const_oid::{
    ObjectIdentifier,
    db::rfc4519::{
        C, COMMON_NAME, L, O, ORGANIZATIONAL_UNIT_NAME, POSTAL_CODE, SERIAL_NUMBER, ST, STREET,
    },
};
use der::{Decode as _, Encode as _, Tag, Tagged as _, asn1::Any};
use x509_cert::{
    attr::AttributeTypeAndValue,
    name::{Name, RdnSequence, RelativeDistinguishedName},
};

/// The attributes of a subject in the order in which they are written, and whether an attribute can
/// occur only once. All others in a request are dropped.
const ATTRIBUTES: [(ObjectIdentifier, bool); 9] = [
    (C, false),
    (O, false),
    (ORGANIZATIONAL_UNIT_NAME, false),
    (L, false),
    (ST, false),
    (STREET, false),
    (POSTAL_CODE, false),
    (COMMON_NAME, true),
    (SERIAL_NUMBER, true),
];

/// A distinguished name of the attributes that certificates of this network contain.
///
/// The attributes are country, organization, organizational unit, locality, state, street, postal
/// code, common name and serial number, always written in this order. Nothing is decided by a
/// subject: the holder of a certificate is in its subject alternative name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subject {
    values: Vec<(ObjectIdentifier, String)>,
}

impl Subject {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a country, two letters.
    #[must_use]
    pub fn country(self, value: &str) -> Self {
        self.with_attribute(C, value)
    }

    #[must_use]
    pub fn organization(self, value: &str) -> Self {
        self.with_attribute(O, value)
    }

    #[must_use]
    pub fn organizational_unit(self, value: &str) -> Self {
        self.with_attribute(ORGANIZATIONAL_UNIT_NAME, value)
    }

    #[must_use]
    pub fn locality(self, value: &str) -> Self {
        self.with_attribute(L, value)
    }

    /// Adds a state or province.
    #[must_use]
    pub fn state(self, value: &str) -> Self {
        self.with_attribute(ST, value)
    }

    /// Sets the common name; the last call wins.
    #[must_use]
    pub fn common_name(self, value: &str) -> Self {
        self.with_attribute(COMMON_NAME, value)
    }

    /// The common name, if there is one; the last of several.
    pub fn last_common_name(&self) -> Option<&str> {
        let is_common_name = |(oid, _): &&(ObjectIdentifier, String)| *oid == COMMON_NAME;
        let last = self.values.iter().rfind(is_common_name);
        last.map(|(_, value)| value.as_str())
    }

    fn with_attribute(mut self, oid: ObjectIdentifier, value: &str) -> Self {
        self.values.push((oid, value.to_owned()));
        self
    }

    /// Keeps the accepted part of a requested name: known attributes with plain strings.
    pub(crate) fn from_requested(name: &Name) -> Self {
        let values = name
            .iter()
            .filter(|attribute| ATTRIBUTES.iter().any(|(oid, _)| *oid == attribute.oid))
            .filter_map(|attribute| Some((attribute.oid, decode_text(&attribute.value)?)))
            .collect();
        Self { values }
    }

    /// Total number of bytes in all values.
    pub(crate) fn value_bytes(&self) -> usize {
        self.values.iter().map(|(_, text)| text.len()).sum()
    }

    /// Builds the name: one element per attribute type, with all its values.
    pub(crate) fn to_name(&self) -> der::Result<Name> {
        let mut sequence = RdnSequence::default();
        for (oid, is_single) in ATTRIBUTES {
            let mut values: Vec<&str> = self
                .values
                .iter()
                .filter(|(o, _)| *o == oid)
                .map(|(_, v)| v.as_str())
                .collect();
            if is_single {
                values = values.last().copied().into_iter().collect();
            }
            values.sort_unstable();
            values.dedup();
            let mut element = RelativeDistinguishedName::default();
            for value in values {
                element.insert(AttributeTypeAndValue {
                    oid,
                    value: encode(value)?,
                })?;
            }
            if !element.is_empty() {
                sequence.push(element);
            }
        }
        Name::from_der(&sequence.to_der()?)
    }
}

/// Encodes as `PrintableString` where its alphabet suffices, otherwise as `UTF8String`.
fn encode(value: &str) -> der::Result<Any> {
    let is_printable = value
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b" '()+,-./:=?".contains(&byte));
    let tag = if is_printable {
        Tag::PrintableString
    } else {
        Tag::Utf8String
    };
    Any::new(tag, value.as_bytes())
}

/// Decodes the string in an attribute value, if it is one.
///
/// Empty strings and those with control characters are rejected: they end up in logs and on screens.
pub(crate) fn decode_text(value: &Any) -> Option<String> {
    let bytes = value.value();
    let text = match value.tag() {
        Tag::Utf8String => str::from_utf8(bytes).ok()?.to_owned(),
        Tag::PrintableString | Tag::Ia5String | Tag::NumericString | Tag::VisibleString => {
            str::from_utf8(bytes)
                .ok()
                .filter(|text| text.is_ascii())?
                .to_owned()
        },
        // Writers that still use T.61 put Latin-1 into it.
        Tag::TeletexString => bytes.iter().copied().map(char::from).collect(),
        Tag::BmpString => {
            let (pairs, []) = bytes.as_chunks::<2>() else {
                return None;
            };
            let units: Vec<u16> = pairs.iter().copied().map(u16::from_be_bytes).collect();
            String::from_utf16(&units).ok()?
        },
        _ => return None,
    };
    (!text.is_empty() && !text.contains(char::is_control)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::str::FromStr as _;

    fn filtered(name: &str) -> String {
        let requested = Name::from_str(name).unwrap();
        Subject::from_requested(&requested)
            .to_name()
            .unwrap()
            .to_string()
    }

    #[test]
    fn known_attributes_stay_in_fixed_order() {
        let written = Subject::new()
            .common_name("x")
            .organizational_unit("unit")
            .country("US")
            .organization("Portcullis")
            .common_name("y")
            .to_name()
            .unwrap();
        let in_order: Vec<_> = written
            .iter()
            .map(|a| (a.oid, decode_text(&a.value).unwrap()))
            .collect();
        let expected = [
            (C, "US"),
            (O, "Portcullis"),
            (ORGANIZATIONAL_UNIT_NAME, "unit"),
            (COMMON_NAME, "y"),
        ];
        assert_eq!(
            in_order,
            expected.map(|(oid, value)| (oid, value.to_owned()))
        );
    }

    #[test]
    fn other_attributes_are_dropped() {
        assert_eq!(filtered("CN=device,DC=example,DC=test,UID=u"), "CN=device");
        assert_eq!(filtered("DC=example"), "");
    }

    #[test]
    fn values_of_one_attribute_share_an_element() {
        let name = Subject::new()
            .organization("b")
            .organization("a")
            .organization("b");
        let name = name.to_name().unwrap();
        assert_eq!(name.iter_rdn().count(), 1);
        assert_eq!(name.iter().count(), 2);
    }

    #[test]
    fn encoding_follows_the_alphabet() {
        for (value, tag) in [
            ("a b", Tag::PrintableString),
            ("a@b", Tag::Utf8String),
            ("a*b", Tag::Utf8String),
            ("a_b", Tag::Utf8String),
            ("ü", Tag::Utf8String),
        ] {
            assert_eq!(encode(value).unwrap().tag(), tag, "{value}");
        }
    }

    #[test]
    fn texts_are_read_from_every_string_type() {
        let table: [(Tag, &[u8], Option<&str>); 9] = [
            (Tag::Utf8String, "ü".as_bytes(), Some("ü")),
            (Tag::Utf8String, &[0xff], None),
            (Tag::Utf8String, b"a\0b", None),
            (Tag::PrintableString, b"plain", Some("plain")),
            (Tag::Ia5String, &[0xc3, 0xbc], None),
            (Tag::TeletexString, &[0xfc], Some("ü")),
            (Tag::BmpString, &[0x00, 0xfc], Some("ü")),
            (Tag::BmpString, &[0x00], None),
            (Tag::Integer, &[1], None),
        ];
        for (tag, bytes, expected) in table {
            let value = Any::new(tag, bytes).unwrap();
            assert_eq!(decode_text(&value).as_deref(), expected, "{tag} {bytes:?}");
        }
    }
}
