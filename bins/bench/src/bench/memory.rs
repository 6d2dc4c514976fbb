//! Resident memory of the controller.

use super::report::{Figure, Report, Target, Unit};
use crate::testbed::controller::Controller;
use std::time::Duration;
use tokio::time::sleep;

/// Time in which a process that has nothing to do gives back what it can.
const CALM: Duration = Duration::from_secs(1);

/// MiB that an idle controller stays below.
pub(super) const IDLE: f64 = 20.0;
/// MiB that a controller with 100 000 identities stays below.
pub(super) const MANY: f64 = 100.0;

/// Reads it after a while of calm.
#[expect(
    clippy::cast_precision_loss,
    reason = "sizes of memory lie far below the 2^52 that a float holds"
)]
pub(super) async fn measure(
    controller: &Controller,
    name: &'static str,
    limit: f64,
    report: &mut Report,
) -> anyhow::Result<()> {
    sleep(CALM).await;
    let bytes = controller.process.resident()? as f64;
    let mebibytes = bytes / (1024.0 * 1024.0);
    report.add(Figure::new(name, mebibytes, Unit::Mebibytes).target(Target::Below(limit)));
    Ok(())
}
