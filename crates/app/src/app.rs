//! The controller's state, and the two ways to it: reading a snapshot and committing a body.

use crate::audit::Trail;
use crate::cas::KnownAuthorities;
use crate::database::{Checks, Copies};
use crate::error::AppError;
use crate::health::Health;
use crate::identities::Traces;
use crate::mfa::MfaSettings;
use crate::network::Network;
use crate::password::PasswordPool;
use crate::posture;
use crate::service_sessions;
use crate::services::ServiceUpdates;
use crate::sessions;
use crate::signers::SignerKeys;
use portcullis_domain::Env;
use portcullis_domain::access::{Action, Caller, Denied, Permit};
use portcullis_domain::api_session::SessionLifetimes;
use portcullis_domain::audit::Actor;
use portcullis_domain::change::Change;
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_domain::ids::Number;
use portcullis_domain::log_throttle::LogRates;
use portcullis_domain::password_throttle::ThrottleRules;
use portcullis_domain::quota::StorageQuota;
use portcullis_domain::rate_limit::RateLimit;
use portcullis_index::Projections;
use portcullis_storage::engine::{Engine, Snapshot, WriteTx, submit_with};
use portcullis_storage::key::Kind;
use portcullis_storage::tables::{AuditEntry, Rows, RowsMut};
use portcullis_storage::vault::Vault;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tokio::sync::oneshot;

/// How many changes of what is its own an identity may make at once; later on it is one a second. Each
/// leaves an event for good, so nobody may make them without end.
const OWN_CHANGES: u32 = 300;

/// Numbers that a configuration decides.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// How long an API session lives without being used.
    pub session_timeout: SignedDuration,
    /// How long an API session lives at most.
    pub session_lifetimes: SessionLifetimes,
    /// How old the last factor of a session may be for what gives power over the network; `None` for
    /// any age.
    pub fresh_factor: Option<SignedDuration>,
    /// How long an enrollment made with its identity can be redeemed.
    pub enrollment_duration: SignedDuration,
    /// How long an enrollment of a router can be redeemed.
    pub router_enrollment_duration: SignedDuration,
    /// Whether tokens of external signers that never expire are refused.
    pub require_token_expiry: bool,
    /// How guesses at passwords are slowed down, if they are.
    pub password_throttle: Option<ThrottleRules>,
    /// How many lines of the log tell of refused requests.
    pub refusal_log: LogRates,
    /// How long the longest of all kinds of tokens lasts that are signed for API sessions.
    pub longest_token: SignedDuration,
    /// How much may be stored for what one identity makes for itself.
    pub storage_quota: StorageQuota,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            session_timeout: SignedDuration::from_mins(30),
            session_lifetimes: SessionLifetimes::default(),
            fresh_factor: None,
            enrollment_duration: SignedDuration::from_mins(180),
            router_enrollment_duration: SignedDuration::from_mins(180),
            require_token_expiry: true,
            password_throttle: Some(ThrottleRules::default()),
            refusal_log: LogRates::default(),
            longest_token: SignedDuration::from_hours(24),
            storage_quota: StorageQuota::default(),
        }
    }
}

/// Everything that use cases work with.
pub struct App {
    pub(crate) env: Env,
    pub(crate) engine: Arc<dyn Engine<Change>>,
    pub(crate) vault: Arc<Vault>,
    pub(crate) projections: Arc<Projections>,
    pub(crate) passwords: PasswordPool,
    pub(crate) network: Network,
    pub(crate) signer_keys: SignerKeys,
    pub(crate) authorities: KnownAuthorities,
    pub(crate) settings: Settings,
    pub(crate) mfa: MfaSettings,
    pub(crate) service_updates: ServiceUpdates,
    /// When this process began to serve.
    pub(crate) started_at: Timestamp,
    /// When the store was made, once that is known.
    pub(crate) founded_at: OnceLock<Timestamp>,
    pub(crate) posture: posture::Kept,
    pub(crate) traces: Traces,
    pub(crate) session_round: sessions::Round,
    pub(crate) service_session_round: service_sessions::Round,
    pub(crate) copies: Copies,
    pub(crate) checks: Checks,
    pub(crate) health: Health,
    pub(crate) trail: Trail,
    own_changes: Mutex<RateLimit>,
}

/// The parts that an [`App`] is put together from.
pub struct Parts {
    /// Time and randomness.
    pub env: Env,
    /// The store.
    pub engine: Arc<dyn Engine<Change>>,
    /// Where the store lies; copies of it are put beside it.
    pub store_path: PathBuf,
    /// Seals what is secret in the store.
    pub vault: Arc<Vault>,
    /// The read model.
    pub projections: Arc<Projections>,
    /// Hashes passwords.
    pub passwords: PasswordPool,
    /// The network.
    pub network: Network,
    /// The keys of external signers.
    pub signer_keys: SignerKeys,
    /// Numbers that a configuration decides.
    pub settings: Settings,
    /// What a configuration decides about TOTP.
    pub mfa: MfaSettings,
}

