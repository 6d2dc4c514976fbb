//! Application state, and its two ways to the store: read a snapshot, commit a transaction body.

mod events;

use crate::error::{AppError, TooManyRequestsError};
use crate::event_output::EventOutput;
use crate::live_network::{LiveNetwork, NoNetwork};
use crate::metrics::{CommitOutcome, ControllerMetrics};
use crate::network::Network;
use crate::network_inspection::{NetworkInspection, NoRouters};
use crate::password::PasswordPool;
use crate::session_validity::recheck_caller;
use crate::settings::{MfaSettings, OidcSettings, Settings};
use crate::state::{
    AuditTrail, CleanupCursor, Health, InspectionRoom, IntegrityChecks, OwnIdentityCache,
    PostureStore, RouterLimits, ServiceUpdates, SignerKeys, SnapshotFiles, Traces,
    TrustAnchorCache,
};
use crate::verified_tokens::VerifiedTokens;
use parking_lot::Mutex;
use portcullis_domain::Env;
use portcullis_domain::access::{Action, Caller, Permit};
use portcullis_domain::audit::Actor;
use portcullis_domain::change::Change;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::RecordNumber;
use portcullis_domain::rate_limit::RateLimit;
use portcullis_index::Projections;
use portcullis_oidc::claims::{AccessClaims, ServiceSessionClaims};
use portcullis_oidc::login::LoginRequests;
use portcullis_storage::engine::{CommitError, Engine, Snapshot, WriteTx, submit_with};
use portcullis_storage::key::Kind;
use portcullis_storage::per_snapshot::PerSnapshot;
use portcullis_storage::tables::{AuditEntry, EntityCache, Rows, RowsMut};
use portcullis_storage::vault::Vault;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use tokio::sync::oneshot;

/// Burst of changes that an identity may make to its own credentials; afterwards one per second.
/// Each change leaves a permanent audit event, so the rate has to be bounded.
const OWN_CHANGE_BURST: u32 = 300;

/// State shared by all use cases.
pub struct App {
    pub(crate) env: Env,
    pub(crate) engine: Arc<dyn Engine<Change>>,
    pub(crate) vault: Arc<Vault>,
    pub(crate) projections: Arc<Projections>,
    pub(crate) passwords: PasswordPool,
    pub(crate) metrics: ControllerMetrics,
    pub(crate) network: Network,
    live_network: OnceLock<Arc<dyn LiveNetwork>>,
    network_inspection: OnceLock<Arc<dyn NetworkInspection>>,
    shown_config: OnceLock<String>,
    pub(crate) inspection_room: InspectionRoom,
    event_output: OnceLock<Arc<EventOutput>>,
    pub(crate) signer_keys: SignerKeys,
    pub(crate) trust_anchors: TrustAnchorCache,
    pub(crate) settings: Settings,
    pub(crate) mfa: MfaSettings,
    pub(crate) oidc: OidcSettings,
    pub(crate) login_requests: Mutex<LoginRequests>,
    /// Access tokens whose signatures were verified.
    pub(crate) verified_tokens: VerifiedTokens<AccessClaims>,
    /// Tokens of service sessions whose signatures were verified.
    pub(crate) verified_service_sessions: VerifiedTokens<ServiceSessionClaims>,
    pub(crate) service_updates: ServiceUpdates,
    /// Start of this process.
    pub(crate) started_at: Timestamp,
    /// Creation time of the store, once known.
    pub(crate) store_created_at: OnceLock<Timestamp>,
    pub(crate) posture: PostureStore,
    pub(crate) traces: Traces,
    pub(crate) session_cleanup_cursor: CleanupCursor,
    pub(crate) service_session_cleanup_cursor: CleanupCursor,
    pub(crate) snapshots: SnapshotFiles,
    pub(crate) integrity_checks: IntegrityChecks,
    pub(crate) health: Health,
    pub(crate) trail: AuditTrail,
    pub(crate) router_limits: RouterLimits,
    own_changes: Mutex<RateLimit>,
    caches: PerSnapshot<SnapshotCaches>,
}

/// Components of an [`App`].
pub struct AppParts {
    /// Clock and entropy.
    pub env: Env,
    pub engine: Arc<dyn Engine<Change>>,
    /// Path of the store; snapshots are written next to it.
    pub store_path: PathBuf,
    /// Encrypts the secrets in the store.
    pub vault: Arc<Vault>,
    pub projections: Arc<Projections>,
    pub passwords: PasswordPool,
    pub network: Network,
    /// Verification keys of external signers.
    pub signer_keys: SignerKeys,
    pub settings: Settings,
    pub mfa: MfaSettings,
    pub oidc: OidcSettings,
}

