//! Sources of certificates and keys.

use crate::uri;

/// Source of a certificate or key.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum PemSource<'text> {
    File(&'text str),
    Inline(&'text str),
    UnsupportedScheme(&'text str),
    Malformed,
}

/// Parses a text as a Go URL and extracts the path.
pub(crate) fn parse_pem_source(text: &str) -> PemSource<'_> {
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
