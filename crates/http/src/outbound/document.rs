//! What an answer has to be for its body to be taken.

use http::header::{self, HeaderName};
use http::{HeaderMap, Response, StatusCode};
use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Incoming};
use url::Url;

use super::error::FetchError;
use super::target::Target;

/// What documents are called (RFC 8259; RFC 7517, section 8.5).
pub(super) const MEDIA_TYPES: [&str; 3] = [
    "application/json",
    "application/jwk-set+json",
    "application/jwk+json",
];

/// Most bytes of a document.
const MAX_BODY: usize = 1024 * 1024;

/// What came back.
pub(super) enum Answered {
    /// The document.
    Document(Vec<u8>),
    /// Where the document is instead.
    Moved(Url),
}

/// Reads an answer of `target`. The body of anything but the document is left unread.
pub(super) async fn read(
    answer: Response<Incoming>,
    target: &Target<'_>,
) -> Result<Answered, FetchError> {
    let (head, body) = answer.into_parts();
    if is_redirect(head.status) {
        return moved(&head.headers, target).map(Answered::Moved);
    }
    if head.status != StatusCode::OK {
        return Err(FetchError::Status {
            host: target.host(),
            status: head.status.as_u16(),
        });
    }
    if !is_json(&head.headers) {
        return Err(FetchError::NotJson {
            host: target.host(),
        });
    }
    if is_encoded(&head.headers) {
        return Err(FetchError::Encoded {
            host: target.host(),
        });
    }
    whole(body, target).await.map(Answered::Document)
}

/// Tells whether the document is elsewhere (RFC 9110, section 15.4).
fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

fn moved(headers: &HeaderMap, target: &Target<'_>) -> Result<Url, FetchError> {
    let location = headers.get(header::LOCATION);
    location
        .and_then(|location| location.to_str().ok())
        .and_then(|location| target.join(location))
        .ok_or_else(|| FetchError::Redirect {
            host: target.host(),
        })
}

fn is_json(headers: &HeaderMap) -> bool {
    let Some(media_type) = headers.get(header::CONTENT_TYPE) else {
        return false;
    };
    let Ok(media_type) = media_type.to_str() else {
        return false;
    };
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    MEDIA_TYPES
        .iter()
        .any(|known| essence.eq_ignore_ascii_case(known))
}

/// Tells whether the bytes would have to be decompressed, by a coding of either kind.
fn is_encoded(headers: &HeaderMap) -> bool {
    let has_other = |name: HeaderName, plain: &str| {
        headers
            .get_all(name)
            .iter()
            .any(|coding| !coding.as_bytes().eq_ignore_ascii_case(plain.as_bytes()))
    };
    has_other(header::CONTENT_ENCODING, "identity")
        || has_other(header::TRANSFER_ENCODING, "chunked")
}

async fn whole(mut body: Incoming, target: &Target<'_>) -> Result<Vec<u8>, FetchError> {
    let too_large = || FetchError::TooLarge {
        host: target.host(),
        most: MAX_BODY,
    };
    if body.size_hint().lower() > MAX_BODY as u64 {
        return Err(too_large());
    }
    let mut document = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|source| FetchError::Broken {
            host: target.host(),
            source,
        })?;
        // What is no data is trailers, which say nothing about a document.
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if data.len() > MAX_BODY - document.len() {
            return Err(too_large());
        }
        document.extend_from_slice(&data);
    }
    Ok(document)
}
