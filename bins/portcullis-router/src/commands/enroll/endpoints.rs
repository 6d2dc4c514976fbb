//! The file in which a router keeps the addresses of its controllers.

use portcullis_files::SECRET_MODE;
use portcullis_pki::EnrollmentClaims;
use portcullis_router_io::RouterFile;
use serde_json::Value;

/// Writes the addresses of the token, unless the configuration names some. Those of an earlier enrollment go:
/// they would win over both.
pub(super) fn write(file: &RouterFile, claims: &EnrollmentClaims) -> anyhow::Result<()> {
    let ctrl = &file.config.ctrl;
    let is_configured = ctrl.endpoint.is_some() || ctrl.endpoints.is_some();
    let addresses = claims.ctrls.as_deref().unwrap_or_default();
    if is_configured || addresses.is_empty() {
        portcullis_files::remove_if_exists(&file.endpoints_file())?;
        return Ok(());
    }
    // Strings of JSON are strings of YAML.
    let lines = addresses.iter();
    let lines = lines.map(|address| format!("  - {}\n", Value::from(address.as_str())));
    let text = format!("endpoints:\n{}", lines.collect::<String>());
    portcullis_files::replace(&file.endpoints_file(), text.as_bytes(), SECRET_MODE)?;
    Ok(())
}
