//! Routes as data: method, path, what the caller must be, what the body is, who answers.
//!
//! A route is declared with [`guarded`] or [`open`]. The order in which a request is judged
//! follows from the types, not from the handler: session (401), body (400), permission (401), and
//! only then the handler, which gets the proof of permission as an argument.

mod described;
mod payload;
mod table;

pub use described::{Answers, Body, Parameter};
pub(crate) use described::{SchemaOf, Values};
pub use payload::{Ignored, Json, JsonIfAny, JsonIfFit, Payload};
pub use table::{BadRoute, Lookup, Table};

use crate::answer::Answer;
use crate::error::ApiError;
use crate::language::Consumes;
use crate::listen::Connection;
use crate::path::Api;
use crate::query::Query;
use crate::state::State;
use bytes::Bytes;
use http::{HeaderMap, Method};
use portcullis_domain::access::{Access, Action, Caller, Origin, Permit};
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;

/// One operation of an API.
pub struct Route {
    /// The APIs that have it.
    pub apis: &'static [Api],
    /// Its method.
    pub method: Method,
    /// Its path within the API, with parameters as `{name}`.
    pub path: &'static str,
    /// What its caller must be.
    pub access: Access,
    /// The media types of its body.
    pub consumes: Consumes,
    /// The media type of its answer.
    pub produces: &'static str,
    /// Whether it answers in that type whatever the client accepts.
    pub ignores_accept: bool,
    /// The longest body it takes, bytes.
    pub cap: usize,
    /// Whether its body is read.
    pub reads_body: bool,
    /// Whether it may change something, and so is carried to its end whoever leaves meanwhile.
    pub is_changing: bool,
    /// Whether it does what the description of the API says; otherwise it answers 501, as every
    /// controller does.
    pub is_performed: bool,
    /// What it answers when all goes well, if that is said.
    pub(crate) answers: Option<Answers>,
    /// What its body is.
    pub(crate) body: fn() -> Body,
    /// The parameters that it reads besides those of its path.
    pub(crate) parameters: Vec<&'static Parameter>,
    serve: Serve,
}

type Serve = Box<dyn Fn(Incoming) -> Reply + Send + Sync>;

/// What becomes of a request.
pub type Reply = Pin<Box<dyn Future<Output = Result<Answer, ApiError>> + Send>>;

/// A request whose session is established and whose body was read, but not understood yet.
pub struct Incoming {
    /// What the handler is given besides the body.
    pub context: Context,
    /// Who asks; `None` only on public routes.
    pub caller: Option<Arc<Caller>>,
    /// The media type of the body, if it was named.
    pub content_type: Option<String>,
    /// The body.
    pub body: Bytes,
}

/// What a handler knows of its request besides permission and body.
pub struct Context {
    /// The controller.
    pub state: Arc<State>,
    /// The API on which the request came.
    pub api: Api,
    /// The connection, with the client's certificates.
    pub connection: Arc<Connection>,
    /// Where the request comes from.
    pub origin: Origin,
    /// The headers.
    pub headers: HeaderMap,
    /// The parameters of the path.
    pub parameters: BTreeMap<&'static str, String>,
    /// The parameters of the query.
    pub query: Query,
    /// The token of the session, as it was presented.
    pub token: Option<secrecy::SecretString>,
}

impl Context {
    /// The path parameter `id`; the empty text when the route has none, which names nothing.
    pub fn id(&self) -> &str {
        self.parameters
            .get("id")
            .map(String::as_str)
            .unwrap_or_default()
    }
}

/// A request that may be answered: `P` proves it, `B` is the body.
pub struct Call<P, B> {
    /// Proof that the caller may do this; `()` on public routes.
    pub permit: P,
    /// The body.
    pub body: B,
    /// Everything else.
    pub context: Context,
}

