//! Answers of handlers, before they become responses.

use crate::compress;
pub use crate::parts::Parts;
use bytes::Bytes;
use http::{HeaderName, HeaderValue, StatusCode};
use portcullis_api::database::IntegrityEnvelope;
use portcullis_api::envelope::{Created, Envelope, ListEnvelope};
use portcullis_api::json;
use portcullis_app::listing::Schema;
use portcullis_domain::view::Page;
use serde::Serialize;

/// The body of an answer.
#[derive(Debug)]
pub enum Content {
    /// All of it.
    Whole(Bytes),
    /// What there is of it, and more to come.
    Parts(Parts),
    /// One that never changes, made once for all requests.
    Fixed(&'static Fixed),
}

/// The body of an answer that never changes, in all forms in which it is sent.
#[derive(Debug, Clone)]
pub struct Fixed {
    /// As it is.
    pub plain: Bytes,
    /// Compressed by gzip, if there is anything to compress.
    gzip: Option<Bytes>,
}

impl Fixed {
    /// Makes all forms of a body.
    pub fn new(plain: impl Into<Bytes>) -> Self {
        let plain = plain.into();
        let gzip = compress::gzip(&plain);
        Self { plain, gzip }
    }

    /// The body in the form that a client takes, and whether that is compressed.
    pub(crate) fn form(&self, takes_gzip: bool) -> (Bytes, bool) {
        match &self.gzip {
            Some(gzip) if takes_gzip => (gzip.clone(), true),
            _ => (self.plain.clone(), false),
        }
    }
}

/// A successful answer.
#[derive(Debug)]
pub struct Answer {
    /// Its status.
    pub status: StatusCode,
    /// Its media type.
    pub content_type: &'static str,
    /// Headers besides those that every answer has.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// Its body.
    pub body: Content,
}

impl Answer {
    /// One entity: 200.
    pub fn detail(data: &impl Serialize) -> Self {
        Self::json(StatusCode::OK, &Envelope::new(data))
    }

    /// One entity, with `meta` null: 200. A few operations answer so.
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

    /// A created entity that is told more of than its id: 201.
    pub fn created_with(data: &impl Serialize) -> Self {
        Self::json(StatusCode::CREATED, &Envelope::new(data))
    }

    /// Done, and nothing to say: 200 with an empty object.
    pub fn done() -> Self {
        Self::json(StatusCode::OK, &Envelope::empty())
    }

    /// Begun, and not done yet: 202 with an empty object.
    pub fn begun() -> Self {
        Self::json(StatusCode::ACCEPTED, &Envelope::empty())
    }

    /// A page of a list: 200, with the symbols that filters may use.
    pub fn list<T: Serialize>(page: Page<T>, schema: &'static Schema) -> Self {
        Self::json(
            StatusCode::OK,
            &ListEnvelope::<T>::new(page, schema.names()),
        )
    }

    /// What the last check of the store has found: 200.
    pub fn integrity(report: &IntegrityEnvelope) -> Self {
        Self::json(StatusCode::OK, report)
    }

    /// A list that is written whole, whatever its query asks for: 200.
    pub fn whole_list<T: Serialize>(list: &ListEnvelope<T>) -> Self {
        Self::json(StatusCode::OK, list)
    }

    /// An operation that is described and does not exist: 501 with its name in a JSON text.
    pub fn not_implemented(operation: &str) -> Self {
        Self::json(
            StatusCode::NOT_IMPLEMENTED,
            &format!("operation {operation} has not yet been implemented"),
        )
    }

    /// The same answer under another media type.
    #[must_use]
    pub fn typed(self, content_type: &'static str) -> Self {
        Self {
            content_type,
            ..self
        }
    }

    /// JSON that is written already: 200.
    pub fn written(body: Content) -> Self {
        Self {
            status: StatusCode::OK,
            content_type: "application/json",
            headers: Vec::new(),
            body,
        }
    }

    /// A body that never changes: 200.
    pub fn fixed(content_type: &'static str, body: &'static Fixed) -> Self {
        Self::written(Content::Fixed(body)).typed(content_type)
    }

    /// A body of another type: 200.
    pub fn raw(content_type: &'static str, body: impl Into<Bytes>) -> Self {
        Self {
            status: StatusCode::OK,
            content_type,
            headers: Vec::new(),
            body: Content::Whole(body.into()),
        }
    }

    /// The same answer with one more header.
    #[must_use]
    pub fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    fn json(status: StatusCode, body: &impl Serialize) -> Self {
        Self {
            status,
            content_type: "application/json",
            headers: Vec::new(),
            body: Content::Whole(json::to_bytes(body).into()),
        }
    }
}
