//! Sources of certificates and keys.

use crate::uri;

/// Source of a certificate or key, as a value of the file names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PemSource<'text> {
    /// Path of a file; relative ones start at the working directory.
    File(&'text str),
    /// The text itself.
    Inline(&'text str),
    /// A URL with a scheme other than `file`, such as that of a hardware token.
    UnsupportedScheme(&'text str),
    Malformed,
}

/// Reads a value of the section `identity`: a path, a URL, or PEM.
///
/// # Examples
///
/// ```
/// use portcullis_router_config::{PemSource, parse_pem_source};
///
/// assert_eq!(parse_pem_source("file:///etc/r1.key"), PemSource::File("/etc/r1.key"));
/// assert_eq!(parse_pem_source("pem:-----BEGIN"), PemSource::Inline("-----BEGIN"));
/// ```
pub fn parse_pem_source(text: &str) -> PemSource<'_> {
    if let Some(pem) = text.strip_prefix("pem:") {
        return PemSource::Inline(pem);
    }
    if text.starts_with("-----BEGIN") {
        return PemSource::Inline(text);
    }
    if text.bytes().any(|b| b < b' ' || b == 0x7F) {
        return PemSource::Malformed;
    }
    let body = text.split_once('#').map_or(text, |(body, _)| body);
    let Some((scheme, rest)) = uri::split_scheme(body) else {
        return PemSource::Malformed;
    };
    let rest = rest.split_once('?').map_or(rest, |(rest, _)| rest);
    if !scheme.is_empty() && !scheme.eq_ignore_ascii_case("file") {
        return PemSource::UnsupportedScheme(scheme);
    }
    let path = match rest.strip_prefix("//") {
        Some(after) => after
            .find('/')
            .map_or("", |at| after.get(at..).unwrap_or_default()),
        None if !scheme.is_empty() && !rest.starts_with('/') => "",
        None => rest,
    };
    let colon_first = |path: &str| {
        path.split('/')
            .next()
            .is_some_and(|part| part.contains(':'))
    };
    if !uri::has_valid_escapes(path) || (scheme.is_empty() && colon_first(path)) {
        return PemSource::Malformed;
    }
    PemSource::File(path)
}
