//! Request pipeline: limits, route, session, body, permission, handler, response.

use crate::content_negotiation::{self, Consumes};
use crate::error::{ApiError, truncated_method};
use crate::management_channel::ManagementChannel;
use crate::path::{self, Api, ApiPath};
use crate::query::Query;
use crate::refusal_log::RefusalLog;
use crate::request_ids::RequestIds;
use crate::request_memory::RequestMemory;
use crate::request_tasks::RequestTasks;
use crate::request_tracer::{self, AnsweredRequest};
use crate::response::{ApiResponse, ResponseContent};
use crate::route::{
    NoBody, Payload as _, RequestContext, Route, RouteLookup, RouteRequest, RouteTable,
};
use crate::routes::oidc;
use crate::session::SessionCredential;
use crate::state::AppState;
use crate::{compress, cors, management_channel, origin, session};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::BodyExt as _;
use portcullis_api::code::Code;
use portcullis_api::error::Cause;
use portcullis_app::fabric::OpenChannel;
use portcullis_app::metrics::{Operation as MeasuredOperation, known_method};
use portcullis_app::{audit, sessions};
use portcullis_domain::access::{Access, Action as _, ApiSurface, Caller, Origin, Permit};
use portcullis_domain::compatibility::OPENZITI_LEVEL;
use portcullis_domain::ids::RequestId;
use portcullis_listener::{
    Body, Budgets, Connection, DrainFuture, HeadRefusal, ResponseFuture, Service, ServiceResponse,
    catch_panic, full_body,
};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;
use tracing::Instrument as _;

const INSTANCE: HeaderName = HeaderName::from_static("ziti-instance-id");

/// Bytes of an unmatched request path that are logged.
const MAX_LOGGED_PATH: usize = 200;

/// When to try again while too many management channels are open.
const CHANNEL_RETRY_SECONDS: u32 = 10;

/// The service behind a listener: the controller's APIs.
#[derive(Debug, Clone)]
pub struct ControllerService {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    state: Arc<AppState>,
    table: RouteTable,
    server: HeaderValue,
    instance: HeaderValue,
    budgets: Budgets,
    tasks: RequestTasks,
    request_ids: RequestIds,
    refusal_log: RefusalLog,
}

impl ControllerService {
    /// Serves the routes of `table`, with budgets of its own.
    pub fn new(state: Arc<AppState>, table: RouteTable) -> Self {
        Self::with_budgets(state, table, Budgets::default())
    }

    /// Serves the routes of `table`, with budgets that it shares with others.
    pub fn with_budgets(state: Arc<AppState>, table: RouteTable, budgets: Budgets) -> Self {
        let text = |text: &str| {
            HeaderValue::try_from(text).unwrap_or_else(|_| HeaderValue::from_static("unknown"))
        };
        let server = text(&format!("ziti-controller/{OPENZITI_LEVEL}"));
        let instance = text(&state.instance_id);
        Self {
            inner: Arc::new(Inner {
                budgets,
                tasks: RequestTasks::new(),
                request_ids: RequestIds::default(),
                refusal_log: RefusalLog::new(state.app.settings().refusal_log),
                state,
                table,
                server,
                instance,
            }),
        }
    }

    pub fn table(&self) -> &RouteTable {
        &self.inner.table
    }
}

