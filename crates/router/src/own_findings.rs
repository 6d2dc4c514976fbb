//! What this router makes of a file.

use portcullis_router_config::{Finding, LoadedConfig};

use crate::key_effects::keys_without_effect;
use crate::unsupported::unsupported_entries;

/// What this router makes of a file, beside what is said of every file: what it cannot do, and keys that have no
/// effect.
pub fn own_findings(loaded: &LoadedConfig) -> Vec<Finding> {
    let mut findings = unsupported_entries(&loaded.config);
    findings.extend(keys_without_effect(&loaded.effective));
    findings
}
