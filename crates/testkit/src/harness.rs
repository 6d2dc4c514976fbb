//! In-process controller: the real store in memory, the real routes, no socket.

use crate::audit_check;
use crate::clock::ManualClock;
use crate::counting_engine::{CountingEngine, EngineCounts};
use crate::entropy::SeededEntropy;
use crate::faulty_disk::FaultyDisk;
use crate::faulty_store::{FaultInjector, FaultyEngine};
use crate::network::{self, TestNetwork};
use crate::openapi_check;
use crate::prompt_engine::PromptEngine;
use crate::published;
use crate::reply::Reply;
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method};
use http_body_util::BodyExt as _;
use portcullis_app::mfa::MfaSettings;
use portcullis_app::password::PasswordPool;
use portcullis_app::signers::SignerKeys;
use portcullis_app::{App, AppParts, OidcSettings, Settings, administrator, read_model};
use portcullis_domain::Env;
use portcullis_domain::change::Change;
use portcullis_domain::clock::{Clock as _, SignedDuration, Timestamp, saturating_add};
use portcullis_domain::fetch_rules::FetchRules;
use portcullis_fetch::Fetcher;
use portcullis_http::path::{self, Api};
use portcullis_http::route::{Route, RouteLookup, RouteTable};
use portcullis_http::{AppState, BuildInfo, ControllerService, routes};
use portcullis_index::Projections;
use portcullis_listener::{Body, Connection, Service as _, TlsVersion};
use portcullis_pki::{Certificate, SigningKey};
use portcullis_storage::engine::Engine;
use portcullis_storage::vault::Vault;
use portcullis_storage_redb::disk::Disk;
use portcullis_storage_redb::{Options, RedbEngine};
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

pub const ADMIN: &str = "admin";
pub const PASSWORD: &str = "open-sesame-1";

/// The store's key in the folder of a controller.
const KEY_FILE: &str = "store.key";

/// Options of a controller under test.
#[derive(Debug, Clone, Copy)]
pub struct HarnessOptions {
    /// Settings from the configuration.
    pub settings: Settings,
    /// Strictness of TOTP code validation.
    pub code_rules: Rules,
    /// Number of threads that hash passwords.
    pub password_threads: usize,
    /// Number of passwords that may wait for one of them, half of them from one address.
    pub password_queue: usize,
    /// Number of transactions that may wait for the writer.
    pub store_queue: usize,
    /// Timeout of fetching the key set of an external signer.
    pub fetch_timeout: Duration,
    /// Whether the configuration serves a web console.
    pub serves_console: bool,
    /// Whether the first administrator is created.
    pub is_initialized: bool,
    /// Whether a transaction is over when it has been submitted, for tests in virtual time.
    pub has_prompt_store: bool,
    /// Lifetime of access tokens.
    pub access_token_seconds: u32,
}

impl HarnessOptions {
    fn mfa(&self) -> MfaSettings {
        MfaSettings {
            rules: self.code_rules,
            ..MfaSettings::default()
        }
    }

    fn oidc(&self) -> OidcSettings {
        OidcSettings {
            serves_console: self.serves_console,
            access_token_lifetime: SignedDuration::from_secs(self.access_token_seconds.into()),
            ..OidcSettings::default()
        }
    }
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
            serves_console: false,
            is_initialized: true,
            has_prompt_store: false,
            access_token_seconds: 1800,
        }
    }
}

/// Where routers and clients find the controller that are no simulations.
#[derive(Debug, Clone, Copy)]
pub struct OnThisComputer {
    /// Time at which the network begins, instead of an arbitrary one.
    pub start: Timestamp,
    /// Port at which routers are told to find it, instead of a name that leads nowhere.
    pub control_port: Option<u16>,
    /// Port at which clients are told to find it, likewise.
    pub api_port: Option<u16>,
}

/// The store of an earlier controller, and the time at which it was saved.
#[derive(Debug, Clone)]
pub struct SavedStore {
    pub store: Vec<u8>,
    /// Contents of the key file.
    pub key: Vec<u8>,
    /// Initial time of the clock.
    pub time: Timestamp,
}

