//! Traces of identities: what routers ask for on their behalf, and the circuits that come of it, step by step in
//! the log. Each line has the `trace_id`, and the `request_id` of what the router has asked for; routes tell both
//! to the routers.

use crate::dial::DialError;
use parking_lot::Mutex;
use portcullis_app::{App, identities, rights};
use portcullis_channel_traces::{RouteTrace, StepMask};
use portcullis_domain::ids::{ApiSessionId, IdentityId, RequestId, RouterId};
use portcullis_domain::oidc_session::TokenId;
use portcullis_fabric::{
    CircuitEvent, CircuitId, CircuitView, DialFailure, EndReason, Established, Fabric, FabricEvent,
    Right, Route,
};
use portcullis_wire::Token;
use portcullis_wire::control::route::RouteContext;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

/// Logs a line about what was asked for on behalf of a traced identity.
macro_rules! log_step {
    ($request:expr, $($line:tt)+) => {
        tracing::info!(
            trace_id = $request.trace.trace_id,
            request_id = $request.trace.request_id,
            identity = $request.identity.as_str(),
            $($line)+
        )
    };
}

/// Finds out who is traced, and remembers the circuits of those.
pub(crate) struct IdentityTraces {
    /// It owns the network, and by that this.
    app: Weak<App>,
    /// Whether `circuits` may have any.
    has_circuits: AtomicBool,
    /// Told to their end, even if the trace ends before.
    circuits: Mutex<HashMap<CircuitId, RequestTrace>>,
}

