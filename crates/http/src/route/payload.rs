//! Bodies of requests, by how they are read.

use crate::error::ApiError;
use crate::language::Consumes;
use crate::query::Query;
use crate::route::{Body, Parameter};
use bytes::Bytes;
use portcullis_api::decode::{Decode, DecodeError};
use portcullis_api::describe::Request;

/// A body.
pub trait Payload: Sized + Send + 'static {
    /// The media types in which it may come.
    const CONSUMES: Consumes = Consumes::Json;

    /// The most bytes it may have.
    const CAP: usize = 1024 * 1024;

    /// Whether it is read at all. One that nobody looks at takes up no memory.
    const IS_READ: bool = true;

    /// The parameters that are judged together with it.
    const PARAMETERS: &'static [Parameter] = &[];

    /// What it is, for the description of the API.
    fn described() -> Body {
        Body::Absent
    }

    /// Checks what the query says, which is judged together with the body.
    fn check(query: &Query) -> Result<(), ApiError> {
        let _ = query;
        Ok(())
    }

    /// Reads it.
    fn read(content_type: Option<&str>, bytes: &Bytes) -> Result<Self, DecodeError>;
}

/// No body; what a client sends all the same is not looked at.
#[derive(Debug)]
pub struct Ignored;

impl Payload for Ignored {
    const IS_READ: bool = false;

    fn read(_content_type: Option<&str>, _bytes: &Bytes) -> Result<Self, DecodeError> {
        Ok(Self)
    }
}

/// A JSON body.
#[derive(Debug)]
pub struct Json<T>(pub T);

impl<T: Decode + Send + 'static> Payload for Json<T> {
    fn described() -> Body {
        Body::Json(Box::new(Request::of::<T>()))
    }

    fn read(_content_type: Option<&str>, bytes: &Bytes) -> Result<Self, DecodeError> {
        T::from_body(bytes).map(Self)
    }
}

/// A JSON body that counts only if it is one: any other is as good as none.
#[derive(Debug)]
pub struct JsonIfFit<T>(pub T);

impl<T: Decode + Default + Send + 'static> Payload for JsonIfFit<T> {
    fn described() -> Body {
        optional::<T>()
    }

    fn read(_content_type: Option<&str>, bytes: &Bytes) -> Result<Self, DecodeError> {
        Ok(Self(T::from_body(bytes).unwrap_or_default()))
    }
}

/// A JSON body that may be missing.
#[derive(Debug)]
pub struct JsonIfAny<T>(pub Option<T>);

impl<T: Decode + Send + 'static> Payload for JsonIfAny<T> {
    fn described() -> Body {
        optional::<T>()
    }

    fn read(_content_type: Option<&str>, bytes: &Bytes) -> Result<Self, DecodeError> {
        let body = (!bytes.is_empty()).then(|| T::from_body(bytes));
        Ok(Self(body.transpose()?))
    }
}

/// A JSON body that is optional whatever its reader says.
fn optional<T: Decode>() -> Body {
    Body::Json(Box::new(Request {
        is_optional: true,
        ..Request::of::<T>()
    }))
}
