//! The router's own tunneler: the binding `tunnel`.
//!
//! ```text
//! data model -> services -> portcullis_tunnel::Runner: ports, servers
//!                               |            ^
//!                          RouterNetwork     | offers
//!                               |            |
//! controllers <- CircuitRequests, Terminators <- TunnelDialer <- routes
//! ```
//!
//! What is done for a service, and all sockets of it, is the matter of `portcullis-tunnel`. Here it has circuits whose
//! ends are in this router: as the identity of the router, without a session.

mod circuit;
mod datagrams;
mod dialer;
#[cfg(target_os = "linux")]
mod interception;
mod network;
#[cfg(not(target_os = "linux"))]
mod no_interception;
mod offer;
mod services;
mod terminators;
#[cfg(test)]
mod tests;

#[cfg(target_os = "linux")]
pub(crate) use interception::own_mark;
#[cfg(not(target_os = "linux"))]
pub(crate) use no_interception::own_mark;

#[cfg(target_os = "linux")]
use interception::intercept;
#[cfg(not(target_os = "linux"))]
use no_interception::intercept;

use std::collections::BTreeMap;
use std::sync::Arc;

use portcullis_datagram_flows::FlowOptions;
use portcullis_domain::entropy::Entropy;
use portcullis_router::edge::IdentityId;
use portcullis_router::tunnel::{
    IdentityServices, InterceptSettings, TunnelMode, TunnelSettings, TunnelTerminators,
};
use portcullis_router_config::Binding;
use portcullis_tunnel::{Runner, ServiceChange, Tunnel, TunnelOptions};
use portcullis_tunnel_config::TunnelerIdentity;
use portcullis_tunneler::{InterceptOptions, Mode};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::terminator::{TerminatorState, ValidateTerminators};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::dialer::TunnelDialer;
use self::network::RouterNetwork;
use self::terminators::Terminators;
use crate::access::Rights;
use crate::circuit_requests::CircuitRequests;
use crate::controllers::Controllers;
use crate::ends::Ends;
use crate::routes::Dialer;

/// How inspections and traces name ends of circuits at sockets of the tunneler.
const KIND: &str = "xgress/tunnel";

/// Changes of services that wait for the tunneler.
const CHANGES: usize = 64;

/// The tunneler of a router, for whoever speaks with controllers.
#[derive(Clone)]
pub(crate) struct RouterTunnel {
    terminators: Arc<Terminators>,
    dialer: Arc<TunnelDialer>,
}

/// What a tunneler is made of.
pub(crate) struct TunnelParts {
    pub(crate) settings: TunnelSettings,
    /// What the settings do not say.
    pub(crate) options: TunnelOptions,
    /// The id of the router, which is that of its identity.
    pub(crate) router: Arc<str>,
    pub(crate) rights: Arc<Rights>,
    pub(crate) controllers: Arc<Controllers>,
    pub(crate) ends: Ends,
    pub(crate) entropy: Arc<dyn Entropy>,
    /// Terminators that are created at a time.
    pub(crate) most_creations: usize,
    pub(crate) tasks: TaskTracker,
}

/// A tunneler that does nothing yet.
pub(crate) struct IdleTunnel {
    tunnel: RouterTunnel,
    runner: Runner<RouterNetwork>,
    interception: Option<Interception>,
    services: IdentityServices,
    changes: mpsc::Sender<ServiceChange>,
    rights: Arc<Rights>,
}

/// Interception that has not begun.
struct Interception {
    router: Arc<str>,
    settings: Box<InterceptSettings>,
    entropy: Arc<dyn Entropy>,
}

/// Traffic cannot be intercepted.
#[derive(Debug, thiserror::Error)]
#[error(
    "the tunneler of the router cannot intercept traffic, as its mode `tproxy` asks for: {reason}"
)]
pub struct InterceptionError {
    /// A text for people.
    reason: String,
}

