//! Parameters of queries and forms.

use std::collections::BTreeMap;
use url::form_urlencoded;

/// Parameters that may be sent several times (RFC 8693 section 2.1; `configTypes` is OpenZiti's own).
const REPEATABLE: [&str; 3] = ["audience", "configTypes", "resource"];

/// What all parameters of a request may take up together, as they were sent.
const MAX_BYTES: usize = 256 * 1024;

const MAX_COUNT: usize = 128;

/// The decoded parameters of a request.
///
/// Parameters without a value count as missing, and unknown ones are ignored (RFC 6749 section 3.1). That one
/// is repeated is found when it is read, because an error about one that matters must be answered in another
/// place than an error about the rest.
#[derive(Clone, Default)]
pub struct Parameters(BTreeMap<String, Vec<String>>);

/// Parameters cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ParametersError {
    #[error("there are too many parameters, or they are too long")]
    TooLarge,
    #[error("a parameter is not UTF-8")]
    Encoding,
    /// RFC 6749 section 3.1 forbids it, because parsers differ in which value they take.
    #[error("{0} is repeated")]
    Repeated(&'static str),
    #[error("a parameter is repeated")]
    SomeRepeated,
}

impl Parameters {
    /// Parses a query or a form.
    pub fn parse(encoded: &str) -> Result<Self, ParametersError> {
        Self::parse_both(encoded, "")
    }

    /// Parses a request with a query and a form. A parameter in both is repeated.
    pub fn parse_both(query: &str, form: &str) -> Result<Self, ParametersError> {
        if query.len().saturating_add(form.len()) > MAX_BYTES {
            return Err(ParametersError::TooLarge);
        }
        let mut values = BTreeMap::<String, Vec<String>>::new();
        let parts = [query, form];
        let pairs = parts
            .iter()
            .flat_map(|part| form_urlencoded::parse(part.as_bytes()));
        for (count, (name, value)) in pairs.enumerate() {
            if count >= MAX_COUNT {
                return Err(ParametersError::TooLarge);
            }
            // What the decoder puts in place of malformed sequences.
            if name.contains('\u{fffd}') || value.contains('\u{fffd}') {
                return Err(ParametersError::Encoding);
            }
            if !value.is_empty() {
                let values = values.entry(name.into_owned()).or_default();
                values.push(value.into_owned());
            }
        }
        Ok(Self(values))
    }

    /// The value of a parameter that must not be repeated.
    pub fn get(&self, name: &'static str) -> Result<Option<&str>, ParametersError> {
        match self.get_all(name) {
            [] => Ok(None),
            [value] => Ok(Some(value)),
            _ => Err(ParametersError::Repeated(name)),
        }
    }

    /// Like [`Parameters::get`], whatever the case of the name: some SDKs write `sdkAppID`.
    pub fn get_folded(&self, name: &'static str) -> Result<Option<&str>, ParametersError> {
        let named = |(other, _): &(&String, &Vec<String>)| other.eq_ignore_ascii_case(name);
        let mut values = self.0.iter().filter(named).flat_map(|(_, values)| values);
        match (values.next(), values.next()) {
            (first, None) => Ok(first.map(String::as_str)),
            (_, Some(_)) => Err(ParametersError::Repeated(name)),
        }
    }

    /// The values of a parameter that may be repeated.
    pub fn get_all(&self, name: &str) -> &[String] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }

    /// Checks that nothing is repeated that must not be.
    pub fn check_unique(&self) -> Result<(), ParametersError> {
        self.check_unique_but("")
    }

    /// Like [`Parameters::check_unique`], with one exception.
    pub fn check_unique_but(&self, repeatable: &str) -> Result<(), ParametersError> {
        let is_repeated = |(name, values): (&String, &Vec<String>)| {
            values.len() > 1 && name != repeatable && !REPEATABLE.contains(&name.as_str())
        };
        if self.0.iter().any(is_repeated) {
            return Err(ParametersError::SomeRepeated);
        }
        Ok(())
    }
}

impl std::fmt::Debug for Parameters {
    /// Shows the names alone: values are codes, tokens and passwords.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_set().entries(self.0.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn parameters_are_decoded() {
        let parsed = Parameters::parse("a=1+2%263&b=&c&%C3%A9=%00&configTypes=x&configTypes=y");
        let parsed = parsed.unwrap();
        assert_eq!(parsed.get("a"), Ok(Some("1 2&3")));
        assert_eq!(parsed.get("b"), Ok(None));
        assert_eq!(parsed.get("c"), Ok(None));
        assert_eq!(parsed.get("é"), Ok(Some("\0")));
        assert_eq!(parsed.get_all("configTypes"), ["x", "y"]);
        assert_eq!(parsed.check_unique(), Ok(()));
        assert_eq!(
            format!("{:?}", Parameters::parse("code=secret").unwrap()),
            r#"{"code"}"#
        );
    }

    #[test]
    fn repeated_parameters_are_found() {
        for parsed in [
            Parameters::parse("a=1&a=1"),
            Parameters::parse("a=1&b=2&%61=2"),
            Parameters::parse_both("a=1", "a=1"),
        ] {
            let parsed = parsed.unwrap();
            assert_eq!(parsed.get("a"), Err(ParametersError::Repeated("a")));
            assert_eq!(parsed.check_unique(), Err(ParametersError::SomeRepeated));
        }
        // One without a value is missing, so the other is not a repetition.
        assert_eq!(Parameters::parse("a=&a=1").unwrap().get("a"), Ok(Some("1")));
    }

    #[test]
    fn size_and_number_are_bounded() {
        let value = "x".repeat(MAX_BYTES - 2);
        assert!(Parameters::parse(&format!("a={value}")).is_ok());
        let parsed = Parameters::parse_both(&format!("a={value}"), "b");
        assert_eq!(parsed.err(), Some(ParametersError::TooLarge));
        assert!(Parameters::parse(&"a&".repeat(MAX_COUNT)).is_ok());
        let parsed = Parameters::parse(&"a&".repeat(MAX_COUNT + 1));
        assert_eq!(parsed.err(), Some(ParametersError::TooLarge));
        let parsed = Parameters::parse("a=%ff");
        assert_eq!(parsed.err(), Some(ParametersError::Encoding));
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(pairs in proptest::collection::btree_map("[^\u{fffd}]{1,8}", "[^\u{fffd}]{1,8}", 0..9)) {
            let encoded = form_urlencoded::Serializer::new(String::new()).extend_pairs(&pairs).finish();
            let parsed = Parameters::parse(&encoded).unwrap();
            let expected = pairs.into_iter().map(|(name, value)| (name, vec![value])).collect();
            prop_assert_eq!(parsed.0, expected);
        }

        #[test]
        fn nothing_makes_it_panic(encoded in ".{0,200}") {
            let _ = Parameters::parse(&encoded);
        }
    }
}
