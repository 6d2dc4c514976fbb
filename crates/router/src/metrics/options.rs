//! Options of the section `metrics`.

use std::time::Duration;

use portcullis_router_config::model;

use crate::section_reader::{IncompleteConfigError, SectionReader};

/// How metrics are reported to controllers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetricsOptions {
    pub report_interval: Duration,
    /// Reports that may wait for a controller.
    pub queue_size: usize,
    /// Age that the usage of circuits must have before it is reported, as long as they last.
    pub usage_age: Duration,
}

impl MetricsOptions {
    /// Reads the section.
    ///
    /// # Errors
    ///
    /// [`IncompleteConfigError`] if a value is missing or out of bounds.
    pub fn from_config(config: &model::Metrics) -> Result<Self, IncompleteConfigError> {
        let reader = SectionReader::new("metrics");
        let age = "intervalAgeThreshold";
        Ok(Self {
            report_interval: reader.duration("reportInterval", config.report_interval.as_ref())?,
            queue_size: reader.number("messageQueueSize", config.message_queue_size.as_ref())?,
            usage_age: reader.duration(age, config.interval_age_threshold.as_ref())?,
        })
    }
}