impl SavedStore {
    fn write(&self, disk: &dyn Disk, key: &Path) {
        disk.write(0, &self.store).unwrap();
        fs::write(key, &self.key).unwrap();
        fs::set_permissions(key, Permissions::from_mode(0o600)).unwrap();
    }
}

/// What a controller that is killed leaves behind.
#[derive(Clone)]
pub struct Remains {
    saved: SavedStore,
    network: TestNetwork,
    entropy: Arc<SeededEntropy>,
    options: HarnessOptions,
    place: Option<OnThisComputer>,
}

impl Remains {
    /// The same, for a controller that starts so much later.
    #[must_use]
    pub fn after(mut self, away: SignedDuration) -> Self {
        self.saved.time = saturating_add(self.saved.time, away);
        self
    }

    /// The same, for a controller that draws other random numbers.
    #[must_use]
    pub fn with_entropy(mut self, seed: u64) -> Self {
        self.entropy = Arc::new(SeededEntropy::new(seed));
        self
    }
}

/// A controller under test, with its clock.
pub struct Harness {
    pub app: Arc<App>,
    pub clock: Arc<ManualClock>,
    pub entropy: Arc<SeededEntropy>,
    /// Server certificate.
    pub server: Certificate,
    /// The store, without injected faults.
    pub engine: Arc<dyn Engine<Change>>,
    /// Faults injected into the controller's store.
    pub faults: Arc<FaultInjector>,
    /// Disk of the store.
    pub disk: Arc<FaultyDisk>,
    controller: ControllerService,
    counts: Arc<EngineCounts>,
    home: tempfile::TempDir,
    network: TestNetwork,
    options: HarnessOptions,
    place: Option<OnThisComputer>,
}

/// A fetcher that allows loopback addresses and trusts no authority.
fn fetcher(timeout: Duration) -> Fetcher {
    let rules = FetchRules {
        allowed_ips: vec!["127.0.0.0/8".parse().unwrap()],
        timeout,
        ..FetchRules::default()
    };
    Fetcher::new(rules, Arc::new(RootCertStore::empty())).unwrap()
}

/// The routes of a controller.
fn controller(app: &Arc<App>, place: Option<OnThisComputer>) -> ControllerService {
    let address = vec![network::api_address(place)];
    let state = AppState {
        app: Arc::clone(app),
        build: BuildInfo {
            version: "0.0.0",
            build_date: "2031-01-01T00:00:00Z",
            revision: "test",
            runtime: "rust",
        },
        addresses: Api::ALL.map(|api| (api, address.clone())).into(),
        instance_id: "instance".to_owned(),
        management_channel: None,
        tracer: None,
    };
    let table = RouteTable::new(routes::all(), &Api::ALL).unwrap();
    ControllerService::new(Arc::new(state), table)
}

impl Harness {
    /// Starts a controller with an administrator.
    pub async fn start() -> Self {
        Self::start_with(HarnessOptions::default()).await
    }

    /// Starts a controller with other than the default options.
    pub async fn start_with(options: HarnessOptions) -> Self {
        let entropy = Arc::new(SeededEntropy::new(42));
        Box::pin(Self::start_from(options, None, None, None, entropy)).await
    }

    /// Starts a controller whose routers or clients are no simulations.
    pub async fn start_at(options: HarnessOptions, place: OnThisComputer) -> Self {
        let entropy = Arc::new(SeededEntropy::new(42));
        Box::pin(Self::start_from(options, Some(place), None, None, entropy)).await
    }

    /// Starts a controller on a copy of a saved store, in memory.
    pub async fn restore(saved: SavedStore) -> Self {
        let options = HarnessOptions {
            is_initialized: false,
            ..HarnessOptions::default()
        };
        let entropy = Arc::new(SeededEntropy::new(42));
        Box::pin(Self::start_from(options, None, Some(saved), None, entropy)).await
    }

    /// What would be left if the controller were killed now.
    pub fn remains(&self) -> Remains {
        let mut store = vec![0; usize::try_from(self.disk.size().unwrap()).unwrap()];
        self.disk.read(0, &mut store).unwrap();
        Remains {
            saved: SavedStore {
                store,
                key: fs::read(self.home.path().join(KEY_FILE)).unwrap(),
                time: self.clock.now(),
            },
            network: self.network.clone(),
            entropy: Arc::clone(&self.entropy),
            options: self.options,
            place: self.place,
        }
    }

