//! The way of a request: limits, route, session, body, permission, handler, answer.

use crate::answer::{Answer, Content};
use crate::errands::Errands;
use crate::error::ApiError;
use crate::language::{self, Consumes};
use crate::listen::{
    self, Answering, Body, BodyError, Budgets, Connection, Refusal, Service, Settling, shielded,
};
use crate::path::{self, Api, Target};
use crate::query::Query;
use crate::refusal_log::RefusalLog;
use crate::request_ids::RequestIds;
use crate::request_memory::RequestMemory;
use crate::route::{Context, Ignored, Incoming, Lookup, Payload as _, Route, Table};
use crate::state::State;
use crate::{compress, cors, session};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::BodyExt as _;
use portcullis_api::code::Code;
use portcullis_api::error::Cause;
use portcullis_app::audit;
use portcullis_domain::FieldError;
use portcullis_domain::access::{Access, Caller, Origin};
use portcullis_domain::ids::RequestId;
use std::collections::BTreeMap;
use std::sync::Arc;
use tracing::Instrument as _;

const INSTANCE: HeaderName = HeaderName::from_static("ziti-instance-id");

/// Bytes that the log shows of the path of a request that no route serves.
const LOGGED_PATH: usize = 200;
/// Bytes of a method that are shown.
const LOGGED_METHOD: usize = 32;

/// The service behind a listener: the controller's APIs.
#[derive(Debug, Clone)]
pub struct Controller {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    state: Arc<State>,
    table: Table,
    server: HeaderValue,
    instance: HeaderValue,
    budgets: Budgets,
    errands: Errands,
    request_ids: RequestIds,
    refusal_log: RefusalLog,
}

impl Controller {
    /// Serves the routes of `table`, with budgets of its own for what requests take up.
    pub fn new(state: Arc<State>, table: Table) -> Self {
        Self::with_budgets(state, table, Budgets::default())
    }

    /// Serves the routes of `table`, and shares these budgets with others.
    pub fn with_budgets(state: Arc<State>, table: Table, budgets: Budgets) -> Self {
        let text = |text: &str| {
            HeaderValue::try_from(text).unwrap_or_else(|_| HeaderValue::from_static("unknown"))
        };
        let server = text(&format!("ziti-controller/{}", crate::routes::API_LEVEL));
        let instance = text(&state.instance_id);
        Self {
            shared: Arc::new(Shared {
                budgets,
                errands: Errands::new(),
                request_ids: RequestIds::default(),
                refusal_log: RefusalLog::new(state.app.settings().refusal_log),
                state,
                table,
                server,
                instance,
            }),
        }
    }

    /// The table of routes.
    pub fn table(&self) -> &Table {
        &self.shared.table
    }
}

impl Service for Controller {
    fn call(&self, connection: &Arc<Connection>, request: Request<Body>) -> Answering {
        let shared = Arc::clone(&self.shared);
        let connection = Arc::clone(connection);
        Box::pin(async move {
            let (head, body) = request.into_parts();
            if head.method == Method::OPTIONS {
                return cors::preflight(&head.headers).map(listen::whole);
            }
            let form = Form::of(&head.headers);
            let request_id = shared.request_ids.next();
            let address = connection.peer.ip();
            let target = shared.target(&head);
            let span = tracing::info_span!(
                "request",
                id = request_id.as_str(),
                method = shown_method(&head.method),
                api = target.api.binding(),
                path = target.shown(&head),
                peer = %address,
            );
            let answering = async {
                let answer = || shared.answer(connection, head, target, body, request_id.clone());
                let outcome = shielded(answer).await.unwrap_or_else(|panicked| {
                    Err(ApiError::new(Code::Unhandled).detail(panicked))
                });
                if let Err(error) = &outcome {
                    let env = shared.state.app.env();
                    shared.refusal_log.note(error, address, env);
                }
                respond(form, outcome, request_id)
            };
            let response = answering.instrument(span).await;
            shared.finish(response)
        })
    }

    fn refuse(&self, connection: &Connection, refusal: Refusal) -> listen::Answer {
        let request_id = self.shared.request_ids.next();
        let address = connection.peer.ip();
        let span = tracing::info_span!(
            "request",
            id = request_id.as_str(),
            peer = %address,
        );
        // Nothing of the request: what cannot be parsed cannot be told from a secret either.
        let error = FieldError::new(refusal.field(), refusal.reason(), "");
        let error = ApiError::field(error).status(refusal.status());
        let error = error.detail(refusal.reason());
        let response = span.in_scope(|| {
            let env = self.shared.state.app.env();
            self.shared.refusal_log.note(&error, address, env);
            respond(Form::plain(), Err(error), request_id)
        });
        self.shared.finish(response)
    }

