//! The router data model as the controller has it.
//!
//! Entities have the members that routers show of their copies, as far as these come from the controller, so that
//! both can be compared. Of the data of configurations and identities, in which there may be secrets, the
//! SHA-256 is shown; of public keys their id, which is the SHA-1 of their data, and what they are for.

use portcullis_data_model::{DataModel, Entity, Kind, Policy};
use portcullis_wire::control::data_model::{
    Config, Identity, KeyFormat, KeyUsage, PolicyType, PublicKey,
};
use serde_json::{Value as Json, json};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Maximum size of the text, bytes; that of a value in an inspection.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// Names of the sections of entities, in their order.
const SECTIONS: [(&str, Kind); 8] = [
    ("configTypes", Kind::ConfigType),
    ("configs", Kind::Config),
    ("identities", Kind::Identity),
    ("postureChecks", Kind::PostureCheck),
    ("revocations", Kind::Revocation),
    ("routers", Kind::Router),
    ("servicePolicies", Kind::Policy),
    ("services", Kind::Service),
];

/// The model is too large to be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the data model is longer than {MAX_BYTES} bytes")]
pub(super) struct ModelTooLargeError;

/// An object of sections, each an object of entities or keys by their ids, and `timeline` and `index` of the model.
pub(super) fn to_json(model: &DataModel) -> Result<String, ModelTooLargeError> {
    let mut text = "{".to_owned();
    for (name, kind) in SECTIONS {
        let entities = model.entities().filter(|entity| entity.kind() == kind);
        let entities = entities.map(|entity| (entity.id(), shown(entity)));
        add_section(&mut text, name, entities)?;
    }
    let keys = model.public_keys();
    let keys = keys.map(|key| (key.key_id.as_str(), public_key(key)));
    add_section(&mut text, "publicKeys", keys)?;
    let timeline = Json::from(model.timeline_id());
    let index = model.index();
    // Writing into a text cannot fail.
    let _ = write!(text, "\"timeline\":{timeline},\"index\":{index}}}");
    check_size(&text)?;
    Ok(text)
}

/// Adds an object of values by their ids, and the comma that follows it.
fn add_section<'m>(
    text: &mut String,
    name: &str,
    values: impl Iterator<Item = (&'m str, Json)>,
) -> Result<(), ModelTooLargeError> {
    let _ = write!(text, "\"{name}\":{{");
    let mut separator = "";
    for (id, value) in values {
        let _ = write!(text, "{separator}{}:{value}", Json::from(id));
        separator = ",";
        check_size(text)?;
    }
    text.push_str("},");
    Ok(())
}

fn check_size(text: &str) -> Result<(), ModelTooLargeError> {
    if text.len() > MAX_BYTES {
        return Err(ModelTooLargeError);
    }
    Ok(())
}

fn shown(entity: &Entity) -> Json {
    match entity {
        Entity::ConfigType(kind) => {
            json!({ "id": kind.id, "name": kind.name, "target": kind.target })
        },
        Entity::Config(config) => self::config(config),
        Entity::Identity(identity) => self::identity(identity),
        Entity::Service(service) => json!({
            "id": service.id,
            "name": service.name,
            "encryptionRequired": service.requires_encryption,
            "configs": service.configs,
        }),
        Entity::Router(router) => json!({
            "id": router.id,
            "name": router.name,
            "fingerprint": router.fingerprint,
            "configs": router.configs,
            "disabled": router.is_disabled,
        }),
        Entity::PostureCheck(check) => {
            json!({ "id": check.id, "name": check.name, "typeId": check.type_id })
        },
        Entity::Policy(policy) => self::policy(policy),
        Entity::Revocation(revocation) => {
            json!({ "id": revocation.id, "type": revocation.kind })
        },
    }
}

fn config(config: &Config) -> Json {
    json!({
        "id": config.id,
        "name": config.name,
        "typeId": config.type_id,
        "dataSha256": digest(config.data_json.expose().as_bytes()),
    })
}

fn identity(identity: &Identity) -> Json {
    let precedences = identity.service_hosting_precedences.iter();
    let precedences = precedences.map(|(service, precedence)| (service, precedence.code()));
    let configs = identity.service_configs.iter();
    let configs = configs.map(|(service, configs)| (service, &configs.configs));
    json!({
        "id": identity.id,
        "name": identity.name,
        "disabled": identity.is_disabled,
        "appDataSha256": digest(identity.app_data_json.expose()),
        "defaultHostingPrecedence": identity.default_hosting_precedence.code(),
        "defaultHostingCost": identity.default_hosting_cost,
        "serviceHostingPrecedences": precedences.collect::<BTreeMap<_, _>>(),
        "serviceHostingCosts": identity.service_hosting_costs,
        "serviceConfigs": configs.collect::<BTreeMap<_, _>>(),
    })
}

fn policy(policy: &Policy) -> Json {
    json!({
        "id": policy.id,
        "name": policy.name,
        "policyType": match policy.policy_type {
            PolicyType::Dial => "DialPolicy",
            PolicyType::Bind => "BindPolicy",
            _ => "InvalidPolicy",
        },
        "services": policy.services,
        "postureChecks": policy.posture_checks,
        "identities": policy.identities,
    })
}

fn public_key(key: &PublicKey) -> Json {
    let usages = key.usages.iter().map(|usage| match *usage {
        KeyUsage::JwtValidation => "JWTValidation",
        KeyUsage::ClientCertificateValidation => "ClientX509CertValidation",
        KeyUsage::Unrecognized(_) => "unknown",
    });
    json!({
        "kid": key.key_id,
        "usages": usages.collect::<Vec<_>>(),
        "format": match key.format {
            KeyFormat::X509Certificate => "X509CertDer",
            KeyFormat::PkixPublicKey => "PKIXPublicKey",
            KeyFormat::Unrecognized(_) => "unknown",
        },
    })
}

/// None of what is empty.
fn digest(data: &[u8]) -> Option<String> {
    (!data.is_empty()).then(|| {
        let digest = Sha256::digest(data);
        digest.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
    })
}
