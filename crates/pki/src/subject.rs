//! Subjects: the distinguished names that the controller writes into certificates.

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

/// The attributes that a subject may have, in the order in which they are written, and whether one
/// can occur only once. All others of a request are dropped.
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

/// A distinguished name made of the attributes that certificates of this network carry.
///
/// The attributes are country, organization, organizational unit, locality, state, street, postal
/// code, common name and serial number, and they are always written in this order. Nothing is
/// decided by a subject: who a certificate stands for is in its subject alternative name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subject {
    values: Vec<(ObjectIdentifier, String)>,
}

impl Subject {
    /// Starts with no attribute.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a country, two letters.
    #[must_use]
    pub fn country(self, value: &str) -> Self {
        self.with(C, value)
    }

    /// Adds an organization.
    #[must_use]
    pub fn organization(self, value: &str) -> Self {
        self.with(O, value)
    }

    /// Adds an organizational unit.
    #[must_use]
    pub fn organizational_unit(self, value: &str) -> Self {
        self.with(ORGANIZATIONAL_UNIT_NAME, value)
    }

    /// Adds the common name; the last one given holds.
    #[must_use]
    pub fn common_name(self, value: &str) -> Self {
        self.with(COMMON_NAME, value)
    }

    /// The common name, if it has one: of several the one that is written.
    pub fn last_common_name(&self) -> Option<&str> {
        let is_common_name = |(oid, _): &&(ObjectIdentifier, String)| *oid == COMMON_NAME;
        let last = self.values.iter().rfind(is_common_name);
        last.map(|(_, value)| value.as_str())
    }

    fn with(mut self, oid: ObjectIdentifier, value: &str) -> Self {
        self.values.push((oid, value.to_owned()));
        self
    }

    /// Keeps what may stay of a requested name: known attributes with a plain text in them.
    pub(crate) fn from_requested(name: &Name) -> Self {
        let values = name
            .iter()
            .filter(|attribute| ATTRIBUTES.iter().any(|(oid, _)| *oid == attribute.oid))
            .filter_map(|attribute| Some((attribute.oid, text(&attribute.value)?)))
            .collect();
        Self { values }
    }

    /// The bytes of all its texts.
    pub(crate) fn text_bytes(&self) -> usize {
        self.values.iter().map(|(_, text)| text.len()).sum()
    }

    /// Writes the name: one element per attribute type, its values together in it.
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

/// Encodes as `PrintableString` where its alphabet suffices, as `UTF8String` otherwise.
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

/// Reads the text of an attribute value, if it is one.
///
/// Empty texts and those with control characters are refused: they end in logs and on screens.
pub(crate) fn text(value: &Any) -> Option<String> {
    let bytes = value.value();
    let text = match value.tag() {
        Tag::Utf8String => str::from_utf8(bytes).ok()?.to_owned(),
        Tag::PrintableString | Tag::Ia5String | Tag::NumericString | Tag::VisibleString => {
            str::from_utf8(bytes)
                .ok()
                .filter(|text| text.is_ascii())?
                .to_owned()
        },
        // Who still writes T.61 writes Latin-1 in it.
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
            .map(|a| (a.oid, text(&a.value).unwrap()))
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
            assert_eq!(text(&value).as_deref(), expected, "{tag} {bytes:?}");
        }
    }
}