impl IdleTunnel {
    pub(crate) fn new(parts: TunnelParts) -> Self {
        let clock = *parts.ends.relay().clock();
        let terminators = TunnelTerminators::new(Arc::clone(&parts.entropy), parts.most_creations);
        let terminators = Arc::new(Terminators::new(
            terminators,
            Arc::clone(&parts.controllers),
            parts.tasks,
            clock,
        ));
        let settings = parts.settings;
        let dialer = Arc::new(TunnelDialer::new(
            Arc::clone(&terminators),
            parts.ends.clone(),
            settings.terminating_end,
            Arc::clone(&parts.entropy),
        ));
        let network = RouterNetwork {
            requests: CircuitRequests::new(parts.controllers, parts.ends, settings.initiating_end),
            terminators: Arc::clone(&terminators),
            entropy: Arc::clone(&parts.entropy),
        };
        let options = TunnelOptions {
            flows: FlowOptions {
                idle_timeout: settings.idle_time,
                ..FlowOptions::default()
            },
            ..parts.options
        };
        let (mode, interception) = match settings.mode {
            TunnelMode::Host => (Mode::Host, None),
            TunnelMode::Proxy(rules) => (Mode::Proxy(rules), None),
            TunnelMode::Intercept(settings) => {
                let options = InterceptOptions {
                    name_range: settings.name_range,
                    ..InterceptOptions::default()
                };
                let interception = Interception {
                    router: Arc::clone(&parts.router),
                    settings,
                    entropy: parts.entropy,
                };
                (Mode::Intercept(options), Some(interception))
            },
        };
        let (changes, news) = mpsc::channel(CHANGES);
        let nobody = TunnelerIdentity::default();
        let (_tunnel, runner) = Tunnel::new(network, nobody, mode, options, news);
        parts
            .rights
            .watch_own_services(IdentityId::from(&*parts.router));
        Self {
            tunnel: RouterTunnel {
                terminators,
                dialer,
            },
            runner,
            interception,
            services: IdentityServices::new(&*parts.router),
            changes,
            rights: parts.rights,
        }
    }

    pub(crate) fn tunnel(&self) -> RouterTunnel {
        self.tunnel.clone()
    }

    /// Has the kernel intercept traffic, if that is what the mode says.
    pub(crate) async fn intercepting(mut self) -> Result<Self, InterceptionError> {
        if let Some(interception) = self.interception.take() {
            let Interception {
                router,
                settings,
                entropy,
            } = interception;
            self.runner = Box::pin(intercept(self.runner, &router, *settings, entropy)).await?;
        }
        Ok(self)
    }

    /// Runs it until `stop`.
    pub(crate) fn start(self, tasks: &TaskTracker, stop: &CancellationToken) {
        let keeping = Arc::clone(&self.tunnel.terminators).run();
        tasks.spawn(stop.clone().run_until_cancelled_owned(keeping));
        let following = services::follow(self.rights, self.services, self.changes);
        tasks.spawn(stop.clone().run_until_cancelled_owned(following));
        tasks.spawn(Box::pin(self.runner.run(stop.clone())));
    }
}

impl RouterTunnel {
    /// Of the binding `tunnel`.
    pub(crate) fn dialer(&self) -> Arc<dyn Dialer> {
        Arc::<TunnelDialer>::clone(&self.dialer)
    }

    /// A control channel is open.
    pub(crate) fn connected(&self) {
        self.terminators.controller_connected();
    }

    /// The states of those terminators that are the tunneler's.
    pub(crate) fn validate(
        &self,
        question: &ValidateTerminators,
    ) -> BTreeMap<String, TerminatorState> {
        self.terminators.validate(question)
    }

    /// Handles a message of a controller about terminators. Returns any other one, and what of it is for others.
    pub(crate) fn handle(&self, message: ControlMessage) -> Option<ControlMessage> {
        match message {
            ControlMessage::CreateTunnelTerminatorAnswer(answer) => {
                self.terminators.create_answered(answer);
                None
            },
            ControlMessage::ValidateTerminatorsV1(mut question) => {
                self.terminators.validate_v1(&question);
                let tunnel = Binding::Tunnel.name();
                question.terminators.retain(|asked| asked.binding != tunnel);
                Some(ControlMessage::ValidateTerminatorsV1(question))
            },
            other => Some(other),
        }
    }
}

/// What a router calls its own in the kernel, so that what it has left is found again.
#[cfg(target_os = "linux")]
fn instance_name(router: &str) -> String {
    let plain = router.chars().take(32);
    let plain = plain.map(|letter| {
        if letter.is_ascii_alphanumeric() {
            letter
        } else {
            '_'
        }
    });
    format!("router_{}", plain.collect::<String>())
}
