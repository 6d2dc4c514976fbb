//! Descriptions of routes: responses, request bodies and parameters.

use crate::route::Route;
use http::{Method, StatusCode};
use portcullis_api::describe::RequestDescription;
use portcullis_api::envelope::{Created, Empty, Envelope, ListEnvelope};
use schemars::{JsonSchema, Schema, SchemaGenerator};

/// Generates a schema, or a reference to one that the generator keeps.
pub(crate) type SchemaFn = fn(&mut SchemaGenerator) -> Schema;

/// The response of a route on success.
#[derive(Debug, Clone, Copy)]
pub struct ResponseSpec {
    pub(crate) status: StatusCode,
    /// The schema of a JSON body; `None` for bytes of the route's media type.
    pub(crate) schema: Option<SchemaFn>,
    /// An alternative status with the same body.
    pub(crate) alternative_status: Option<StatusCode>,
}

/// The request body of a route.
#[derive(Debug, Clone, PartialEq)]
pub enum BodySpec {
    /// No body; one that is sent is ignored.
    Absent,
    Json(Box<RequestDescription>),
    JsonOrText(Box<RequestDescription>),
    Text,
}

/// A query or header parameter of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    pub(crate) name: &'static str,
    /// Whether it is a header; otherwise it is in the query.
    pub(crate) is_header: bool,
    pub(crate) value_type: ValueType,
    /// Whether a request without it is refused.
    pub(crate) is_required: bool,
    pub(crate) description: &'static str,
}

/// The type of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueType {
    Text,
    Number,
    OneOf(&'static [&'static str]),
    /// Several strings: the parameter may be repeated.
    List,
}

impl ResponseSpec {
    const fn with_schema(status: StatusCode, schema: SchemaFn) -> Self {
        Self {
            status,
            schema: Some(schema),
            alternative_status: None,
        }
    }

    /// One entity: 200.
    pub(crate) fn detail<T: JsonSchema>() -> Self {
        Self::json::<Envelope<T>>()
    }

    /// A page of entities: 200.
    pub(crate) fn list<T: JsonSchema>() -> Self {
        Self::json::<ListEnvelope<T>>()
    }

    /// A body with an envelope of its own: 200.
    pub(crate) fn json<T: JsonSchema>() -> Self {
        Self::with_schema(StatusCode::OK, SchemaGenerator::subschema_for::<T>)
    }

    /// A creation: 201 with the id.
    pub(crate) fn created() -> Self {
        Self::created_with::<Created>()
    }

    /// A creation, with more than its id: 201.
    pub(crate) fn created_with<T: JsonSchema>() -> Self {
        Self::with_schema(
            StatusCode::CREATED,
            SchemaGenerator::subschema_for::<Envelope<T>>,
        )
    }

    /// Success without data: 200.
    pub(crate) fn empty() -> Self {
        Self::detail::<Empty>()
    }

    /// Started but not finished: 202.
    pub(crate) fn accepted() -> Self {
        Self::with_schema(
            StatusCode::ACCEPTED,
            SchemaGenerator::subschema_for::<Envelope<Empty>>,
        )
    }

    /// Bytes of the media type that the route produces: 200.
    pub(crate) const fn raw() -> Self {
        Self {
            status: StatusCode::OK,
            schema: None,
            alternative_status: None,
        }
    }

    /// An error, whatever the request.
    pub(crate) const fn error(status: StatusCode) -> Self {
        Self {
            status,
            ..Self::raw()
        }
    }

    /// Adds a status that the response has at times.
    pub(crate) const fn or_status(mut self, status: StatusCode) -> Self {
        self.alternative_status = Some(status);
        self
    }

    /// The default for a method. Reads have responses of their own, so they have no default.
    pub(super) fn default_for(method: &Method) -> Option<Self> {
        match *method {
            Method::POST => Some(Self::created()),
            Method::PUT | Method::PATCH | Method::DELETE => Some(Self::empty()),
            _ => None,
        }
    }
}

impl Parameter {
    /// A query parameter with a string value.
    pub(crate) const fn query(name: &'static str, description: &'static str) -> Self {
        Self {
            name,
            is_header: false,
            value_type: ValueType::Text,
            is_required: false,
            description,
        }
    }

    /// A header with a string value.
    pub(crate) const fn header(name: &'static str, description: &'static str) -> Self {
        Self {
            is_header: true,
            ..Self::query(name, description)
        }
    }

    /// Makes the parameter mandatory.
    pub(crate) const fn required(mut self) -> Self {
        self.is_required = true;
        self
    }

    /// Sets another type than string.
    pub(crate) const fn with_type(mut self, value_type: ValueType) -> Self {
        self.value_type = value_type;
        self
    }
}

impl Route {
    /// Sets the response on success.
    #[must_use]
    pub(crate) fn responds(mut self, response: ResponseSpec) -> Self {
        self.response = Some(response);
        self
    }

    /// Adds parameters to those of the payload.
    #[must_use]
    pub(crate) fn with_parameters(mut self, parameters: &'static [Parameter]) -> Self {
        self.parameters.extend(parameters);
        self
    }

    /// Reports whether the response is declared.
    pub const fn is_described(&self) -> bool {
        self.response.is_some() || !self.is_implemented
    }
}
