//! The controller without its listeners.

use super::credentials::{Credentials, Pair};
use super::hosts;
use crate::store::{self, Store};
use anyhow::{Context as _, anyhow};
use portcullis_app::mfa::MfaSettings;
use portcullis_app::network::{Controller, Network, NetworkSettings};
use portcullis_app::password::PasswordPool;
use portcullis_app::read_model::Follower;
use portcullis_app::signers::SignerKeys;
use portcullis_app::{App, Parts, Settings};
use portcullis_controller_config::{
    ControllerConfig, JwksFetch, Oidc, Share, Totp, TotpCompatibility,
};
use portcullis_domain::Env;
use portcullis_domain::api_session::SessionLifetimes;
use portcullis_domain::change::Change;
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::entropy;
use portcullis_domain::ids::ControllerId;
use portcullis_domain::log_throttle::LogRates;
use portcullis_domain::quota::StorageQuota;
use portcullis_http::outbound::{FetchRules, Fetcher, system_roots};
use portcullis_index::Projections;
use portcullis_pki::{Certificate, SpiffeId, SpiffePath, TrustDomain};
use portcullis_storage::engine::Engine as _;
use portcullis_storage::redb_engine::RedbEngine;
use portcullis_totp::Rules;
use std::num::NonZero;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// Passwords of strangers that may wait per thread that checks them, unless the configuration says how
/// many. A single address may queue half of them, about a second and a half of work.
const WAITING_PER_THREAD: usize = 64;

/// The controller, ready to be asked, and what its listeners need.
pub(crate) struct Core {
    /// The controller.
    pub(crate) app: Arc<App>,
    /// Its store.
    pub(super) engine: Arc<RedbEngine<Change>>,
    /// Its read model, not loaded yet.
    pub(super) projections: Arc<Projections>,
    /// What each entry of `web` shows.
    pub(super) pairs: Vec<Vec<Pair>>,
    /// Id of the network's own token.
    pub(super) network_id: String,
}

/// Loads certificates and keys, opens the store, and puts the controller together.
pub(crate) fn open(
    config: &ControllerConfig,
    store_was_made: bool,
    env: &Env,
) -> anyhow::Result<Core> {
    let credentials = Credentials::load(config)?;
    let network_id = entropy::uuid(&*env.entropy)?;
    let pairs = credentials.listeners.clone();
    let network = network(config, credentials, env, &network_id)?;
    let Store { engine, vault } =
        store::open(&config.store, store_was_made, Arc::clone(&env.entropy))?;
    let projections = Arc::new(Projections::default());
    engine.observe(Arc::new(Follower(Arc::clone(&projections))));
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let waiting = config.limits.passwords_waiting.map(saturating);
    let waiting = waiting.unwrap_or(threads * WAITING_PER_THREAD);
    let passwords = PasswordPool::start(threads, waiting)
        .context("the threads that check passwords cannot be started")?;
    let app = App::new(Parts {
        env: env.clone(),
        engine: Arc::clone(&engine) as _,
        store_path: config.store.store_path(),
        vault,
        projections: Arc::clone(&projections),
        passwords,
        network,
        signer_keys: signer_keys(&config.edge.external_jwt_signers.jwks_fetch)?,
        settings: Settings {
            session_timeout: signed(config.edge.api.session_timeout),
            session_lifetimes: SessionLifetimes {
                all: config.edge.api.session_lifetime.map(signed),
                administrators: config.edge.api.administrator_session_lifetime.map(signed),
            },
            fresh_factor: config.edge.api.fresh_factor.map(signed),
            enrollment_duration: signed(config.edge.enrollment.edge_identity_duration),
            router_enrollment_duration: signed(config.edge.enrollment.edge_router_duration),
            longest_token: signed(longest_token(&config.edge.oidc)),
            password_throttle: config.edge.password_throttle,
            refusal_log: log_rates(config.limits.log_lines_per_minute),
            require_token_expiry: config.edge.external_jwt_signers.require_expiry,
            storage_quota: StorageQuota::new(config.edge.api.identity_storage_quota as usize),
        },
        mfa: mfa(&config.edge.totp),
    });
    Ok(Core {
        app: Arc::new(app),
        engine,
        projections,
        pairs,
        network_id,
    })
}

