//! What the edge measures.

use std::sync::Arc;

use portcullis_metrics::{Meter, MetricName, MetricRegistry, MetricSource, Snapshot};
use portcullis_router::edge::Presence;

use super::Shared;

/// The figures of connections of SDKs.
pub(super) struct EdgeMetrics {
    pub(super) connected: Arc<Meter>,
    pub(super) disconnected: Arc<Meter>,
    pub(super) refused: Arc<Meter>,
    invalid_tokens: Arc<Meter>,
    early_tokens: Arc<Meter>,
}

impl EdgeMetrics {
    pub(super) fn new(registry: &MetricRegistry) -> Self {
        let meter = |name| registry.meter(MetricName::plain(name));
        Self {
            connected: meter("edge.connect.successes"),
            disconnected: meter("edge.disconnects"),
            refused: meter("edge.connect.failures"),
            invalid_tokens: meter("edge.invalid_api_tokens"),
            early_tokens: meter("edge.invalid_api_tokens_during_sync"),
        }
    }

    /// A session is not accepted, perhaps only since the router does not know the data model yet.
    pub(super) fn invalid_token(&self, has_model: bool) {
        self.invalid_tokens.mark(1);
        if !has_model {
            self.early_tokens.mark(1);
        }
    }
}

impl MetricSource for Shared {
    fn collect(&self, snapshot: &mut Snapshot) {
        let connections = self.presence.with(Presence::len);
        snapshot.set_gauge(MetricName::plain("edge.connections"), connections);
    }
}