    fn settled(&self) -> Settling<'_> {
        Box::pin(self.shared.errands.settled())
    }
}

impl Shared {
    async fn answer(
        &self,
        connection: Arc<Connection>,
        head: http::request::Parts,
        Aim { api, found }: Aim<'_>,
        body: Body,
        request_id: RequestId,
    ) -> Result<Answer, ApiError> {
        if found.is_err() {
            body.check_announced(Ignored::CAP).map_err(unreadable)?;
        }
        let (route, parameters) = found?;
        let origin = Origin {
            request: request_id,
            address: connection.peer.ip().to_canonical(),
        };
        let memory = RequestMemory::of_stranger(&self.budgets, &origin, &head);
        let mut memory = memory.map_err(unreadable)?;
        let (caller, token) = if route.access == Access::Public {
            (None, None)
        } else {
            let (caller, token) =
                session::establish(&self.state.app, &head.headers, &connection, origin.clone())
                    .await
                    .inspect_err(|error| self.denied(error, &origin, None, (api, route)))?;
            memory.pass_to(&caller).map_err(unreadable)?;
            (Some(caller), Some(token))
        };
        // Before its media type: whoever sends too much hears of that, whatever it is.
        body.check_announced(route.cap).map_err(unreadable)?;
        let content_type = negotiate(route, &head.headers, &body)?;
        let (body, charge) = memory.read(route, body).await.map_err(unreadable)?;
        let context = Context {
            state: Arc::clone(&self.state),
            api,
            connection,
            origin,
            query: Query::parse(head.uri.query()),
            headers: head.headers,
            parameters,
            token,
        };
        let asking = caller.clone();
        let reply = route.serve(Incoming {
            context,
            caller,
            content_type,
            body,
        });
        let outcome = if route.is_changing {
            self.errands.carry(reply, charge).await
        } else {
            self.errands.ask(reply).await
        };
        if let (Err(error), Some(caller)) = (&outcome, &asking) {
            self.denied(error, &caller.origin, Some(caller), (api, route));
        }
        outcome
    }

    /// Has the audit trail say that a request was denied, if it was: for want of a session or of a
    /// permission.
    fn denied(
        &self,
        error: &ApiError,
        origin: &Origin,
        caller: Option<&Caller>,
        (api, route): (Api, &Route),
    ) {
        if error.status != StatusCode::UNAUTHORIZED {
            return;
        }
        let path = format!("{}{}", api.base(), route.path);
        let reason = lacking(error, caller, route.access);
        let refusal = audit::Refusal {
            operation: "access.denied",
            origin,
            caller,
            way: None,
            name: None,
            request: Some((route.method.as_str(), &path)),
            reason: &reason,
        };
        audit::refused(&self.state.app, &refusal);
    }

    /// Finds out what a request is aimed at.
    fn target(&self, head: &http::request::Parts) -> Aim<'_> {
        let target = path::resolve(head.uri.path(), |api| self.table.serves(api));
        Aim {
            api: target.api,
            found: self.find(&target, &head.method),
        }
    }

    fn find(
        &self,
        target: &Target<'_>,
        method: &Method,
    ) -> Result<(&Route, BTreeMap<&'static str, String>), ApiError> {
        match self.table.lookup(target.api, &target.path, method) {
            Lookup::Found(route, parameters) => Ok((route, parameters)),
            Lookup::Nothing => {
                let path = format!("{}{}", target.api.base(), target.path);
                Err(ApiError::new(Code::NotFound).because(Cause::text(format!(
                    "nothing is served at {path}; check the path and the API version"
                ))))
            },
            Lookup::WrongMethod(methods) => {
                let allowed: Vec<_> = methods.iter().map(Method::as_str).collect();
                let allowed = allowed.join(", ");
                let error = ApiError::new(Code::MethodNotAllowed).because(Cause::text(format!(
                    "the method {} is not supported here; use {allowed}",
                    shown_method(method)
                )));
                Err(match HeaderValue::try_from(allowed) {
                    Ok(value) => error.with(header::ALLOW, value),
                    Err(_) => error,
                })
            },
        }
    }

    /// Adds what every response has but those to preflights.
    fn finish(&self, mut response: listen::Answer) -> listen::Answer {
        // Whoever sends too much is not told by whom it is refused, as on the wire.
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

/// A method as the log and answers show it. No method that anybody knows is cut.
fn shown_method(method: &Method) -> &str {
    let method = method.as_str();
    method.get(..LOGGED_METHOD).unwrap_or(method)
}

/// What a request is aimed at.
struct Aim<'t> {
    api: Api,
    found: Result<(&'t Route, BTreeMap<&'static str, String>), ApiError>,
}

