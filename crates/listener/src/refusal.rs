//! Requests that are refused before they reach the service.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use http::StatusCode;

/// The reason why a request head is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadRefusal {
    /// The request line cannot be parsed.
    RequestLine,
    /// The request target is longer than the HTTP library handles.
    TargetTooLong,
    /// A header line cannot be parsed.
    Header,
    /// There are too many header lines.
    TooManyHeaders,
    /// Request line and headers together are too long.
    HeadTooLarge,
    /// Request line and headers were not complete in time.
    HeadTooSlow,
    /// Two parsers could disagree about where the body ends (request smuggling).
    BodyLength,
    /// The client sends HTTP/1.1 without a `Host` header, or with several.
    Host,
}

impl HeadRefusal {
    /// The status of the response.
    pub fn status(self) -> StatusCode {
        match self {
            Self::RequestLine | Self::Header | Self::BodyLength | Self::Host => {
                StatusCode::BAD_REQUEST
            },
            Self::HeadTooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::TargetTooLong => StatusCode::URI_TOO_LONG,
            Self::TooManyHeaders | Self::HeadTooLarge => {
                StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE
            },
        }
    }

    /// The part of the request that is refused.
    pub fn field(self) -> &'static str {
        match self {
            Self::RequestLine => "request line",
            Self::TargetTooLong => "request target",
            Self::Header | Self::TooManyHeaders | Self::HeadTooLarge | Self::HeadTooSlow => {
                "headers"
            },
            Self::BodyLength => "Content-Length",
            Self::Host => "Host",
        }
    }

    /// The reason in words, and what to do about it.
    pub fn reason(self) -> &'static str {
        match self {
            Self::RequestLine => {
                "malformed request line: expected a method, a path and HTTP/1.1, separated by \
                 single spaces; percent-encode spaces and control characters in the path"
            },
            Self::TargetTooLong => {
                "path and query are longer than 65534 bytes after percent-encoding; shorten the query"
            },
            Self::Header => "malformed header: expected lines of the form 'Name: value'",
            Self::TooManyHeaders => "too many headers; send fewer",
            Self::HeadTooLarge => "request line and headers are too long; shorten them",
            Self::HeadTooSlow => {
                "request line and headers did not arrive in time; send them at once, and the empty \
                 line that ends them"
            },
            Self::BodyLength => {
                "the length of the body is ambiguous: send either one Content-Length header with a \
                 number, or 'Transfer-Encoding: chunked'"
            },
            Self::Host => "HTTP/1.1 requests must have exactly one Host header",
        }
    }
}

/// Tells the handler of an HTTP/1 connection which of its requests the parser refused.
///
/// The parser replaces a refused head with a placeholder, so that the response takes its turn after
/// those of earlier requests. Nothing in the placeholder marks it, for a client could send the
/// same: it is known by its number.
#[derive(Debug, Default)]
pub(crate) struct RefusedRequest {
    refused: OnceLock<(u64, HeadRefusal)>,
    begun_count: AtomicU64,
}

impl RefusedRequest {
    /// Records that request number `number`, counted from 1, is refused; it is the connection's
    /// last.
    pub(crate) fn record(&self, number: u64, refusal: HeadRefusal) {
        // A connection has only one last request.
        let _ = self.refused.set((number, refusal));
    }

    /// Counts the next request; returns its number, and the refusal if there is one.
    pub(crate) fn begin(&self) -> (u64, Option<HeadRefusal>) {
        let number = self.begun_count.fetch_add(1, Ordering::Relaxed) + 1;
        let is_this = self.refused.get().filter(|(refused, _)| *refused == number);
        (number, is_this.map(|&(_, why)| why))
    }

    /// Number of the last request that has begun.
    pub(crate) fn begun_count(&self) -> u64 {
        self.begun_count.load(Ordering::Relaxed)
    }
}
