//! Descriptions of routes: responses, request bodies and parameters. Without the feature `describe`,
//! routes do not keep them.

use crate::route::Route;
use http::{Method, StatusCode};
use portcullis_api::describe::JsonSchema;
#[cfg(feature = "describe")]
use portcullis_api::describe::{RequestDecoder, Schema, SchemaGenerator};
use portcullis_api::envelope::{Created, Empty, Envelope, ListEnvelope};

/// Generates a schema, or a reference to one that the generator keeps.
#[cfg(feature = "describe")]
pub type SchemaFn = fn(&mut SchemaGenerator) -> Schema;

/// What a route says about itself.
#[derive(Debug, Clone)]
pub struct RouteDescription {
    /// The response on success, if it is declared.
    pub response: Option<ResponseSpec>,
    /// The parameters that it reads besides those of its path.
    pub parameters: Vec<&'static Parameter>,
    /// The statuses of errors besides those that follow from its form.
    pub refusals: Vec<StatusCode>,
}

/// The response of a route on success.
#[derive(Debug, Clone, Copy)]
pub struct ResponseSpec {
    pub status: StatusCode,
    /// The schema of a JSON body; `None` for bytes of the route's media type.
    #[cfg(feature = "describe")]
    pub schema: Option<SchemaFn>,
    /// An alternative status with the same body.
    pub alternative_status: Option<StatusCode>,
}

/// The request body of a route.
#[cfg(feature = "describe")]
#[derive(Debug, Clone)]
pub enum BodySpec {
    /// No body; one that is sent is ignored.
    Absent,
    Json(RequestDecoder),
    JsonOrText(RequestDecoder),
    Text,
}

/// A query or header parameter of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    pub name: &'static str,
    /// Whether it is a header; otherwise it is in the query.
    pub is_header: bool,
    pub value_type: ValueType,
    /// Whether a request without it is refused.
    pub is_required: bool,
    pub description: &'static str,
}

/// The type of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueType {
    Text,
    Number,
    OneOf(&'static [&'static str]),
    /// Several strings: the parameter may be repeated.
    List,
}

impl RouteDescription {
    /// The description of a route that does not say more. Reads have responses of their own.
    pub fn new(method: &Method, parameters: &'static [Parameter]) -> Self {
        let response = match *method {
            Method::POST => Some(ResponseSpec::created_with::<Created>()),
            Method::PUT | Method::PATCH | Method::DELETE => Some(ResponseSpec::empty()),
            _ => None,
        };
        Self {
            response,
            parameters: parameters.iter().collect(),
            refusals: Vec::new(),
        }
    }
}

impl ResponseSpec {
    #[cfg_attr(
        not(feature = "describe"),
        expect(
            clippy::extra_unused_type_parameters,
            reason = "nobody asks for the schema"
        )
    )]
    fn with_schema<T: JsonSchema>(status: StatusCode) -> Self {
        Self {
            #[cfg(feature = "describe")]
            schema: Some(SchemaGenerator::subschema_for::<T>),
            ..Self::error(status)
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
        Self::with_schema::<T>(StatusCode::OK)
    }

    /// A creation, with more than its id: 201.
    pub(crate) fn created_with<T: JsonSchema>() -> Self {
        Self::with_schema::<Envelope<T>>(StatusCode::CREATED)
    }

    /// Success without data: 200.
    pub(crate) fn empty() -> Self {
        Self::detail::<Empty>()
    }

    /// Started but not finished: 202.
    pub(crate) fn accepted() -> Self {
        Self::with_schema::<Envelope<Empty>>(StatusCode::ACCEPTED)
    }

    /// Bytes of the media type that the route produces: 200.
    pub(crate) const fn raw() -> Self {
        Self {
            status: StatusCode::OK,
            #[cfg(feature = "describe")]
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
    pub(crate) fn responds(self, response: ResponseSpec) -> Self {
        self.describe(|description| description.response = Some(response))
    }

    /// Adds parameters to those of the payload.
    #[must_use]
    pub(crate) fn with_parameters(self, parameters: &'static [Parameter]) -> Self {
        self.describe(|description| description.parameters.extend(parameters))
    }

    /// Declares statuses of errors besides those that follow from the route's form: a body, a
    /// parameter, a session.
    #[must_use]
    pub(crate) fn with_refusals(self, statuses: &'static [StatusCode]) -> Self {
        self.describe(|description| description.refusals.extend(statuses))
    }

    #[cfg(feature = "describe")]
    fn describe(mut self, change: impl FnOnce(&mut RouteDescription)) -> Self {
        change(&mut self.description);
        self
    }

    #[cfg(not(feature = "describe"))]
    fn describe(self, _change: impl FnOnce(&mut RouteDescription)) -> Self {
        self
    }
}
