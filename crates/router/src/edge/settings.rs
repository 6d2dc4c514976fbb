//! What a router's file says of its edge.

use std::time::Duration;

use portcullis_router_config::model::{Edge, Listener, SourcedValue};
use portcullis_xgress::Options;

use super::limits::EdgeLimits;
use crate::circuits::end_options;
use crate::section_reader::{IncompleteConfigError, SectionReader, is_given};

/// The binding of listeners for SDKs.
const BINDING: &str = "edge";

/// The section `edge`, and the options of circuits of its first listener.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeSettings {
    pub limits: EdgeLimits,
    /// Of circuits that end in the router.
    pub end_options: Options,
    /// Between reports of legacy sessions in use.
    pub heartbeat_interval: Duration,
    /// Between writes of the file of the data model.
    pub save_interval: Duration,
    /// File of the data model, if the section names one.
    pub model_file: Option<String>,
}

/// A listener for SDKs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdgeListenerSettings {
    /// As in the file, such as `tls:0.0.0.0:3022`.
    pub address: String,
    /// How long a connection may take for its handshake, and for its hello.
    pub hello_time: Duration,
    /// How many connections may be in that at least; beyond it, the oldest give way.
    pub waiting_clients: usize,
    /// How long a write may make no progress; `None` for the usual time.
    pub write_time: Option<Duration>,
    /// Messages that may wait for an SDK; `None` for the usual number.
    pub queue_frames: Option<usize>,
}

impl EdgeSettings {
    /// Reads the section and the first listener for SDKs among `listeners`.
    ///
    /// # Errors
    ///
    /// [`IncompleteConfigError`] if a value is missing or out of bounds.
    pub fn from_config(
        section: &Edge,
        listeners: &[Listener],
    ) -> Result<Self, IncompleteConfigError> {
        let reader = SectionReader::new("edge");
        let seconds = |key, given: Option<&SourcedValue<i64>>| {
            reader.number(key, given).map(Duration::from_secs)
        };
        let listener = listeners.iter().find(|one| is_for_sdks(one));
        let mut limits = EdgeLimits::default();
        let mut options = Options::default();
        if let Some(listener) = listener {
            options = end_options(&listener.circuits)?;
            let time = listener.circuits.get_circuit_timeout.as_ref();
            limits.circuit_time =
                SectionReader::new("options").duration("getCircuitTimeout", time)?;
        }
        Ok(Self {
            limits,
            end_options: options,
            heartbeat_interval: seconds(
                "heartbeatIntervalSeconds",
                section.heartbeat_interval_seconds.as_ref(),
            )?,
            save_interval: seconds(
                "dbSaveIntervalSeconds",
                section.db_save_interval_seconds.as_ref(),
            )?,
            model_file: section.db.as_ref().map(|file| file.value.clone()),
        })
    }
}

impl EdgeListenerSettings {
    /// Reads the listeners for SDKs.
    ///
    /// # Errors
    ///
    /// [`IncompleteConfigError`] if a value is missing or out of bounds.
    pub fn from_config(listeners: &[Listener]) -> Result<Vec<Self>, IncompleteConfigError> {
        let own = listeners.iter().filter(|one| is_for_sdks(one));
        own.map(Self::read).collect()
    }

    fn read(listener: &Listener) -> Result<Self, IncompleteConfigError> {
        let reader = SectionReader::new("options");
        let options = &listener.options;
        let queued: usize =
            reader.number("maxQueuedConnects", options.max_queued_connects.as_ref())?;
        let outstanding: usize = reader.number(
            "maxOutstandingConnects",
            options.max_outstanding_connects.as_ref(),
        )?;
        let write_time = options.write_timeout.as_ref();
        let frames = options.out_queue_size.as_ref();
        Ok(Self {
            address: SectionReader::new("listeners")
                .value("address", listener.address.as_ref())?
                .clone(),
            hello_time: reader.connect_timeout(options)?,
            waiting_clients: queued.saturating_add(outstanding),
            write_time: write_time
                .and_then(|time| time.value.as_std())
                .filter(|time| !time.is_zero()),
            queue_frames: frames
                .filter(|frames| is_given(frames))
                .and_then(|frames| usize::try_from(frames.value).ok())
                .filter(|frames| *frames > 0),
        })
    }
}

fn is_for_sdks(listener: &Listener) -> bool {
    let binding = listener.binding.as_ref();
    binding.is_some_and(|binding| binding.value == BINDING)
}