impl App {
    pub fn new(parts: AppParts) -> Self {
        let AppParts {
            env,
            engine,
            store_path,
            vault,
            projections,
            passwords,
            network,
            signer_keys,
            settings,
            mfa,
            oidc,
        } = parts;
        let started_at = env.now();
        let metrics = ControllerMetrics::new();
        passwords.measure(&metrics);
        Self {
            health: Health::new(started_at),
            trail: AuditTrail::default(),
            router_limits: RouterLimits::default(),
            own_changes: Mutex::new(RateLimit::new(OWN_CHANGE_BURST)),
            caches: PerSnapshot::default(),
            started_at,
            store_created_at: OnceLock::new(),
            service_updates: ServiceUpdates::default(),
            env,
            engine,
            vault,
            projections,
            passwords,
            metrics,
            network,
            live_network: OnceLock::new(),
            network_inspection: OnceLock::new(),
            shown_config: OnceLock::new(),
            inspection_room: InspectionRoom::default(),
            event_output: OnceLock::new(),
            signer_keys,
            trust_anchors: TrustAnchorCache::default(),
            settings,
            mfa,
            oidc,
            login_requests: Mutex::default(),
            verified_tokens: VerifiedTokens::default(),
            verified_service_sessions: VerifiedTokens::default(),
            posture: PostureStore::default(),
            traces: Traces::default(),
            session_cleanup_cursor: CleanupCursor::default(),
            service_session_cleanup_cursor: CleanupCursor::default(),
            snapshots: SnapshotFiles::new(store_path),
            integrity_checks: IntegrityChecks::default(),
        }
    }

    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Attaches what is known of connected routers, for the rest of the process. Only the first call
    /// counts; before it, no router is connected.
    pub fn attach_live_network(&self, network: Arc<dyn LiveNetwork>) {
        self.live_network.get_or_init(|| network);
    }

    pub(crate) fn live_network(&self) -> &dyn LiveNetwork {
        match self.live_network.get() {
            Some(network) => &**network,
            None => &NoNetwork,
        }
    }

    /// Attaches what asks connected routers, for the rest of the process. Only the first call counts.
    pub fn attach_network_inspection(&self, inspection: Arc<dyn NetworkInspection>) {
        self.network_inspection.get_or_init(|| inspection);
    }

    /// Sets what the inspection `config` shows, JSON without secrets, if anything; only the first one counts.
    pub fn show_config(&self, config: Option<String>) {
        if let Some(config) = config {
            self.shown_config.get_or_init(|| config);
        }
    }

    pub(crate) fn shown_config(&self) -> Option<&str> {
        self.shown_config.get().map(String::as_str)
    }

    pub(crate) fn network_inspection(&self) -> &dyn NetworkInspection {
        match self.network_inspection.get() {
            Some(inspection) => &**inspection,
            None => &NoRouters,
        }
    }

    /// What the controller counts and measures of itself.
    pub const fn metrics(&self) -> &ControllerMetrics {
        &self.metrics
    }

    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// Creation time of the store, which is also that of the built-in entities. Falls back to the
    /// start of the process until the store is prepared.
    pub fn store_created_at(&self) -> Timestamp {
        self.store_created_at
            .get()
            .copied()
            .unwrap_or(self.started_at)
    }

    /// Clock and entropy.
    pub fn env(&self) -> &Env {
        &self.env
    }

    pub fn projections(&self) -> &Projections {
        &self.projections
    }

    /// Number of passwords hashed or verified so far.
    pub fn passwords_hashed(&self) -> u64 {
        self.passwords.hashed()
    }

    /// Work spent on password hashes, in KiB of memory times passes.
    pub fn password_work(&self) -> u64 {
        self.passwords.work()
    }

    /// Opens a snapshot of everything committed so far.
    pub(crate) fn snapshot(&self) -> Result<StoreView, AppError> {
        let snapshot = self.engine.snapshot()?;
        let caches = self.caches.get(&snapshot);
        Ok(StoreView { snapshot, caches })
    }