impl Service for ControllerService {
    fn call(&self, connection: &Arc<Connection>, request: Request<Body>) -> ResponseFuture {
        let inner = Arc::clone(&self.inner);
        let connection = Arc::clone(connection);
        Box::pin(async move {
            let (head, body) = request.into_parts();
            if head.method == Method::OPTIONS {
                return cors::preflight(&head.headers).map(full_body);
            }
            let begun = Instant::now();
            let options = ResponseOptions::from_headers(&head.headers);
            let request_id = inner.request_ids.next();
            let tracer = inner.state.tracer.as_deref();
            let exported = tracer.and_then(|tracer| {
                let span = request_tracer::begin(tracer, &head.headers)?;
                Some((span, request_id.clone()))
            });
            let address = connection.peer.ip();
            let target = inner.find_target(&head);
            let api = target.api;
            let (measured, method) = (target.measured(), head.method.clone());
            let is_page = api == Api::Oidc && oidc::is_page_load(&head.headers);
            let span = tracing::info_span!(
                "request",
                id = request_id.as_str(),
                method = truncated_method(&head.method),
                api = target.api.binding(),
                path = target.logged_path(&head),
                peer = %address,
            );
            let responding = async {
                let handle = || inner.handle(connection, head, target, body, request_id.clone());
                let outcome = catch_panic(handle).await.unwrap_or_else(|panicked| {
                    Err(ApiError::new(Code::Unhandled).with_detail(panicked))
                });
                if let Err(error) = &outcome {
                    let env = inner.state.app.env();
                    inner.refusal_log.record(error, address, env);
                }
                let outcome = match outcome {
                    Err(error) if is_page => Ok(oidc::problem_page(error)),
                    outcome => outcome,
                };
                build_response(options, api, outcome, request_id)
            };
            let response = responding.instrument(span).await;
            inner.state.app.metrics().requests().record(
                measured,
                method.as_str(),
                response.status().as_u16(),
                begun.elapsed(),
            );
            if let Some((span, id)) = exported {
                span.end(&AnsweredRequest {
                    id: &id,
                    method: known_method(method.as_str()),
                    operation: measured,
                    status: response.status().as_u16(),
                    peer: address,
                });
            }
            match api {
                // OpenZiti's provider does not name the server.
                Api::Oidc => response,
                Api::Client | Api::Management | Api::Fabric | Api::HealthChecks => {
                    inner.add_common_headers(response)
                },
            }
        })
    }

    fn refuse(&self, connection: &Connection, refusal: HeadRefusal) -> ServiceResponse {
        let request_id = self.inner.request_ids.next();
        let address = connection.peer.ip();
        let span = tracing::info_span!(
            "request",
            id = request_id.as_str(),
            peer = %address,
        );
        let error = ApiError::from(refusal);
        let response = span.in_scope(|| {
            let env = self.inner.state.app.env();
            self.inner.refusal_log.record(&error, address, env);
            build_response(ResponseOptions::none(), Api::Client, Err(error), request_id)
        });
        self.inner.add_common_headers(response)
    }

    fn drain(&self) -> DrainFuture<'_> {
        Box::pin(self.inner.tasks.drain())
    }
}

impl Inner {
    async fn handle(
        &self,
        connection: Arc<Connection>,
        head: http::request::Parts,
        Target { api, endpoint }: Target<'_>,
        body: Body,
        request_id: RequestId,
    ) -> Result<ApiResponse, ApiError> {
        let origin = origin::origin(request_id, &connection, &head);
        let (route, parameters) = match endpoint {
            Ok(Endpoint::Route(route, parameters)) => (route, parameters),
            Ok(Endpoint::ManagementChannel(channel)) => {
                // What is asked for over it comes by no HTTP request.
                let origin = Origin {
                    method: None,
                    ..origin
                };
                return self
                    .open_channel(channel, &connection, &head, &body, origin)
                    .await;
            },
            Err(error) => {
                body.check_announced(NoBody::MAX_BYTES)?;
                return Err(error);
            },
        };
        let operation = Operation {
            api,
            method: &route.method,
            path: route.path,
            access: route.access,
        };
        let mut memory = RequestMemory::unauthenticated(&self.budgets, &origin, &head)?;
        let (caller, credential) = if route.access == Access::Public {
            (None, None)
        } else {
            let (caller, credential) = self
                .resolve(&head.headers, &connection, &origin, operation)
                .await?;
            memory.transfer_to(&caller)?;
            sessions::publish_request(&self.state.app, &caller);
            (Some(caller), Some(credential))
        };
        // Before its media type: a body that is too large is refused whatever its type.
        body.check_announced(route.body_limit)?;
        let content_type = negotiate(route, &head.headers, &body)?;
        let (body, charge) = memory.read(route, body).await?;
        let context = RequestContext {
            state: Arc::clone(&self.state),
            api,
            connection,
            origin,
            query: Query::parse(head.uri.query()),
            uri: head.uri,
            headers: head.headers,
            parameters,
            credential,
        };
        let known_caller = caller.clone();
        let handler = route.serve(RouteRequest {
            context,
            caller,
            content_type,
            body,
        });
        let outcome = if route.is_mutating {
            self.tasks.run_to_completion(handler, charge).await
        } else {
            self.tasks.run_cancellable(handler).await
        };
        outcome.map_err(|error| match &known_caller {
            Some(caller) => {
                self.audit_denial(&error, &caller.origin, Some(caller), operation);
                error.disclose_to(caller)
            },
            None => error,
        })
    }