impl Aim<'_> {
    /// The path as the log shows it: that of the route, or what the client wrote, cut. The query is left
    /// out, for it may hold a token.
    fn shown<'a>(&'a self, head: &'a http::request::Parts) -> &'a str {
        if let Ok((route, _)) = &self.found {
            return route.path;
        }
        let path = head.uri.path();
        path.get(..path.floor_char_boundary(LOGGED_PATH))
            .unwrap_or(path)
    }
}

/// What a request says of the form of its answer.
#[derive(Debug, Clone, Copy)]
struct Form {
    takes_gzip: bool,
    is_from_a_page: bool,
}

impl Form {
    /// That of an answer to a request that could not be read.
    const fn plain() -> Self {
        Self {
            takes_gzip: false,
            is_from_a_page: false,
        }
    }

    fn of(request: &HeaderMap) -> Self {
        Self {
            takes_gzip: compress::takes_gzip(request),
            is_from_a_page: cors::is_from_a_page(request),
        }
    }
}

/// Writes an outcome as a response, and a line about it to the log.
fn respond(form: Form, outcome: Result<Answer, ApiError>, request_id: RequestId) -> listen::Answer {
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
            let body = Content::Whole(error.body(request_id).into());
            (error.status, "application/json", error.headers, body)
        },
    };
    let (body, is_packed) = match body {
        Content::Whole(body) => {
            let packed = form.takes_gzip.then(|| compress::gzip(&body)).flatten();
            let is_packed = packed.is_some();
            (listen::whole(packed.unwrap_or(body)), is_packed)
        },
        Content::Fixed(fixed) => {
            let (body, is_packed) = fixed.form(form.takes_gzip);
            (listen::whole(body), is_packed)
        },
        Content::Parts(parts) => {
            let is_packed = parts.is_gzip();
            (parts.boxed_unsync(), is_packed)
        },
    };
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let into = response.headers_mut();
    into.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    if is_packed {
        into.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    for (name, value) in headers {
        into.append(name, value);
    }
    if form.is_from_a_page {
        cors::allow(into);
    }
    response
}

/// Checks the media types of body and answer; answers that of the body.
fn negotiate(route: &Route, headers: &HeaderMap, body: &Body) -> Result<Option<String>, ApiError> {
    let content_type = language::content_type(headers);
    if !body.is_absent() {
        let given = content_type
            .as_deref()
            .unwrap_or("application/octet-stream");
        if !route.consumes.types().contains(&given) {
            let allowed = route.consumes.types().join(" or ");
            let reason =
                format!("the content type \"{given}\" is not supported here; use {allowed}");
            return Err(
                ApiError::field(FieldError::new("Content-Type", reason, given))
                    .status(StatusCode::UNSUPPORTED_MEDIA_TYPE),
            );
        }
    }
    // Refusals are JSON whatever a route produces, so that whoever takes JSON is served too.
    let is_acceptable = route.ignores_accept
        || [route.produces, "application/json"]
            .into_iter()
            .any(|produced| language::accepts(headers, produced));
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
            let reason = "the response is not available in any of these types; send Accept: application/json";
            ApiError::field(FieldError::new("Accept", reason, given.unwrap_or_default()))
                .status(StatusCode::NOT_ACCEPTABLE)
        });
    }
    Ok(content_type)
}

fn unreadable(error: BodyError) -> ApiError {
    match error {
        BodyError::TooLarge { .. } => {
            let mut refusal = ApiError::new(Code::RequestEntityTooLarge);
            refusal.is_bare = true;
            refusal
        },
        BodyError::TooSlow => ApiError::new(Code::Timeout)
            .status(StatusCode::REQUEST_TIMEOUT)
            .detail(error),
        BodyError::NoRoom => ApiError::new(Code::ServerTooManyRequests)
            .retry_after(1)
            .detail(error),
        BodyError::Broken(_) => ApiError::new(Code::CouldNotReadBody)
            .status(StatusCode::BAD_REQUEST)
            .detail(error),
    }
}

/// What whoever was denied lacked, for the audit trail.
fn lacking(error: &ApiError, caller: Option<&Caller>, access: Access) -> String {
    match (caller, error.cause.as_deref()) {
        (None, _) => "no valid session".to_owned(),
        (Some(caller), _) if !caller.may(access) => format!("it takes {}", access.demand()),
        (Some(_), Some(Cause::Nested(cause))) => cause.message.clone().into_owned(),
        (Some(_), _) => "the permissions of the caller do not cover it".to_owned(),
    }
}