/// Who asks for something, as far as it is known before that is judged.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Asker<'a> {
    /// The client that has shown this token of its API session.
    Client(&'a Token),
    /// A router itself.
    Router(&'a RouterId),
}

/// A request on behalf of an identity that is traced.
#[derive(Debug, Clone)]
pub(crate) struct RequestTrace {
    pub(crate) trace: RouteTrace,
    pub(crate) identity: IdentityId,
}

impl IdentityTraces {
    pub(crate) fn new(app: &Arc<App>) -> Self {
        Self {
            app: Arc::downgrade(app),
            has_circuits: AtomicBool::new(false),
            circuits: Mutex::default(),
        }
    }

    /// The trace of whoever asks. Nothing is looked up while nobody is traced.
    pub(crate) fn of(&self, asker: Asker<'_>) -> Option<RequestTrace> {
        let app = self.app.upgrade()?;
        if !identities::are_any_traced(&app) {
            return None;
        }
        let identity = match asker {
            Asker::Client(token) => rights::presenter(&app, token.expose())?,
            Asker::Router(router) => IdentityId::from_wire(router.as_str()),
        };
        self.request(&identity)
    }

    /// Gives a request an id, if the identity is traced.
    pub(crate) fn request(&self, identity: &IdentityId) -> Option<RequestTrace> {
        let app = self.app.upgrade()?;
        let trace = identities::find_active_trace(&app, identity)?;
        let request = RequestId::generate(&*app.env().entropy).ok()?;
        Some(RequestTrace {
            trace: RouteTrace {
                trace_id: trace.id,
                request_id: request.as_str().to_owned(),
                steps: StepMask::named(trace.channels.iter().map(String::as_str)),
            },
            identity: identity.clone(),
        })
    }

    /// A dial begins. Whatever names its circuit has is traced if the client is.
    pub(crate) fn dialed(&self, circuit: &CircuitId, right: &Right, router: &str) {
        let Some(request) = self.request(&right.client) else {
            return;
        };
        if request.tells_choice() {
            log_step!(
                request,
                circuit = circuit.as_str(),
                service = right.service.as_str(),
                router,
                "a router asks for a circuit for a traced identity"
            );
        }
        self.remember(circuit, request);
    }

    /// Completes what a router is told with a route. A circuit whose host is traced is found here, since the host
    /// is not known before.
    pub(crate) fn add_to(
        &self,
        context: &mut RouteContext,
        route: &Route,
        circuit: Option<CircuitView<'_>>,
    ) {
        let known = self.known(&route.circuit);
        let Some(circuit) = circuit else {
            return;
        };
        let Some(request) = known.or_else(|| self.find(&route.circuit, circuit)) else {
            return;
        };
        request.trace.add_to(context);
        let right = circuit.right;
        let session = right.session.as_ref().map(ApiSessionId::as_str);
        // The token of a service session has its id.
        let of_service = right.tokens.first().map(TokenId::as_str);
        let fields = [
            ("apiSessionId", session),
            ("sessionId", of_service),
            ("serviceId", Some(right.service.as_str())),
        ];
        for (name, value) in fields {
            let value = value.map(str::to_owned);
            context.fields.extend(value.map(|it| (name.to_owned(), it)));
        }
    }

    fn find(&self, id: &CircuitId, circuit: CircuitView<'_>) -> Option<RequestTrace> {
        if !identities::are_any_traced(&*self.app.upgrade()?) {
            return None;
        }
        let host = circuit.target.map(|target| &target.host);
        let host = host.filter(|host| !host.is_empty());
        let host = host.map(IdentityId::from_wire);
        let request = self.request(&circuit.right.client);
        let request = request.or_else(|| self.request(&host?))?;
        self.remember(id, request.clone());
        Some(request)
    }

    /// A dial is answered.
    pub(crate) fn answered(&self, circuit: &CircuitId, result: Result<&Established, &DialFailure>) {
        let Some(request) = self.known(circuit) else {
            return;
        };
        if !request.tells_choice() {
            return;
        }
        let circuit = circuit.as_str();
        match result {
            Ok(established) => log_step!(
                request,
                circuit,
                terminator = established.terminator.as_str(),
                host = established.host,
                "circuit of a traced identity made"
            ),
            Err(failure) => log_step!(
                request,
                circuit,
                %failure,
                "circuit of a traced identity refused"
            ),
        }
    }

    /// Something has happened to circuits. Those that are no more are forgotten.
    pub(crate) fn follow(&self, event: &FabricEvent, fabric: &Fabric) {
        if !self.has_circuits.load(Ordering::Relaxed) {
            return;
        }
        let FabricEvent::Circuit(event) = event else {
            return;
        };
        if let CircuitEvent::Ended { circuit, reason } = event {
            self.log_end(&circuit.names.circuit, *reason);
        }
        let mut circuits = self.circuits.lock();
        circuits.retain(|id, _| fabric.circuit(id).is_some());
        self.has_circuits
            .store(!circuits.is_empty(), Ordering::Relaxed);
    }

    fn log_end(&self, circuit: &CircuitId, reason: EndReason) {
        let Some(request) = self.known(circuit) else {
            return;
        };
        log_step!(
            request,
            circuit = circuit.as_str(),
            ?reason,
            "circuit of a traced identity has ended"
        );
    }

    fn remember(&self, circuit: &CircuitId, request: RequestTrace) {
        self.circuits.lock().insert(circuit.clone(), request);
        self.has_circuits.store(true, Ordering::Relaxed);
    }

    fn known(&self, circuit: &CircuitId) -> Option<RequestTrace> {
        if !self.has_circuits.load(Ordering::Relaxed) {
            return None;
        }
        self.circuits.lock().get(circuit).cloned()
    }
}

impl RequestTrace {
    const fn tells_choice(&self) -> bool {
        self.trace.steps.contains(StepMask::SELECT_PATH)
    }

    /// Tells that there is no circuit, since whoever asks for one may not dial.
    pub(crate) fn log_refused_dial(&self, router: &str, error: &DialError) {
        if !self.tells_choice() {
            return;
        }
        log_step!(
            self,
            router,
            %error,
            "dial of a traced identity refused"
        );
    }

    /// Tells how a request about a terminator was answered.
    pub(crate) fn log_terminator(
        &self,
        (request, terminator): (&str, &str),
        refusal: Option<&str>,
    ) {
        match refusal {
            None => log_step!(
                self,
                request,
                terminator,
                "request about a terminator of a traced identity granted"
            ),
            Some(reason) => log_step!(
                self,
                request,
                terminator,
                reason,
                "request about a terminator of a traced identity refused"
            ),
        }
    }
}
