//! Health checks of the controller.
//!
//! Reading the store is tested on request. Writing is judged by the last transaction: a test would
//! cost an `fsync`, which unauthenticated clients must not cause, and the controller writes
//! regularly anyway. Other parts of the process, such as its log, add checks with [`add_check`].

pub use crate::state::health::{CheckFailure, HealthCheck, Probe, READ_CHECK, WRITE_CHECK};

use crate::app::App;

/// Adds a check that runs whenever the health is requested.
pub fn add_check(app: &App, id: &'static str, probe: Probe) {
    app.health.add(id, probe, app.env().clock.now());
}

/// Runs all checks.
pub fn run_checks(app: &App) -> Vec<HealthCheck> {
    app.health.run(&*app.engine, &*app.env().clock)
}
