//! Options of circuits that start or end at a router, and of what passes through it.

use std::time::Duration;

use portcullis_forwarding::{ForwardingOptions, WorkQueue};
use portcullis_router_config::model::{CircuitOptions, Forwarder, SourcedValue};
use portcullis_xgress::{Factor, Options};

use crate::section_reader::{IncompleteConfigError, SectionReader};

/// Reads the options of the ends of circuits, from those of a listener or a dialer.
///
/// # Errors
///
/// [`IncompleteConfigError`] if a value is missing or out of bounds.
pub fn end_options(config: &CircuitOptions) -> Result<Options, IncompleteConfigError> {
    let reader = SectionReader::new("options");
    let factor = |key, given: &Option<SourcedValue<f64>>| {
        let factor = Factor::from_f64(*reader.value(key, given.as_ref())?);
        factor.ok_or_else(|| reader.missing(key))
    };
    Ok(Options {
        start_window: reader.number("txPortalStartSize", config.tx_portal_start_size.as_ref())?,
        min_window: reader.number("txPortalMinSize", config.tx_portal_min_size.as_ref())?,
        max_window: reader.number("txPortalMaxSize", config.tx_portal_max_size.as_ref())?,
        growth_threshold: reader.number(
            "txPortalIncreaseThresh",
            config.tx_portal_increase_thresh.as_ref(),
        )?,
        growth: factor("txPortalIncreaseScale", &config.tx_portal_increase_scale)?,
        shrink_threshold: reader
            .number("txPortalRetxThresh", config.tx_portal_retx_thresh.as_ref())?,
        shrink: factor("txPortalRetxScale", &config.tx_portal_retx_scale)?,
        duplicate_threshold: reader.number(
            "txPortalDupAckThresh",
            config.tx_portal_dup_ack_thresh.as_ref(),
        )?,
        receive_buffer: reader.number("rxBufferSize", config.rx_buffer_size.as_ref())?,
        first_ack_timeout: reader.millis("retxStartMs", config.retx_start_ms.as_ref())?,
        ack_timeout_scale: factor("retxScale", &config.retx_scale)?,
        ack_timeout_margin: reader.millis("retxAddMs", config.retx_add_ms.as_ref())?,
        max_ack_timeout: reader.millis("retxMaxMs", config.retx_max_ms.as_ref())?,
        max_round_trip_growth: reader.number("maxRttScale", config.max_rtt_scale.as_ref())?,
        max_close_wait: reader.millis("maxCloseWaitMs", config.max_close_wait_ms.as_ref())?,
        start_timeout: reader
            .duration("circuitStartTimeout", config.circuit_start_timeout.as_ref())?,
    })
}

/// What the section `forwarder` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForwarderSettings {
    pub forwarding: ForwardingOptions,
    pub link_dials: QueueSize,
    pub rate_limited: QueueSize,
    pub service_dials: QueueSize,
    /// How long a service is not dialed yet.
    pub service_dial_pause: Duration,
}

/// How much work may wait, and how much is done at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueSize {
    pub waiting: usize,
    pub workers: usize,
}

impl QueueSize {
    /// An empty queue of this size.
    pub fn queue<T>(self) -> WorkQueue<T> {
        WorkQueue::new(self.waiting, self.workers)
    }
}

impl ForwarderSettings {
    /// Reads the section.
    ///
    /// # Errors
    ///
    /// [`IncompleteConfigError`] if a value is missing or out of bounds.
    pub fn from_config(config: &Forwarder) -> Result<Self, IncompleteConfigError> {
        let reader = SectionReader::new("forwarder");
        // Never, if it is not positive.
        let interval = |key, given: &Option<SourcedValue<i64>>| {
            let millis = u64::try_from(*reader.value(key, given.as_ref())?);
            let millis = millis.ok().filter(|millis| *millis > 0);
            Ok(millis.map(Duration::from_millis))
        };
        Ok(Self {
            forwarding: ForwardingOptions {
                close_check_interval: reader.millis(
                    "xgressCloseCheckInterval",
                    config.xgress_close_check_interval.as_ref(),
                )?,
                idle_timeout: reader
                    .millis("idleCircuitTimeout", config.idle_circuit_timeout.as_ref())?,
                idle_interval: interval("idleTxInterval", &config.idle_tx_interval)?,
                fault_interval: interval("faultTxInterval", &config.fault_tx_interval)?,
                ..ForwardingOptions::default()
            },
            link_dials: QueueSize {
                waiting: reader.number(
                    "linkDialQueueLength",
                    config.link_dial_queue_length.as_ref(),
                )?,
                workers: reader.number(
                    "linkDialWorkerCount",
                    config.link_dial_worker_count.as_ref(),
                )?,
            },
            rate_limited: QueueSize {
                waiting: reader.number(
                    "rateLimitedQueueLength",
                    config.rate_limited_queue_length.as_ref(),
                )?,
                workers: reader.number(
                    "rateLimitedWorkerCount",
                    config.rate_limited_worker_count.as_ref(),
                )?,
            },
            service_dials: QueueSize {
                waiting: reader.number(
                    "xgressDialQueueLength",
                    config.xgress_dial_queue_length.as_ref(),
                )?,
                workers: reader.number(
                    "xgressDialWorkerCount",
                    config.xgress_dial_worker_count.as_ref(),
                )?,
            },
            service_dial_pause: reader.millis(
                "xgressDialDwellTime",
                config.xgress_dial_dwell_time.as_ref(),
            )?,
        })
    }
}
