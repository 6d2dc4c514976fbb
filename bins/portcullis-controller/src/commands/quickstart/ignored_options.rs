//! Options that are ignored because the network already exists.

use super::advertised_host;
use crate::cli::QuickstartArgs;
use crate::output;
use crate::pem::PemSetting;
use anyhow::anyhow;
use portcullis_controller_config::ControllerConfig;
use portcullis_listener::ListenError;
use portcullis_pki::{KeyType, PublicKeyKind};
use std::path::Path;

/// Reports options that differ from the settings of the existing network.
pub(super) fn report_ignored(arguments: &QuickstartArgs, config: &ControllerConfig) {
    let mut ignored = Vec::new();
    let address = &config.edge.api.address;
    let is_other_host = !address
        .host
        .eq_ignore_ascii_case(advertised_host(arguments));
    if arguments.ctrl_address.is_some() && is_other_host {
        ignored.push(format!("--ctrl-address (it has {})", address.host));
    }
    if arguments.ctrl_port.is_some_and(|port| port != address.port) {
        ignored.push(format!("--ctrl-port (it has {})", address.port));
    }
    let current_key_type = key_kind(config);
    let requested_key_type = arguments
        .key_type
        .map(|kind| PublicKeyKind::from(KeyType::from(kind)));
    if requested_key_type.is_some() && requested_key_type != current_key_type {
        ignored.push("--key-type (its keys already exist)".to_owned());
    }
    if !ignored.is_empty() {
        output::print_message(format_args!(
            "Ignored, because the network was created with other settings: {}",
            ignored.join(", ")
        ));
    }
}

/// Type of the key of the served certificate.
fn key_kind(config: &ControllerConfig) -> Option<PublicKeyKind> {
    let certificate = PemSetting {
        name: "identity.server_cert".into(),
        source: &config.identity.server_cert,
    };
    let chain = certificate.certificates().ok()?;
    Some(chain.first()?.public_key().ok()?.kind())
}

/// Explains how to resolve a port that is in use: flags do not change an existing network.
pub(super) fn explain_taken_port(
    error: anyhow::Error,
    file: &Path,
    control_port: Option<u16>,
) -> anyhow::Error {
    let Some(ListenError::InUse(address)) = error.downcast_ref() else {
        return error;
    };
    let keys = if control_port == Some(address.port()) {
        "`listener` and `options.advertiseAddress` of `ctrl`"
    } else {
        "`address` of `edge.api`, `interface` and `address` of `web`"
    };
    anyhow!(
        "cannot listen on {address}: the address is in use; stop the program that holds it, which may be \
         another controller on this home, or change the port in {} ({keys})",
        file.display(),
    )
}
