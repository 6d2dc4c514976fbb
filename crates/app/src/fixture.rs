//! An [`App`] on a store in memory with its first administrator, for tests of use cases.

use crate::administrator;
use crate::app::{App, AppParts};
use crate::authenticators::{self, CreateAuthenticator, NewCredential};
use crate::error::AppError;
use crate::identities;
use crate::managed::Resource;
use crate::network::{Controller, ControllerHosts, Network, NetworkSettings, OidcAddresses};
use crate::password::PasswordPool;
use crate::read_model::{self, ProjectionUpdater};
use crate::records::{find_policy, login_authenticator, own_session_key};
use crate::sessions::{self, LoginError, LoginRequest, NewSession, PresentedCredentials};
use crate::settings::{MfaSettings, OidcSettings, Settings};
use crate::signers::BearerTokens;
use crate::state::{KeySetError, KeySetFetcher, KeySetFuture, SignerKeys};
use portcullis_domain::Env;
use portcullis_domain::access::{Action, ApiSurface, Caller, Origin, Permit};
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::auth_policy::{self, AuthPolicy};
use portcullis_domain::authenticator::Authenticator;
use portcullis_domain::change::Change;
use portcullis_domain::identity::{IdentityName, IdentitySpec};
use portcullis_domain::ids::{ControllerId, EntityId as _, IdentityId, RequestId};
use portcullis_domain::managed::Managed;
use portcullis_domain::tags::Tags;
use portcullis_index::Projections;
use portcullis_pki::{JwtSigner, TrustDomain};
use portcullis_storage::engine::Engine;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Entity, Found, Rows};
use portcullis_storage::vault::Vault;
use portcullis_testkit::{ManualClock, SeededEntropy, TestNetwork, memory_store};
use secrecy::ExposeSecret as _;
use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

pub(crate) mod authorities;
mod concurrency;
pub(crate) mod dialing;
mod grants;
pub(crate) mod routers;

/// Password of all identities that log in with one.
pub(crate) const PASSWORD: &str = "open-sesame-1";

const ADMIN: &str = "admin";

pub(crate) struct Fixture {
    /// Boxed, since the futures of tests hold it.
    pub(crate) app: Arc<App>,
    pub(crate) clock: Arc<ManualClock>,
    /// Has the key file of the vault.
    home: TempDir,
}

impl Fixture {
    pub(crate) async fn start() -> Self {
        Self::start_with(Settings::default()).await
    }

    pub(crate) async fn start_with(settings: Settings) -> Self {
        let clock = Arc::new(ManualClock::default());
        let env = Env {
            clock: clock.clone(),
            entropy: Arc::new(SeededEntropy::new(42)),
        };
        let home = tempfile::tempdir().unwrap();
        let engine = memory_store();
        let key = home.path().join("store.key");
        let vault = Vault::open(&*engine, &key, env.entropy.clone()).unwrap();
        let app = start_app(env, engine, Arc::new(vault), (home.path(), settings));
        administrator::ensure_defaults(&app).await.unwrap();
        administrator::initialize(&app, ADMIN, PASSWORD.into())
            .await
            .unwrap();
        Self {
            app: Arc::new(app),
            clock,
            home,
        }
    }

    /// The same controller after a stop: only what is in the store is left.
    pub(crate) fn restart(self) -> Self {
        let before = &self.app;
        let (engine, vault) = (Arc::clone(&before.engine), Arc::clone(&before.vault));
        let place = (self.home.path(), before.settings);
        let app = start_app(before.env.clone(), engine, vault, place);
        Self {
            app: Arc::new(app),
            ..self
        }
    }

    pub(crate) async fn log_in(
        &self,
        username: &str,
        password: &str,
    ) -> Result<NewSession, LoginError> {
        let login = LoginRequest::default();
        sessions::with_password(&self.app, &origin(), username, password.into(), login).await
    }

    /// The caller of a session, while that is valid.
    pub(crate) async fn resolve(&self, session: &NewSession) -> Option<Arc<Caller>> {
        let presented = PresentedCredentials {
            token: session.token.expose_secret(),
            certificates: &[],
            tokens: BearerTokens::default(),
        };
        sessions::resolve(&self.app, presented, origin())
            .await
            .unwrap()
    }

    /// Logs in an identity with [`PASSWORD`].
    pub(crate) async fn caller(&self, username: &str) -> Arc<Caller> {
        let session = self.log_in(username, PASSWORD).await.unwrap();
        self.resolve(&session).await.unwrap()
    }

    pub(crate) async fn admin(&self) -> Arc<Caller> {
        self.caller(ADMIN).await
    }

    /// Creates an identity that logs in with its name and [`PASSWORD`].
    pub(crate) async fn add_identity(&self, admin: &Arc<Caller>, spec: IdentitySpec) -> IdentityId {
        let username = spec.name.as_str().to_owned();
        let identity = identities::create(&self.app, &permit(admin), spec, None)
            .await
            .unwrap();
        let input = CreateAuthenticator {
            identity: identity.clone(),
            credential: NewCredential::Updb {
                username,
                password: PASSWORD.into(),
            },
            tags: Tags::default(),
        };
        authenticators::create(&self.app, &permit(admin), input)
            .await
            .unwrap();
        identity
    }

