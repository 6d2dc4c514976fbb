//! Routes: method, path, access, body and handler of an operation.
//!
//! A route is declared with [`guarded`], [`guarded_on`] or [`public`]. The order of checks follows
//! from the types, not from the handler: session (401), body (400), permission (401), and only then
//! the handler, which gets the proof of permission as an argument.

mod description;
mod payload;
mod table;

#[cfg(feature = "describe")]
pub use description::{BodySpec, SchemaFn};
pub use description::{Parameter, ResponseSpec, RouteDescription, ValueType};
pub use payload::{Json, LenientJson, NoBody, OptionalJson, Payload};
pub use table::{RouteError, RouteLookup, RouteTable};

use crate::content_negotiation::Consumes;
use crate::error::ApiError;
use crate::path::Api;
use crate::query::Query;
use crate::response::ApiResponse;
use crate::session::SessionCredential;
use crate::state::AppState;
use bytes::Bytes;
use http::{HeaderMap, Method, Uri};
use portcullis_domain::access::{Access, Action, ApiSurface, Caller, Origin, Permit};
use portcullis_domain::ids::EntityId;
use portcullis_listener::Connection;
use secrecy::SecretString;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;

/// One operation of an API.
pub struct Route {
    /// The APIs that have it.
    pub apis: &'static [Api],
    pub method: Method,
    /// Path within the API, with parameters as `{name}`.
    pub path: &'static str,
    /// Access that the caller needs.
    pub access: Access,
    /// The media types of the request body.
    pub consumes: Consumes,
    /// The media type of the response.
    pub produces: &'static str,
    /// Whether the `Accept` header is ignored.
    pub ignores_accept: bool,
    /// Longest request body, bytes.
    pub body_limit: usize,
    pub reads_body: bool,
    /// Whether it may change something, and so runs to completion even if the client leaves.
    pub is_mutating: bool,
    /// Whether it is implemented; otherwise it responds with 501, as every controller does.
    pub is_implemented: bool,
    #[cfg(feature = "describe")]
    pub description: RouteDescription,
    /// The specification of the request body.
    #[cfg(feature = "describe")]
    pub body: fn() -> BodySpec,
    serve: ServeFn,
}

type ServeFn = Box<dyn Fn(RouteRequest) -> HandlerFuture + Send + Sync>;

/// Future of a handler.
pub type HandlerFuture = Pin<Box<dyn Future<Output = Result<ApiResponse, ApiError>> + Send>>;

/// A request with a session, whose body was read but not decoded.
pub struct RouteRequest {
    pub context: RequestContext,
    /// `None` only on public routes.
    pub caller: Option<Arc<Caller>>,
    /// The media type of the body, if the client sent one.
    pub content_type: Option<String>,
    pub body: Bytes,
}

/// Everything that a handler gets besides permit and body.
pub struct RequestContext {
    pub state: Arc<AppState>,
    /// The API that received the request.
    pub api: Api,
    /// The connection, with the client's certificates.
    pub connection: Arc<Connection>,
    pub origin: Origin,
    /// The request target.
    pub uri: Uri,
    pub headers: HeaderMap,
    /// The path parameters.
    pub parameters: BTreeMap<&'static str, String>,
    pub query: Query,
    /// What the session was found by; `None` only on public routes.
    pub(crate) credential: Option<SessionCredential>,
}

impl RequestContext {
    /// The path parameter `id`; the empty string, which is no id, if the route has none.
    pub fn id(&self) -> &str {
        self.parameters
            .get("id")
            .map(String::as_str)
            .unwrap_or_default()
    }

    /// The token of the session, as presented; empty on public routes.
    pub fn session_token(&self) -> SecretString {
        let token = self
            .credential
            .map(|credential| credential.token(&self.headers));
        token.unwrap_or_default()
    }

    /// The path parameter `id` as an id of one kind.
    pub fn entity_id<I: EntityId>(&self) -> I {
        I::from_wire(self.id().to_owned())
    }
}

/// An authorized request with permit `P` and body `B`.
pub struct Call<P, B> {
    /// Proof that the caller may do this; `()` on public routes.
    pub permit: P,
    pub body: B,
    pub context: RequestContext,
}

