//! Operations of all kinds, and a controller on which they can be asked for.

use crate::routers::edge_routers::{add_edge, edge};
use crate::routers::enrollment::requests;
use crate::support::credentials::{authenticator_of, token_by, with_certificate};
use crate::support::idp::Idp;
use crate::support::mfa::begin;
use crate::support::posture::PostureFixture;
use crate::support::third_party::{Authority, add};
use crate::support::{create, create_with_enrollment, find_identity_id, text};
use http::Method;
use portcullis_http::path::Api;
use portcullis_pki::Certificate;
use portcullis_testkit::{ADMIN, Harness, HarnessOptions, PASSWORD, Reply, client_key_and_csr};
use serde_json::{Value, json};

const LATER: &str = "2031-04-06T00:00:00.000Z";

/// Something to ask for.
#[derive(Debug, Clone)]
pub(crate) struct Operation {
    pub(crate) method: Method,
    pub(crate) path: String,
    /// The session, if there is one.
    session: Option<String>,
    certificates: Vec<Certificate>,
    bearer: Option<String>,
    content_type: &'static str,
    body: Option<String>,
}

impl Operation {
    pub(super) fn new(session: &str, (method, path): (Method, &str)) -> Self {
        let is_open = session.is_empty();
        Self {
            method,
            path: path.to_owned(),
            session: (!is_open).then(|| session.to_owned()),
            certificates: Vec::new(),
            bearer: None,
            content_type: "application/json",
            body: None,
        }
    }

    pub(super) fn json(self, body: &Value) -> Self {
        Self {
            body: Some(body.to_string()),
            ..self
        }
    }

    fn pem(self, body: &str) -> Self {
        Self {
            content_type: "application/x-pem-file",
            body: Some(body.to_owned()),
            ..self
        }
    }

    fn shows(self, chain: &[Certificate]) -> Self {
        Self {
            certificates: chain.to_vec(),
            ..self
        }
    }

    fn bears(self, token: &str) -> Self {
        Self {
            bearer: Some(format!("Bearer {token}")),
            ..self
        }
    }

    pub(crate) async fn ask(&self, controller: &Harness) -> Reply {
        let mut request = controller
            .request(self.method.clone(), &self.path)
            .certificates(&self.certificates);
        if let Some(session) = &self.session {
            request = request.session(session);
        }
        if let Some(bearer) = &self.bearer {
            request = request.header("authorization", bearer);
        }
        if let Some(body) = &self.body {
            request = request.text(self.content_type, body);
        }
        request.send().await
    }
}

/// What administrators and others ask for.
pub(crate) struct World {
    stage: PostureFixture,
    pub(crate) operations: Vec<Operation>,
}

impl World {
    pub(crate) async fn new(options: HarnessOptions) -> Self {
        let stage = PostureFixture::with(options).await;
        let mut world = Self {
            stage,
            operations: Vec::new(),
        };
        world.add_readings().await;
        world.add_creations().await;
        world.add_enrollments().await;
        world.add_logins().await;
        world.add_own().await;
        world.add_changes().await;
        world
    }

    pub(crate) fn controller(&self) -> &Harness {
        &self.stage.controller
    }

    /// Whether the administrator asks for it.
    pub(crate) fn is_by_admin(&self, operation: &Operation) -> bool {
        operation.session.as_ref() == Some(&self.stage.admin)
    }

    fn manage(&mut self, asked: (Method, &str), body: Option<&Value>) {
        let path = format!("{}{}", Api::Management.base_path(), asked.1);
        let operation = Operation::new(&self.stage.admin, (asked.0, &path));
        self.operations.push(match body {
            Some(body) => operation.json(body),
            None => operation,
        });
    }

