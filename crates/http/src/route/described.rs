//! What a route says of itself, for the description of its API: what it answers, what its body is,
//! and which parameters it reads.

use crate::route::Route;
use http::{Method, StatusCode};
use portcullis_api::describe::Request;
use portcullis_api::envelope::{Created, Empty, Envelope, ListEnvelope};
use schemars::{JsonSchema, Schema, SchemaGenerator};

/// Makes a schema, or a reference to one that the generator keeps.
pub(crate) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// What a route answers when all goes well.
#[derive(Debug, Clone, Copy)]
pub struct Answers {
    /// The status.
    pub(crate) status: StatusCode,
    /// The body, if it is JSON; otherwise bytes of what the route produces.
    pub(crate) schema: Option<SchemaOf>,
    /// A status that the same body has at times.
    pub(crate) at_times: Option<StatusCode>,
}

/// The body that a route takes, for its description.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// None; what is sent all the same is not looked at.
    Absent,
    /// JSON.
    Json(Box<Request>),
    /// JSON, or text.
    JsonOrText(Box<Request>),
    /// Text.
    Text,
}

/// A parameter that a route reads besides those of its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub(crate) name: &'static str,
    /// Whether it is a header; otherwise it stands in the query.
    pub(crate) is_header: bool,
    /// What it may be.
    pub(crate) values: Values,
    /// Whether a request without it is refused.
    pub(crate) is_required: bool,
    /// What it means, in words.
    pub(crate) words: &'static str,
}

/// What a parameter may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Values {
    /// Any text.
    Text,
    /// A whole number.
    Number,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// Several texts: the parameter may come more than once.
    Several,
}

impl Answers {
    const fn of(status: StatusCode, schema: SchemaOf) -> Self {
        Self {
            status,
            schema: Some(schema),
            at_times: None,
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
        Self::of(StatusCode::OK, SchemaGenerator::subschema_for::<T>)
    }

    /// A creation: 201 with the id.
    pub(crate) fn created() -> Self {
        Self::created_with::<Created>()
    }

    /// A creation that is told more of than its id: 201.
    pub(crate) fn created_with<T: JsonSchema>() -> Self {
        Self::of(
            StatusCode::CREATED,
            SchemaGenerator::subschema_for::<Envelope<T>>,
        )
    }

    /// Done, and nothing to say: 200.
    pub(crate) fn done() -> Self {
        Self::detail::<Empty>()
    }

    /// Begun, and not done yet: 202.
    pub(crate) fn begun() -> Self {
        Self::of(
            StatusCode::ACCEPTED,
            SchemaGenerator::subschema_for::<Envelope<Empty>>,
        )
    }

    /// Bytes of the media type that the route produces: 200.
    pub(crate) const fn raw() -> Self {
        Self {
            status: StatusCode::OK,
            schema: None,
            at_times: None,
        }
    }

    /// Nothing but a refusal, whatever is asked.
    pub(crate) const fn refusal(status: StatusCode) -> Self {
        Self {
            status,
            ..Self::raw()
        }
    }

    /// The same body, at times under another status.
    pub(crate) const fn or_at_times(mut self, status: StatusCode) -> Self {
        self.at_times = Some(status);
        self
    }

    /// What routes of a method answer unless they say something else. What is read has a form of its
    /// own, so that there is nothing to assume.
    pub(super) fn usual(method: &Method) -> Option<Self> {
        match *method {
            Method::POST => Some(Self::created()),
            Method::PUT | Method::PATCH | Method::DELETE => Some(Self::done()),
            _ => None,
        }
    }
}

impl Parameter {
    /// A text in the query.
    pub(crate) const fn query(name: &'static str, words: &'static str) -> Self {
        Self {
            name,
            is_header: false,
            values: Values::Text,
            is_required: false,
            words,
        }
    }

    /// A text in the head of the request.
    pub(crate) const fn header(name: &'static str, words: &'static str) -> Self {
        Self {
            is_header: true,
            ..Self::query(name, words)
        }
    }

    /// The same parameter, which has to be there.
    pub(crate) const fn required(mut self) -> Self {
        self.is_required = true;
        self
    }

    /// The same parameter, with other values than texts.
    pub(crate) const fn with(mut self, values: Values) -> Self {
        self.values = values;
        self
    }
}

impl Route {
    /// The same route, which answers this when all goes well.
    #[must_use]
    pub(crate) fn answers(mut self, answers: Answers) -> Self {
        self.answers = Some(answers);
        self
    }

    /// The same route, which reads these parameters besides those that come with its body.
    #[must_use]
    pub(crate) fn asks(mut self, parameters: &'static [Parameter]) -> Self {
        self.parameters.extend(parameters);
        self
    }

    /// Whether it is said what it answers.
    pub const fn is_described(&self) -> bool {
        self.answers.is_some() || !self.is_performed
    }
}