    /// Opens the management channel, or answers a request that is no upgrade.
    async fn open_channel(
        &self,
        channel: &dyn ManagementChannel,
        connection: &Connection,
        head: &http::request::Parts,
        body: &Body,
        origin: Origin,
    ) -> Result<ApiResponse, ApiError> {
        let operation = Operation {
            api: Api::Fabric,
            method: &head.method,
            path: management_channel::PATH,
            access: ApiSurface::Edge.access(OpenChannel::ACCESS),
        };
        let mut memory = RequestMemory::unauthenticated(&self.budgets, &origin, head)?;
        let (caller, _credential) = self
            .resolve(&head.headers, connection, &origin, operation)
            .await?;
        memory.transfer_to(&caller)?;
        sessions::publish_request(&self.state.app, &caller);
        let permit = Permit::request(ApiSurface::Edge, Arc::clone(&caller)).map_err(|denied| {
            let error = ApiError::from(denied);
            self.audit_denial(&error, &origin, Some(&caller), operation);
            error
        })?;
        let accept = match management_channel::check(head, !body.is_absent()) {
            Ok(accept) => accept,
            Err(refusal) => return Ok(refusal),
        };
        let upgrade = channel.open(permit).ok_or_else(|| {
            ApiError::new(Code::ServerTooManyRequests)
                .retry_after(CHANNEL_RETRY_SECONDS)
                .with_detail("too many management channels are open")
        })?;
        Ok(management_channel::switching(accept, upgrade))
    }

    /// Resolves the session of a request that needs one.
    async fn resolve(
        &self,
        headers: &HeaderMap,
        connection: &Connection,
        origin: &Origin,
        operation: Operation<'_>,
    ) -> Result<(Arc<Caller>, SessionCredential), ApiError> {
        session::resolve(&self.state.app, headers, connection, origin.clone())
            .await
            .inspect_err(|error| self.audit_denial(error, origin, None, operation))
    }

    /// Writes an audit record if a request was denied for lack of a session or a permission.
    fn audit_denial(
        &self,
        error: &ApiError,
        origin: &Origin,
        caller: Option<&Caller>,
        operation: Operation<'_>,
    ) {
        if error.status != StatusCode::UNAUTHORIZED {
            return;
        }
        let path = format!("{}{}", operation.api.base_path(), operation.path);
        let reason = denial_reason(error, caller, operation.access);
        let refusal = audit::RefusalEvent {
            operation: "access.denied",
            origin,
            caller,
            login_method: None,
            name: None,
            request: Some((truncated_method(operation.method), &path)),
            reason: &reason,
        };
        audit::record_refusal(&self.state.app, &refusal);
    }

