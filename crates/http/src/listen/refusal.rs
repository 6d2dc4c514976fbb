//! Requests that are refused before there is a request to hand to the service.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use http::StatusCode;

/// Why a request head is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The request line cannot be parsed.
    RequestLine,
    /// The request target is longer than the HTTP library handles.
    TargetTooLong,
    /// A header line cannot be parsed.
    Header,
    /// There are too many header lines.
    TooManyHeaders,
    /// Request line and headers are too long together.
    HeadTooLarge,
    /// They were not complete in time.
    HeadTooSlow,
    /// Two readers could disagree about where the body ends (request smuggling).
    BodyLength,
    /// The client asks for HTTP/1.1 and names no host, or several.
    Host,
}

impl Refusal {
    /// The status of the answer.
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

    /// The part of the request at fault.
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

    /// What is wrong with it, and what would be right.
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

/// Tells the handler of an HTTP/1 connection which of its requests was refused by the parser.
///
/// The parser replaces a head that it refuses with a placeholder, so that the answer takes its turn
/// behind those of earlier requests. Nothing in the placeholder marks it, for a client could send
/// the same: it is known by its number.
#[derive(Debug, Default)]
pub(super) struct RefusedRequest {
    which: OnceLock<(u64, Refusal)>,
    begun: AtomicU64,
}

impl RefusedRequest {
    /// Notes that request number `number`, the first being 1, is refused; it is the connection's last.
    pub(super) fn note(&self, number: u64, refusal: Refusal) {
        // A connection has one last request.
        let _ = self.which.set((number, refusal));
    }

    /// Counts the next request; returns its number, and why it is refused if it is.
    pub(super) fn begin(&self) -> (u64, Option<Refusal>) {
        let number = self.begun.fetch_add(1, Ordering::Relaxed) + 1;
        let is_this = self.which.get().filter(|(refused, _)| *refused == number);
        (number, is_this.map(|&(_, why)| why))
    }

    /// Number of the last request that has begun.
    pub(super) fn begun(&self) -> u64 {
        self.begun.load(Ordering::Relaxed)
    }
}
