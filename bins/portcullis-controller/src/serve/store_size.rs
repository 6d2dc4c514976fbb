//! The size of the store, for Prometheus.

use portcullis_app::App;
use portcullis_metrics::PointValue;
use std::fs;
use std::path::PathBuf;

/// Has Prometheus know how large the file of the store is, what is free within among it. Nothing is told while the
/// file cannot be looked at.
pub(super) fn measure(app: &App, store: PathBuf) {
    app.metrics().add_figure(
        "portcullis.store.size",
        "Size of the file of the store.",
        move || Some(PointValue::Bytes(fs::metadata(&store).ok()?.len())),
    );
}
