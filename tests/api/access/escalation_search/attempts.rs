//! What the attacker of the search sends.

use crate::access::matrix::body;
use crate::access::reading::collect_ids;
use crate::support::idp::Idp;
use crate::support::third_party::Authority;
use crate::support::{get, merge, send};
use http::Method;
use portcullis_domain::access::Access;
use portcullis_domain::permission::{Permission, PermissionSet};
use portcullis_http::path::Api;
use portcullis_http::route::Route;
use portcullis_testkit::{Harness, Reply, Request};
use rcgen::{CertificateParams, DnType, KeyPair, SanType, string::Ia5String};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The password that the attacker sets wherever it can.
const PASSWORD: &str = "attackers-own-1";
const LATER: &str = "2040-01-01T00:00:00Z";
/// Most ids that an operation is tried with.
const MOST_IDS: usize = 60;

/// Somebody who wants more than it has, knows all ids, and keeps whatever it is told.
pub(super) struct Attacker {
    pub(super) id: String,
    pub(super) token: String,
    /// An authority whose key it has.
    pub(super) authority: Authority,
    /// A provider of tokens whose key it has.
    pub(super) idp: Idp,
    ids: BTreeSet<String>,
    /// Ids of itself, and of what lets it in.
    own: BTreeSet<String>,
    /// Ids of those that it would like to be.
    pub(super) tempting: BTreeSet<String>,
    /// Texts that it was told and that may be tokens.
    pub(super) told: BTreeSet<String>,
    /// By method and path, the members that a body may have.
    members: BTreeMap<(String, String), BTreeSet<String>>,
    /// For each name of a subject, a request for a certificate with the names of the controller.
    requests: BTreeMap<String, String>,
    permissions: PermissionSet,
    number: usize,
    pub(super) sent: usize,
    pub(super) succeeded: usize,
}

impl Attacker {
    pub(super) async fn new(
        controller: &Harness,
        id: String,
        token: String,
        permissions: &[String],
    ) -> Self {
        Self {
            id,
            token,
            authority: Authority::root("attacker's"),
            idp: Idp::new(controller, "attacker"),
            ids: BTreeSet::new(),
            own: BTreeSet::new(),
            tempting: BTreeSet::new(),
            told: BTreeSet::new(),
            members: members(controller).await,
            requests: BTreeMap::new(),
            permissions: PermissionSet::from_names(permissions).unwrap(),
            number: 0,
            sent: 0,
            succeeded: 0,
        }
    }

    /// Learns the ids of so much of each kind, and of those that it would like to be, as if somebody had
    /// told it.
    pub(super) async fn learn_ids(&mut self, controller: &Harness, admin: &str, of_each: usize) {
        for list in [
            "/identities",
            "/enrollments",
            "/authenticators",
            "/api-sessions",
            "/sessions",
            "/edge-routers",
            "/transit-routers",
            "/cas",
            "/external-jwt-signers",
            "/auth-policies",
            "/services",
            "/service-policies",
            "/edge-router-policies",
        ] {
            let path = format!("{list}?filter=true%20limit%20none");
            let data = get(controller, admin, &path).await.data();
            for (place, one) in data.as_array().unwrap().iter().enumerate() {
                let id = one["id"].as_str().unwrap().to_owned();
                let is_own = id == self.id || one["identityId"] == self.id.as_str();
                if is_own {
                    self.own.insert(id.clone());
                }
                let holder = one["identityId"].as_str().unwrap_or(&id);
                // What vouches for others are few and each is worth a try.
                let vouches = ["/cas", "/external-jwt-signers"].contains(&list);
                if is_own || vouches || place < of_each || self.tempting.contains(holder) {
                    self.ids.insert(id);
                }
            }
        }
        assert!(self.ids.len() < MOST_IDS, "{} ids", self.ids.len());
    }

