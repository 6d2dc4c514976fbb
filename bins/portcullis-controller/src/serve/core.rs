//! Assembly of the controller without its listeners.

use super::credentials::{Credentials, ServedPairs};
use super::{hosts, store_size};
use crate::store::{self, Store};
use anyhow::{Context as _, anyhow};
use portcullis_app::mfa::MfaSettings;
use portcullis_app::network::{Controller, Network, NetworkSettings};
use portcullis_app::password::PasswordPool;
use portcullis_app::read_model::ProjectionUpdater;
use portcullis_app::signers::SignerKeys;
use portcullis_app::{App, AppParts, OidcSettings, Settings};
use portcullis_controller_config::{
    ClientLimit, ControllerConfig, OidcConfig, OidcOptions, TotpCompatibility, TotpConfig,
};
use portcullis_domain::Env;
use portcullis_domain::api_session::SessionLifetimes;
use portcullis_domain::change::Change;
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::entropy;
use portcullis_domain::fetch_rules::FetchRules;
use portcullis_domain::ids::ControllerId;
use portcullis_domain::log_throttle::LogRateLimits;
use portcullis_domain::quota::StorageQuota;
use portcullis_fetch::{Fetcher, system_roots};
use portcullis_index::Projections;
use portcullis_oidc::redirect::{RedirectUris, RegisteredUri};
use portcullis_pki::{Certificate, SpiffeId, SpiffePath, TrustDomain};
use portcullis_storage::engine::Engine as _;
use portcullis_storage_redb::RedbEngine;
use portcullis_totp::Rules;
use std::num::NonZero;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// Default number of waiting passwords of strangers per password thread. A single address may queue half
/// of them, about a second and a half of work.
const WAITING_PASSWORDS_PER_THREAD: usize = 64;

/// The controller, and everything that its listeners need.
pub(crate) struct Core {
    pub(crate) app: Arc<App>,
    pub(super) engine: Arc<RedbEngine<Change>>,
    /// Read model, not loaded yet.
    pub(super) projections: Arc<Projections>,
    /// CA certificates that clients recognize the network by.
    pub(super) roots: Vec<Certificate>,
    pub(super) pairs: ServedPairs,
    /// Id of the network token.
    pub(super) network_id: String,
}

/// Loads certificates and keys, opens the store, and assembles the controller.
pub(crate) fn open(
    config: &ControllerConfig,
    store_must_exist: bool,
    env: &Env,
) -> anyhow::Result<Core> {
    let credentials = Credentials::load(config)?;
    let network_id = entropy::uuid(&*env.entropy)?;
    let pairs = credentials.served.clone();
    let roots = credentials.authorities.roots_for_clients();
    let network = network(config, credentials, env, &network_id)?;
    let Store { engine, vault } =
        store::open(&config.store, store_must_exist, Arc::clone(&env.entropy))?;
    let projections = Arc::new(Projections::default());
    engine.observe(Arc::new(ProjectionUpdater(Arc::clone(&projections))));
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let waiting = config.limits.passwords_waiting.map(saturating);
    let waiting = waiting.unwrap_or(threads * WAITING_PASSWORDS_PER_THREAD);
    let passwords = PasswordPool::start(threads, waiting)
        .context("the threads that check passwords cannot be started")?;
    let app = App::new(AppParts {
        env: env.clone(),
        engine: Arc::clone(&engine) as _,
        store_path: config.store.store_path(),
        vault,
        projections: Arc::clone(&projections),
        passwords,
        network,
        signer_keys: signer_keys(config.edge.external_jwt_signers.jwks_fetch.clone())?,
        settings: Settings {
            session_timeout: to_signed(config.edge.api.session_timeout),
            session_lifetimes: SessionLifetimes {
                all: config.edge.api.session_lifetime.map(to_signed),
                administrators: config
                    .edge
                    .api
                    .administrator_session_lifetime
                    .map(to_signed),
            },
            fresh_factor: config.edge.api.fresh_factor.map(to_signed),
            enrollment_duration: to_signed(config.edge.enrollment.edge_identity_duration),
            router_enrollment_duration: to_signed(config.edge.enrollment.edge_router_duration),
            max_token_lifetime: to_signed(longest_token_lifetime(&config.edge.oidc)),
            password_throttle: config.edge.password_throttle,
            refusal_log: log_rates(config.limits.log_lines_per_minute),
            require_token_expiry: config.edge.external_jwt_signers.require_expiry,
            storage_quota: StorageQuota::new(config.edge.api.identity_storage_quota as usize),
        },
        mfa: mfa(&config.edge.totp),
        oidc: oidc(config)?,
    });
    store_size::measure(&app, config.store.store_path());
    Ok(Core {
        app: Arc::new(app),
        engine,
        projections,
        roots,
        pairs,
        network_id,
    })
}

