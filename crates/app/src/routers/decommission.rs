//! Routers that leave the network by themselves.

use super::connected::{ConnectedRouter, RouterRefusal, find_connected};
use super::tunneler;
use crate::app::App;
use crate::error::AppError;

/// Deletes a router with its dependents because it asks for that; its channel is closed then.
///
/// # Errors
///
/// [`RouterRefusal`] for a router that may no longer be on the control channel.
pub async fn decommission(app: &App, router: &ConnectedRouter) -> Result<(), RouterRefusal> {
    let connected = router.clone();
    app.commit(router.actor(), move |rows| {
        let found = find_connected(rows.rows(), &connected)?;
        rows.set_operation("router.decommission", found.entity.id.as_str());
        // The identity of its tunneler is its own, whatever it may do.
        tunneler::remove_if(rows, &found.entity, |_identity| Ok(()))?;
        let removed = rows.remove_router(&found);
        Ok::<_, RouterRefusal>(removed.map_err(AppError::from)?)
    })
    .await
}
