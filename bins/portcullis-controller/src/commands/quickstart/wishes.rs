//! Wishes of the command line that come too late for a network that is made already.

use super::host;
use crate::cli::{KeyKind, Quickstart};
use crate::material::Named;
use crate::output;
use anyhow::anyhow;
use portcullis_controller_config::ControllerConfig;
use portcullis_http::listen::ListenError;
use portcullis_pki::PublicKeyKind;
use std::path::Path;

/// Says which wishes are not followed, if the network differs from them.
pub(super) fn mention_ignored(arguments: &Quickstart, config: &ControllerConfig) {
    let mut ignored = Vec::new();
    let address = &config.edge.api.address;
    let is_other_host = !address.host.eq_ignore_ascii_case(host(arguments));
    if arguments.ctrl_address.is_some() && is_other_host {
        ignored.push(format!("--ctrl-address (it has {})", address.host));
    }
    if arguments.ctrl_port.is_some_and(|port| port != address.port) {
        ignored.push(format!("--ctrl-port (it has {})", address.port));
    }
    let has = key_kind(config);
    let wish = arguments.key_type.map(|kind| match kind {
        KeyKind::P256 => PublicKeyKind::P256,
        KeyKind::P384 => PublicKeyKind::P384,
        KeyKind::Rsa2048 => PublicKeyKind::Rsa { bits: 2048 },
    });
    if wish.is_some() && wish != has {
        ignored.push("--key-type (its keys already exist)".to_owned());
    }
    if !ignored.is_empty() {
        output::say(format_args!(
            "Ignored, because the network was created with other settings: {}",
            output::one_line(&ignored.join(", "))
        ));
    }
}

/// The kind of the key that clients see.
fn key_kind(config: &ControllerConfig) -> Option<PublicKeyKind> {
    let certificate = Named {
        name: "identity.server_cert".into(),
        material: &config.identity.server_cert,
    };
    let chain = certificate.certificates().ok()?;
    Some(chain.first()?.public_key().ok()?.kind())
}

/// Says what can be done about a port that is taken: flags do not move a network that is made.
pub(super) fn explain_taken_port(error: anyhow::Error, file: &Path) -> anyhow::Error {
    match error.downcast_ref() {
        Some(ListenError::InUse(address)) => anyhow!(
            "cannot listen on {address}: the address is in use; stop the program that holds it, \
             which may be another controller on this home, or change the port in {} (`address` of \
             `edge.api`, `interface` and `address` of `web`)",
            file.display(),
        ),
        _ => error,
    }
}
