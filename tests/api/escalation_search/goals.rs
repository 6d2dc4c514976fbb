//! What nobody may reach in the search, however it got there.

use super::attempts::Attacker;
use crate::reading::Outstanding;
use crate::support::{current, get, log_in_by_certificate, text};
use http::Method;
use portcullis_pki::certificates_from_pem;
use portcullis_testkit::Harness;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// How everything stood before.
pub(super) struct Goals {
    /// Those whom the attacker must not become, by id: what lets them in, and what they may do.
    guarded: BTreeMap<String, Value>,
    /// What the attacker may do.
    attacker: Value,
    /// The signers whose tokens count, and the authorities that let clients in.
    trusted: Vec<Value>,
    /// Whether the attacker may only read: then nobody else's way in is for it.
    only_reads: bool,
}

impl Goals {
    pub(super) async fn new(network: &Outstanding, attacker: &str, permissions: &[String]) -> Self {
        let (controller, admin) = (&network.stage.controller, &network.stage.admin);
        let reads = |name: &String| {
            name == "admin_readonly" || name.split_once('.').is_some_and(|(_, verb)| verb == "read")
        };
        let only_reads = permissions.iter().all(reads);
        Self {
            guarded: guarded(controller, admin, (attacker, only_reads)).await,
            attacker: rights(controller, admin, attacker).await,
            trusted: trusted(controller, admin).await,
            only_reads,
        }
    }

    /// Ids of those whom the attacker must not become.
    pub(super) fn ids(&self) -> impl Iterator<Item = String> {
        self.guarded.keys().cloned()
    }

    /// Checks that nothing was reached by what was answered.
    pub(super) async fn check(
        &self,
        network: &Outstanding,
        attacker: &Attacker,
        answers: &[String],
    ) {
        let (controller, admin) = (&network.stage.controller, &network.stage.admin);
        assert_eq!(
            current(controller, admin).await.status,
            200,
            "administrators stay"
        );
        let guarded = guarded(controller, admin, (&attacker.id, self.only_reads)).await;
        assert_eq!(guarded, self.guarded);
        assert_eq!(rights(controller, admin, &attacker.id).await, self.attacker);
        for trusted in trusted(controller, admin).await {
            assert!(self.trusted.contains(&trusted), "{trusted} is trusted now");
        }
        for answer in answers {
            self.check_answer(network, attacker, answer);
        }
        for told in &attacker.told {
            let opened = whose(controller, told).await;
            let is_own = opened["id"] == attacker.id.as_str();
            assert!(
                opened.is_null() || is_own || self.is_below(&opened),
                "{told}: {opened}"
            );
        }
        self.check_ways_in(controller, attacker).await;
    }

    fn check_answer(&self, network: &Outstanding, attacker: &Attacker, answer: &str) {
        for (what, secret) in &network.secrets {
            let is_of_enrollment = network.of_enrollments.contains(secret);
            let is_others = secret != &attacker.token;
            let is_granted = is_of_enrollment && !self.only_reads;
            assert!(
                !is_others || is_granted || !answer.contains(secret),
                "the {what} is told: {answer}"
            );
        }
        let server = &network.stage.controller.server;
        for (start, _) in answer.match_indices("-----BEGIN CERTIFICATE-----") {
            let pem = answer[start..].replace("\\n", "\n").replace("\\r", "");
            let end = pem.find("-----END CERTIFICATE-----").unwrap() + 25;
            let leaf = &certificates_from_pem(&pem[..end]).unwrap()[0];
            let names = ["ctrl.example.test", "192.0.2.7"];
            let is_named = names
                .iter()
                .any(|name| leaf.covers_host(name) || leaf.common_name().as_deref() == Some(name));
            let is_ours = !attacker.authority.certificate.names_as_issuer(leaf)
                && !leaf.names_as_issuer(&attacker.authority.certificate);
            assert!(
                !is_named || leaf == server || !is_ours,
                "{leaf:?} in {answer}"
            );
        }
    }

