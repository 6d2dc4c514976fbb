//! The task that knows the services.

mod commands;
mod name_service;

use crate::cancellation::Cancellations;
use crate::change::ServiceChange;
use crate::interceptor::{Interceptor, Rules, intercept};
use crate::network::Network;
use crate::requests::{Dialing, Ingress, NoServer, Request, Server};
use crate::shared::{Report, Shared};
use crate::tasks::Tasks;
use commands::Commands;
use name_service::NameService;
pub use name_service::{NameServerInput, NameServerSockets};
use portcullis_datagram_flows::FlowKey;
use portcullis_domain::entropy::Entropy;
use portcullis_name_server::NameServerOptions;
use portcullis_tunnel_config::{AppData, Protocol};
use portcullis_tunneler::{Event, NoDial, ServiceId, TerminatorKey, Tunneler};
use std::future::pending;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{broadcast, mpsc, watch};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

/// The task of a tunnel.
pub struct Runner<N> {
    tunneler: Tunneler,
    cancellations: Cancellations,
    commands: Commands<N>,
    name_service: Option<NameService>,
    next_name_review: Instant,
    shared: Arc<Shared<N>>,
    inbox: Inbox,
    events: broadcast::Sender<Event>,
    rules: watch::Sender<Rules>,
}

struct Inbox {
    changes: mpsc::Receiver<ServiceChange>,
    requests: mpsc::Receiver<Request>,
    reports: mpsc::Receiver<Report>,
}

/// Changes that are taken at once, so that what follows from all of them is done once.
const BATCH: usize = 256;

/// How often names are looked at whose addresses others may need.
const NAME_REVIEW: Duration = Duration::from_mins(1);

/// How long tasks may take to end, all of which wait for sockets, or for threads that do.
const END_TIMEOUT: Duration = Duration::from_secs(5);

/// How much longer the interceptor may take to remove what it has set up: what stays takes the machine's connections
/// to nowhere, and many rules take a while.
const REMOVE_TIMEOUT: Duration = Duration::from_secs(30);

impl<N: Network> Runner<N> {
    pub(crate) fn new(
        tunneler: Tunneler,
        shared: Arc<Shared<N>>,
        (changes, requests, reports): (
            mpsc::Receiver<ServiceChange>,
            mpsc::Receiver<Request>,
            mpsc::Receiver<Report>,
        ),
        events: broadcast::Sender<Event>,
        flow_checks: watch::Sender<()>,
    ) -> Self {
        let (rules, _) = watch::channel(Rules::default());
        Self {
            tunneler,
            cancellations: Cancellations::default(),
            commands: Commands::new(Arc::clone(&shared), rules.clone(), flow_checks),
            name_service: None,
            next_name_review: Instant::now() + NAME_REVIEW,
            shared,
            inbox: Inbox {
                changes,
                requests,
                reports,
            },
            events,
            rules,
        }
    }

    pub(crate) const fn shared(&self) -> &Arc<Shared<N>> {
        &self.shared
    }

    pub(crate) const fn events(&self) -> &broadcast::Sender<Event> {
        &self.events
    }

    /// Has connections intercepted, if the tunnel's mode says so.
    #[must_use]
    pub fn with_interceptor(self, interceptor: impl Interceptor) -> Self {
        let intercepting = intercept(interceptor, self.rules.subscribe());
        self.shared.tasks.spawn_interception(intercepting);
        self
    }

    /// Answers queries for names that are intercepted. The sockets of the name server are for the caller to have.
    #[must_use]
    pub fn with_name_server(
        mut self,
        options: &NameServerOptions,
        entropy: Arc<dyn Entropy>,
    ) -> (Self, NameServerSockets) {
        let (service, sockets) = NameService::new(options, entropy);
        self.name_service = Some(service);
        (self, sockets)
    }

    /// Runs the tunnel until `shutdown`. All that it has opened is closed then: connections, ports, terminators.
    pub async fn run(mut self, shutdown: CancellationToken) {
        let shared = Arc::clone(&self.shared);
        let _stop = StopOnDrop(&shared.tasks);
        self.commands.start();
        self.follow();
        shutdown.run_until_cancelled(self.work()).await;
        drop(self);
        shared.tasks.stop();
        if timeout(END_TIMEOUT, shared.tasks.ended()).await.is_err() {
            tracing::warn!("some connections of the tunnel have not ended in time");
        }
        let removing = shared.tasks.interception_ended();
        if timeout(REMOVE_TIMEOUT, removing).await.is_err() {
            tracing::warn!(
                "the kernel may go on to intercept connections: its rules were not removed in time"
            );
        }
    }

    async fn work(&mut self) {
        loop {
            self.step().await;
            self.follow();
        }
    }

