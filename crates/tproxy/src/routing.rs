//! Routing rules and routes, as batches for `ip`.

use crate::error::InterceptError;
use crate::instance::Instance;
use crate::program::IP;
use crate::ruleset::Cidr;
use portcullis_domain::ip_network::IpNetwork;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};

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
    /// What this machine sends.
    Sent,
    Marked(u32),
    NotMarked {
        mark: u32,
        mask: u32,
    },
}

impl Family {
    pub(crate) const ALL: [Self; 2] = [Self::V4, Self::V6];

    /// What this machine can use on its loopback interface. The log has a warning if it is IPv4 alone.
    pub(crate) fn available() -> Vec<Self> {
        if let Err(error) = UdpSocket::bind((Ipv6Addr::LOCALHOST, 0)) {
            tracing::warn!(%error, "this machine has no IPv6, which is left out");
            return vec![Self::V4];
        }
        Self::ALL.to_vec()
    }

    pub(crate) fn of(network: &IpNetwork) -> Self {
        if network.first().is_ipv4() {
            Self::V4
        } else {
            Self::V6
        }
    }

    /// What this machine sends from along the routes here, unless a socket has another address: the kernel finds
    /// none by itself if no other interface has any.
    pub(crate) const fn loopback(self) -> IpAddr {
        match self {
            Self::V4 => IpAddr::V4(Ipv4Addr::LOCALHOST),
            Self::V6 => IpAddr::V6(Ipv6Addr::LOCALHOST),
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
            selector: Selector::NotMarked {
                mark: instance.own_mark(),
                // That of sockets with foreign addresses as well.
                mask: !1,
            },
        }
    }

    /// Addresses that belong to this machine although no interface has them. Only this machine reaches them.
    pub(crate) const fn local(instance: &Instance) -> Self {
        Self {
            table: instance.local_table(),
            priority: 91,
            selector: Selector::Sent,
        }
    }

    /// Adds the rule to an empty table.
    pub(crate) fn add(&self, family: Family) -> Result<(), InterceptError> {
        let Self {
            table, priority, ..
        } = self;
        let selector = match self.selector {
            Selector::Sent => "iif lo".to_owned(),
            Selector::Marked(mark) => format!("fwmark {mark}"),
            Selector::NotMarked { mark, mask } => format!("not fwmark {mark}/{mask}"),
        };
        let rule = format!("rule add pref {priority} {selector} lookup {table}\n");
        run(family, &rule)
    }

    /// Has what comes in at an interface reach the table as well.
    pub(crate) fn add_interface(&self, family: Family, name: &str) -> Result<(), InterceptError> {
        let Self {
            table, priority, ..
        } = self;
        let rule = format!("rule add pref {priority} iif {name} lookup {table}\n");
        run(family, &rule)
    }

    /// Whether as many rules and routes are there as there have to be.
    pub(crate) fn is_present(&self, family: Family, rules: usize, routes: usize) -> bool {
        self.count(family, "rule") >= rules && self.count(family, "route") >= routes
    }

    fn count(&self, family: Family, what: &str) -> usize {
        let table = self.table.to_string();
        // It fails for a table without any routes.
        let lines = IP.run(&[family.flag(), what, "show", "table", &table], "");
        let lines = lines.unwrap_or_default();
        lines.lines().filter(|line| !line.trim().is_empty()).count()
    }

    /// Removes the rule and the routes of its table, as far as they are there.
    pub(crate) fn remove(&self, family: Family) {
        let table = self.table.to_string();
        // Each fails if there is nothing to remove.
        while IP
            .run(&[family.flag(), "rule", "del", "table", &table], "")
            .is_ok()
        {}
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

    /// Adds networks to the table.
    pub(crate) fn add_networks<'n>(
        &self,
        networks: impl IntoIterator<Item = &'n IpNetwork>,
        kind: RouteKind,
    ) -> Result<(), InterceptError> {
        let verb = match kind {
            RouteKind::Local => "route replace local",
            RouteKind::Unicast => "route replace unicast",
        };
        for (family, batch) in self.batches(networks, verb) {
            run(family, &batch)?;
        }
        Ok(())
    }

    /// Removes networks from the table. Others are removed although one of them is not there.
    pub(crate) fn remove_networks<'n>(
        &self,
        networks: impl IntoIterator<Item = &'n IpNetwork>,
    ) -> Result<(), InterceptError> {
        for (family, batch) in self.batches(networks, "route del") {
            IP.run(&[family.flag(), "-force", "-batch", "-"], &batch)?;
        }
        Ok(())
    }

    /// A line for each network, by families that have any.
    fn batches<'n>(
        &self,
        networks: impl IntoIterator<Item = &'n IpNetwork>,
        verb: &str,
    ) -> impl Iterator<Item = (Family, String)> {
        let mut batches = [String::new(), String::new()];
        for network in networks {
            let [v4, v6] = &mut batches;
            let family = Family::of(network);
            let batch = match family {
                Family::V4 => v4,
                Family::V6 => v6,
            };
            let (network, source, table) = (Cidr(*network), family.loopback(), self.table);
            let line = format!("{verb} {network} dev lo src {source} table {table}\n");
            batch.push_str(&line);
        }
        let batches = Family::ALL.into_iter().zip(batches);
        batches.filter(|(_, batch)| !batch.is_empty())
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
    let arguments = [family.flag(), "-batch", "-"];
    IP.run(&arguments, batch).map(|_nothing| ())
}