    /// Tries to log in as those who are guarded with the keys that the attacker has.
    async fn check_ways_in(&self, controller: &Harness, attacker: &Attacker) {
        for (id, guarded) in &self.guarded {
            let external = guarded["externalId"].as_str().unwrap_or(id);
            for subject in [id, external] {
                let jwt = attacker.idp.token(controller, subject);
                let path = "/edge/client/v1/authenticate?method=ext-jwt";
                let request = controller.request(Method::POST, path);
                let bearer = format!("Bearer {jwt}");
                let request = request.header("authorization", &bearer).json(&json!({}));
                let reply = request.send().await;
                assert_eq!(reply.status, 401, "a token opens {guarded}");
                let chain = attacker.authority.chain(subject);
                let reply = log_in_by_certificate(controller, &chain).await;
                if reply.status == 200 {
                    assert_ne!(reply.data()["identityId"], json!(id), "{guarded}");
                }
            }
        }
    }

    /// Whether somebody is no administrator, and may be anybody that the attacker may enroll.
    fn is_below(&self, identity: &Value) -> bool {
        !self.only_reads && identity["isAdmin"] == false && identity["isDefaultAdmin"] == false
    }
}

/// Whose session a text opens; `null` if it opens none.
async fn whose(controller: &Harness, token: &str) -> Value {
    let path = "/edge/client/v1/current-identity";
    let request = controller.request(Method::GET, path).session(token);
    let reply = request.send().await;
    if reply.status == 200 {
        reply.data()
    } else {
        Value::Null
    }
}

/// Those whom the attacker must not become, with what lets them in: administrators, or everybody.
async fn guarded(
    controller: &Harness,
    admin: &str,
    (attacker, is_everybody): (&str, bool),
) -> BTreeMap<String, Value> {
    let filter = if is_everybody {
        "true"
    } else {
        "isAdmin%20%3D%20true%20or%20isDefaultAdmin%20%3D%20true"
    };
    let path = format!("/identities?filter={filter}%20limit%20none");
    let mut all = BTreeMap::new();
    let listed = get(controller, admin, &path).await.data();
    for one in listed.as_array().unwrap() {
        let id = text(one, "id").to_owned();
        if id == attacker {
            continue;
        }
        let of = async |what: &str| {
            let path = format!("/identities/{id}/{what}");
            get(controller, admin, &path).await.data()
        };
        let member = |name: &str| one[name].clone();
        let entry = json!({
            "authenticators": of("authenticators").await, "enrollments": of("enrollments").await,
            "externalId": member("externalId"), "disabled": member("disabled"),
            "isMfaEnabled": member("isMfaEnabled"), "permissions": member("permissions"),
        });
        all.insert(id, entry);
    }
    all
}

async fn rights(controller: &Harness, admin: &str, id: &str) -> Value {
    let shown = crate::support::read(controller, admin, id).await;
    json!([
        shown["isAdmin"],
        shown["isDefaultAdmin"],
        shown["permissions"]
    ])
}

/// Who vouches for others: enabled signers with what counts, and authorities whose certificates say who
/// somebody is.
async fn trusted(controller: &Harness, admin: &str) -> Vec<Value> {
    let list = async |path: &str| {
        let path = format!("{path}?filter=true%20limit%20none");
        let data = get(controller, admin, &path).await.data();
        data.as_array().unwrap().clone()
    };
    let pick = |one: &Value, members: &[&str]| -> Value {
        members.iter().map(|name| one[*name].clone()).collect()
    };
    let signers = list("/external-jwt-signers").await;
    let signers = signers.iter().filter(|one| one["enabled"] == true);
    let of_signers = [
        "id",
        "issuer",
        "audience",
        "certPem",
        "jwksEndpoint",
        "kid",
        "useExternalId",
        "claimsProperty",
    ];
    let cas = list("/cas").await;
    let cas = cas.iter().filter(|one| one["externalIdClaim"].is_object());
    let signers = signers.map(|one| pick(one, &of_signers));
    signers
        .chain(cas.map(|one| pick(one, &["id", "certPem", "externalIdClaim"])))
        .collect()
}