    async fn step(&mut self) {
        let timeouts = [
            self.tunneler.poll_timeout(),
            self.name_service
                .as_ref()
                .and_then(NameService::poll_timeout),
        ];
        let timer = timeouts.into_iter().flatten().min();
        let timer = timer.map(|moment| self.shared.clock.instant(moment));
        let has_names = self.tunneler.names().is_some();
        let name_review = has_names.then_some(self.next_name_review);
        let mut changes = Vec::new();
        let inbox = &mut self.inbox;
        tokio::select! {
            _count @ 1.. = inbox.changes.recv_many(&mut changes, BATCH) => self.change(changes),
            Some(report) = inbox.reports.recv() => self.take_report(report),
            Some(request) = inbox.requests.recv() => self.answer(request),
            Some(input) = NameService::ready(self.name_service.as_mut()) => self.serve_names(input),
            () = self.commands.settled() => self.commands.create_all(),
            () = until(timer) => self.handle_timeout(),
            () = until(name_review) => self.review_names(),
        }
    }

    /// Does what follows from the last step.
    fn follow(&mut self) {
        while let Some(event) = self.tunneler.poll_event() {
            tracing::warn!(service = %event.service_name, "{}", event.fault);
            let _nobody_listens = self.events.send(event);
        }
        while let Some(command) = self.tunneler.poll_command() {
            self.commands
                .execute(command, &self.tunneler, &mut self.cancellations);
        }
    }

    fn change(&mut self, changes: Vec<ServiceChange>) {
        let now = self.shared.clock.now();
        for change in changes {
            match change {
                ServiceChange::All(services) => self.tunneler.set_services(services, now),
                ServiceChange::Set(service) => self.tunneler.set_service(service, now),
                ServiceChange::Remove(id) => self.tunneler.remove_service(&id, now),
                ServiceChange::Identity {
                    identity,
                    precedence,
                    cost,
                } => self
                    .tunneler
                    .set_identity(identity, (precedence, cost), now),
            }
        }
    }

    fn take_report(&mut self, report: Report) {
        let now = self.shared.clock.now();
        match report {
            Report::TerminatorCreated(id) => self.tunneler.terminator_created(&id),
            Report::TerminatorEnded(id) => {
                self.commands.forget_terminator(&id);
                self.tunneler.terminator_ended(&id, now);
            },
            Report::ListenEnded(port, number) => {
                if self.commands.forget_port(&port, number) {
                    self.tunneler.listen_ended(&port, now);
                }
            },
            Report::Checked(check, is_passing) => self.tunneler.checked(&check, is_passing, now),
        }
    }

    /// Whoever has asked may have gone.
    fn answer(&mut self, request: Request) {
        match request {
            Request::Dialing(ingress, (client, local), answer) => {
                let _is_gone = answer.send(self.dialing(&ingress, client, local));
            },
            Request::Server(terminator, data, answer) => {
                let _is_gone = answer.send(self.server(&terminator, &data));
            },
            Request::Services(flows, answer) => {
                let services = flows.iter().map(|flow| self.service_of(flow));
                let _is_gone = answer.send(services.collect());
            },
        }
    }

    fn dialing(
        &mut self,
        ingress: &Ingress,
        client: SocketAddr,
        local: SocketAddr,
    ) -> Result<Dialing, NoDial> {
        let dial = match ingress {
            Ingress::Port(port) => self.tunneler.dial_proxied(port, client, local)?,
            Ingress::Intercepted(protocol) => {
                self.tunneler.dial_intercepted(*protocol, client, local)?
            },
        };
        let has_name = dial.app_data.hostname.is_some();
        let name = has_name.then(|| local.ip().to_canonical());
        if let Some(address) = name
            && let Some(names) = self.tunneler.names()
        {
            names.touch(address, self.shared.clock.now());
        }
        let cancellation = self.cancellations.dialing(&dial.service, name);
        Ok(Dialing { dial, cancellation })
    }

    fn server(&mut self, key: &TerminatorKey, data: &AppData) -> Result<Server, NoServer> {
        let terminator = self.tunneler.terminator(key).ok_or(NoServer::NotHosted)?;
        Ok(Server {
            target: terminator.target(data)?,
            proxy: terminator.proxy.clone(),
            connect_timeout: terminator.listen.connect_timeout,
            cancellation: self.cancellations.hosting(&key.service),
        })
    }

    fn service_of(&self, flow: &FlowKey) -> Option<ServiceId> {
        let service = self
            .tunneler
            .service_at(Protocol::Udp, flow.client, flow.destination);
        service.cloned()
    }

    fn serve_names(&mut self, input: NameServerInput) {
        let now = self.shared.clock.now();
        if let Some(service) = &mut self.name_service {
            service.handle(input, self.tunneler.names(), now);
        }
    }

    fn review_names(&mut self) {
        self.next_name_review = Instant::now() + NAME_REVIEW;
        let now = self.shared.clock.now();
        if let Some(names) = self.tunneler.names() {
            for address in self.cancellations.used_names() {
                names.touch(address, now);
            }
        }
        let cancellations = &self.cancellations;
        self.tunneler
            .release_idle_names(now, |address| cancellations.is_name_in_use(address));
    }

    fn handle_timeout(&mut self) {
        let now = self.shared.clock.now();
        self.tunneler.handle_timeout(now);
        if let Some(service) = &mut self.name_service {
            service.handle_timeout(now);
        }
    }
}

/// Stops tasks, even if nobody waits for their end.
struct StopOnDrop<'t>(&'t Tasks);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

async fn until(instant: Option<Instant>) {
    match instant {
        Some(instant) => sleep_until(instant).await,
        None => pending().await,
    }
}
