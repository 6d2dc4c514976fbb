//! The size of the store, for Prometheus.

use portcullis_app::App;
use portcullis_metrics::{Labels, Point, PointValue};
use std::fs;
use std::path::PathBuf;

/// Has Prometheus know how large the file of the store is, what is free within among it. Nothing is told while the
/// file cannot be looked at.
pub(super) fn measure(app: &App, store: PathBuf) {
    app.metrics().add_further(Box::new(move |page, time| {
        let Ok(file) = fs::metadata(&store) else {
            return;
        };
        let point = Point {
            labels: Labels::default(),
            value: PointValue::Bytes(file.len()),
            time,
        };
        page.add(
            "portcullis.store.size",
            "Size of the file of the store.",
            &point,
        );
    }));
}