/// Declares a route for those who may perform the action `A`.
pub fn guarded<A, B, H, F>(method: Method, path: &'static str, handler: H) -> Route
where
    A: Action,
    B: Payload,
    H: Fn(Call<Permit<A>, B>) -> F + Send + Sync + 'static,
    F: Future<Output = Result<Answer, ApiError>> + Send + 'static,
{
    let serve = move |incoming: Incoming| -> Reply {
        let body = match understand::<B>(&incoming) {
            Ok(body) => body,
            Err(error) => return refuse(error),
        };
        let permit = match incoming.caller.map(Permit::request) {
            Some(Ok(permit)) => permit,
            Some(Err(denied)) => return refuse(denied.into()),
            None => return refuse(ApiError::unauthenticated()),
        };
        Box::pin(handler(Call {
            permit,
            body,
            context: incoming.context,
        }))
    };
    Route::new::<B>(method, path, A::ACCESS, B::CAP, Box::new(serve))
}

/// Reads query and body.
fn understand<B: Payload>(incoming: &Incoming) -> Result<B, ApiError> {
    B::check(&incoming.context.query)?;
    Ok(B::read(incoming.content_type.as_deref(), &incoming.body)?)
}

/// Declares a route for everybody; credentials are not looked at.
pub fn open<B, H, F>(method: Method, path: &'static str, handler: H) -> Route
where
    B: Payload,
    H: Fn(Call<(), B>) -> F + Send + Sync + 'static,
    F: Future<Output = Result<Answer, ApiError>> + Send + 'static,
{
    let serve = move |incoming: Incoming| -> Reply {
        match understand::<B>(&incoming) {
            Ok(body) => Box::pin(handler(Call {
                permit: (),
                body,
                context: incoming.context,
            })),
            Err(error) => refuse(error),
        }
    };
    Route::new::<B>(
        method,
        path,
        Access::Public,
        B::CAP.min(PUBLIC_CAP),
        Box::new(serve),
    )
}

/// The longest body of a route that needs no session.
const PUBLIC_CAP: usize = 256 * 1024;

fn refuse(error: ApiError) -> Reply {
    Box::pin(std::future::ready(Err(error)))
}

impl Route {
    fn new<B: Payload>(
        method: Method,
        path: &'static str,
        access: Access,
        cap: usize,
        serve: Serve,
    ) -> Self {
        Self {
            apis: &[Api::Client, Api::Management],
            is_changing: !method.is_safe(),
            answers: Answers::usual(&method),
            body: B::described,
            parameters: B::PARAMETERS.iter().collect(),
            method,
            path,
            access,
            consumes: B::CONSUMES,
            produces: "application/json",
            ignores_accept: false,
            cap,
            reads_body: B::IS_READ,
            is_performed: true,
            serve,
        }
    }

    /// The same route, on these APIs only.
    #[must_use]
    pub fn only(mut self, apis: &'static [Api]) -> Self {
        self.apis = apis;
        self
    }

    /// The same route, with an answer of this media type.
    #[must_use]
    pub fn producing(mut self, media_type: &'static str) -> Self {
        self.produces = media_type;
        self
    }

    /// The same route, answered whatever the client accepts.
    #[must_use]
    pub fn whatever_is_accepted(mut self) -> Self {
        self.ignores_accept = true;
        self
    }

    /// The same route, with a body of no more than `cap` bytes.
    #[must_use]
    pub fn at_most(mut self, cap: usize) -> Self {
        self.cap = self.cap.min(cap);
        self
    }

    /// The same route, which changes something although its method says that it does not.
    #[must_use]
    pub fn changing(mut self) -> Self {
        self.is_changing = true;
        self
    }

    /// The same route, of what is described and never done.
    #[must_use]
    pub fn unperformed(mut self) -> Self {
        self.is_performed = false;
        self
    }

    /// Answers a request.
    pub fn serve(&self, incoming: Incoming) -> Reply {
        (self.serve)(incoming)
    }
}

impl std::fmt::Debug for Route {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            formatter,
            "{} {} ({:?})",
            self.method, self.path, self.access
        )
    }
}
