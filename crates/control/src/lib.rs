//! The controller's end of the control channel.
//!
//! Between what routers say (`portcullis-wire`) and what the controller knows and decides: records and
//! rights (`portcullis-app`), the picture of the network (`portcullis-fabric`), and the router data model
//! (`portcullis-data-model`). What happens in the network is told to those who subscribe (`portcullis-events`,
//! by the port of `portcullis-app`).

mod adoption;
mod channel_watch;
mod client_sessions;
mod comparison;
mod connection;
mod dial;
mod enforcement;
mod events;
mod follower;
mod frame_counts;
mod handle;
mod identities;
mod identity_traces;
mod inspection;
mod live;
mod model;
mod network;
mod outlet;
mod peers;
mod places;
mod plane;
mod questions;
mod records;
mod session;
mod sessions;
mod traces;
mod traffic;
mod translate;
mod validation;
mod work;

use follower::Follower;
use inspection::RouterInspection;
use live::LiveView;
use network::{Outputs, RecordChange};
use plane::Plane;
use portcullis_app::{App, hosting};
use portcullis_transport::{Incoming, Stream};
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

pub use comparison::{RouterDetails, TerminatorDetails};
pub use connection::Peer;
pub use plane::ControlOptions;

/// The controller's end of the control channels of all routers.
///
/// It runs by itself; connections are handed in as they are accepted. Clones are the same.
#[derive(Clone)]
pub struct ControlPlane(Arc<Plane>);

impl ControlPlane {
    /// Starts inside a Tokio runtime. What it knows of the network is what REST shows from then on.
    ///
    /// It ends when `stop` is cancelled: routers lose their channels, and dial again.
    pub fn start(app: &Arc<App>, options: ControlOptions, stop: CancellationToken) -> Self {
        let (plane, inboxes) = Plane::new(Arc::clone(app), options, stop);
        let plane = Arc::new(plane);
        app.attach_live_network(Arc::new(LiveView::new(&plane)));
        app.attach_network_inspection(Arc::new(RouterInspection::new(&plane)));
        let mut follower = Follower::new(Arc::clone(&plane));
        // Routers can connect from here on.
        follower.begin();
        spawn(&plane, follower.run());
        spawn(
            &plane,
            enforcement::run(Arc::clone(&plane), inboxes.enforced),
        );
        spawn(
            &plane,
            client_sessions::run(Arc::clone(&plane), inboxes.wanted),
        );
        spawn(&plane, Arc::clone(&plane.model).run());
        plane.tasks.spawn(keep_model_position(Arc::clone(&plane)));
        spawn(&plane, keep_deadlines(Arc::clone(&plane)));
        let Outputs {
            record_changes,
            happened,
        } = inboxes.outputs;
        spawn(&plane, change_records(Arc::clone(&plane), record_changes));
        spawn(&plane, events::follow(Arc::clone(&plane), happened));
        Self(plane)
    }

    /// Answers the hello of a router, with the chain that it has presented in TLS. When this returns, the
    /// connection is part of a channel, or refused.
    pub async fn serve<S: Stream>(&self, peer: Peer, incoming: Incoming<S>) {
        let serving = connection::serve(&self.0, &peer, incoming);
        let _stopped = self.0.stop.run_until_cancelled(serving).await;
    }

    /// Waits until everything has ended, after `stop` was cancelled.
    pub async fn wait(&self) {
        self.0.tasks.close();
        self.0.tasks.wait().await;
        self.0.transport.tasks().close();
        self.0.transport.tasks().wait().await;
    }
}

impl std::fmt::Debug for ControlPlane {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ControlPlane")
            .finish_non_exhaustive()
    }
}

/// Runs until the control plane stops.
fn spawn(plane: &Plane, task: impl Future<Output = ()> + Send + 'static) {
    let stop = plane.stop.clone();
    plane.tasks.spawn(async move {
        let _stopped = stop.run_until_cancelled(task).await;
    });
}

/// Keeps the position of the model, a last time when the control plane stops.
async fn keep_model_position(plane: Arc<Plane>) {
    let keeping = plane.model.keep_positions();
    let _stopped = plane.stop.run_until_cancelled(keeping).await;
    if let Err(error) = plane.model.keep_position().await {
        tracing::warn!(%error, "routers get the whole data model after the next start");
    }
}

async fn keep_deadlines(plane: Arc<Plane>) {
    plane.network.keep_deadlines().await;
}

/// Changes records as the picture of the network decides.
async fn change_records(plane: Arc<Plane>, mut changes: mpsc::UnboundedReceiver<RecordChange>) {
    while let Some(change) = changes.recv().await {
        change_record(&plane, change).await;
    }
}

async fn change_record(plane: &Plane, change: RecordChange) {
    let changed = match &change {
        RecordChange::DeleteTerminator(id) => hosting::delete(&plane.app, id).await.map(drop),
        RecordChange::DegradeTerminator(id) => hosting::degrade(&plane.app, id).await,
    };
    if let Err(error) = changed {
        tracing::warn!(?change, %error, "a terminator that failed is still used");
    }
}
