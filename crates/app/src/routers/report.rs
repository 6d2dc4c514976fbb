//! What routers report about themselves, which is kept while they are offline.

use super::connected::{ConnectedRouter, RouterRefusal, find_connected};
use crate::app::App;
use crate::error::AppError;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::router::{NetworkInterface, Router, RouterVersion};
use std::collections::BTreeMap;

/// What a router tells when it connects.
#[derive(Debug, Clone, Default)]
pub struct RouterHello {
    pub version: RouterVersion,
    /// Mask of its capabilities.
    pub capabilities: u64,
    /// Addresses at which controllers reach it, with their groups; `None` if it does not say.
    pub ctrl_chan_listeners: Option<BTreeMap<String, Option<Vec<String>>>>,
}

/// Maximum number of addresses at which controllers reach a router; further ones are ignored.
const MAX_LISTENERS: usize = 32;

/// Keeps what a router told when it connected. Nothing is written if that is not new.
///
/// # Errors
///
/// [`RouterRefusal`] for a router that may no longer be on the control channel.
pub async fn report_hello(
    app: &App,
    router: &ConnectedRouter,
    mut hello: RouterHello,
) -> Result<(), RouterRefusal> {
    if let Some(listeners) = &mut hello.ctrl_chan_listeners {
        while listeners.len() > MAX_LISTENERS {
            listeners.pop_last();
        }
    }
    change(app, router, move |router: &mut Router, now| {
        let version = hello.version.clone();
        let mut is_new = router.report(|kept| kept.set_software(version, hello.capabilities), now);
        if let Some(listeners) = &hello.ctrl_chan_listeners {
            is_new |= router.set_ctrl_chan_listeners(listeners.clone(), now);
        }
        is_new
    })
    .await
}

/// Keeps the network interfaces of a router, as many as fit. Nothing is written if they are not new.
///
/// # Errors
///
/// [`RouterRefusal`] for a router that may no longer be on the control channel, and
/// [`RouterRefusal::Unavailable`] for one that reports news too often.
pub async fn report_interfaces(
    app: &App,
    router: &ConnectedRouter,
    interfaces: Vec<NetworkInterface>,
) -> Result<(), RouterRefusal> {
    change(app, router, move |router: &mut Router, now| {
        router.report(|kept| kept.set_interfaces(interfaces.clone()), now)
    })
    .await
}

/// Changes the record of a router; `change` returns whether there is anything new.
async fn change(
    app: &App,
    connected: &ConnectedRouter,
    change: impl Fn(&mut Router, Timestamp) -> bool + Send + 'static,
) -> Result<(), RouterRefusal> {
    let now = app.env().now();
    let mut current = find_connected(app.snapshot()?.rows(), connected)?.entity;
    if !change(&mut current, now) {
        return Ok(());
    }
    app.router_limits.count_report(connected.number(), now)?;
    let router = connected.clone();
    app.commit(connected.actor(), move |rows| {
        let found = find_connected(rows.rows(), &router)?;
        let mut after = found.entity.clone();
        if change(&mut after, now) {
            rows.replace(&found.key, &found.entity, &after)
                .map_err(AppError::from)?;
        }
        Ok(())
    })
    .await
}

#[cfg(test)]
mod tests;
