//! Traces: the messages of control channels, as they pass, for whoever watches.

mod router_traces;

use self::router_traces::RouterTraces;
use crate::ControlPlane;
use crate::plane::Plane;
use crate::questions;
use crate::session::Session;
use futures_util::future::join_all;
use parking_lot::RwLock;
use portcullis_app::AppError;
use portcullis_app::fabric::{self, ChannelOperation, OpenChannel};
use portcullis_app::metrics::ControllerMetrics;
use portcullis_channel::group::GroupId;
use portcullis_channel::{Frame, ResultStatus};
use portcullis_channel_traces::{Observed, Protocol, Toggle, event, is_about_traces};
use portcullis_domain::access::Permit;
use portcullis_domain::ids::RouterId;
use portcullis_transport::{Clock, Direction, Observer};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::trace::{PipeTraces, TraceEvent};
use std::collections::{BTreeSet, HashMap};
use std::iter;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::broadcast;

/// Traces that may wait for whoever reads slowest; who misses some goes on with those that follow.
const CAPACITY: usize = 256;

/// How long a router has to say what it traces.
const TIME: Duration = Duration::from_secs(5);

/// What is traced, and where traces go. While nothing is, a message costs a look at a flag.
#[derive(Debug)]
pub(crate) struct Traces {
    controller: OnceLock<String>,
    clock: Clock,
    is_on: AtomicBool,
    state: RwLock<State>,
    of_routers: RouterTraces,
    sender: broadcast::Sender<TraceEvent>,
}

#[derive(Debug, Default)]
struct State {
    /// The control channels that are open.
    channels: HashMap<GroupId, RouterId>,
    /// Also while they are not connected.
    traced: BTreeSet<RouterId>,
}

impl Traces {
    pub(crate) fn new(clock: Clock) -> Self {
        Self {
            controller: OnceLock::new(),
            clock,
            is_on: AtomicBool::new(false),
            state: RwLock::default(),
            of_routers: RouterTraces::default(),
            sender: broadcast::channel(CAPACITY).0,
        }
    }

    /// What passes from now on.
    pub(crate) fn subscribe(&self) -> broadcast::Receiver<TraceEvent> {
        self.sender.subscribe()
    }

    pub(crate) fn opened(&self, channel: GroupId, router: RouterId) {
        self.state.write().channels.insert(channel, router);
    }

    pub(crate) fn closed(&self, channel: &GroupId) {
        self.state.write().channels.remove(channel);
    }

    /// A router tells of a message that has passed one of its channels.
    pub(crate) fn told(&self, router: &RouterId, event: TraceEvent) {
        if self.sender.receiver_count() == 0 {
            return;
        }
        match self.of_routers.admit(router, event) {
            Ok(event) => drop(self.sender.send(event)),
            Err(refusal) => tracing::debug!(%router, ?refusal, "a trace of a router is dropped"),
        }
    }

    /// Has pages show how many traces of routers were dropped.
    pub(crate) fn register(self: &Arc<Self>, metrics: &ControllerMetrics) {
        let traces = Arc::clone(self);
        metrics.add_further(Box::new(move |page, time| {
            traces.of_routers.expose(page, time);
        }));
    }

    fn traces(&self, router: &RouterId) -> bool {
        self.state.read().traced.contains(router)
    }

    /// Traces a router or not; returns whether it was traced before.
    fn set(&self, router: &RouterId, is_traced: bool) -> bool {
        let mut state = self.state.write();
        let was_traced = if is_traced {
            !state.traced.insert(router.clone())
        } else {
            state.traced.remove(router)
        };
        self.is_on
            .store(!state.traced.is_empty(), Ordering::Relaxed);
        was_traced
    }
}

impl Observer for Traces {
    fn is_watching(&self) -> bool {
        self.is_on.load(Ordering::Relaxed) && self.sender.receiver_count() > 0
    }

    fn observe(&self, channel: &GroupId, direction: Direction, frame: &Frame) {
        // Else, what a router traces would be shown twice, the second time in a cover.
        if is_about_traces(frame) {
            return;
        }
        let state = self.state.read();
        let router = state.channels.get(channel);
        let Some(router) = router.filter(|router| state.traced.contains(*router)) else {
            return;
        };
        let controller = self.controller.get().map_or("", String::as_str);
        let observed = Observed {
            program: controller,
            channel: router.as_str(),
            protocol: Protocol::Control,
            is_received: direction == Direction::Received,
            at: self.clock.now().wall,
            dropped: 0,
        };
        let _watchers = self.sender.send(event(observed, frame));
    }
}