    /// Finds what a request is for.
    fn find_target(&self, head: &http::request::Parts) -> Target<'_> {
        let raw = head.uri.path();
        let channel = self.state.management_channel.as_deref();
        if let Some(channel) = channel
            && raw.strip_prefix(Api::Fabric.base_path()) == Some(management_channel::PATH)
            && self.table.serves(Api::Fabric)
        {
            return Target {
                api: Api::Fabric,
                endpoint: Ok(Endpoint::ManagementChannel(channel)),
            };
        }
        let target = path::resolve(raw, |api| self.table.serves(api));
        let route = self.find_route(&target, &head.method);
        Target {
            api: target.api,
            endpoint: route.map(|(route, parameters)| Endpoint::Route(route, parameters)),
        }
    }

    fn find_route(
        &self,
        target: &ApiPath<'_>,
        method: &Method,
    ) -> Result<(&Route, BTreeMap<&'static str, String>), ApiError> {
        match self.table.find(target.api, &target.path, method) {
            RouteLookup::Found(route, parameters) => Ok((route, parameters)),
            RouteLookup::NotFound => {
                let path = format!("{}{}", target.api.base_path(), target.path);
                Err(ApiError::unknown_path(&path))
            },
            RouteLookup::WrongMethod(methods) => {
                Err(ApiError::unsupported_method(method, &methods))
            },
        }
    }

    /// Adds the headers that every response has but those to preflights.
    fn add_common_headers(&self, mut response: ServiceResponse) -> ServiceResponse {
        // What follows is no HTTP.
        if response.status() == StatusCode::SWITCHING_PROTOCOLS {
            return response;
        }
        // A 413 does not name the server, as OpenZiti's does not.
        if response.status() != StatusCode::PAYLOAD_TOO_LARGE {
            response
                .headers_mut()
                .insert(header::SERVER, self.server.clone());
        }
        response
            .headers_mut()
            .insert(INSTANCE, self.instance.clone());
        response
    }
}

/// What a request is for.
struct Target<'t> {
    api: Api,
    endpoint: Result<Endpoint<'t>, ApiError>,
}

enum Endpoint<'t> {
    /// With the parameters of its path.
    Route(&'t Route, BTreeMap<&'static str, String>),
    ManagementChannel(&'t dyn ManagementChannel),
}

/// What a request wants to do, for the audit trail.
#[derive(Clone, Copy)]
struct Operation<'r> {
    api: Api,
    method: &'r Method,
    /// Within the API.
    path: &'r str,
    access: Access,
}

impl Target<'_> {
    /// The operation by which the request is measured; none if there is none.
    fn measured(&self) -> Option<MeasuredOperation> {
        let path = match self.endpoint.as_ref().ok()? {
            Endpoint::Route(route, _) => route.path,
            Endpoint::ManagementChannel(_) => management_channel::PATH,
        };
        Some(MeasuredOperation {
            base_path: self.api.base_path(),
            path,
        })
    }

    /// The path for the log: that of the route, or the client's, truncated. The query is left out,
    /// since it may hold a token.
    fn logged_path<'a>(&'a self, head: &'a http::request::Parts) -> &'a str {
        match &self.endpoint {
            Ok(Endpoint::Route(route, _)) => return route.path,
            Ok(Endpoint::ManagementChannel(_)) => return management_channel::PATH,
            Err(_) => {},
        }
        let path = head.uri.path();
        path.get(..path.floor_char_boundary(MAX_LOGGED_PATH))
            .unwrap_or(path)
    }
}

/// Properties of a request that shape its response.
#[derive(Debug, Clone, Copy)]
struct ResponseOptions {
    accepts_gzip: bool,
    has_origin: bool,
}

impl ResponseOptions {
    /// Options for a request that could not be parsed.
    const fn none() -> Self {
        Self {
            accepts_gzip: false,
            has_origin: false,
        }
    }

    fn from_headers(request: &HeaderMap) -> Self {
        Self {
            accepts_gzip: compress::accepts_gzip(request),
            has_origin: cors::has_origin(request),
        }
    }
}

