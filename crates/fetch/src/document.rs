//! Responses to fetches: which are accepted, and their bodies.

use http::header::{self, HeaderName};
use http::{HeaderMap, Response, StatusCode};
use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Incoming};
use url::Url;

use crate::error::FetchError;
use crate::target::FetchTarget;

/// Accepted media types (RFC 8259; RFC 7517, section 8.5).
pub(crate) const MEDIA_TYPES: [&str; 3] = [
    "application/json",
    "application/jwk-set+json",
    "application/jwk+json",
];

/// Most bytes of a document.
const MAX_BODY: usize = 1024 * 1024;

/// Outcome of one request.
pub(crate) enum FetchResponse {
    Document(Vec<u8>),
    /// The URL of a redirect.
    Redirect(Url),
}

/// Reads a response. The body of anything but the document is left unread.
pub(crate) async fn read_response(
    response: Response<Incoming>,
    target: &FetchTarget<'_>,
) -> Result<FetchResponse, FetchError> {
    let (head, body) = response.into_parts();
    if is_redirect(head.status) {
        return redirect_url(&head.headers, target).map(FetchResponse::Redirect);
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
        return Err(FetchError::UnexpectedEncoding {
            host: target.host(),
        });
    }
    read_body(body, target).await.map(FetchResponse::Document)
}

/// Reports whether the status is a redirect (RFC 9110, section 15.4).
fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

fn redirect_url(headers: &HeaderMap, target: &FetchTarget<'_>) -> Result<Url, FetchError> {
    let location = headers.get(header::LOCATION);
    location
        .and_then(|location| location.to_str().ok())
        .and_then(|location| target.join(location))
        .ok_or_else(|| FetchError::InvalidRedirect {
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

/// Reports whether the body has a content or transfer coding that would need decoding.
fn is_encoded(headers: &HeaderMap) -> bool {
    let has_coding_besides = |name: HeaderName, expected: &str| {
        headers
            .get_all(name)
            .iter()
            .any(|coding| !coding.as_bytes().eq_ignore_ascii_case(expected.as_bytes()))
    };
    has_coding_besides(header::CONTENT_ENCODING, "identity")
        || has_coding_besides(header::TRANSFER_ENCODING, "chunked")
}

async fn read_body(mut body: Incoming, target: &FetchTarget<'_>) -> Result<Vec<u8>, FetchError> {
    let too_large = || FetchError::TooLarge {
        host: target.host(),
        most: MAX_BODY,
    };
    if body.size_hint().lower() > MAX_BODY as u64 {
        return Err(too_large());
    }
    let mut document = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|source| FetchError::InvalidResponse {
            host: target.host(),
            source,
        })?;
        // Other frames are trailers, which do not belong to the document.
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
