//! A controller in the process: the real store in memory, the real routes, no socket.

use crate::audited;
use crate::clock::ManualClock;
use crate::counted::{Counted, Counts};
use crate::described;
use crate::entropy::SeededEntropy;
use crate::faulty_disk::FaultyDisk;
use crate::faulty_store::{Faults, FaultyStore};
use crate::network::{API_ADDRESS, TestNetwork};
use crate::published;
use crate::reply::Reply;
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method};
use http_body_util::BodyExt as _;
use portcullis_app::mfa::MfaSettings;
use portcullis_app::password::PasswordPool;
use portcullis_app::signers::SignerKeys;
use portcullis_app::{App, Parts, Settings, administrator, read_model};
use portcullis_domain::Env;
use portcullis_domain::change::Change;
use portcullis_domain::clock::Timestamp;
use portcullis_http::listen::{Body, Connection, Service as _, TlsVersion};
use portcullis_http::outbound::{FetchRules, Fetcher};
use portcullis_http::path::{self, Api};
use portcullis_http::route::{Lookup, Route, Table};
use portcullis_http::{Build, Controller, State, routes};
use portcullis_index::Projections;
use portcullis_pki::Certificate;
use portcullis_storage::disk::Disk;
use portcullis_storage::engine::Engine;
use portcullis_storage::redb_engine::{Options, RedbEngine};
use portcullis_storage::vault::Vault;
use portcullis_totp::Rules;
use rustls::RootCertStore;
use rustls_pki_types::CertificateDer;
use serde_json::{Value, json};
use std::fs::{self, Permissions};
use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Name of the administrator.
pub const ADMIN: &str = "admin";
/// Password of the administrator.
pub const PASSWORD: &str = "open-sesame-1";

/// What a controller is started with.
#[derive(Debug, Clone, Copy)]
pub struct HarnessOptions {
    /// Numbers that a configuration decides.
    pub settings: Settings,
    /// How strictly TOTP codes are judged.
    pub code_rules: Rules,
    /// Threads that hash passwords.
    pub password_threads: usize,
    /// Passwords that may wait for one of them, half of them of one address.
    pub password_queue: usize,
    /// Transactions that may wait for the writer.
    pub store_queue: usize,
    /// Time that a key set of an external signer may take to be fetched.
    pub fetch_timeout: Duration,
    /// Whether the first administrator is made.
    pub is_initialised: bool,
}

impl Default for HarnessOptions {
    fn default() -> Self {
        Self {
            settings: Settings::default(),
            code_rules: Rules::STRICT,
            password_threads: 2,
            password_queue: 128,
            store_queue: 1024,
            fetch_timeout: Duration::from_secs(5),
            is_initialised: true,
        }
    }
}

/// A store that a controller left behind, and the moment when it did.
#[derive(Debug, Clone)]
pub struct SavedStore {
    /// Contents of the file.
    pub store: Vec<u8>,
    /// Contents of the key file beside it.
    pub key: Vec<u8>,
    /// What the clock shows.
    pub time: Timestamp,
}

impl SavedStore {
    fn write(&self, disk: &dyn Disk, key: &Path) {
        disk.write(0, &self.store).unwrap();
        fs::write(key, &self.key).unwrap();
        fs::set_permissions(key, Permissions::from_mode(0o600)).unwrap();
    }
}

/// A controller and the means to turn its clock.
pub struct Harness {
    /// Its state.
    pub app: Arc<App>,
    /// Its clock.
    pub clock: Arc<ManualClock>,
    /// Its randomness.
    pub entropy: Arc<SeededEntropy>,
    /// The certificate of its server.
    pub server: Certificate,
    /// Its store, without the faults.
    pub engine: Arc<dyn Engine<Change>>,
    /// The faults that the controller meets in its store.
    pub faults: Arc<Faults>,
    /// What its store lies on.
    pub disk: Arc<FaultyDisk>,
    controller: Controller,
    counts: Arc<Counts>,
    home: tempfile::TempDir,
}

/// Fetches from this machine as from everywhere, and trusts no authority.
fn fetcher(timeout: Duration) -> Fetcher {
    let rules = FetchRules {
        allowed_ips: vec!["127.0.0.0/8".parse().unwrap()],
        timeout,
        ..FetchRules::default()
    };
    Fetcher::new(rules, Arc::new(RootCertStore::empty())).unwrap()
}

impl Harness {
    /// Starts a controller with an administrator.
    pub async fn start() -> Self {
        Self::start_with(HarnessOptions::default()).await
    }