/// Builds the HTTP response.
fn build_response(
    options: ResponseOptions,
    api: Api,
    outcome: Result<ApiResponse, ApiError>,
    request_id: RequestId,
) -> ServiceResponse {
    let (status, content_type, headers, body) = match outcome {
        Ok(answer) => {
            tracing::debug!(status = answer.status.as_u16(), "answered");
            (
                answer.status,
                answer.content_type,
                answer.headers,
                answer.body,
            )
        },
        Err(error) => {
            let body = match api {
                Api::Oidc => error.login_body(),
                Api::Client | Api::Management | Api::Fabric | Api::HealthChecks => {
                    error.body(request_id)
                },
            };
            let body = ResponseContent::Full(body.into());
            (error.status, Some("application/json"), error.headers, body)
        },
    };
    let mut upgrade = None;
    let (body, is_gzip) = match body {
        ResponseContent::Upgrade(accepted) => {
            upgrade = Some(accepted);
            (full_body(Bytes::new()), false)
        },
        ResponseContent::Full(body) => {
            let gzipped = options
                .accepts_gzip
                .then(|| compress::gzip(&body))
                .flatten();
            let is_gzip = gzipped.is_some();
            (full_body(gzipped.unwrap_or(body)), is_gzip)
        },
        ResponseContent::StaticBody(fixed) => {
            let (body, is_gzip) = fixed.encoded(options.accepts_gzip);
            (full_body(body), is_gzip)
        },
        ResponseContent::Parts(parts) => {
            let is_gzip = parts.is_gzip();
            (parts.boxed_unsync(), is_gzip)
        },
    };
    let mut response = Response::new(body);
    *response.status_mut() = status;
    if let Some(upgrade) = upgrade {
        response.extensions_mut().insert(upgrade);
    }
    let response_headers = response.headers_mut();
    if let Some(content_type) = content_type {
        response_headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    }
    if is_gzip {
        response_headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    for (name, value) in headers {
        response_headers.append(name, value);
    }
    if options.has_origin {
        cors::add_allow_headers(response_headers);
    }
    response
}

/// Checks the media types of body and response; returns that of the body.
fn negotiate(route: &Route, headers: &HeaderMap, body: &Body) -> Result<Option<String>, ApiError> {
    let content_type = content_negotiation::content_type(headers);
    if !body.is_absent() {
        let given = content_type
            .as_deref()
            .unwrap_or("application/octet-stream");
        if !route.consumes.types().contains(&given) {
            let supported = route.consumes.types();
            return Err(ApiError::unsupported_content_type(given, supported));
        }
    }
    // Errors are JSON whatever a route produces, so clients that accept only JSON are served too.
    let is_acceptable = route.ignores_accept
        || [route.produces, "application/json"]
            .into_iter()
            .any(|produced| content_negotiation::accepts(headers, produced));
    if !is_acceptable {
        let is_raw = route.consumes == Consumes::Enrollment
            && content_type
                .as_deref()
                .is_some_and(|given| given != "application/json");
        let given = headers
            .get(header::ACCEPT)
            .and_then(|value| value.to_str().ok());
        return Err(if is_raw {
            ApiError::new(Code::UnsupportedMedia)
        } else {
            ApiError::not_acceptable(given.unwrap_or_default())
        });
    }
    Ok(content_type)
}

/// Returns the reason for a denial, for the audit trail.
fn denial_reason(error: &ApiError, caller: Option<&Caller>, access: Access) -> String {
    match (caller, error.cause.as_deref()) {
        (None, _) => "no valid session".to_owned(),
        (Some(caller), _) if !caller.has_access(access) => {
            format!("requires {}", access.describe())
        },
        (Some(_), Some(Cause::Nested(cause))) => cause.message.clone().into_owned(),
        (Some(_), _) => "not covered by the caller's permissions".to_owned(),
    }
}
