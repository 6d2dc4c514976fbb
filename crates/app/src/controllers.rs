//! The controllers of the network, of which there is one.

use crate::action::actions;
use crate::app::App;
use crate::error::AppError;
use crate::listing::{self, Parameters, kinds};
use crate::network::Controller;
use portcullis_domain::access::Access;
use portcullis_domain::permission::{Subject, Verb};
use portcullis_domain::view::Page;

actions! {
    /// Reads the controllers as an administrator.
    ReadAll = Access::Granted(Subject::Controllers, Verb::Read);
    /// Reads the controllers as a client that may switch to another one.
    ReadPeers = Access::Full;
    /// Reads the possible capabilities of routers.
    ReadCapabilities = Access::Partial;
}

/// Lists the controllers.
pub fn list(app: &App, parameters: &Parameters<'_>) -> Result<Page<Controller>, AppError> {
    let listing = listing::parse(&kinds::CONTROLLERS, parameters)?;
    let controller = app.network().serving_state().controller.clone();
    let rows = [kinds::ControllerRow {
        address: app.network().control_addresses().first().cloned(),
        controller,
        created_at: app.store_created_at(),
    }];
    Ok(listing::select(&listing, rows).map(|row| row.controller))
}