/// Declares a route for callers that may perform the action `A`, which requires the same on all
/// APIs that have the route.
pub fn guarded<A, B, H, F>(method: Method, path: &'static str, handler: H) -> Route
where
    A: Action,
    B: Payload,
    H: Fn(Call<Permit<A>, B>) -> F + Send + Sync + 'static,
    F: Future<Output = Result<ApiResponse, ApiError>> + Send + 'static,
{
    guarded_on(ApiSurface::Edge, method, path, handler)
}

/// Declares a route of managed entities for callers that may perform the action `A` on `surface`.
pub fn guarded_on<A, B, H, F>(
    surface: ApiSurface,
    method: Method,
    path: &'static str,
    handler: H,
) -> Route
where
    A: Action,
    B: Payload,
    H: Fn(Call<Permit<A>, B>) -> F + Send + Sync + 'static,
    F: Future<Output = Result<ApiResponse, ApiError>> + Send + 'static,
{
    let serve = move |incoming: RouteRequest| -> HandlerFuture {
        let body = match decode::<B>(&incoming) {
            Ok(body) => body,
            Err(error) => return respond_with_error(error),
        };
        let request = |caller| Permit::request(surface, caller);
        let permit = match incoming.caller.map(request) {
            Some(Ok(permit)) => permit,
            Some(Err(denied)) => return respond_with_error(denied.into()),
            None => return respond_with_error(ApiError::unauthenticated()),
        };
        Box::pin(handler(Call {
            permit,
            body,
            context: incoming.context,
        }))
    };
    Route::new::<B>(
        method,
        path,
        surface.access(A::ACCESS),
        B::MAX_BYTES,
        Box::new(serve),
    )
}

/// Decodes query and body.
fn decode<B: Payload>(incoming: &RouteRequest) -> Result<B, ApiError> {
    B::validate_query(&incoming.context.query)?;
    Ok(B::decode(incoming.content_type.as_deref(), &incoming.body)?)
}

/// Declares a public route; credentials are ignored.
pub fn public<B, H, F>(method: Method, path: &'static str, handler: H) -> Route
where
    B: Payload,
    H: Fn(Call<(), B>) -> F + Send + Sync + 'static,
    F: Future<Output = Result<ApiResponse, ApiError>> + Send + 'static,
{
    let serve = move |incoming: RouteRequest| -> HandlerFuture {
        match decode::<B>(&incoming) {
            Ok(body) => Box::pin(handler(Call {
                permit: (),
                body,
                context: incoming.context,
            })),
            Err(error) => respond_with_error(error),
        }
    };
    Route::new::<B>(
        method,
        path,
        Access::Public,
        B::MAX_BYTES.min(PUBLIC_BODY_LIMIT),
        Box::new(serve),
    )
}

/// Longest body of a public route.
const PUBLIC_BODY_LIMIT: usize = 256 * 1024;

fn respond_with_error(error: ApiError) -> HandlerFuture {
    Box::pin(std::future::ready(Err(error)))
}

impl Route {
    fn new<B: Payload>(
        method: Method,
        path: &'static str,
        access: Access,
        body_limit: usize,
        serve: ServeFn,
    ) -> Self {
        Self {
            apis: &[Api::Client, Api::Management],
            is_mutating: !method.is_safe(),
            #[cfg(feature = "describe")]
            description: RouteDescription::new(&method, B::PARAMETERS),
            #[cfg(feature = "describe")]
            body: B::describe,
            method,
            path,
            access,
            consumes: B::CONSUMES,
            produces: "application/json",
            ignores_accept: false,
            body_limit,
            reads_body: B::READS_BODY,
            is_implemented: true,
            serve,
        }
    }

    /// Restricts the route to these APIs.
    #[must_use]
    pub fn only(mut self, apis: &'static [Api]) -> Self {
        self.apis = apis;
        self
    }

    /// Sets the media type of the response.
    #[must_use]
    pub fn producing(mut self, media_type: &'static str) -> Self {
        self.produces = media_type;
        self
    }

    /// Ignores the `Accept` header.
    #[must_use]
    pub fn ignoring_accept(mut self) -> Self {
        self.ignores_accept = true;
        self
    }

    /// Lowers the body limit to `cap` bytes.
    #[must_use]
    pub fn with_body_limit(mut self, cap: usize) -> Self {
        self.body_limit = self.body_limit.min(cap);
        self
    }

    /// Marks the route as mutating although its method is safe.
    #[must_use]
    pub fn mutating(mut self) -> Self {
        self.is_mutating = true;
        self
    }

    /// Marks the route as described but not implemented.
    #[must_use]
    pub fn not_implemented(mut self) -> Self {
        self.is_implemented = false;
        self
    }

    pub fn serve(&self, incoming: RouteRequest) -> HandlerFuture {
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