    /// Tries every operation with everything that is known; answers what came back.
    pub(super) async fn round(
        &mut self,
        (controller, admin): (&Harness, &str),
        is_last: bool,
    ) -> Vec<String> {
        let mut answers = Vec::new();
        let routes = controller.table().routes().iter();
        let mut routes: Vec<_> = routes
            .filter(|route| {
                let is_deletion = route.method == Method::DELETE;
                let logs_out = is_deletion && route.path == "/current-api-session";
                route.is_implemented && !logs_out && (is_last || !is_deletion)
            })
            .collect();
        routes.sort_by_key(|route| route.method == Method::DELETE);
        let ids = self.ids.clone();
        for route in routes {
            let Some(&api) = route.apis.iter().max() else {
                continue;
            };
            self.recover(controller, admin).await;
            if route.path.starts_with("/enroll") && route.method == Method::POST {
                self.enroll(controller, (api, route), &mut answers).await;
                continue;
            }
            if !route.path.contains('{') {
                self.try_one(controller, (api, route), "", &mut answers)
                    .await;
                continue;
            }
            // Who may not do it at all hears so about any id.
            let most = if self.may(route) { ids.len() } else { 1 };
            for id in ids.iter().take(most) {
                if self.hurts(route, id) {
                    continue;
                }
                self.try_one(controller, (api, route), id, &mut answers)
                    .await;
            }
        }
        for answer in answers.clone() {
            self.prove(controller, &answer, &mut answers).await;
        }
        for answer in &answers {
            self.learn(answer);
        }
        answers
    }

    /// Whether an operation is open to the attacker at all.
    fn may(&self, route: &Route) -> bool {
        match route.access {
            Access::Public | Access::Partial | Access::Full => true,
            Access::Admin => false,
            Access::AdminOrReadOnly => self.permissions.can_read_all(),
            Access::Granted(subject, verb) => self.permissions.grants(subject, verb),
            Access::GrantedExplicitly(subject, verb) => {
                self.permissions.grants_explicitly(subject, verb)
            },
            Access::GrantedWhole(subject) => self.permissions.grants_whole(subject),
        }
    }

    /// Whether an operation would take from the attacker what it has.
    fn hurts(&self, route: &Route, id: &String) -> bool {
        let ends = route.method == Method::DELETE || route.path.ends_with("/disable");
        ends && self.own.contains(id)
    }

    /// Has an administrator help the attacker up if it shut itself out, so that the search goes on.
    async fn recover(&mut self, controller: &Harness, admin: &str) {
        let path = "/edge/client/v1/current-identity";
        let request = controller.request(Method::GET, path).session(&self.token);
        if request.send().await.status == 200 {
            return;
        }
        let path = format!("/identities/{}", self.id);
        let enable = format!("{path}/enable");
        for (method, path, body) in [
            (Method::POST, &enable, json!({})),
            (Method::PATCH, &path, json!({"authPolicyId": "default"})),
        ] {
            let reply = send(controller, admin, (method, path), &body).await;
            assert_eq!(reply.status, 200, "{}", reply.text());
        }
        self.token = controller
            .login("attacker", portcullis_testkit::PASSWORD)
            .await;
    }

    /// Verifies authorities of the attacker that an answer is about.
    async fn prove(&mut self, controller: &Harness, answer: &str, answers: &mut Vec<String>) {
        let body: Value = serde_json::from_str(answer).unwrap_or_default();
        let listed = body["data"].as_array().cloned();
        for ca in listed.unwrap_or_else(|| vec![body["data"].clone()]) {
            let (Some(id), Some(token)) = (ca["id"].as_str(), ca["verificationToken"].as_str())
            else {
                continue;
            };
            let proof = self.authority.leaf(token).to_pem();
            let path = format!("/cas/{id}/verify");
            let request = controller.manage(Method::POST, &path, &self.token);
            self.send(request.text("text/plain", &proof), answers).await;
        }
    }

    /// Tries one operation on one thing, first plainly, then with each member that its body may have.
    async fn try_one(
        &mut self,
        controller: &Harness,
        (api, route): (Api, &Route),
        id: &str,
        answers: &mut Vec<String>,
    ) {
        let path = route.path.replace("{id}", id).replace("{*path}", id);
        let path = format!("{}{path}", api.base_path());
        let mut ask = async |this: &mut Self, body: Option<Value>| {
            let mut request = controller.request(route.method.clone(), &path);
            request = request.session(&this.token);
            if let Some(body) = &body {
                request = request.json(body);
            }
            this.send(request, answers).await
        };
        if !matches!(route.method, Method::POST | Method::PUT | Method::PATCH) {
            ask(self, None).await;
            return;
        }
        let base = body(&route.method, route.path, self.next());
        let first = ask(self, Some(base.clone())).await;
        // What is forbidden or not there stays so, whatever else is said.
        let is_out = !self.may(route) || first.status == 404;
        if is_out || !base.is_object() {
            return;
        }
        let key = (
            route.method.to_string(),
            format!("{}{}", api.base_path(), route.path),
        );
        let members = self.members.get(&key).cloned().unwrap_or_default();
        for member in members {
            for value in self.ambitions(&member, id) {
                let mut body = body(&route.method, route.path, self.next());
                merge(&mut body, json!({ member.as_str(): value }));
                ask(self, Some(body)).await;
            }
        }
    }