    /// Everything that can be read without the id of something, and one of each kind.
    async fn add_readings(&mut self) {
        let stage = &self.stage;
        stage.allow("dial", "Dial", &[]).await;
        stage.connect(&stage.person.session, "Dial").await.data();
        let routes = stage.controller.table().routes().iter();
        let routes = routes.filter(|route| route.method == Method::GET && route.is_implemented);
        let mut readings = Vec::new();
        for route in routes {
            for api in route.apis {
                if route.path.contains('{') {
                    continue;
                }
                let path = format!("{}{}", api.base_path(), route.path);
                let list = Operation::new(&stage.admin, (Method::GET, &path));
                let reply = list.ask(&stage.controller).await;
                let found = serde_json::from_slice::<Value>(&reply.body).unwrap_or_default();
                readings.push(list);
                let Some(id) = found["data"][0]["id"].as_str() else {
                    continue;
                };
                let below = stage.controller.table().routes().iter().filter(|one| {
                    let beginning = format!("{}/{{id}}", route.path);
                    one.method == Method::GET
                        && one.apis.contains(api)
                        && one.path.starts_with(&beginning)
                });
                for one in below {
                    let path = format!("{}{}", api.base_path(), one.path.replace("{id}", id));
                    readings.push(Operation::new(&stage.admin, (Method::GET, &path)));
                }
            }
        }
        assert!(readings.len() > 80, "{} to read", readings.len());
        self.operations.extend(readings);
    }

    async fn add_creations(&mut self) {
        let id = create(self.controller(), &self.stage.admin, "bare", json!({})).await;
        let factory = Authority::root("factory");
        let signer = Idp::new(self.controller(), "made").signer(json!({}));
        for (path, body) in [
            ("/identities", json!({"name": "made", "isAdmin": false})),
            (
                "/identities",
                json!({"name": "more", "isAdmin": false, "enrollment": {"ott": true}}),
            ),
            (
                "/enrollments",
                json!({"identityId": id, "method": "ott", "expiresAt": LATER}),
            ),
            (
                "/services",
                json!({"name": "made", "encryptionRequired": true}),
            ),
            ("/config-types", json!({"name": "made", "schema": {}})),
            ("/edge-routers", json!({"name": "made"})),
            ("/transit-routers", json!({"name": "transit"})),
            ("/posture-checks", json!({"name": "made", "typeId": "MFA"})),
            (
                "/auth-policies",
                crate::entities::auth_policies::policy("made"),
            ),
            (
                "/cas",
                crate::support::third_party::creation("factory", &factory),
            ),
            ("/external-jwt-signers", signer),
            ("/revocations", json!({"id": id, "type": "IDENTITY"})),
            (
                "/service-policies",
                json!({"name": "made", "type": "Bind", "semantic": "AnyOf", "identityRoles": ["#all"]}),
            ),
            (
                "/authenticators",
                json!({
                    "method": "updb", "identityId": id, "username": "made", "password": PASSWORD,
                }),
            ),
        ] {
            self.manage((Method::POST, path), Some(&body));
        }
    }

    async fn add_enrollments(&mut self) {
        let PostureFixture {
            controller, admin, ..
        } = &self.stage;
        let root = Authority::root("root");
        let ca = add(controller, admin, ("ca", &root), json!({})).await;
        let (_, ott) =
            create_with_enrollment(controller, admin, "by ott", json!({"ott": true})).await;
        let (_, updb) =
            create_with_enrollment(controller, admin, "by updb", json!({"updb": "by-updb"})).await;
        let (_, ottca) =
            crate::enrollment::ottca::invited(controller, admin, "by ottca", &ca).await;
        let router = add_edge(controller, admin, "enrolling", json!({})).await;
        let token = edge(controller, admin, &router).await["enrollmentToken"].clone();
        let idp = Idp::new(controller, "idp");
        idp.register(controller, admin, json!({"enrollToTokenEnabled": true}))
            .await;
        let bearer = idp.token(controller, "newcomer");
        let refreshed = bare_enrollment(controller, admin).await;
        let path = |method: &str, token: &str| format!("/enroll?method={method}&token={token}");
        let post = |path: &str| Operation::new("", (Method::POST, path));
        let (_key, csr) = client_key_and_csr();
        self.operations.extend([
            post(&path("ott", text(&ott, "token"))).pem(&csr),
            post(&path("updb", text(&updb, "token"))).json(&json!({"password": PASSWORD})),
            post(&path("ottca", &ottca)).shows(&root.chain("device")),
            post("/enroll?method=ca").shows(&root.chain("stranger")),
            post(&path("erott", token.as_str().unwrap())).json(&requests(&router)),
            post("/enroll/token").bears(&bearer).json(&json!({})),
            post("/authenticate?method=ext-jwt").bears(&bearer),
            Operation::new(admin, (Method::POST, &refreshed)).json(&json!({"expiresAt": LATER})),
        ]);
    }

