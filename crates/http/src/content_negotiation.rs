//! Content negotiation: request media types and `Accept`.

use http::{HeaderMap, header};

/// The media types that a route accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consumes {
    Json,
    /// JSON, or a certificate request as text.
    Enrollment,
    /// A certificate as text. JSON is let through, and then refused as not being a certificate.
    Certificate,
    /// A form.
    Form,
    /// A form or JSON.
    FormOrJson,
}

const FORM: &str = "application/x-www-form-urlencoded";

impl Consumes {
    /// The accepted media types.
    pub const fn types(self) -> &'static [&'static str] {
        match self {
            Self::Json => &["application/json"],
            Self::Enrollment => &[
                "application/pkcs7",
                "application/json",
                "application/x-pem-file",
                "text/plain",
            ],
            Self::Certificate => &["text/plain", "application/json"],
            Self::Form => &[FORM],
            Self::FormOrJson => &[FORM, "application/json"],
        }
    }
}

/// The media type without its parameters.
fn media_type(value: &str) -> &str {
    value.split(';').next().unwrap_or_default().trim()
}

/// The media type of a request's body in lower case, if it names one.
pub(crate) fn content_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::CONTENT_TYPE)?;
    Some(media_type(value.to_str().unwrap_or_default()).to_ascii_lowercase())
}

/// Reports whether the client accepts a response of type `produced`.
pub(crate) fn accepts(headers: &HeaderMap, produced: &str) -> bool {
    let mut ranges = headers
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(media_type)
        .filter(|range| !range.is_empty())
        .peekable();
    if ranges.peek().is_none() {
        return true;
    }
    let family = produced.split('/').next().unwrap_or_default();
    ranges.any(|range| {
        range == "*/*"
            || range.eq_ignore_ascii_case(produced)
            || range
                .strip_suffix("/*")
                .is_some_and(|wanted| wanted.eq_ignore_ascii_case(family))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: header::HeaderName, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name, value.parse().unwrap())])
    }

    #[test]
    fn accept_is_a_list_of_ranges() {
        assert!(accepts(&HeaderMap::new(), "application/json"));
        for (accept, fits) in [
            ("application/json", true),
            ("application/json, text/plain, */*", true),
            ("Application/*;q=0.5", true),
            ("text/html;q=1, text/plain", false),
            ("image/*", false),
        ] {
            assert_eq!(
                accepts(&with(header::ACCEPT, accept), "application/json"),
                fits,
                "{accept}"
            );
        }
    }

    #[test]
    fn parameters_of_a_media_type_do_not_count() {
        let headers = with(header::CONTENT_TYPE, "Application/JSON; charset=utf-8");
        assert_eq!(content_type(&headers).as_deref(), Some("application/json"));
    }
}
