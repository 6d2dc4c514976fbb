//! Networks whose addresses belong to this machine although no interface has them.

use crate::capability;
use crate::error::InterceptError;
use crate::instance::Instance;
use crate::keeper::{Keeper, Kept};
use crate::routing::{Family, PolicyRule, RouteKind};
use portcullis_domain::ip_network::IpNetwork;
use std::collections::BTreeMap;
use std::time::Duration;

/// Makes networks local: what is sent to their addresses arrives here. So servers can be reached
/// [from](crate::connect_from) the source addresses of clients (`allowedSourceAddresses`), and a name server can
/// have an address that no interface has.
///
/// All of it is removed when the last clone is dropped. Where somebody else routes to these networks, this machine
/// has to be the gateway for them.
#[derive(Debug, Clone)]
pub struct LocalNetworks {
    keeper: Keeper<Routes>,
}

#[derive(Debug)]
struct Routes {
    rule: PolicyRule,
    families: Vec<Family>,
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
                networks: BTreeMap::new(),
            };
            routes.set_up()?;
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
        }
        let networks = self.networks.keys();
        let networks = networks.filter(|network| self.families.contains(&Family::of(network)));
        self.rule.add_networks(networks, RouteKind::Local)
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
        if families.all(|family| self.rule.is_present(*family)) {
            return;
        }
        match self.set_up() {
            Ok(()) => {
                tracing::warn!("another program has removed routing rules; they are set up again");
            },
            Err(error) => {
                tracing::warn!(%error, "routing rules are gone, and cannot be set up again");
            },
        }
    }

    fn remove(&mut self) {
        for family in Family::ALL {
            self.rule.remove(family);
        }
    }
}