    /// Starts a controller that was killed again, with the same certificates.
    pub async fn restart(remains: Remains) -> Self {
        let Remains {
            saved,
            network,
            entropy,
            options,
            place,
        } = remains;
        let options = HarnessOptions {
            is_initialized: false,
            ..options
        };
        Box::pin(Self::start_from(
            options,
            place,
            Some(saved),
            Some(network),
            entropy,
        ))
        .await
    }

    async fn start_from(
        options: HarnessOptions,
        place: Option<OnThisComputer>,
        saved: Option<SavedStore>,
        network: Option<TestNetwork>,
        entropy: Arc<SeededEntropy>,
    ) -> Self {
        let clock = Arc::new(ManualClock::default());
        let env = Env {
            clock: clock.clone(),
            entropy: entropy.clone(),
        };
        let home = tempfile::tempdir().unwrap();
        let store_options = Options {
            queue_capacity: options.store_queue,
            // A fatal error stops the store here, not the process with all tests.
            fatal: Arc::new(|fatal| eprintln!("{fatal}")),
            ..Options::default()
        };
        if let Some(OnThisComputer { start, .. }) = place {
            clock.set(start);
        }
        let disk = Arc::new(FaultyDisk::default());
        let key_path = home.path().join(KEY_FILE);
        if let Some(saved) = saved {
            clock.set(saved.time);
            saved.write(&*disk, &key_path);
        }
        let engine = RedbEngine::<Change>::on_disk(disk.clone(), store_options).unwrap();
        let engine = CountingEngine::new(engine);
        let counts = engine.counts();
        let mut engine: Arc<dyn Engine<Change>> = Arc::new(engine);
        if options.has_prompt_store {
            engine = Arc::new(PromptEngine(engine));
        }
        let faults = Arc::new(FaultInjector::default());
        let vault = Vault::open(&*engine, &key_path, env.entropy.clone()).unwrap();
        let projections = Arc::new(Projections::default());
        engine.observe(Arc::new(read_model::ProjectionUpdater(projections.clone())));
        let damage = read_model::load(&*engine, &projections, &|| false).unwrap();
        assert_eq!(damage, Vec::<String>::new());
        let network = network.unwrap_or_else(|| TestNetwork::new(&env));
        let server = network.server.clone();
        let app = Arc::new(App::new(AppParts {
            network: network.clone().into_network(&env, place),
            engine: Arc::new(FaultyEngine::new(engine.clone(), faults.clone())),
            store_path: home.path().join("store"),
            vault: Arc::new(vault),
            projections,
            passwords: PasswordPool::start(options.password_threads, options.password_queue)
                .unwrap(),
            signer_keys: SignerKeys::new(Arc::new(fetcher(options.fetch_timeout))),
            settings: options.settings,
            mfa: options.mfa(),
            oidc: options.oidc(),
            env,
        }));
        administrator::ensure_defaults(&app).await.unwrap();
        if options.is_initialized {
            administrator::initialize(&app, ADMIN, PASSWORD.into())
                .await
                .unwrap();
        }
        let controller = controller(&app, place);
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
            network,
            options,
            place,
        }
    }

    /// The folder of the store, if it were not in memory.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// Chain and key of the server certificate.
    pub fn server_identity(&self) -> (Vec<Certificate>, Arc<SigningKey>) {
        let signing = self.network.signing.certificate().clone();
        let chain = vec![self.server.clone(), signing];
        (chain, Arc::clone(&self.network.server_key))
    }

    /// The CA certificate of the network.
    pub fn authority(&self) -> &Certificate {
        &self.network.root
    }

    /// What answers the requests of clients.
    pub fn service(&self) -> ControllerService {
        self.controller.clone()
    }

    /// Writes a copy of the store, as a backup is made.
    pub fn back_up(&self) -> SavedStore {
        let path = |name: &str| self.home().join(name);
        let snapshot = self.engine.snapshot().unwrap();
        snapshot.write_copy(&path("draft"), &path("copy")).unwrap();
        SavedStore {
            store: fs::read(path("copy")).unwrap(),
            key: fs::read(path(KEY_FILE)).unwrap(),
            time: self.clock.now(),
        }
    }

    /// Revision of the store.
    pub fn revision(&self) -> u64 {
        self.engine.feed().revision()
    }

    /// Number of rows read so far, except in transactions.
    pub fn reads(&self) -> u64 {
        self.counts.reads.load(Ordering::Relaxed)
    }

    /// Number of transactions submitted so far, including queued ones.
    pub fn submitted_transactions(&self) -> u64 {
        self.counts.bodies.load(Ordering::Relaxed)
    }

    pub fn table(&self) -> &RouteTable {
        self.controller.table()
    }

    /// Starts a request.
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

    /// Logs the administrator in and returns the token.
    pub async fn admin(&self) -> String {
        self.login(ADMIN, PASSWORD).await
    }

    /// Logs in with a password and returns the token.
    pub async fn login(&self, username: &str, password: &str) -> String {
        let reply = self
            .request(Method::POST, "/edge/client/v1/authenticate?method=password")
            .json(&json!({"username": username, "password": password}))
            .send()
            .await;
        reply.data()["token"].as_str().unwrap().to_owned()
    }

    /// Creates an identity with a password, logs it in and returns the token.
    pub async fn create_user(&self, admin: &str, name: &str, more: Value) -> String {
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

    /// Starts a request to the management API.
    pub fn manage(&self, method: Method, path: &str, token: &str) -> Request<'_> {
        self.request(method, &format!("/edge/management/v1{path}"))
            .session(token)
    }
}