    async fn add_logins(&mut self) {
        let PostureFixture {
            controller, admin, ..
        } = &self.stage;
        let (_, chain) = with_certificate(controller, admin, "with certificate").await;
        let post = |path: &str| Operation::new("", (Method::POST, path));
        let by_password = post("/authenticate?method=password");
        let name = json!({"username": ADMIN, "password": PASSWORD});
        let nobody = json!({"username": "nobody", "password": PASSWORD});
        self.operations.extend([
            by_password.clone().json(&name),
            by_password.json(&nobody),
            post("/authenticate?method=cert").shows(&chain),
        ]);
        let session = token_by(controller, &chain).await;
        let id = find_identity_id(controller, admin, "with certificate").await;
        let authenticator = authenticator_of(controller, admin, &id, "cert").await;
        let (_key, csr) = client_key_and_csr();
        let path = format!("/current-identity/authenticators/{authenticator}/extend");
        let renewal = Operation::new(&session, (Method::POST, &path));
        let renewal = renewal.json(&json!({"clientCertCsr": csr}));
        self.operations.push(renewal.shows(&chain));
    }

    /// What people do with what is their own.
    async fn add_own(&mut self) {
        let PostureFixture {
            controller, admin, ..
        } = &self.stage;
        let session = controller.create_user(admin, "somebody", json!({})).await;
        let id = find_identity_id(controller, admin, "somebody").await;
        let authenticator = authenticator_of(controller, admin, &id, "updb").await;
        let scanning = controller.create_user(admin, "scanning", json!({})).await;
        begin(controller, &scanning).await;
        let (_key, csr) = client_key_and_csr();
        let own = format!("/current-identity/authenticators/{authenticator}");
        let password = json!({
            "username": "somebody", "password": PASSWORD, "currentPassword": PASSWORD,
        });
        let service = json!({"serviceId": self.stage.service, "type": "Dial"});
        let ask = |session: &str, method, path: &str| Operation::new(session, (method, path));
        let client = Api::Client.base_path();
        self.operations.extend([
            ask(&session, Method::POST, "/current-api-session/certificates")
                .json(&json!({"csr": csr})),
            ask(&session, Method::POST, "/current-identity/mfa"),
            ask(&session, Method::DELETE, "/current-identity/mfa"),
            ask(&scanning, Method::GET, "/current-identity/mfa"),
            ask(&scanning, Method::GET, "/current-identity/mfa/qr-code"),
            ask(&scanning, Method::POST, "/current-identity/mfa/verify")
                .json(&json!({"code": "000000"})),
            ask(
                &self.stage.person.session,
                Method::POST,
                &format!("{client}/sessions"),
            )
            .json(&service),
            ask(&session, Method::PUT, &own).json(&password),
            ask(&session, Method::DELETE, "/current-api-session"),
        ]);
    }

    /// What changes and takes away: last, since others ask about it.
    async fn add_changes(&mut self) {
        let id = create(self.controller(), &self.stage.admin, "changed", json!({})).await;
        let path = format!("/identities/{id}");
        let service = format!("/services/{}", self.stage.service);
        let disable = format!("{path}/disable");
        self.manage((Method::PATCH, &path), Some(&json!({"tags": {"a": 1}})));
        let whole = json!({"name": "changed", "isAdmin": false, "type": "Default"});
        self.manage((Method::PUT, &path), Some(&whole));
        self.manage(
            (Method::POST, &disable),
            Some(&json!({"durationMinutes": 1})),
        );
        self.manage((Method::POST, "/database/snapshot"), Some(&json!({})));
        self.manage((Method::DELETE, &path), None);
        self.manage((Method::DELETE, &service), None);
    }
}

/// The path by which an enrollment is refreshed.
async fn bare_enrollment(controller: &Harness, admin: &str) -> String {
    let (_, pending) =
        create_with_enrollment(controller, admin, "refreshed", json!({"ott": true})).await;
    let below = format!("/enrollments/{}/refresh", text(&pending, "id"));
    format!("{}{below}", Api::Management.base_path())
}
