//! Responses of handlers, before they become HTTP responses.

use crate::compress;
pub use crate::streaming_body::Streaming;
use bytes::Bytes;
use http::{HeaderName, HeaderValue, StatusCode};
use portcullis_api::database::IntegrityEnvelope;
use portcullis_api::envelope::{Created, Envelope, ListEnvelope};
use portcullis_api::json;
use portcullis_app::listing::Schema;
use portcullis_domain::view::Page;
use portcullis_listener::Upgrade;
use serde::Serialize;

#[derive(Debug)]
pub enum ResponseContent {
    Full(Bytes),
    /// Sent while it is being written.
    Parts(Streaming),
    /// A body that never changes, built once for all requests.
    StaticBody(&'static Static),
    /// No body: the connection becomes something else.
    Upgrade(Upgrade),
}

/// A response body that never changes, in every encoding in which it is sent.
#[derive(Debug, Clone)]
pub struct Static {
    pub plain: Bytes,
    /// Compressed with gzip; `None` for an empty body.
    gzip: Option<Bytes>,
}

impl Static {
    pub fn new(plain: impl Into<Bytes>) -> Self {
        let plain = plain.into();
        let gzip = compress::gzip(&plain);
        Self { plain, gzip }
    }

    /// Returns the body in an encoding that the client accepts, and whether that is gzip.
    pub(crate) fn encoded(&self, accepts_gzip: bool) -> (Bytes, bool) {
        match &self.gzip {
            Some(gzip) if accepts_gzip => (gzip.clone(), true),
            _ => (self.plain.clone(), false),
        }
    }
}

/// A successful response.
#[derive(Debug)]
pub struct ApiResponse {
    pub status: StatusCode,
    /// `None` for a response without a body.
    pub content_type: Option<&'static str>,
    /// Headers besides those that every response has.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    pub body: ResponseContent,
}

impl ApiResponse {
    /// One entity: 200.
    pub fn detail(data: &impl Serialize) -> Self {
        Self::json(StatusCode::OK, &Envelope::new(data))
    }

    /// One entity, with `meta` null: 200. A few operations respond this way.
    pub fn detail_without_meta(data: &impl Serialize) -> Self {
        Self::json(StatusCode::OK, &Envelope::without_meta(data))
    }

    /// A created entity: 201 with its id and a link to it.
    pub fn created(collection: &str, id: &str) -> Self {
        Self::json(
            StatusCode::CREATED,
            &Envelope::new(Created::new(collection, id)),
        )
    }

    /// A created entity, with more than its id: 201.
    pub fn created_with(data: &impl Serialize) -> Self {
        Self::json(StatusCode::CREATED, &Envelope::new(data))
    }

    /// Success without data: 200 with an empty object.
    pub fn empty() -> Self {
        Self::json(StatusCode::OK, &Envelope::empty())
    }

    /// Started but not finished: 202 with an empty object.
    pub fn accepted() -> Self {
        Self::json(StatusCode::ACCEPTED, &Envelope::empty())
    }

    /// A page of a list: 200, with the symbols that filters may use.
    pub fn list<T: Serialize>(page: Page<T>, schema: &'static Schema) -> Self {
        Self::json(
            StatusCode::OK,
            &ListEnvelope::<T>::new(page, schema.names()),
        )
    }

    /// The result of the last data integrity check: 200.
    pub fn integrity(report: &IntegrityEnvelope) -> Self {
        Self::json(StatusCode::OK, report)
    }

    /// A complete list, whatever page its query asks for: 200.
    pub fn complete_list<T: Serialize>(list: &ListEnvelope<T>) -> Self {
        Self::json(StatusCode::OK, list)
    }

    /// An operation that is described but not implemented: 501 with its name in a JSON string.
    pub fn not_implemented(operation: &str) -> Self {
        Self::json(
            StatusCode::NOT_IMPLEMENTED,
            &format!("operation {operation} has not yet been implemented"),
        )
    }

    /// Replaces the media type.
    #[must_use]
    pub fn with_content_type(self, content_type: &'static str) -> Self {
        Self {
            content_type: Some(content_type),
            ..self
        }
    }

    /// JSON that is already serialized: 200.
    pub fn from_json(body: ResponseContent) -> Self {
        Self {
            status: StatusCode::OK,
            content_type: Some("application/json"),
            headers: Vec::new(),
            body,
        }
    }

    /// A body that never changes: 200.
    pub fn from_static(content_type: &'static str, body: &'static Static) -> Self {
        Self::from_json(ResponseContent::StaticBody(body)).with_content_type(content_type)
    }

    /// A body of any media type: 200.
    pub fn raw(content_type: &'static str, body: impl Into<Bytes>) -> Self {
        Self {
            status: StatusCode::OK,
            content_type: Some(content_type),
            headers: Vec::new(),
            body: ResponseContent::Full(body.into()),
        }
    }

    /// JSON without an envelope.
    pub fn bare_json(status: StatusCode, data: &impl Serialize) -> Self {
        Self::json(status, data)
    }

    /// A status alone.
    pub fn without_body(status: StatusCode) -> Self {
        Self {
            status,
            content_type: None,
            headers: Vec::new(),
            body: ResponseContent::Full(Bytes::new()),
        }
    }

    /// Replaces the status.
    #[must_use]
    pub fn with_status(self, status: StatusCode) -> Self {
        Self { status, ..self }
    }

    /// Adds a header.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    fn json(status: StatusCode, body: &impl Serialize) -> Self {
        Self {
            status,
            content_type: Some("application/json"),
            headers: Vec::new(),
            body: ResponseContent::Full(json::to_bytes(body).into()),
        }
    }
}