/// Builder of a request.
pub struct Request<'h> {
    harness: &'h Harness,
    head: http::Request<Bytes>,
    certificates: Vec<CertificateDer<'static>>,
    address: IpAddr,
}

impl Request<'_> {
    /// Sets the session token.
    #[must_use]
    pub fn session(self, token: &str) -> Self {
        self.header("zt-session", token)
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        let name = HeaderName::from_static(name);
        self.head
            .headers_mut()
            .append(name, HeaderValue::try_from(value).unwrap());
        self
    }

    /// Sets a JSON body.
    #[must_use]
    pub fn json(self, body: &Value) -> Self {
        self.text("application/json", &body.to_string())
    }

    /// Sets a text body.
    #[must_use]
    pub fn text(self, content_type: &str, body: &str) -> Self {
        self.bytes(content_type, body.as_bytes())
    }

    /// Sets a binary body.
    #[must_use]
    pub fn bytes(self, content_type: &str, body: &[u8]) -> Self {
        let mut this = self.header("content-type", content_type);
        *this.head.body_mut() = Bytes::copy_from_slice(body);
        this
    }

    /// Uses a connection with this client certificate chain, leaf first.
    #[must_use]
    pub fn certificates(mut self, chain: &[Certificate]) -> Self {
        self.certificates = chain.iter().map(|one| one.as_rustls().clone()).collect();
        self
    }

    /// Uses another client address than `127.0.0.1`.
    #[must_use]
    pub fn from(mut self, address: &str) -> Self {
        self.address = address.parse().unwrap();
        self
    }

    /// The matching route, if there is one.
    pub fn route(&self) -> Option<&Route> {
        let table = self.harness.table();
        let target = path::resolve(self.head.uri().path(), |api| table.serves(api));
        match table.find(target.api, &target.path, self.head.method()) {
            RouteLookup::Found(route, _) => Some(route),
            RouteLookup::NotFound | RouteLookup::WrongMethod(_) => None,
        }
    }

    /// Sends the request and checks the response against the audit trail and the API descriptions.
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
        let before = audit_check::AuditPosition::before(self.harness, &method, &uri);
        let response = self.harness.controller.call(&connection, request).await;
        let (head, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes().to_vec();
        let reply = Reply {
            status: head.status,
            headers: head.headers,
            body,
        };
        audit_check::check(before, self.harness, (&method, &uri), &reply);
        openapi_check::check(self.harness.table(), &method, uri.path(), &reply);
        published::check(self.harness.table(), &method, &uri, &reply);
        reply
    }
}