impl App {
    /// Puts the parts together.
    pub fn new(parts: Parts) -> Self {
        let Parts {
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
        } = parts;
        let started_at = env.now();
        Self {
            health: Health::new(started_at),
            trail: Trail::default(),
            own_changes: Mutex::new(RateLimit::new(OWN_CHANGES)),
            started_at,
            founded_at: OnceLock::new(),
            service_updates: ServiceUpdates::default(),
            env,
            engine,
            vault,
            projections,
            passwords,
            network,
            signer_keys,
            authorities: KnownAuthorities::default(),
            settings,
            mfa,
            posture: posture::Kept::default(),
            traces: Traces::default(),
            session_round: sessions::Round::default(),
            service_session_round: service_sessions::Round::default(),
            copies: Copies::of(store_path),
            checks: Checks::default(),
        }
    }

    /// The network that is served.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Numbers that the configuration decides.
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// When the store was made, and with it what every controller has. Until the store is prepared it
    /// is not known, and this is when the process began.
    pub fn founded_at(&self) -> Timestamp {
        self.founded_at.get().copied().unwrap_or(self.started_at)
    }

    /// Time and randomness.
    pub fn env(&self) -> &Env {
        &self.env
    }

    /// The read model.
    pub fn projections(&self) -> &Projections {
        &self.projections
    }

    /// How many passwords have been hashed or checked.
    pub fn passwords_hashed(&self) -> u64 {
        self.passwords.hashed()
    }

    /// How much work the hashes of passwords were: KiB of memory times passes over it.
    pub fn password_work(&self) -> u64 {
        self.passwords.work()
    }

    /// Opens a view of everything committed so far.
    pub(crate) fn snapshot(&self) -> Result<View, AppError> {
        Ok(View(self.engine.snapshot()?))
    }

    /// Runs `body` in a transaction on behalf of `actor`, and waits until what it did is durable and
    /// visible. The audit trail is told in the same transaction what changed.
    ///
    /// The body may run more than once; everything that takes long, or is random, happens before.
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
        let outcome = self
            .submit(move |tx| {
                let mut rows = RowsMut::new(tx).audited(entry.clone());
                let done = body(&mut rows)?;
                rows.write_events(&written).map_err(AppError::from)?;
                Ok(done)
            })
            .await;
        self.trail.wake();
        outcome
    }

    /// As [`App::commit`], for bookkeeping that is nobody's act: the audit trail is not told.
    pub(crate) async fn commit_silently<T, E>(
        &self,
        mut body: impl FnMut(&mut RowsMut<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<AppError> + Send + 'static,
    {
        self.submit(move |tx| body(&mut RowsMut::new(tx))).await
    }

    /// Notes in the audit trail what a caller does that changes nothing in the store.
    pub(crate) async fn record(
        &self,
        caller: &Caller,
        operation: &'static str,
        entity: &str,
    ) -> Result<(), AppError> {
        let entity = entity.to_owned();
        self.commit(Actor::caller(caller), move |rows| {
            rows.operation(operation, &entity);
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
        let outcome = submit_with(&*self.engine, body).map_err(AppError::from)?;
        let outcome = outcome.await;
        let ended = self.env.clock.now();
        self.health.wrote((begun, ended), outcome.as_ref().err());
        outcome.map_err(AppError::from)?
    }

    /// Runs `body` in a transaction, as [`App::commit`] does, on behalf of a caller.
    ///
    /// Between the permit and the transaction the caller may have lost its session or its rights;
    /// so both are looked at once more, and the body gets the caller as it is then.
    pub(crate) async fn commit_for<A: Action, T>(
        &self,
        permit: &Permit<A>,
        mut body: impl FnMut(&mut RowsMut<'_>, &Caller) -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError>
    where
        T: Send + 'static,
    {
        let permit = permit.clone();
        let now = self.env.now();
        let lifetimes = self.settings.session_lifetimes;
        let actor = Actor::caller(permit.caller());
        self.commit(actor, move |rows| {
            let caller = sessions::again(rows.rows(), permit.caller(), lifetimes, now)?;
            if !caller.may(A::ACCESS) {
                return Err(Denied.into());
            }
            body(rows, &caller)
        })
        .await
    }

    /// Counts that a caller changes something of its own; administrators may do so at will.
    ///
    /// # Errors
    ///
    /// [`AppError::TooSoon`] when it did so too often.
    pub(crate) fn count_own_change(&self, caller: &Caller) -> Result<(), AppError> {
        if caller.is_admin {
            return Ok(());
        }
        let mut changes = self
            .own_changes
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let counted = changes.take(caller.identity_number, self.env.now());
        counted.map_err(|seconds| AppError::TooSoon {
            rule: "this identity has changed its own credentials very often; one change a second \
                   is accepted now",
            seconds,
        })
    }

    /// Draws the number of a new record.
    pub(crate) fn number(&self, kind: Kind) -> Number {
        Number(self.engine.allocate(kind))
    }

    /// Waits until the read model holds all that the store does.
    pub async fn lists_ready(&self) {
        let (ready, is_ready) = oneshot::channel();
        // Whoever waited may have gone away by then.
        self.projections.on_ready(move || {
            let _ = ready.send(());
        });
        // The sender is dropped only after it was called.
        let _ = is_ready.await;
    }

    /// The read model, if it is complete; lists are refused until it is.
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

/// A view of the store as of one moment.
pub(crate) struct View(Arc<dyn Snapshot>);

impl View {
    pub(crate) fn rows(&self) -> Rows<'_> {
        Rows::new(&*self.0)
    }
}