/// Rates of log lines about refused requests.
fn log_rates(limit: ClientLimit) -> LogRateLimits {
    let lines = |count| u32::try_from(count).unwrap_or(u32::MAX);
    LogRateLimits::per_minute(lines(limit.total), lines(limit.per_client))
}

fn saturating(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// Longest lifetime of a token.
fn longest_token_lifetime(oidc: &OidcConfig) -> Duration {
    let others = oidc.access_token_duration.max(oidc.id_token_duration);
    oidc.refresh_token_duration.max(others)
}

/// Settings of TOTP.
fn mfa(totp: &TotpConfig) -> MfaSettings {
    MfaSettings {
        issuer: totp.hostname.clone(),
        rules: match totp.compatibility {
            TotpCompatibility::Strict => Rules::STRICT,
            TotpCompatibility::OpenZiti => Rules::OPENZITI,
        },
    }
}

/// Settings of OIDC logins. The console of this controller may be led back to as well.
fn oidc(config: &ControllerConfig) -> anyhow::Result<OidcSettings> {
    let registered = |uris: fn(&OidcOptions) -> &[String]| {
        let options = hosts::oidc_options(config);
        let uris = options.flat_map(uris);
        uris.map(|uri| {
            RegisteredUri::parse(uri).with_context(|| format!("the URI {uri} of edge-oidc"))
        })
        .collect::<anyhow::Result<Vec<_>>>()
    };
    let lifetimes = &config.edge.oidc;
    Ok(OidcSettings {
        login_uris: RedirectUris::for_login(registered(|options| &options.redirect_uris)?),
        logout_uris: RedirectUris::for_logout(registered(|options| &options.post_logout_uris)?),
        serves_console: hosts::serves_console(config),
        access_token_lifetime: to_signed(lifetimes.access_token_duration),
        id_token_lifetime: to_signed(lifetimes.id_token_duration),
        refresh_token_lifetime: to_signed(lifetimes.refresh_token_duration),
    })
}

/// Fetcher of the keys of external signers, with the rules of the configuration.
fn signer_keys(rules: FetchRules) -> anyhow::Result<SignerKeys> {
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
    let signer = credentials.token_signing_pair(config)?;
    let default_pair = credentials.default_pair()?;
    let roots = credentials.authorities.anchors();
    let trust_domain = TrustDomain::from_chain(default_pair.chain().iter().chain(&roots))
        .map_or_else(|| configured_trust_domain(config, &roots), Ok)?;
    let (jwt_signer, certificate) = (signer.jwt_signer()?, signer.leaf()?.clone());
    let settings = NetworkSettings {
        trust_domain,
        bundle: credentials.authorities.for_clients(),
        anchors: roots,
        api_address: config.edge.api.address.to_string(),
        control_addresses: vec![config.router_address().to_string()],
        controller: Controller {
            id: controller_id(default_pair.leaf()?),
            name: controller_name(default_pair.leaf()?),
            certificate,
            started_at: env.now(),
        },
        jwt_signer,
        hosts: hosts::own_hosts(config),
        oidc_addresses: hosts::oidc_addresses(config),
        served_certificates: credentials.served_certificates()?,
        signing: credentials.signing,
    };
    Ok(Network::new(settings, network_id)?)
}

/// Trust domain of a network whose certificates name none.
fn configured_trust_domain(
    config: &ControllerConfig,
    roots: &[Certificate],
) -> anyhow::Result<TrustDomain> {
    if let Some(domain) = &config.trust_domain {
        // Trust domains are case-insensitive, like host names.
        return TrustDomain::parse(&domain.to_ascii_lowercase())
            .with_context(|| format!("trustDomain: `{domain}` cannot be used"));
    }
    let root = roots
        .first()
        .ok_or_else(|| anyhow!("identity.ca contains no CA certificate"))?;
    Ok(TrustDomain::from_root(root))
}

fn controller_id(leaf: &Certificate) -> ControllerId {
    match SpiffeId::from_certificate(leaf) {
        Ok(Some(ref id)) if let SpiffePath::Controller(id) = id.path() => id.clone(),
        _ => ControllerId::from_wire(controller_name(leaf)),
    }
}

fn controller_name(leaf: &Certificate) -> String {
    leaf.common_name()
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| "controller".to_owned())
}

fn to_signed(duration: Duration) -> SignedDuration {
    SignedDuration::try_from(duration).unwrap_or(SignedDuration::MAX)
}
