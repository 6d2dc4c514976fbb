//! Tells the tunneler what its identity may use.

use std::sync::Arc;

use portcullis_router::tunnel::{IdentityServices, ServiceNews};
use portcullis_tunnel::ServiceChange;
use tokio::sync::mpsc;

use crate::access::Rights;

/// Follows the data model for ever, or until the tunneler has ended.
pub(super) async fn follow(
    rights: Arc<Rights>,
    mut services: IdentityServices,
    changes: mpsc::Sender<ServiceChange>,
) {
    let mut has_warned = false;
    loop {
        let news = rights.with_model(|model| services.update(model));
        for change in news.into_iter().filter_map(change) {
            if changes.send(change).await.is_err() {
                return;
            }
        }
        let may_tunnel = services.has_identity();
        if !may_tunnel && !has_warned && rights.has_model() {
            tracing::warn!(
                identity = services.id(),
                "the tunneler does nothing: the controller knows no identity of this router that is enabled; \
                 `portcullis edge-router update NAME --tunneler-enabled true` creates one"
            );
        }
        has_warned = !may_tunnel && rights.has_model();
        rights.own_services_changed().await;
    }
}

/// A change as the tunneler is told it. What goes with an identity that is gone is told for each service.
fn change(news: ServiceNews) -> Option<ServiceChange> {
    match news {
        ServiceNews::Identity(None) => None,
        ServiceNews::Identity(Some(known)) => {
            let (precedence, cost) = known.terms;
            Some(ServiceChange::Identity {
                identity: known.identity,
                precedence,
                cost,
            })
        },
        ServiceNews::Changed(service) => Some(ServiceChange::Set(*service)),
        ServiceNews::Gone(id) => Some(ServiceChange::Remove(id)),
    }
}
