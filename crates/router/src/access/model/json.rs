//! The data model as inspections show it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use portcullis_wire::Precedence;
use portcullis_wire::control::data_model::{Identity, PolicyType};
use serde_json::{Value as Json, json};
use sha2::{Digest as _, Sha256};

use super::{DataModel, Policy};
use crate::LimitedJson;

/// The model is too large to be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the data model is longer than {0} bytes")]
pub struct ModelTooLargeError(usize);

impl DataModel {
    /// The entities by kind and id, with what relates them, in the shape of OpenZiti's routers.
    ///
    /// Public keys are not among them. Of the data of configurations and identities, in which there may be
    /// secrets, the SHA-256 is shown, by which two routers can be compared.
    ///
    /// # Errors
    ///
    /// [`ModelTooLargeError`] if the text would have more bytes than `most`. It takes no more memory than that.
    pub fn to_json(&self, most: usize) -> Result<String, ModelTooLargeError> {
        let mut text = Sections::new(most);
        text.section(
            "configTypes",
            self.config_types
                .iter()
                .map(|(id, kind)| (id, json!({ "id": id, "name": kind.name }))),
        )?;
        text.section("configs", self.configs_json())?;
        text.section(
            "identities",
            self.identities
                .iter()
                .map(|(id, identity)| (id, self.identity_json(identity))),
        )?;
        text.section(
            "postureChecks",
            self.posture_checks.iter().map(|(id, check)| {
                let definition = check.definition();
                (
                    id,
                    json!({
                        "id": id,
                        "name": definition.name,
                        "typeId": definition.type_id,
                        "servicePolicies": self.policies.of_check(id).collect::<Vec<_>>(),
                    }),
                )
            }),
        )?;
        text.section(
            "revocations",
            self.revocations
                .iter()
                .map(|(id, revocation)| (id, json!({ "id": id, "type": revocation.kind }))),
        )?;
        text.section(
            "routers",
            self.routers.iter().map(|(id, router)| {
                (
                    id,
                    json!({
                        "id": id,
                        "name": router.name,
                        "fingerprint": router.fingerprint,
                        "configs": router.configs,
                        "disabled": router.is_disabled,
                    }),
                )
            }),
        )?;
        text.section(
            "servicePolicies",
            self.policies
                .iter()
                .map(|policy| (&*policy.id, policy_json(policy))),
        )?;
        text.section("services", self.services.iter().map(|service| (service.id.as_str(), json!({
            "id": service.id,
            "name": service.name,
            "encryptionRequired": service.requires_encryption,
            "configs": service.configs,
            "servicePolicies": self.policies.of_service(&service.id).collect::<Vec<_>>(),
        }))))?;
        Ok(text.end())
    }

    fn configs_json(&self) -> impl Iterator<Item = (&str, Json)> {
        let mut services = BTreeMap::<&str, Vec<&str>>::new();
        for service in self.services.iter() {
            for config in &service.configs {
                services.entry(config).or_default().push(&service.id);
            }
        }
        self.configs.iter().map(move |(id, config)| {
            let shown = json!({
                "id": id,
                "name": config.name,
                "typeId": config.type_id,
                "dataSha256": digest(config.data_json.expose().as_bytes()),
                "services": services.get(id).cloned().unwrap_or_default(),
            });
            (id, shown)
        })
    }

    fn identity_json(&self, identity: &Identity) -> Json {
        let policies: Vec<_> = self.policies.of_identity(&identity.id).collect();
        let mut services = BTreeMap::<&str, Grants>::new();
        let mut checks = BTreeMap::<&str, usize>::new();
        for policy in &policies {
            for service in &policy.services {
                let grants = services.entry(service).or_default();
                grants.count(policy.policy_type);
            }
            for check in &policy.posture_checks {
                *checks.entry(check).or_default() += 1;
            }
        }
        let precedences = &identity.service_hosting_precedences;
        let precedences = precedences
            .iter()
            .map(|(service, precedence)| (service, number(*precedence)));
        let configs = &identity.service_configs;
        let configs = configs
            .iter()
            .map(|(service, configs)| (service, &configs.configs));
        json!({
            "id": identity.id,
            "name": identity.name,
            "disabled": identity.is_disabled,
            "appDataSha256": digest(identity.app_data_json.expose()),
            "defaultHostingPrecedence": number(identity.default_hosting_precedence),
            "defaultHostingCost": identity.default_hosting_cost,
            "serviceHostingPrecedences": precedences.collect::<BTreeMap<_, _>>(),
            "serviceHostingCosts": identity.service_hosting_costs,
            "serviceConfigs": configs.collect::<BTreeMap<_, _>>(),
            "servicePolicies": policies.iter().map(|policy| &*policy.id).collect::<Vec<_>>(),
            "services": by_id(services.into_iter().map(|(service, grants)| {
                (service, json!({ "dial": grants.dial, "bind": grants.bind }))
            })),
            "postureChecks": checks,
        })
    }
}

/// An object of objects, with a limit for all of them together.
struct Sections {
    text: String,
    most: usize,
}

impl Sections {
    fn new(most: usize) -> Self {
        Self {
            text: "{".to_owned(),
            most,
        }
    }

    fn section<'a>(
        &mut self,
        name: &str,
        members: impl Iterator<Item = (&'a str, Json)>,
    ) -> Result<(), ModelTooLargeError> {
        let separator = if self.text.len() == 1 { "" } else { "," };
        let start = format!("{separator}\"{name}\":");
        let left = self.most.checked_sub(self.text.len() + start.len() + 1);
        let too_large = ModelTooLargeError(self.most);
        let mut section = LimitedJson::object(left.ok_or(too_large)?);
        for (id, shown) in members {
            if !section.insert(id, &shown) {
                return Err(too_large);
            }
        }
        self.text.push_str(&start);
        self.text.push_str(&section.into_text());
        Ok(())
    }

    fn end(mut self) -> String {
        self.text.push('}');
        self.text
    }
}

/// How many policies let an identity dial and host a service.
#[derive(Debug, Clone, Copy, Default)]
struct Grants {
    dial: usize,
    bind: usize,
}

impl Grants {
    const fn count(&mut self, policy_type: PolicyType) {
        match policy_type {
            PolicyType::Dial => self.dial += 1,
            PolicyType::Bind => self.bind += 1,
            _ => {},
        }
    }
}

fn policy_json(policy: &Policy) -> Json {
    json!({
        "id": &*policy.id,
        "name": policy.name,
        "policyType": match policy.policy_type {
            PolicyType::Dial => "DialPolicy",
            PolicyType::Bind => "BindPolicy",
            _ => "InvalidPolicy",
        },
        "services": ids(&policy.services),
        "postureChecks": ids(&policy.posture_checks),
        "identities": ids(&policy.identities),
    })
}

fn ids<'a>(all: impl IntoIterator<Item = &'a std::sync::Arc<str>>) -> Vec<&'a str> {
    all.into_iter().map(|id| &**id).collect()
}

fn by_id<I: AsRef<str>>(shown: impl Iterator<Item = (I, Json)>) -> Json {
    Json::Object(
        shown
            .map(|(id, shown)| (id.as_ref().to_owned(), shown))
            .collect(),
    )
}

const fn number(precedence: Precedence) -> i32 {
    precedence.code()
}

/// None of what is empty.
fn digest(data: &[u8]) -> Option<String> {
    let digest = (!data.is_empty()).then(|| Sha256::digest(data))?;
    Some(digest.iter().fold(String::new(), |mut text, byte| {
        // Writing into a text cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    }))
}
