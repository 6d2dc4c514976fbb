//! What the state machine wants done.

use crate::cancellation::Cancellations;
use crate::checks;
use crate::hosting::{Order, keep_hosted};
use crate::interceptor::Rules;
use crate::network::Network;
use crate::proxy::OpenPorts;
use crate::shared::{Report, Shared};
use portcullis_tunneler::{
    Command, ProxyPort, ServerCheck, TerminatorId, TerminatorOptions, Tunneler,
};
use std::collections::HashMap;
use std::future::pending;
use std::sync::Arc;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};

/// Does what the state machine wants done, mostly by tasks.
pub(super) struct Commands<N> {
    shared: Arc<Shared<N>>,
    /// Each has a task, which ends when its sender is dropped.
    terminators: HashMap<TerminatorId, mpsc::UnboundedSender<Order>>,
    /// Terminators that are created later; `None` once they need not wait.
    waiting: Option<Vec<(TerminatorId, TerminatorOptions)>>,
    settled_at: Instant,
    ports: OpenPorts,
    rules: watch::Sender<Rules>,
    flow_checks: watch::Sender<()>,
}

impl<N: Network> Commands<N> {
    pub(super) fn new(
        shared: Arc<Shared<N>>,
        rules: watch::Sender<Rules>,
        flow_checks: watch::Sender<()>,
    ) -> Self {
        Self {
            shared,
            terminators: HashMap::new(),
            waiting: Some(Vec::new()),
            settled_at: Instant::now(),
            ports: OpenPorts::default(),
            rules,
            flow_checks,
        }
    }

    /// The time until terminators are created begins.
    pub(super) fn start(&mut self) {
        self.settled_at = Instant::now() + self.shared.options.settle_delay;
    }

    /// Returns when terminators that wait have to be created.
    pub(super) async fn settled(&self) {
        match self.waiting {
            Some(_) => sleep_until(self.settled_at).await,
            None => pending().await,
        }
    }

    pub(super) fn create_all(&mut self) {
        for (id, options) in self.waiting.take().into_iter().flatten() {
            self.create(id, options);
        }
    }

    pub(super) fn execute(
        &mut self,
        command: Command,
        tunneler: &Tunneler,
        cancellations: &mut Cancellations,
    ) {
        match command {
            Command::CreateTerminator(id, options) => match &mut self.waiting {
                Some(waiting) => waiting.push((id, options)),
                None => self.create(id, options),
            },
            Command::UpdateTerminator {
                terminator,
                precedence,
                cost,
            } => self.order(&terminator, Order::Update(precedence, cost)),
            Command::ReportHealth {
                terminator,
                is_healthy,
            } => self.order(&terminator, Order::ReportHealth(is_healthy)),
            Command::RemoveTerminator(id) => {
                self.terminators.remove(&id);
                if let Some(waiting) = &mut self.waiting {
                    waiting.retain(|(other, _)| *other != id);
                }
            },
            Command::Check(check) => self.check(check),
            Command::Listen(port) => self.ports.open(&self.shared, port),
            Command::StopListening(port) => self.ports.close(&port),
            Command::Intercept(_) => {
                self.rules.send_replace(tunneler.rules().into());
            },
            Command::ReleaseNames(names) => {
                for name in names {
                    cancellations.end_name(name.address);
                }
            },
            Command::CheckFlows => {
                self.flow_checks.send_replace(());
            },
            Command::EndDialed(service) => cancellations.end_dialed(&service),
            Command::EndHosted(service) => cancellations.end_hosted(&service),
        }
    }

    pub(super) fn forget_terminator(&mut self, id: &TerminatorId) {
        self.terminators.remove(id);
    }

    /// Whether this is the port as it was opened last.
    pub(super) fn forget_port(&mut self, port: &ProxyPort, number: u64) -> bool {
        self.ports.forget(port, number)
    }

    fn create(&mut self, id: TerminatorId, options: TerminatorOptions) {
        // There are as many orders as checks have results, and the task does nothing but take them.
        let (sender, orders) = mpsc::unbounded_channel();
        self.terminators.insert(id.clone(), sender);
        let hosted = keep_hosted(Arc::clone(&self.shared), id, options, orders);
        self.shared.tasks.spawn(hosted);
    }

    /// A terminator that has just ended needs no orders any more.
    fn order(&self, id: &TerminatorId, order: Order) {
        if let Some(orders) = self.terminators.get(id) {
            let _has_ended = orders.send(order);
        }
    }

    fn check(&self, check: ServerCheck) {
        let shared = Arc::clone(&self.shared);
        self.shared.tasks.spawn(async move {
            let Ok(_turn) = shared.checks.acquire().await else {
                return;
            };
            let result = checks::run(&shared.outbound, shared.tls.as_ref(), &check).await;
            if let Err(failure) = &result {
                let service = &check.id.terminator.service;
                tracing::debug!(%service, %failure, "a check of a server has failed");
            }
            let report = Report::Checked(check.id, result.is_ok());
            shared.report(report).await;
        });
    }
}
