//! What a router offers when it creates a terminator.

use super::error::TerminatorError;
use crate::app::App;
use portcullis_domain::FieldError;
use portcullis_domain::identity::Precedence;
use portcullis_domain::ids::{RouterId, ServiceId, TerminatorId};
use portcullis_domain::terminator::{InstanceSecretHash, PeerData, TerminatorHost, TerminatorSpec};
use secrecy::{ExposeSecret as _, SecretSlice};

/// A terminator as a router describes it.
#[derive(Debug, Clone)]
pub struct Offer {
    /// Id and address, which the router has chosen.
    pub id: TerminatorId,
    pub cost: u32,
    pub precedence: Precedence,
    /// Instance of the service; empty for none.
    pub instance_id: String,
    /// What the hosts of the instance share; may be empty.
    pub instance_secret: SecretSlice<u8>,
    /// Values for whoever dials.
    pub peer_data: PeerData,
}

/// Maximum length of ids that routers choose, bytes.
const MAX_ID_BYTES: usize = 128;

/// Maximum length of instance ids, addresses and names of bindings, bytes.
const MAX_TEXT_BYTES: usize = 512;

impl Offer {
    /// The specification of the terminator.
    pub(super) fn spec(
        &self,
        app: &App,
        (service, router): (&ServiceId, &RouterId),
        binding: &str,
        host: TerminatorHost,
    ) -> Result<TerminatorSpec, TerminatorError> {
        let id = self.id.as_str();
        let is_plain = id.bytes().all(|byte| byte.is_ascii_graphic());
        if id.is_empty() || id.len() > MAX_ID_BYTES || !is_plain {
            let reason = "must consist of 1 to 128 printable ASCII characters";
            return Err(FieldError::new("address", reason, id).into());
        }
        Ok(TerminatorSpec {
            binding: binding.to_owned(),
            cost: check_cost(self.cost)?,
            precedence: self.precedence,
            instance_secret: hash_secret(app, &self.instance_id, &self.instance_secret),
            instance_id: check_text("instanceId", &self.instance_id)?.to_owned(),
            peer_data: self.peer_data.clone(),
            host_id: Some(host.identity.to_string()),
            host: Some(host),
            ..TerminatorSpec::new(service.clone(), router.clone(), id)
        })
    }
}

pub(super) fn check_cost(cost: u32) -> Result<u16, TerminatorError> {
    u16::try_from(cost).or(Err(TerminatorError::InvalidCost))
}

pub(super) fn check_text<'t>(field: &str, text: &'t str) -> Result<&'t str, FieldError> {
    if text.len() > MAX_TEXT_BYTES {
        let reason = format!("must have at most {MAX_TEXT_BYTES} bytes");
        return Err(FieldError::new(
            field,
            reason,
            format!("{} bytes", text.len()),
        ));
    }
    Ok(text)
}

/// A specification with the secret that all terminators of its instance share, if there is one.
pub fn with_secret(
    app: &App,
    spec: TerminatorSpec,
    secret: Option<SecretSlice<u8>>,
) -> TerminatorSpec {
    let instance_secret = secret.and_then(|secret| hash_secret(app, &spec.instance_id, &secret));
    TerminatorSpec {
        instance_secret,
        ..spec
    }
}

/// The hash of the secret of an instance. Without an instance there is nothing to keep others from.
pub(super) fn hash_secret(
    app: &App,
    instance_id: &str,
    secret: &SecretSlice<u8>,
) -> Option<InstanceSecretHash> {
    let secret = secret.expose_secret();
    let is_used = !instance_id.is_empty() && !secret.is_empty();
    is_used.then(|| InstanceSecretHash(app.vault.lookup_hash("terminator instance", secret)))
}
