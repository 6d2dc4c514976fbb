//! What interception needs in the kernel: a table of nftables, routing rules and routes.

use crate::error::InterceptError;
use crate::keeper::Kept;
use crate::program::NFT;
use crate::redirect::Redirect;
use crate::routing::{Family, PolicyRule, RouteKind};
use crate::ruleset::Ruleset;
use portcullis_domain::ip_network::IpNetwork;
use portcullis_tunneler::{InterceptRule, RuleChange};
use std::collections::{BTreeMap, BTreeSet};

/// What is set up in the kernel, as far as this process knows.
#[derive(Debug)]
pub(crate) struct Tables {
    ruleset: Ruleset,
    families: Vec<Family>,
    rules: BTreeSet<InterceptRule>,
    /// How many rules each network has.
    networks: BTreeMap<IpNetwork, usize>,
}

impl Tables {
    /// Replaces what an earlier process has left.
    pub(crate) fn set_up(ruleset: Ruleset, families: Vec<Family>) -> Result<Self, InterceptError> {
        let tables = Self {
            ruleset,
            families,
            rules: BTreeSet::new(),
            networks: BTreeMap::new(),
        };
        let routed = tables.set_up_routing();
        let filled = routed.and_then(|()| tables.fill(&tables.rules).map_err(lack_of_kernel));
        if let Err(error) = filled {
            tables.remove_routing();
            return Err(error);
        }
        Ok(tables)
    }

    /// Changes the rules, all at once or not at all.
    pub(crate) fn apply(&mut self, change: &RuleChange) -> Result<(), InterceptError> {
        let has_family = |rule: &&InterceptRule| self.ruleset.has_family_of(rule.network.first());
        let wanted: BTreeSet<_> = change.added.iter().filter(has_family).copied().collect();
        let gone = change.removed.iter().copied();
        let gone = gone.filter(|rule| self.rules.contains(rule) && !wanted.contains(rule));
        let gone: BTreeSet<_> = gone.collect();
        let new: BTreeSet<_> = wanted.difference(&self.rules).copied().collect();

        let networks = counted(&self.networks, &gone, &new);
        let reached = networks.keys();
        let reached: Vec<_> = reached
            .filter(|it| !self.networks.contains_key(it))
            .collect();
        self.fallback()
            .add_networks(reached.iter().copied(), RouteKind::Unicast)?;

        let script = self.ruleset.change(&gone, &new);
        let mut rules = self.rules.clone();
        rules.retain(|rule| !gone.contains(rule));
        rules.extend(new);
        if let Err(error) = run(&script) {
            tracing::debug!(%error, "the rules cannot be changed; all are loaded anew");
            if let Err(error) = self.fill(&rules) {
                self.forget_routes(reached);
                return Err(error);
            }
        }
        self.rules = rules;

        let left = self.networks.keys();
        let left: Vec<_> = left.filter(|it| !networks.contains_key(it)).collect();
        self.forget_routes(left);
        self.networks = networks;
        Ok(())
    }

    /// Leads a port to another one, until everything is removed.
    pub(crate) fn redirect(&mut self, redirect: Redirect) -> Result<(), InterceptError> {
        run(&self.ruleset.redirection(&redirect))?;
        self.ruleset.redirects.push(redirect);
        Ok(())
    }

    /// Has a destination never be intercepted.
    pub(crate) fn exempt(&mut self, network: IpNetwork) -> Result<(), InterceptError> {
        if self.ruleset.exempt.contains(&network) || !self.ruleset.has_family_of(network.first()) {
            return Ok(());
        }
        run(&self.ruleset.exemption(network))?;
        self.ruleset.exempt.push(network);
        Ok(())
    }

    fn fill(&self, rules: &BTreeSet<InterceptRule>) -> Result<(), InterceptError> {
        run(&self.ruleset.replacement(rules))
    }

    fn forget_routes<'n>(&self, networks: impl IntoIterator<Item = &'n IpNetwork>) {
        if let Err(error) = self.fallback().remove_networks(networks) {
            // So another program has removed them.
            tracing::debug!(%error, "routes that are not needed any more are gone already");
        }
    }

    fn set_up_routing(&self) -> Result<(), InterceptError> {
        self.remove_routing();
        for family in &self.families {
            self.delivery().add(*family)?;
            self.delivery().deliver_all(*family)?;
            self.fallback().add(*family)?;
        }
        self.fallback()
            .add_networks(self.networks.keys(), RouteKind::Unicast)
    }

    fn remove_routing(&self) {
        for family in Family::ALL {
            self.delivery().remove(family);
            self.fallback().remove(family);
        }
    }

    fn has_routing(&self) -> bool {
        let mut families = self.families.iter();
        families.all(|family| {
            let networks = self.networks.keys();
            let networks = networks.filter(|it| Family::of(it) == *family).count();
            self.delivery().is_present(*family, 1, 1)
                && self.fallback().is_present(*family, 1, networks)
        })
    }

    const fn delivery(&self) -> PolicyRule {
        PolicyRule::delivery(&self.ruleset.instance)
    }

    const fn fallback(&self) -> PolicyRule {
        PolicyRule::fallback(&self.ruleset.instance)
    }
}

impl Kept for Tables {
    fn check(&mut self) {
        let table = self.ruleset.instance.table();
        if NFT
            .run(&["--check", "--file", "-"], &self.ruleset.probe())
            .is_err()
        {
            match self.fill(&self.rules) {
                Ok(()) => tracing::warn!(
                    table,
                    "another program has removed the table; it is filled again"
                ),
                Err(error) => {
                    tracing::warn!(table, %error, "the table is gone, and cannot be filled again");
                },
            }
        }
        if !self.has_routing() {
            match self.set_up_routing() {
                Ok(()) => tracing::warn!(
                    table,
                    "another program has removed routing rules or routes; they are set up again"
                ),
                Err(error) => {
                    tracing::warn!(table, %error, "routing rules or routes are gone, and cannot be set up again");
                },
            }
        }
    }

    fn remove(&mut self) {
        if let Err(error) = run(&self.ruleset.removal()) {
            let table = self.ruleset.instance.table();
            tracing::warn!(table, %error, "the table cannot be removed");
        }
        self.remove_routing();
    }
}

/// The numbers of rules after a change.
fn counted(
    networks: &BTreeMap<IpNetwork, usize>,
    gone: &BTreeSet<InterceptRule>,
    new: &BTreeSet<InterceptRule>,
) -> BTreeMap<IpNetwork, usize> {
    let mut networks = networks.clone();
    for rule in new {
        *networks.entry(rule.network).or_default() += 1;
    }
    for rule in gone {
        if let Some(count) = networks.get_mut(&rule.network) {
            *count -= 1;
        }
    }
    networks.retain(|_, count| *count > 0);
    networks
}

/// Loads a script, which is one transaction.
fn run(script: &str) -> Result<(), InterceptError> {
    if script.is_empty() {
        return Ok(());
    }
    NFT.run(&["--file", "-"], script).map(|_nothing| ())
}

/// What the kernel says of modules that it does not have.
const LACKS: [&str; 2] = ["No such file or directory", "not supported"];

/// The first script that is loaded names nothing that is not there, but for what the kernel has to have.
fn lack_of_kernel(error: InterceptError) -> InterceptError {
    match error {
        InterceptError::Program { reason, .. }
            if LACKS.iter().any(|lack| reason.contains(lack)) =>
        {
            InterceptError::Kernel(reason)
        },
        other => other,
    }
}
