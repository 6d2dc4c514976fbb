//! Gzip compression of responses for clients that accept it.

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::{HeaderMap, header};
use std::io::{self, Write as _};
use std::mem;

/// Compresses `body`; `None` if it is empty.
pub(crate) fn gzip(body: &Bytes) -> Option<Bytes> {
    if body.is_empty() {
        return None;
    }
    let mut encoder = GzEncoder::new(Vec::with_capacity(body.len() / 2), Compression::fast());
    encoder.write_all(body).ok()?;
    encoder.finish().ok().map(Bytes::from)
}

/// Compresses a body that is written piece by piece.
#[derive(Debug)]
pub(crate) struct GzipStream(GzEncoder<Vec<u8>>);

impl GzipStream {
    pub(crate) fn new() -> Self {
        Self(GzEncoder::new(Vec::new(), Compression::fast()))
    }

    /// Compresses the next bytes and returns the output that is ready, which may be empty.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<Bytes> {
        self.0.write_all(bytes)?;
        Ok(mem::take(self.0.get_mut()).into())
    }

    /// Ends the body and returns the rest of the output.
    pub(crate) fn finish(self) -> io::Result<Bytes> {
        self.0.finish().map(Bytes::from)
    }
}

/// Reports whether `Accept-Encoding` names gzip with a weight above zero.
pub(crate) fn accepts_gzip(request: &HeaderMap) -> bool {
    request
        .get_all(header::ACCEPT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|coding| {
            let mut parts = coding.split(';').map(str::trim);
            let is_gzip = parts
                .next()
                .is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
            let weight = parts
                .filter_map(|parameter| parameter.split_once('='))
                .find(|(name, _)| name.trim_end().eq_ignore_ascii_case("q"))
                .and_then(|(_, weight)| weight.trim_start().parse::<f32>().ok());
            is_gzip && weight.is_none_or(|weight| weight > 0.0)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;

    #[test]
    fn gzip_is_used_when_wanted() {
        let accepts = |value: &'static str| {
            let headers = [(header::ACCEPT_ENCODING, value.parse().unwrap())];
            accepts_gzip(&HeaderMap::from_iter(headers))
        };
        for no in ["br", "gzip;q=0", "gzip; Q=0.0", "identity", ""] {
            assert!(!accepts(no), "{no}");
        }
        for yes in ["gzip", "br, GZIP;q=0.5"] {
            assert!(accepts(yes), "{yes}");
        }
    }

    #[test]
    fn body_is_packed_and_nothing_is_not() {
        let packed = gzip(&Bytes::from_static(b"a body")).unwrap();
        let mut text = String::new();
        flate2::read::GzDecoder::new(&*packed)
            .read_to_string(&mut text)
            .unwrap();
        assert_eq!(text, "a body");
        assert!(gzip(&Bytes::new()).is_none());
    }
}
