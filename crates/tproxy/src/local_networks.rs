//! Networks whose addresses belong to this machine although no interface has them.

use crate::capability;
use crate::error::InterceptError;
use crate::instance::Instance;
use crate::keeper::{Keeper, Kept};
use crate::routing::{Family, PolicyRule, RouteKind};
use portcullis_domain::ip_network::IpNetwork;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Makes networks local: what this machine sends to their addresses arrives here. So a name server can have an
/// address that no interface has. Others reach them by the interfaces that are [admitted](Self::admit) alone.
///
/// All of it is removed when the last clone is dropped.
#[derive(Debug, Clone)]
pub struct LocalNetworks {
    keeper: Keeper<Routes>,
}

#[derive(Debug)]
struct Routes {
    rule: PolicyRule,
    families: Vec<Family>,
    /// By which others reach the networks.
    interfaces: BTreeSet<String>,
    /// How often each was added.
    networks: BTreeMap<IpNetwork, usize>,
}

const CHECK_INTERVAL: Duration = Duration::from_secs(10);

impl LocalNetworks {
    /// Removes what an earlier process of this instance has left.
    ///
    /// # Errors
    ///
    /// If rights or programs lack.
    pub async fn start(instance: &Instance) -> Result<Self, InterceptError> {
        if !capability::is_present() {
            return Err(InterceptError::NoRights);
        }
        let rule = PolicyRule::local(instance);
        let set_up = move || {
            let mut routes = Routes {
                rule,
                families: Family::available(),
                interfaces: BTreeSet::new(),
                networks: BTreeMap::new(),
            };
            if let Err(error) = routes.set_up() {
                routes.remove();
                return Err(error);
            }
            Ok(routes)
        };
        let keeper = Keeper::start("local-networks", CHECK_INTERVAL, set_up).await?;
        Ok(Self { keeper })
    }

    /// Makes a network local. What was added twice has to be removed twice.
    ///
    /// # Errors
    ///
    /// If the kernel refuses the route.
    pub async fn add(&self, network: IpNetwork) -> Result<(), InterceptError> {
        self.keeper.run(move |routes| routes.add(network)).await?
    }

    /// Undoes one [`Self::add`].
    ///
    /// # Errors
    ///
    /// If the kernel refuses it.
    pub async fn remove(&self, network: IpNetwork) -> Result<(), InterceptError> {
        self.keeper
            .run(move |routes| routes.remove_one(network))
            .await?
    }

    /// Has others reach the networks by these interfaces, too.
    ///
    /// # Errors
    ///
    /// If the kernel refuses the rule.
    pub async fn admit(&self, interfaces: Vec<String>) -> Result<(), InterceptError> {
        self.keeper
            .run(move |routes| routes.admit(interfaces))
            .await?
    }

    /// Removes all of it, for all clones.
    pub async fn stop(&self) {
        self.keeper.stop().await;
    }
}

impl Routes {
    fn set_up(&mut self) -> Result<(), InterceptError> {
        self.remove();
        for family in &self.families {
            self.rule.add(*family)?;
            for interface in &self.interfaces {
                self.rule.add_interface(*family, interface)?;
            }
        }
        let networks = self.networks.keys();
        let networks = networks.filter(|network| self.families.contains(&Family::of(network)));
        self.rule.add_networks(networks, RouteKind::Local)
    }

    fn admit(&mut self, interfaces: Vec<String>) -> Result<(), InterceptError> {
        for interface in interfaces {
            if self.interfaces.contains(&interface) {
                continue;
            }
            for family in &self.families {
                self.rule.add_interface(*family, &interface)?;
            }
            self.interfaces.insert(interface);
        }
        Ok(())
    }

    fn is_whole(&self, family: Family) -> bool {
        let networks = self.networks.keys();
        let routes = networks.filter(|it| Family::of(it) == family).count();
        let rules = 1 + self.interfaces.len();
        self.rule.is_present(family, rules, routes)
    }

    fn add(&mut self, network: IpNetwork) -> Result<(), InterceptError> {
        if !self.networks.contains_key(&network) {
            self.rule.add_networks([&network], RouteKind::Local)?;
        }
        *self.networks.entry(network).or_default() += 1;
        Ok(())
    }

    fn remove_one(&mut self, network: IpNetwork) -> Result<(), InterceptError> {
        let Some(count) = self.networks.get_mut(&network) else {
            return Ok(());
        };
        *count -= 1;
        if *count > 0 {
            return Ok(());
        }
        self.networks.remove(&network);
        self.rule.remove_networks([&network])
    }
}

impl Kept for Routes {
    fn check(&mut self) {
        let mut families = self.families.iter();
        if families.all(|family| self.is_whole(*family)) {
            return;
        }
        match self.set_up() {
            Ok(()) => {
                tracing::warn!(
                    "another program has removed routing rules or routes; they are set up again"
                );
            },
            Err(error) => {
                tracing::warn!(%error, "routing rules or routes are gone, and cannot be set up again");
            },
        }
    }

    fn remove(&mut self) {
        for family in Family::ALL {
            self.rule.remove(family);
        }
    }
}