/// How many lines tell of refused requests.
fn log_rates(share: Share) -> LogRates {
    let lines = |count| u32::try_from(count).unwrap_or(u32::MAX);
    LogRates::per_minute(lines(share.total), lines(share.each))
}

fn saturating(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// How long the tokens last that last longest.
fn longest_token(oidc: &Oidc) -> Duration {
    let others = oidc.access_token_duration.max(oidc.id_token_duration);
    oidc.refresh_token_duration.max(others)
}

/// How codes are judged, and under which name authenticator apps keep them.
fn mfa(totp: &Totp) -> MfaSettings {
    MfaSettings {
        issuer: totp.hostname.clone(),
        rules: match totp.compatibility {
            TotpCompatibility::Strict => Rules::STRICT,
            TotpCompatibility::OpenZiti => Rules::OPENZITI,
        },
    }
}

/// What fetches the keys of external signers, by the rules of the configuration.
fn signer_keys(rules: &JwksFetch) -> anyhow::Result<SignerKeys> {
    let rules = FetchRules {
        allowed_ips: rules.allowed_ips.clone(),
        denied_ips: rules.denied_ips.clone(),
        allowed_hostnames: rules.allowed_hostnames.clone(),
        denied_hostnames: rules.denied_hostnames.clone(),
        timeout: rules.timeout,
        max_redirects: rules.max_redirects,
    };
    let fetcher = Fetcher::new(rules, system_roots());
    let fetcher = fetcher.context("the keys of external signers cannot be fetched")?;
    Ok(SignerKeys::new(Arc::new(fetcher)))
}

fn network(
    config: &ControllerConfig,
    credentials: Credentials,
    env: &Env,
    network_id: &str,
) -> anyhow::Result<Network> {
    let signer = credentials.signer(config)?;
    let shown = credentials.usual()?;
    let roots = credentials.roots();
    let trust_domain = TrustDomain::of_chain(shown.chain().iter().chain(&roots))
        .map_or_else(|| chosen_domain(config, &roots), Ok)?;
    let (jwt_signer, certificate) = (signer.jwt_signer()?, signer.leaf()?.clone());
    let settings = NetworkSettings {
        trust_domain,
        bundle: credentials.bundle(),
        roots,
        api_address: config.edge.api.address.to_string(),
        control_addresses: config
            .ctrl
            .advertise_address
            .iter()
            .map(ToString::to_string)
            .collect(),
        controller: Controller {
            id: controller_id(shown.leaf()?),
            name: name_of(shown.leaf()?),
            certificate,
            started_at: env.now(),
        },
        jwt_signer,
        hosts: hosts::of(config),
        served_certificates: credentials.served_certificates()?,
        signing: credentials.signing,
    };
    Ok(Network::new(settings, network_id)?)
}

/// The domain of a network whose certificates name none.
fn chosen_domain(config: &ControllerConfig, roots: &[Certificate]) -> anyhow::Result<TrustDomain> {
    if let Some(domain) = &config.trust_domain {
        // Names of hosts, and so trust domains, do not depend on case.
        return TrustDomain::parse(&domain.to_ascii_lowercase())
            .with_context(|| format!("trustDomain: `{domain}` cannot be used"));
    }
    let root = roots
        .first()
        .ok_or_else(|| anyhow!("identity.ca contains no CA certificate"))?;
    Ok(TrustDomain::of_root(root))
}

fn controller_id(leaf: &Certificate) -> ControllerId {
    match SpiffeId::of_certificate(leaf) {
        Ok(Some(ref id)) if let SpiffePath::Controller(id) = id.path() => id.clone(),
        _ => ControllerId::from_wire(name_of(leaf)),
    }
}

fn name_of(leaf: &Certificate) -> String {
    leaf.common_name()
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| "controller".to_owned())
}

fn signed(duration: Duration) -> SignedDuration {
    SignedDuration::try_from(duration).unwrap_or(SignedDuration::MAX)
}
