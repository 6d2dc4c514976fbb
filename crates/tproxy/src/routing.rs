//! Routing rules and routes, as batches for `ip`.

use crate::error::InterceptError;
use crate::instance::Instance;
use crate::program::IP;
use crate::ruleset::Cidr;
use portcullis_domain::ip_network::IpNetwork;

/// A version of IP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    V4,
    V6,
}

/// A rule that sends packets to a table of this instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PolicyRule {
    table: u32,
    /// Rules are asked in the order of these numbers. The kernel's own are 0 (`local`), 32766 (`main`) and 32767
    /// (`default`); what VPNs set up lies between.
    priority: u32,
    selector: Selector,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Selector {
    All,
    Marked(u32),
    NotMarked(u32),
}

impl Family {
    pub(crate) const ALL: [Self; 2] = [Self::V4, Self::V6];

    pub(crate) fn of(network: &IpNetwork) -> Self {
        if network.first().is_ipv4() {
            Self::V4
        } else {
            Self::V6
        }
    }

    const fn flag(self) -> &'static str {
        match self {
            Self::V4 => "-4",
            Self::V6 => "-6",
        }
    }
}

impl PolicyRule {
    /// What is intercepted goes to this machine.
    pub(crate) const fn delivery(instance: &Instance) -> Self {
        Self {
            table: instance.delivery_table(),
            priority: 90,
            selector: Selector::Marked(instance.intercepted_mark()),
        }
    }

    /// A destination to which no route leads can be intercepted all the same: programs must not be refused before
    /// the packet is there. The tunneler itself has to see that there is no route.
    pub(crate) const fn fallback(instance: &Instance) -> Self {
        Self {
            table: instance.fallback_table(),
            priority: 40_000,
            selector: Selector::NotMarked(instance.own_mark()),
        }
    }

    /// Addresses that belong to this machine although no interface has them.
    pub(crate) const fn local(instance: &Instance) -> Self {
        Self {
            table: instance.local_table(),
            priority: 91,
            selector: Selector::All,
        }
    }

    /// Adds the rule to an empty table.
    pub(crate) fn add(&self, family: Family) -> Result<(), InterceptError> {
        let Self {
            table, priority, ..
        } = self;
        let selector = match self.selector {
            Selector::All => String::new(),
            Selector::Marked(mark) => format!("fwmark {mark}"),
            Selector::NotMarked(mark) => format!("not fwmark {mark}"),
        };
        let rule = format!("rule add pref {priority} {selector} lookup {table}\n");
        run(family, &rule)
    }

    pub(crate) fn is_present(&self, family: Family) -> bool {
        let table = self.table.to_string();
        let rules = IP.run(&[family.flag(), "rule", "show", "table", &table], "");
        rules.is_ok_and(|rules| !rules.trim().is_empty())
    }

    /// Removes the rule and the routes of its table, as far as they are there.
    pub(crate) fn remove(&self, family: Family) {
        let table = self.table.to_string();
        // Each fails if there is nothing to remove.
        let _ = IP.run(&[family.flag(), "rule", "del", "table", &table], "");
        let _ = IP.run(&[family.flag(), "route", "flush", "table", &table], "");
    }

    /// Has the table lead everything to this machine.
    pub(crate) fn deliver_all(&self, family: Family) -> Result<(), InterceptError> {
        let table = self.table;
        run(
            family,
            &format!("route replace local default dev lo table {table}\n"),
        )
    }

    /// Adds networks to the table, as [`Self::deliver_all`] does, or without their being addresses of this
    /// machine.
    pub(crate) fn add_networks<'n>(
        &self,
        networks: impl IntoIterator<Item = &'n IpNetwork>,
        kind: RouteKind,
    ) -> Result<(), InterceptError> {
        let kind = match kind {
            RouteKind::Local => "local",
            RouteKind::Unicast => "unicast",
        };
        self.for_networks(networks, &format!("route replace {kind}"))
    }

    pub(crate) fn remove_networks<'n>(
        &self,
        networks: impl IntoIterator<Item = &'n IpNetwork>,
    ) -> Result<(), InterceptError> {
        self.for_networks(networks, "route del")
    }

    fn for_networks<'n>(
        &self,
        networks: impl IntoIterator<Item = &'n IpNetwork>,
        verb: &str,
    ) -> Result<(), InterceptError> {
        let mut batches = [String::new(), String::new()];
        for network in networks {
            let [v4, v6] = &mut batches;
            let batch = match Family::of(network) {
                Family::V4 => v4,
                Family::V6 => v6,
            };
            let line = format!("{verb} {} dev lo table {}\n", Cidr(*network), self.table);
            batch.push_str(&line);
        }
        for (family, batch) in Family::ALL.into_iter().zip(batches) {
            run(family, &batch)?;
        }
        Ok(())
    }
}

/// What a route makes of addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RouteKind {
    /// Addresses of this machine.
    Local,
    /// Addresses of others.
    Unicast,
}

fn run(family: Family, batch: &str) -> Result<(), InterceptError> {
    if batch.is_empty() {
        return Ok(());
    }
    IP.run(&[family.flag(), "-batch", "-"], batch)
        .map(|_nothing| ())
}