    /// Reads from the current store.
    pub(crate) fn read<T>(&self, read: impl FnOnce(Rows<'_>) -> T) -> T {
        read(self.app.snapshot().unwrap().rows())
    }

    /// What was committed after a revision.
    pub(crate) fn changes_since(&self, revision: u64) -> Vec<Change> {
        let groups = self.app.engine.feed().since(revision).unwrap();
        groups
            .iter()
            .flat_map(|group| group.changes.clone())
            .collect()
    }

    /// The authenticator that opened the session of `caller`.
    pub(crate) fn authenticator(&self, caller: &Caller) -> Found<Authenticator> {
        let found = self.read(|rows| {
            let session: ApiSession = rows.get(&own_session_key(caller)).unwrap().unwrap();
            login_authenticator(rows, &session).unwrap().unwrap()
        });
        Found {
            key: found.key,
            entity: Arc::unwrap_or_clone(found.entity),
        }
    }

    /// The revision of the store, which grows with each commit that writes.
    pub(crate) fn revision(&self) -> u64 {
        self.app.engine.snapshot().unwrap().revision().unwrap()
    }

    pub(crate) async fn insert<E: Entity + Send + Sync + 'static>(
        &self,
        key: RecordKey,
        entity: E,
    ) {
        let inserted = self
            .app
            .commit_unaudited(move |rows| Ok::<_, AppError>(rows.insert(&key, &entity)?));
        inserted.await.unwrap();
    }

    /// Inserts an entity of a managed kind without the checks of its use cases.
    pub(crate) async fn insert_managed<S: Resource>(&self, id: &str, spec: S) -> RecordKey {
        let key = RecordKey::root(S::KIND, self.app.next_number(S::KIND).0);
        let id = S::Id::from_wire(id.to_owned());
        let entity = Managed::new(id, spec, self.app.env().now()).unwrap();
        self.insert(key, entity).await;
        key
    }

    pub(crate) async fn remove<E: Entity>(&self, key: RecordKey) {
        let removed = self.app.commit_unaudited(move |rows| {
            let entity: E = rows.rows().get(&key)?.unwrap();
            Ok::<_, AppError>(rows.remove(&key, &entity)?)
        });
        removed.await.unwrap();
    }

    /// Changes a record without the rules of any use case.
    pub(crate) async fn change<E: Entity>(
        &self,
        key: RecordKey,
        change: impl Fn(E) -> E + Send + 'static,
    ) {
        let changed = self.app.commit_unaudited(move |rows| {
            let before: E = rows.rows().get(&key)?.unwrap();
            let after = change(rows.rows().get(&key)?.unwrap());
            Ok::<_, AppError>(rows.replace(&key, &before, &after)?)
        });
        changed.await.unwrap();
    }

    /// Changes the auth policy of all identities.
    pub(crate) async fn change_policy(&self, change: fn(AuthPolicy) -> AuthPolicy) {
        let key = self.read(|rows| find_policy(rows, &auth_policy::default_id()));
        self.change(key.unwrap().unwrap().key, change).await;
    }
}

fn start_app(
    env: Env,
    engine: Arc<dyn Engine<Change>>,
    vault: Arc<Vault>,
    (home, settings): (&Path, Settings),
) -> App {
    let projections = Arc::new(Projections::default());
    engine.observe(Arc::new(ProjectionUpdater(projections.clone())));
    read_model::load(&*engine, &projections, &|| false).unwrap();
    App::new(AppParts {
        network: network(&env),
        engine,
        store_path: home.join("store"),
        vault,
        projections,
        passwords: PasswordPool::start(2, 16).unwrap(),
        signer_keys: SignerKeys::new(Arc::new(NoFetcher)),
        settings,
        mfa: MfaSettings::default(),
        oidc: OidcSettings::default(),
        env,
    })
}

pub(crate) fn origin() -> Origin {
    let peer = (Ipv4Addr::LOCALHOST, 49950).into();
    Origin::new(RequestId::from_wire("request"), peer)
}

pub(crate) fn permit<A: Action>(caller: &Arc<Caller>) -> Permit<A> {
    Permit::request(ApiSurface::Edge, Arc::clone(caller)).unwrap()
}

pub(crate) fn named(name: &str) -> IdentitySpec {
    IdentitySpec::named(IdentityName::new(name).unwrap())
}

fn network(env: &Env) -> Network {
    new_network(network_settings(env))
}

pub(crate) fn new_network(settings: NetworkSettings) -> Network {
    Network::new(settings, "00000000-0000-4000-8000-00000000000a").unwrap()
}

pub(crate) fn network_settings(env: &Env) -> NetworkSettings {
    let network = TestNetwork::new(env);
    NetworkSettings {
        trust_domain: TrustDomain::parse("example.test").unwrap(),
        bundle: vec![network.root.clone(), network.signing.certificate().clone()],
        anchors: vec![network.root],
        signing: network.signing,
        api_address: "ctrl.example.test:1280".to_owned(),
        control_addresses: Vec::new(),
        controller: Controller {
            id: ControllerId::from_wire("ctrl-1"),
            name: "ctrl-1".to_owned(),
            certificate: network.server.clone(),
            started_at: env.now(),
        },
        jwt_signer: JwtSigner::new(network.server_key, &network.server).unwrap(),
        hosts: ControllerHosts::default(),
        oidc_addresses: OidcAddresses {
            hosts: vec!["ctrl.example.test".to_owned()],
            ports: vec![1280],
        },
        served_certificates: vec![network.server],
    }
}

struct NoFetcher;

impl KeySetFetcher for NoFetcher {
    fn validate_address(&self, _address: &str) -> Result<(), KeySetError> {
        Ok(())
    }

    fn fetch<'f>(&'f self, _address: &'f str) -> KeySetFuture<'f> {
        Box::pin(async { Err(KeySetError("nothing is fetched here".to_owned())) })
    }
}