    /// Starts a controller with other options than the usual.
    pub async fn start_with(options: HarnessOptions) -> Self {
        Self::start_from(options, None).await
    }

    /// Starts a controller on a copy of a saved store, in memory.
    pub async fn restore(saved: SavedStore) -> Self {
        let options = HarnessOptions {
            is_initialised: false,
            ..HarnessOptions::default()
        };
        Self::start_from(options, Some(saved)).await
    }

    async fn start_from(options: HarnessOptions, saved: Option<SavedStore>) -> Self {
        let clock = Arc::new(ManualClock::default());
        let entropy = Arc::new(SeededEntropy::new(42));
        let env = Env {
            clock: clock.clone(),
            entropy: entropy.clone(),
        };
        let home = tempfile::tempdir().unwrap();
        let store_options = Options {
            queue_capacity: options.store_queue,
            // Here it is the store that ends, and not the process with all tests.
            fatal: Arc::new(|fatal| eprintln!("{fatal}")),
            ..Options::default()
        };
        let disk = Arc::new(FaultyDisk::default());
        let key_path = home.path().join("store.key");
        if let Some(saved) = saved {
            clock.set(saved.time);
            saved.write(&*disk, &key_path);
        }
        let engine = RedbEngine::<Change>::on_disk(disk.clone(), store_options).unwrap();
        let engine = Counted::new(engine);
        let counts = engine.counts();
        let engine: Arc<dyn Engine<Change>> = Arc::new(engine);
        let faults = Arc::new(Faults::default());
        let vault = Vault::open(&*engine, &key_path, env.entropy.clone()).unwrap();
        let projections = Arc::new(Projections::default());
        engine.observe(Arc::new(read_model::Follower(projections.clone())));
        let damage = read_model::load(&*engine, &projections, &|| false).unwrap();
        assert_eq!(damage, Vec::<String>::new());
        let network = TestNetwork::new(&env);
        let server = network.server.clone();
        let app = Arc::new(App::new(Parts {
            network: network.into_network(&env),
            engine: Arc::new(FaultyStore::new(engine.clone(), faults.clone())),
            store_path: home.path().join("store"),
            vault: Arc::new(vault),
            projections,
            passwords: PasswordPool::start(options.password_threads, options.password_queue)
                .unwrap(),
            signer_keys: SignerKeys::new(Arc::new(fetcher(options.fetch_timeout))),
            settings: options.settings,
            mfa: MfaSettings {
                rules: options.code_rules,
                ..MfaSettings::default()
            },
            env,
        }));
        administrator::prepare(&app).await.unwrap();
        if options.is_initialised {
            administrator::initialise(&app, ADMIN, PASSWORD.into())
                .await
                .unwrap();
        }
        let address = vec![API_ADDRESS.to_owned()];
        let state = State {
            app: app.clone(),
            build: Build {
                version: "0.0.0",
                build_date: "2031-01-01T00:00:00Z",
                revision: "test",
                runtime: "rust",
            },
            addresses: Api::ALL.map(|api| (api, address.clone())).into(),
            instance_id: "instance".to_owned(),
        };
        let table = Table::new(routes::all(), &Api::ALL).unwrap();
        let controller = Controller::new(Arc::new(state), table);
        Self {
            app,
            clock,
            entropy,
            server,
            engine,
            faults,
            disk,
            controller,
            counts,
            home,
        }
    }

    /// The folder in which its store would lie, were it not in memory.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// How many rows were read so far, those apart that transactions read.
    pub fn reads(&self) -> u64 {
        self.counts.reads.load(Ordering::Relaxed)
    }

    /// How many transactions the store has taken so far, to run them at once or later.
    pub fn submitted(&self) -> u64 {
        self.counts.bodies.load(Ordering::Relaxed)
    }

    /// The routes.
    pub fn table(&self) -> &Table {
        self.controller.table()
    }