    /// What somebody that wants to come up writes into a member of a body.
    fn ambitions(&mut self, member: &str, id: &str) -> Vec<Value> {
        let number = self.next();
        let lower = member.to_lowercase();
        let all = || Permission::grantable().map(|permission| permission.to_string());
        let texts = |texts: &[&str]| texts.iter().map(|text| json!(text)).collect();
        if lower.contains("csr") {
            return vec![
                json!(self.request(id)),
                json!(self.request(&self.id.clone())),
            ];
        }
        match &*lower {
            "permissions" => vec![json!(all().collect::<Vec<_>>()), json!(["admin_readonly"])],
            "certpem" | "clientcert" => vec![
                json!(self.authority.pem()),
                json!(self.idp.certificate.to_pem()),
                json!(self.authority.leaf("boss").to_pem()),
            ],
            "password" | "newpassword" => vec![json!(PASSWORD)],
            "username" | "name" => vec![json!(format!("attacker-{number}")), json!("boss")],
            "externalid" => texts(&["boss@example.test", "admin", "attacker@example.test"]),
            "jwksendpoint" => texts(&["https://keys.attacker.test/", "http://keys.attacker.test/"]),
            "externalauthurl" => texts(&["https://login.attacker.test/"]),
            "clientid" => texts(&["attacker"]),
            "scopes" => vec![json!(["attacker"])],
            "targettoken" => texts(&["ID"]),
            "issuer" => vec![json!(self.idp.issuer)],
            "kid" => vec![json!(self.idp.kid)],
            "expiresat" => vec![json!(LATER)],
            "method" => texts(&["ott", "ottca", "updb", "cert"]),
            "enrollment" => vec![
                json!({"ott": true}),
                json!({"updb": format!("attacker-{number}")}),
            ],
            "primary" => vec![json!({
                "cert": {"allowed": true, "allowExpiredCerts": true},
                "updb": {"allowed": true, "maxAttempts": 0, "minPasswordLength": 5},
                "extJwt": {"allowed": true, "allowedSigners": []},
            })],
            "token" | "code" => self.told.iter().take(4).map(|told| json!(told)).collect(),
            name if name.ends_with("id") => {
                let ids = self.tempting.iter().chain([&self.id]);
                ids.map(|id| json!(id)).collect()
            },
            name if name.ends_with("roles") || name.ends_with("attributes") => {
                vec![json!(["#all"]), json!(["all", "staff"])]
            },
            _ => vec![json!(true), json!(false)],
        }
    }

    /// Redeems whatever may be a token, in every way that there is.
    async fn enroll(
        &mut self,
        controller: &Harness,
        (api, route): (Api, &Route),
        answers: &mut Vec<String>,
    ) {
        let told: Vec<String> = self.told.iter().cloned().collect();
        let ids: Vec<String> = self.ids.iter().cloned().collect();
        let path = format!("{}{}", api.base_path(), route.path);
        for token in &told {
            let path = format!("{path}?token={token}");
            let username = format!("attacker-{}", self.next());
            let by_password = json!({"token": token, "password": PASSWORD, "username": username});
            let request = controller.request(Method::POST, &path).json(&by_password);
            let first = self.send(request, answers).await;
            let error = serde_json::from_slice::<Value>(&first.body).unwrap_or_default();
            if error["error"]["code"] == "INVALID_ENROLLMENT_TOKEN" {
                continue;
            }
            for id in &ids {
                let csr = self.request(id);
                let body = json!({
                    "token": token, "certCsr": csr, "serverCertCsr": csr, "clientCsr": csr,
                    "serverCsr": csr, "csr": csr,
                });
                let chain = self.authority.chain("attacker");
                let request = controller.request(Method::POST, &path).json(&body);
                self.send(request.certificates(&chain), answers).await;
            }
            let csr = self.request("device");
            let request = controller.request(Method::POST, &path);
            let request = request.text("application/x-pem-file", &csr);
            self.send(request, answers).await;
        }
    }

