//! What all parts of a router need.

use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use portcullis_channel::BuildVersion;
use portcullis_channel_traces::Protocol;
use portcullis_domain::entropy::Entropy;
use portcullis_memory_budget::MemoryBudget;
use portcullis_metrics::MetricRegistry;
use portcullis_router::circuits::ForwarderSettings;
use portcullis_router::control::{ControlSettings, KnownControllers};
use portcullis_router::profile::ProfileSettings;
use portcullis_router::tunnel::TunnelSettings;
use portcullis_router::{AdvertisedHost, advertised_hosts};
use portcullis_router_config::model::RouterConfig;
use portcullis_transport::Observer;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::channel_traces::{ChannelObserver, ChannelTraces};
use crate::clock::RouterClock;
use crate::control::known_controllers;
use crate::controllers::Controllers;
use crate::ends::Ends;
use crate::file::RouterFile;
use crate::identity::{IdentityFiles, IdentityWatcher};
use crate::profile;
use crate::relay::Relay;
use crate::tls::Tls;
use crate::trace::Trace;

use super::{RouterOptions, StartError};

/// What all parts of a router need.
pub(super) struct Base {
    pub(super) id: Arc<str>,
    pub(super) file: RouterFile,
    pub(super) version: BuildVersion,
    pub(super) identity: IdentityFiles,
    pub(super) tls: Arc<Tls>,
    pub(super) control: ControlSettings,
    pub(super) controllers: Arc<Controllers>,
    pub(super) known_controllers: Arc<Mutex<KnownControllers>>,
    pub(super) metrics: Arc<MetricRegistry>,
    pub(super) ends: Ends,
    pub(super) forwarder: ForwarderSettings,
    pub(super) tunnel_settings: Option<TunnelSettings>,
    pub(super) trace: Option<Arc<Trace>>,
    pub(super) channel_traces: Arc<ChannelTraces>,
    pub(super) clock: RouterClock,
    pub(super) entropy: Arc<dyn Entropy>,
    pub(super) tasks: TaskTracker,
    pub(super) renews_at_once: bool,
    pub(super) max_descriptors: Option<u64>,
    pub(super) stop: CancellationToken,
}

impl Base {
    pub(super) fn new(
        options: RouterOptions,
        stop: CancellationToken,
    ) -> Result<(Self, IdentityWatcher), StartError> {
        let identity = options.identity.clone();
        let (watcher, tls, id) = IdentityWatcher::begin(options.identity)?;
        let id: Arc<str> = id.into();
        let (file, tasks) = (options.file, TaskTracker::new());
        let config = &file.config;
        let control = ControlSettings::from_config(&config.ctrl, &file.path)?;
        let controllers = Controllers::new(control.request_timeout)
            .with_unresponsive_after(control.unresponsive_after);
        let controllers = Arc::new(controllers);
        let known_controllers = Arc::new(Mutex::new(known_controllers(&control)));
        let profiles = ProfileSettings::from_config(&config.profile)?;
        if let Some(path) = profiles.cpu {
            profile::cpu::start(path, &tasks, stop.clone())?;
        }
        if let Some(memory) = profiles.memory {
            let allocator = options.memory_profiler;
            profile::memory::start(memory, allocator, options.clock, &tasks, stop.clone());
        }
        let forwarder = ForwarderSettings::from_config(&config.forwarder)?;
        let tunnel_settings = TunnelSettings::from_config(&config.listeners, &config.dialers)?;
        let metrics = Arc::new(MetricRegistry::default());
        let relay = Relay::new(
            Arc::clone(&id),
            forwarder.forwarding,
            Arc::clone(&controllers),
            options.clock,
        );
        let memory = options
            .buffer_memory
            .map_or_else(MemoryBudget::unlimited, MemoryBudget::new);
        let relay = Arc::new(relay.within(Arc::new(memory)));
        tasks.spawn(Arc::clone(&relay).run(stop.clone()));
        let channel_traces = ChannelTraces::new(
            Arc::clone(&id),
            options.clock,
            Arc::clone(&controllers),
            tasks.clone(),
        );
        let base = Self {
            trace: trace(config, options.clock)?,
            channel_traces,
            ends: Ends::new(relay, &metrics, tasks.clone()),
            metrics,
            id,
            file,
            version: options.version,
            identity,
            tls,
            control,
            controllers,
            known_controllers,
            forwarder,
            tunnel_settings,
            clock: options.clock,
            entropy: options.entropy,
            tasks,
            renews_at_once: options.renews_at_once,
            max_descriptors: options.max_descriptors,
            stop,
        };
        base.say_what_is_missing();
        base.warn_of_missing_names();
        Ok((base, watcher))
    }

    /// What other routers have, and which section would bring it.
    fn say_what_is_missing(&self) {
        if !self.file.has_edge {
            tracing::info!(
                "there is no section `edge`: the router lets no SDKs in, and hosts nothing for them"
            );
        }
        if self.file.config.link.listeners.is_empty() && self.file.config.link.dialers.is_empty() {
            tracing::info!("there is no section `link`: the router has no links with others");
        }
        if self.file.config.dialers.is_empty() {
            tracing::info!(
                "there is no section `dialers`: the router connects to no servers for services"
            );
        }
        if self.file.config.listeners.is_empty() {
            tracing::info!("there is no section `listeners`: nothing enters the network here");
        }
    }

    /// Those who dial a host that no certificate names refuse the router.
    fn warn_of_missing_names(&self) {
        for AdvertisedHost { key, host } in advertised_hosts(&self.file.config) {
            if !self.identity.covers_host(&host) {
                tracing::warn!(
                    key,
                    host = %host.escape_debug(),
                    "an advertised host is in no server certificate, so nobody will connect there: add it to \
                     `csr.sans`, and start the router once with `--extend`"
                );
            }
        }
    }

    /// What the channels of a protocol that controllers may follow show their messages to.
    pub(super) fn followed(&self, protocol: Protocol) -> Arc<dyn Observer> {
        Arc::new(ChannelObserver {
            file: self.observer(protocol),
            traces: Arc::clone(&self.channel_traces),
        })
    }

    /// What the channels of a protocol show their messages to.
    pub(super) fn observer(&self, protocol: Protocol) -> Option<Arc<dyn Observer>> {
        let trace = self.trace.as_ref()?;
        Some(trace.observer(protocol))
    }
}

fn trace(config: &RouterConfig, clock: RouterClock) -> Result<Option<Arc<Trace>>, StartError> {
    let Some(path) = &config.trace.path else {
        return Ok(None);
    };
    let path = PathBuf::from(&path.value);
    match Trace::open(&path, clock) {
        Ok(trace) => Ok(Some(trace)),
        Err(source) => Err(StartError::Trace { path, source }),
    }
}