    /// Runs `body` in a transaction on behalf of `actor`, and waits until the result is durable and
    /// visible. The changes are written to the audit trail in the same transaction.
    ///
    /// The body may run more than once; anything slow or random has to happen before.
    pub(crate) async fn commit<T, E>(
        &self,
        actor: Actor,
        mut body: impl FnMut(&mut RowsMut<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<AppError> + Send + 'static,
    {
        let entry = AuditEntry {
            actor,
            time: self.env.now(),
        };
        let written = self.trail.written();
        let id = self.transaction_id().map_err(AppError::from)?;
        let outcome = self
            .submit(move |tx| {
                let mut rows = RowsMut::new(tx).audited(entry.clone());
                let done = body(&mut rows)?;
                rows.write_events(&written, id.as_deref())
                    .map_err(AppError::from)?;
                Ok(done)
            })
            .await;
        self.trail.wake();
        outcome
    }

    /// Like [`App::commit`], without an entry in the audit trail: for bookkeeping on nobody's
    /// behalf.
    pub(crate) async fn commit_unaudited<T, E>(
        &self,
        mut body: impl FnMut(&mut RowsMut<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<AppError> + Send + 'static,
    {
        self.submit(move |tx| body(&mut RowsMut::new(tx))).await
    }

    /// Records in the audit trail an operation that changes nothing in the store.
    pub(crate) async fn audit_operation(
        &self,
        caller: &Caller,
        operation: &'static str,
        entity: &str,
    ) -> Result<(), AppError> {
        let entity = entity.to_owned();
        self.commit(Actor::caller(caller), move |rows| {
            rows.set_operation(operation, &entity);
            Ok(())
        })
        .await
    }

    async fn submit<T, E>(
        &self,
        body: impl FnMut(&mut dyn WriteTx<Change>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<AppError> + Send + 'static,
    {
        let begun = self.env.clock.now();
        let measured = self.metrics.commits().begin();
        let outcome = submit_with(&*self.engine, body).map_err(AppError::from)?;
        let outcome = outcome.await;
        measured.end(match &outcome {
            Ok(_) => CommitOutcome::Done,
            Err(CommitError::Aborted(_)) => CommitOutcome::Aborted,
            Err(_) => CommitOutcome::Failed,
        });
        let ended = self.env.clock.now();
        self.health
            .record_commit((begun, ended), outcome.as_ref().err());
        outcome.map_err(AppError::from)?
    }

    /// Runs `body` in a transaction on behalf of a caller; see [`App::commit`].
    ///
    /// Between the permit and the transaction the caller may have lost its session or its rights,
    /// so both are checked again; the body gets the caller in its current state.
    pub(crate) async fn commit_for<A: Action, T>(
        &self,
        permit: &Permit<A>,
        body: impl FnMut(&mut RowsMut<'_>, &Caller) -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError>
    where
        T: Send + 'static,
    {
        self.commit_as(Actor::caller(permit.caller()), permit, body)
            .await
    }

    /// Like [`App::commit_for`], for a caller who acts in another way than by a request.
    pub(crate) async fn commit_as<A: Action, T>(
        &self,
        actor: Actor,
        permit: &Permit<A>,
        mut body: impl FnMut(&mut RowsMut<'_>, &Caller) -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError>
    where
        T: Send + 'static,
    {
        let permit = permit.clone();
        let now = self.env.now();
        let lifetimes = self.settings.session_lifetimes;
        self.commit(actor, move |rows| {
            let caller = recheck_caller(rows.rows(), permit.caller(), lifetimes, now)?;
            permit.recheck(&caller)?;
            body(rows, &caller)
        })
        .await
    }

    /// Counts one change that a caller makes to its own credentials. Administrators are not
    /// limited.
    ///
    /// # Errors
    ///
    /// [`TooManyRequestsError::RateLimit`] when the caller exceeds the rate.
    pub(crate) fn count_own_change(&self, caller: &Caller) -> Result<(), AppError> {
        if caller.is_admin {
            return Ok(());
        }
        let mut changes = self.own_changes.lock();
        let counted = changes.take(caller.identity_number, self.env.now());
        Ok(counted.map_err(|seconds| TooManyRequestsError::RateLimit {
            rule: "this identity has changed its own credentials too often; one change a second \
                   is accepted now",
            seconds,
        })?)
    }

    /// Allocates the number of a new record.
    pub(crate) fn next_number(&self, kind: Kind) -> RecordNumber {
        RecordNumber(self.engine.allocate(kind))
    }

    /// Waits until the read model has caught up with the store.
    pub async fn wait_for_lists(&self) {
        let (ready, is_ready) = oneshot::channel();
        // The waiting task may be gone by then.
        self.projections.on_ready(move || {
            let _ = ready.send(());
        });
        // The sender is dropped only after it was used.
        let _ = is_ready.await;
    }

    /// The read model, once it is complete; lists are refused until then.
    pub(crate) fn require_lists(&self) -> Result<&Projections, AppError> {
        if self.projections.is_ready() {
            Ok(&self.projections)
        } else {
            Err(AppError::NotReady)
        }
    }
}

impl std::fmt::Debug for App {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("App")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

/// A consistent read-only view of the store.
pub(crate) struct StoreView {
    snapshot: Arc<dyn Snapshot>,
    caches: Arc<SnapshotCaches>,
}

/// What was read from a snapshot, for all who read from the same one.
#[derive(Default)]
struct SnapshotCaches {
    entities: EntityCache,
    own_identities: OwnIdentityCache,
}

impl StoreView {
    pub(crate) fn rows(&self) -> Rows<'_> {
        Rows::with_cache(&*self.snapshot, &self.caches.entities)
    }

    /// The revision of the store that it shows.
    pub(crate) fn revision(&self) -> Result<u64, AppError> {
        Ok(self.snapshot.revision()?)
    }

    pub(crate) fn own_identities(&self) -> &OwnIdentityCache {
        &self.caches.own_identities
    }
}
