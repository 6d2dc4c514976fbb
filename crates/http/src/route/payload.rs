//! Payloads: how request bodies are decoded.

use crate::content_negotiation::Consumes;
use crate::error::ApiError;
use crate::query::Query;
#[cfg(feature = "describe")]
use crate::route::BodySpec;
use crate::route::Parameter;
use bytes::Bytes;
use portcullis_api::decode::{Decode, DecodeError};
#[cfg(feature = "describe")]
use portcullis_api::describe::RequestDecoder;

/// A request body.
pub trait Payload: Sized + Send + 'static {
    /// The accepted media types.
    const CONSUMES: Consumes = Consumes::Json;

    /// The longest body, bytes.
    const MAX_BYTES: usize = 1024 * 1024;

    /// Whether it is read at all. A body that is not read takes no memory.
    const READS_BODY: bool = true;

    /// The query parameters that are validated together with it.
    const PARAMETERS: &'static [Parameter] = &[];

    /// The body in the description of the API.
    #[cfg(feature = "describe")]
    fn describe() -> BodySpec {
        BodySpec::Absent
    }

    /// Validates the query.
    fn validate_query(query: &Query) -> Result<(), ApiError> {
        let _ = query;
        Ok(())
    }

    fn decode(content_type: Option<&str>, bytes: &Bytes) -> Result<Self, DecodeError>;
}

/// No body; one that is sent is ignored.
#[derive(Debug)]
pub struct NoBody;

impl Payload for NoBody {
    const READS_BODY: bool = false;

    fn decode(_content_type: Option<&str>, _bytes: &Bytes) -> Result<Self, DecodeError> {
        Ok(Self)
    }
}

#[derive(Debug)]
pub struct Json<T>(pub T);

impl<T: Decode + Send + 'static> Payload for Json<T> {
    #[cfg(feature = "describe")]
    fn describe() -> BodySpec {
        BodySpec::Json(RequestDecoder::new::<T>())
    }

    fn decode(_content_type: Option<&str>, bytes: &Bytes) -> Result<Self, DecodeError> {
        T::from_body(bytes).map(Self)
    }
}

/// A JSON body; one that cannot be decoded counts as absent.
#[derive(Debug)]
pub struct LenientJson<T>(pub T);

impl<T: Decode + Default + Send + 'static> Payload for LenientJson<T> {
    #[cfg(feature = "describe")]
    fn describe() -> BodySpec {
        optional_body::<T>()
    }

    fn decode(_content_type: Option<&str>, bytes: &Bytes) -> Result<Self, DecodeError> {
        Ok(Self(T::from_body(bytes).unwrap_or_default()))
    }
}

/// An optional JSON body.
#[derive(Debug)]
pub struct OptionalJson<T>(pub Option<T>);

impl<T: Decode + Send + 'static> Payload for OptionalJson<T> {
    #[cfg(feature = "describe")]
    fn describe() -> BodySpec {
        optional_body::<T>()
    }

    fn decode(_content_type: Option<&str>, bytes: &Bytes) -> Result<Self, DecodeError> {
        let body = (!bytes.is_empty()).then(|| T::from_body(bytes));
        Ok(Self(body.transpose()?))
    }
}

/// An optional body, whatever its decoder says.
#[cfg(feature = "describe")]
fn optional_body<T: Decode>() -> BodySpec {
    BodySpec::Json(RequestDecoder {
        is_optional: true,
        ..RequestDecoder::new::<T>()
    })
}
