//! Request bodies.

use crate::error::ClientError;
use bytes::Bytes;
use serde::Serialize;
use std::fmt;

const JSON: &str = "application/json";

/// The body of a request.
#[derive(Clone, Default)]
pub struct Body {
    pub(crate) content_type: Option<&'static str>,
    pub(crate) bytes: Bytes,
}

impl Body {
    /// An empty body without a content type.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Bytes with a content type.
    pub fn new(content_type: &'static str, bytes: impl Into<Bytes>) -> Self {
        Self {
            content_type: Some(content_type),
            bytes: bytes.into(),
        }
    }

    /// A value as JSON.
    ///
    /// # Errors
    ///
    /// [`ClientError::InvalidRequest`] when the value cannot be serialized.
    pub fn json(value: &impl Serialize) -> Result<Self, ClientError> {
        serde_json::to_vec(value)
            .map(|bytes| Self::new(JSON, bytes))
            .map_err(|_json| ClientError::InvalidRequest("it cannot be written as JSON".to_owned()))
    }
}

impl fmt::Debug for Body {
    /// Shows the length but not the content, which may include passwords.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Body")
            .field("content_type", &self.content_type)
            .field("length", &self.bytes.len())
            .finish()
    }
}
