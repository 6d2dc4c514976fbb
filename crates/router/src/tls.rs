//! The section `tls`.

use std::time::Duration;

use portcullis_router_config::model::Tls;

use crate::section_reader::{IncompleteConfigError, SectionReader};

/// How long a handshake may take with whoever connects; `None` for the usual time.
///
/// # Errors
///
/// [`IncompleteConfigError`] if the value is missing or negative.
pub fn handshake_timeout(config: &Tls) -> Result<Option<Duration>, IncompleteConfigError> {
    let given = config.handshake_timeout.as_ref();
    let time = SectionReader::new("tls").duration("handshakeTimeout", given)?;
    Ok((!time.is_zero()).then_some(time))
}
