//! When network interfaces are reported.

use std::time::Duration;

use portcullis_domain::clock::Timestamp;
use portcullis_router_config::model::InterfaceDiscovery;
use portcullis_wire::control::interface::{Interface, RouterInterfaces};

use crate::section_reader::{IncompleteConfigError, SectionReader};
use crate::time::since;

/// What the section `interfaceDiscovery` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InterfaceSettings {
    /// How often interfaces are looked at.
    pub check_interval: Duration,
    /// How often they are reported without a change.
    pub report_interval: Duration,
}

impl InterfaceSettings {
    /// Reads the section; `None` if nothing is to be reported.
    ///
    /// # Errors
    ///
    /// [`IncompleteConfigError`] if a value is missing or invalid.
    pub fn from_config(config: &InterfaceDiscovery) -> Result<Option<Self>, IncompleteConfigError> {
        let reader = SectionReader::new("interfaceDiscovery");
        if *reader.value("disabled", config.disabled.as_ref())? {
            return Ok(None);
        }
        let check = config.check_interval.as_ref();
        let report = config.min_report_interval.as_ref();
        Ok(Some(Self {
            check_interval: reader.duration("checkInterval", check)?,
            report_interval: reader.duration("minReportInterval", report)?,
        }))
    }
}

/// Decides whether interfaces are reported.
#[derive(Debug)]
pub struct InterfaceReports {
    interval: Duration,
    told: Option<(Vec<Interface>, Timestamp)>,
}

impl InterfaceReports {
    pub const fn new(settings: &InterfaceSettings) -> Self {
        Self {
            interval: settings.report_interval,
            told: None,
        }
    }

    /// The report that is due with these interfaces.
    pub fn due(&self, interfaces: Vec<Interface>, now: Timestamp) -> Option<RouterInterfaces> {
        let is_told = self
            .told
            .as_ref()
            .is_some_and(|(told, at)| *told == interfaces && since(*at, now) < self.interval);
        (!is_told).then_some(RouterInterfaces { interfaces })
    }

    /// A controller has taken a report.
    pub fn taken(&mut self, report: RouterInterfaces, now: Timestamp) {
        self.told = Some((report.interfaces, now));
    }
}