    async fn send(&mut self, request: Request<'_>, answers: &mut Vec<String>) -> Reply {
        let reply = request.send().await;
        self.sent += 1;
        let status = reply.status;
        assert!(status.as_u16() < 500, "{}", reply.text());
        if status.is_success() {
            self.succeeded += 1;
            answers.push(reply.text());
        }
        reply
    }

    /// A request for a certificate in the name of `subject`, with the names of the controller.
    fn request(&mut self, subject: &str) -> String {
        let make = || {
            let mut params = CertificateParams::default();
            params.distinguished_name = rcgen::DistinguishedName::new();
            params.distinguished_name.push(DnType::CommonName, subject);
            let name = Ia5String::try_from("ctrl.example.test").unwrap();
            params.subject_alt_names = vec![
                SanType::DnsName(name),
                SanType::IpAddress([192, 0, 2, 7].into()),
            ];
            let key = KeyPair::generate().unwrap();
            params.serialize_request(&key).unwrap().pem().unwrap()
        };
        let requests = &mut self.requests;
        requests
            .entry(subject.to_owned())
            .or_insert_with(make)
            .clone()
    }

    /// Keeps what an answer tells: every text in it that may be a token.
    fn learn(&mut self, answer: &str) {
        let Ok(body) = serde_json::from_str::<Value>(answer) else {
            return;
        };
        let mut ids = BTreeSet::new();
        collect_ids(&body["data"], &mut ids);
        collect_texts(&body["data"], &mut self.told);
        let free = MOST_IDS.saturating_sub(self.ids.len());
        self.ids.extend(ids.into_iter().take(free));
    }

    fn next(&mut self) -> usize {
        self.number += 1;
        self.number
    }
}

/// Every text that has the form of a token.
fn collect_texts(value: &Value, texts: &mut BTreeSet<String>) {
    match value {
        Value::String(text) if text.len() == 36 && text.matches('-').count() == 4 => {
            texts.insert(text.clone());
        },
        Value::Object(members) => members.values().for_each(|one| collect_texts(one, texts)),
        Value::Array(items) => items.iter().for_each(|one| collect_texts(one, texts)),
        _ => {},
    }
}

/// By method and whole path, the members that bodies may have, as the controller describes them.
pub(crate) async fn members(controller: &Harness) -> BTreeMap<(String, String), BTreeSet<String>> {
    let mut members = BTreeMap::new();
    for api in Api::ALL {
        let path = format!("{}/swagger.json", api.base_path());
        let reply = controller.request(Method::GET, &path).send().await;
        let Ok(document) = serde_json::from_slice::<Value>(&reply.body) else {
            continue;
        };
        let Some(paths) = document["paths"].as_object() else {
            continue;
        };
        for (path, methods) in paths {
            for (method, operation) in methods.as_object().into_iter().flatten() {
                let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
                let mut names = BTreeSet::new();
                collect_members(&document, schema, &mut names, 0);
                let path = format!("{}{path}", api.base_path());
                members.insert((method.to_uppercase(), path), names);
            }
        }
    }
    let known: usize = members.values().map(BTreeSet::len).sum();
    assert!(
        known > 200,
        "the descriptions name {known} members of bodies"
    );
    members
}

fn collect_members(document: &Value, schema: &Value, names: &mut BTreeSet<String>, depth: usize) {
    if depth > 6 {
        return;
    }
    if let Some(reference) = schema["$ref"].as_str() {
        let pointer = reference.trim_start_matches('#');
        if let Some(schema) = document.pointer(pointer) {
            collect_members(document, schema, names, depth + 1);
        }
    }
    names.extend(
        schema["properties"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| name.clone()),
    );
    for part in ["allOf", "anyOf", "oneOf"] {
        for schema in schema[part].as_array().into_iter().flatten() {
            collect_members(document, schema, names, depth + 1);
        }
    }
}