impl ControlPlane {
    /// Traces of this controller and of its routers, from now on.
    pub fn traces(&self, _permit: &Permit<OpenChannel>) -> broadcast::Receiver<TraceEvent> {
        self.0.traces.subscribe()
    }

    /// Turns traces of channels on or off: of this controller, if its id matches, and of connected routers whose ids
    /// match. Returns what has become of it, a line for each program and channel, as the request wants to see.
    ///
    /// # Errors
    ///
    /// A text for the client: an expression that cannot be used, that the caller may not do it any more, or why nobody
    /// does it. If only some fail, that is a
    /// line of its own.
    pub async fn toggle_traces(
        &self,
        permit: Permit<OpenChannel>,
        request: PipeTraces,
    ) -> Result<String, String> {
        let toggle = Toggle::parse(&request)?;
        let sessions = self.0.sessions.all();
        let audited = self.audit_toggle(&permit, &toggle, &sessions).await;
        audited.map_err(|error| error.to_string())?;
        let mut lines = toggle_own(&self.0, &toggle, &sessions);
        let routers = sessions.iter().map(|session| session.id());
        let routers = routers.filter(|router| toggle.names_program(router.as_str()));
        let asking = routers.map(|router| toggle_router(&self.0, router, (&toggle, &request)));
        let answers = join_all(asking).await;
        let is_own = toggle.names_program(&self.0.controller_id());
        let has_failed = !is_own && !answers.is_empty() && answers.iter().all(Result::is_err);
        lines.extend(
            answers
                .into_iter()
                .map(|answer| answer.unwrap_or_else(|why| why)),
        );
        lines.retain(|line| !line.is_empty());
        let text = lines.join("\n");
        if has_failed { Err(text) } else { Ok(text) }
    }

    async fn audit_toggle(
        &self,
        permit: &Permit<OpenChannel>,
        toggle: &Toggle,
        sessions: &[Arc<Session>],
    ) -> Result<(), AppError> {
        let (of_controller, of_router) = if toggle.is_on() {
            (
                ChannelOperation::TraceController,
                ChannelOperation::TraceRouter,
            )
        } else {
            (
                ChannelOperation::EndTraceOfController,
                ChannelOperation::EndTraceOfRouter,
            )
        };
        let own = (of_controller, self.0.controller_id());
        let routers = sessions.iter().map(|session| session.id().to_string());
        let operations = iter::once(own).chain(routers.map(|router| (of_router, router)));
        let meant = operations.filter(|(_, id)| toggle.names_program(id));
        fabric::audit_operations(&self.0.app, permit, meant.collect()).await
    }
}

fn toggle_own(plane: &Plane, toggle: &Toggle, sessions: &[Arc<Session>]) -> Vec<String> {
    let controller = plane.controller_id();
    plane.traces.controller.get_or_init(|| controller.clone());
    let mut lines = Vec::new();
    let is_meant = toggle.names_program(&controller);
    lines.extend(toggle.program_line(&controller, is_meant));
    if !is_meant {
        return lines;
    }
    for session in sessions {
        let pipe = session.id().as_str();
        let is_matched = toggle.names_pipe(pipe);
        let was_traced = if is_matched {
            plane.traces.set(session.id(), toggle.is_on())
        } else {
            plane.traces.traces(session.id())
        };
        lines.extend(toggle.pipe_line((&controller, pipe), is_matched, was_traced));
    }
    lines
}

async fn toggle_router(
    plane: &Plane,
    router: &RouterId,
    (toggle, request): (&Toggle, &PipeTraces),
) -> Result<String, String> {
    let traces = &plane.traces.of_routers;
    // Before it can answer: traces may come first. What is turned off for some channels goes on for others, unless
    // the expression matches whatever they are called.
    let was_asked = if toggle.is_on() || toggle.names_pipe("") {
        traces.set_asked(router, toggle.is_on())
    } else {
        true
    };
    let question = ControlMessage::TogglePipeTraces(request.clone());
    let answer = questions::ask_for_result(&plane.sessions, router, question, TIME).await;
    let why = match answer {
        Ok(result) if result.status == ResultStatus::Success => return Ok(result.text),
        Ok(result) => result.text,
        Err(error) => error.to_string(),
    };
    if !was_asked {
        traces.set_asked(router, false);
    }
    Err(format!("{router}: {why}"))
}

#[cfg(test)]
mod tests;
