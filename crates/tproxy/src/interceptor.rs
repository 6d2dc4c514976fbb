//! Interception, from its start to its end.

mod tables;

use crate::capability;
use crate::connections::InterceptedConnections;
use crate::datagrams::InterceptedDatagrams;
use crate::error::InterceptError;
use crate::keeper::{Keeper, socket_error};
use crate::options::InterceptorOptions;
use crate::redirect::Redirect;
use crate::routing::Family;
use crate::ruleset::Ruleset;
use nix::net::if_::{if_indextoname, if_nametoindex};
use portcullis_domain::ip_network::IpNetwork;
use portcullis_tunneler::RuleChange;
use std::sync::Arc;
use tables::Tables;

/// Has the kernel hand over connections and datagrams. Clones are the same interceptor; when the last one is
/// dropped, or one is [stopped](Self::stop), everything that it has set up is removed.
#[derive(Debug, Clone)]
pub struct Interceptor {
    keeper: Keeper<Tables>,
    lan_interfaces: Arc<[String]>,
}

/// Where what is intercepted comes in.
#[derive(Debug)]
pub struct Intercepted {
    pub connections: InterceptedConnections,
    pub datagrams: InterceptedDatagrams,
}

impl Interceptor {
    /// Sets up what interception needs, without any rule, and removes what an earlier process of this instance
    /// has left. Without IPv6, IPv4 alone is intercepted, and the log says so.
    ///
    /// # Errors
    ///
    /// If rights, programs, interfaces or parts of the kernel lack.
    pub async fn start(options: InterceptorOptions) -> Result<(Self, Intercepted), InterceptError> {
        if !capability::is_present() {
            return Err(InterceptError::NoRights);
        }
        let names = options.lan_interfaces.iter();
        let lan_interfaces: Vec<_> = names
            .map(|name| interface(name))
            .collect::<Result<_, _>>()?;
        let own_mark = options.instance.own_mark();
        let families = Family::available();
        let failed = |reason| socket_error("open the sockets of interception", reason);
        let connections = InterceptedConnections::open(&families, own_mark).map_err(failed)?;
        let datagrams = InterceptedDatagrams::open(&families, own_mark).map_err(failed)?;
        let listeners = connections.listeners().chain(datagrams.listeners());
        let ruleset = Ruleset {
            instance: options.instance,
            lan_interfaces: lan_interfaces.clone(),
            exempt: options.exempt,
            listeners: listeners.collect(),
            redirects: Vec::new(),
        };
        let set_up = move || Tables::set_up(ruleset, families);
        let keeper = Keeper::start("interceptor", options.check_interval, set_up).await?;
        let intercepted = Intercepted {
            connections,
            datagrams,
        };
        let interceptor = Self {
            keeper,
            lan_interfaces: lan_interfaces.into(),
        };
        Ok((interceptor, intercepted))
    }

    /// Changes what is intercepted, all at once or not at all. Connections that were intercepted before, or not,
    /// stay as they are. Rules of IPv6 count for nothing if the machine has none.
    ///
    /// No two rules may have a destination in common, nor a source and a destination, as
    /// [`InterceptRule`](portcullis_tunneler::InterceptRule) says.
    ///
    /// # Errors
    ///
    /// If the kernel refuses it. Everything stays as it was then.
    pub async fn apply(&self, change: RuleChange) -> Result<(), InterceptError> {
        self.keeper.run(move |tables| tables.apply(&change)).await?
    }

    /// Leads a port to another one.
    ///
    /// # Errors
    ///
    /// If the kernel refuses it.
    pub async fn redirect(&self, redirect: Redirect) -> Result<(), InterceptError> {
        self.keeper
            .run(move |tables| tables.redirect(redirect))
            .await?
    }

    /// Has a destination never be intercepted, whatever rules say.
    ///
    /// # Errors
    ///
    /// If the kernel refuses it.
    pub async fn exempt(&self, network: IpNetwork) -> Result<(), InterceptError> {
        self.keeper
            .run(move |tables| tables.exempt(network))
            .await?
    }

    /// The interfaces whose traffic is intercepted on its way through this machine.
    pub(crate) fn lan_interfaces(&self) -> Vec<String> {
        self.lan_interfaces.to_vec()
    }

    /// Removes everything, for all clones. Returns when it is gone.
    pub async fn stop(&self) {
        self.keeper.stop().await;
    }
}

/// The name that the kernel compares with, for a name or another name (`altname`) of an interface. `nft` would take
/// any text.
fn interface(given: &str) -> Result<String, InterceptError> {
    let index = if_nametoindex(given);
    let name = index.and_then(if_indextoname).ok();
    let name = name.and_then(|name| name.into_string().ok());
    let is_plain = |name: &String| !name.contains(['"', '*', '\\']);
    name.filter(is_plain)
        .ok_or_else(|| InterceptError::NoInterface(given.to_owned()))
}