    /// Begins a request.
    pub fn request(&self, method: Method, path: &str) -> Request<'_> {
        let request = http::Request::builder()
            .method(method)
            .uri(path)
            .body(Bytes::new())
            .unwrap();
        Request {
            harness: self,
            head: request,
            certificates: Vec::new(),
            address: IpAddr::from([127, 0, 0, 1]),
        }
    }

    /// Logs the administrator in and answers the token.
    pub async fn admin(&self) -> String {
        self.login(ADMIN, PASSWORD).await
    }

    /// Logs in with a password and answers the token.
    pub async fn login(&self, username: &str, password: &str) -> String {
        let reply = self
            .request(Method::POST, "/edge/client/v1/authenticate?method=password")
            .json(&json!({"username": username, "password": password}))
            .send()
            .await;
        reply.data()["token"].as_str().unwrap().to_owned()
    }

    /// Makes an identity with a password, and logs it in.
    pub async fn user(&self, admin: &str, name: &str, more: Value) -> String {
        let mut body = json!({"name": name, "isAdmin": false, "enrollment": {"updb": name}});
        for (key, value) in more.as_object().unwrap() {
            body[key] = value.clone();
        }
        let id = self
            .manage(Method::POST, "/identities", admin)
            .json(&body)
            .send()
            .await
            .id();
        let identity = self
            .manage(Method::GET, &format!("/identities/{id}"), admin)
            .send()
            .await
            .data();
        let token = identity["enrollment"]["updb"]["token"].as_str().unwrap();
        self.request(
            Method::POST,
            &format!("/edge/client/v1/enroll?method=updb&token={token}"),
        )
        .json(&json!({"password": PASSWORD}))
        .send()
        .await
        .data();
        self.login(name, PASSWORD).await
    }

    /// Begins a request to the management API.
    pub fn manage(&self, method: Method, path: &str, token: &str) -> Request<'_> {
        self.request(method, &format!("/edge/management/v1{path}"))
            .session(token)
    }
}

/// A request that is being put together.
pub struct Request<'h> {
    harness: &'h Harness,
    head: http::Request<Bytes>,
    certificates: Vec<CertificateDer<'static>>,
    address: IpAddr,
}

impl Request<'_> {
    /// With the token of a session.
    #[must_use]
    pub fn session(self, token: &str) -> Self {
        self.header("zt-session", token)
    }

    /// With a header.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        let name = HeaderName::from_static(name);
        self.head
            .headers_mut()
            .append(name, HeaderValue::try_from(value).unwrap());
        self
    }

    /// With a JSON body.
    #[must_use]
    pub fn json(self, body: &Value) -> Self {
        self.text("application/json", &body.to_string())
    }

    /// With a body of any type.
    #[must_use]
    pub fn text(self, content_type: &str, body: &str) -> Self {
        self.bytes(content_type, body.as_bytes())
    }

    /// With a body that need not be text.
    #[must_use]
    pub fn bytes(self, content_type: &str, body: &[u8]) -> Self {
        let mut this = self.header("content-type", content_type);
        *this.head.body_mut() = Bytes::copy_from_slice(body);
        this
    }

    /// Over a connection whose client proved to hold the key of the first certificate.
    #[must_use]
    pub fn certificates(mut self, chain: &[Certificate]) -> Self {
        self.certificates = chain.iter().map(|one| one.as_rustls().clone()).collect();
        self
    }

    /// From a client with another address than `127.0.0.1`.
    #[must_use]
    pub fn from(mut self, address: &str) -> Self {
        self.address = address.parse().unwrap();
        self
    }

    /// The route that it goes to, if there is one.
    pub fn route(&self) -> Option<&Route> {
        let table = self.harness.table();
        let target = path::resolve(self.head.uri().path(), |api| table.serves(api));
        match table.lookup(target.api, &target.path, self.head.method()) {
            Lookup::Found(route, _) => Some(route),
            Lookup::Nothing | Lookup::WrongMethod(_) => None,
        }
    }

    /// Sends it and reads the answer.
    pub async fn send(self) -> Reply {
        let connection = Arc::new(Connection {
            peer: SocketAddr::new(self.address, 40_000),
            local: SocketAddr::new(IpAddr::from([127, 0, 0, 1]), 1280),
            client_certificates: self.certificates.into(),
            server_name: None,
            alpn: None,
            tls_version: TlsVersion::Tls13,
            is_resumed: false,
        });
        let (method, uri) = (self.head.method().clone(), self.head.uri().clone());
        let request = self.head.map(Body::from);
        let before = audited::Mark::before(self.harness, &method);
        let response = self.harness.controller.call(&connection, request).await;
        let (head, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes().to_vec();
        let reply = Reply {
            status: head.status,
            headers: head.headers,
            body,
        };
        audited::check(before, self.harness, (&method, &uri), &reply);
        described::check(self.harness.table(), &method, uri.path(), &reply);
        published::hold(self.harness.table(), &method, &uri, &reply);
        reply
    }
}
