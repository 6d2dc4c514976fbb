//! A network with a controller, and what a test does with it.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use http::Method;
use portcullis_domain::Env;
use portcullis_domain::clock::Clock as _;
use portcullis_domain::ids::IdentityId;
use portcullis_domain::view::RouterConnection;
use portcullis_edge_session::{
    ApiSession, EdgeIdentity, EdgeSession, ExposeSecret as _, IdentityFile, KeyType, LoginProtocol,
    SessionOptions, SessionState, enroll,
};
use portcullis_pki::{ServerNames, SigningKey, Subject, create_csr_with_names};
use portcullis_system::{SystemClock, SystemEntropy};
use portcullis_testkit::{FakeNetwork, HarnessOptions, ServedController};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::timeout;

/// Time for what happens by itself.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Network {
    pub(crate) controller: ServedController,
    pub(crate) admin: String,
}

impl Network {
    pub(crate) async fn start() -> Self {
        Self::start_with(HarnessOptions::default()).await
    }

    /// All identities may use a router that is online.
    pub(crate) async fn start_with(options: HarnessOptions) -> Self {
        let controller = Box::pin(ServedController::start(options, SystemClock.now())).await;
        let admin = controller.harness.admin().await;
        let network = Self { controller, admin };
        let all = json!(["#all"]);
        let router = network.create("edge-routers", &json!({"name": "r1"})).await;
        for (kind, others) in [
            ("edge-router-policies", "identityRoles"),
            ("service-edge-router-policies", "serviceRoles"),
        ] {
            let policy = json!({
                "name": "all", "semantic": "AnyOf", "edgeRouterRoles": all, others: all,
            });
            network.create(kind, &policy).await;
        }
        network.enroll_router(&router).await;
        let live = Arc::new(FakeNetwork::default());
        let url = ("tls".to_owned(), "tls://localhost:3022".to_owned());
        let connection = RouterConnection {
            connected_since: Some(network.controller.harness.clock.now()),
            supported_protocols: [url].into(),
            ..RouterConnection::default()
        };
        live.set_router(&router, connection);
        network.controller.harness.app.attach_live_network(live);
        network
    }

    async fn enroll_router(&self, id: &str) {
        let router = self.get(&format!("edge-routers/{id}")).await;
        let token = router["enrollmentToken"].as_str().unwrap();
        let path = format!("/edge/client/v1/enroll?method=erott&token={token}");
        let key = SigningKey::generate(KeyType::P256).unwrap();
        let names = ServerNames::parse(["localhost"]).unwrap();
        let csr = create_csr_with_names(&key, &Subject::new().common_name(id), &names).unwrap();
        let body = json!({"certCsr": csr, "serverCertCsr": csr});
        let request = self.controller.harness.request(Method::POST, &path);
        let reply = Box::pin(request.json(&body).send()).await;
        assert!(reply.status.is_success(), "{}", reply.status);
    }

    /// Creates something; returns its id.
    pub(crate) async fn create(&self, kind: &str, body: &Value) -> String {
        let harness = &self.controller.harness;
        let request = harness.manage(Method::POST, &format!("/{kind}"), &self.admin);
        Box::pin(request.json(body).send()).await.id()
    }

    /// What there is at a path of the management API.
    pub(crate) async fn get(&self, path: &str) -> Value {
        let harness = &self.controller.harness;
        let request = harness.manage(Method::GET, &format!("/{path}"), &self.admin);
        Box::pin(request.send()).await.data()
    }

    pub(crate) async fn change(&self, method: Method, path: &str, body: &Value) {
        let harness = &self.controller.harness;
        let request = harness.manage(method, &format!("/{path}"), &self.admin);
        let reply = Box::pin(request.json(body).send()).await;
        assert!(reply.status.is_success(), "{path}: {}", reply.status);
    }

    pub(crate) async fn delete(&self, path: &str) {
        self.change(Method::DELETE, path, &json!({})).await;
    }

    /// The token of a new identity.
    pub(crate) async fn token(&self, name: &str) -> String {
        let body = json!({"name": name, "isAdmin": false, "enrollment": {"ott": true}});
        let id = self.create("identities", &body).await;
        let identity = self.get(&format!("identities/{id}")).await;
        identity["enrollment"]["ott"]["jwt"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// The file of a new identity that has enrolled.
    pub(crate) async fn enroll(&self, name: &str) -> IdentityFile {
        let token = self.token(name).await;
        Box::pin(enroll(&token, KeyType::P256, &self.env()))
            .await
            .unwrap()
    }

    pub(crate) async fn identity(&self, name: &str) -> EdgeIdentity {
        EdgeIdentity::from_file(&self.enroll(name).await).unwrap()
    }

    /// Time goes on when the test says it, as in the controller.
    pub(crate) fn env(&self) -> Env {
        Env {
            clock: self.controller.harness.clock.clone(),
            entropy: Arc::new(SystemEntropy),
        }
    }

    pub(crate) fn options(&self, protocol: LoginProtocol) -> SessionOptions {
        SessionOptions {
            protocol,
            poll_interval: Duration::from_millis(50),
            posture_interval: Duration::from_millis(100),
            ..SessionOptions::new(self.env())
        }
    }

    /// Opens a session of a new identity.
    pub(crate) async fn open(&self, name: &str, protocol: LoginProtocol) -> EdgeSession {
        let identity = self.identity(name).await;
        let session = EdgeSession::start(identity, self.options(protocol)).unwrap();
        within(session.opened()).await.unwrap();
        session
    }

    /// Creates a service that all identities may use; `posture` is the roles of its checks.
    pub(crate) async fn service(&self, name: &str, kind: &str, posture: &Value) -> String {
        let body = json!({"name": name, "encryptionRequired": true});
        let id = self.create("services", &body).await;
        let policy = json!({
            "name": format!("{name} {kind}"), "type": kind, "semantic": "AnyOf",
            "identityRoles": ["#all"], "serviceRoles": [format!("@{id}")],
            "postureCheckRoles": posture,
        });
        self.create("service-policies", &policy).await;
        id
    }

    /// The sessions of an identity that the controller has.
    pub(crate) async fn api_sessions(&self, identity: &IdentityId) -> Vec<String> {
        let path = format!("api-sessions?filter=identity=\"{identity}\"");
        let path = path.replace('"', "%22");
        let sessions = self.get(&path).await;
        let ids = sessions.as_array().unwrap().iter();
        ids.map(|session| session["id"].as_str().unwrap().to_owned())
            .collect()
    }
}

/// Waits for what happens by itself.
pub(crate) async fn within<T>(future: impl Future<Output = T>) -> T {
    timeout(PATIENCE, future).await.expect("it happens in time")
}

/// Waits until a value is as it shall be.
pub(crate) async fn until<T: Clone + Send + Sync>(
    values: &mut watch::Receiver<T>,
    is_meant: impl FnMut(&T) -> bool + Send,
) -> T {
    within(values.wait_for(is_meant)).await.unwrap().clone()
}

/// Waits until there is a session with another token.
pub(crate) async fn until_other(states: &mut watch::Receiver<SessionState>, token: &str) {
    let is_other = |state: &SessionState| {
        state
            .open()
            .is_some_and(|session| session.token.expose_secret() != token)
    };
    until(states, is_other).await;
}

/// The session that an access token is of: each login begins another one, and renewals do not.
pub(crate) fn login_of(session: &ApiSession) -> String {
    let claims = session.token.expose_secret().split('.').nth(1).unwrap();
    let claims = URL_SAFE_NO_PAD.decode(claims).unwrap();
    let claims: Value = serde_json::from_slice(&claims).unwrap();
    claims["z_asid"].as_str().unwrap().to_owned()
}
