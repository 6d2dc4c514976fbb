//! A transparent proxy of Linux: the kernel hands it connections and datagrams of programs that know nothing of it.
//!
//! A tunneler says by [rules](portcullis_tunneler::InterceptRule) which destinations are a matter of the network;
//! [`Interceptor`] keeps the kernel at them, and [`Intercepted`] is where what they stand for comes in. What else a
//! tunneler needs of the kernel is here, too: [`NameSockets`] for its name server and [`LocalNetworks`] for its
//! address, and [`connect_from`] to reach servers from the addresses of clients.
//!
//! ```text
//!   a program of this machine                          another machine
//!             |                                               |
//!      chain `output`: is the destination in a set?           |
//!             | yes: mark it                 no: it goes      |
//!             v                                  its way      |
//!      rule 90: marked -> table -> lo                         |
//!             |                                               v
//!             '------------------> chain `prerouting`: is the destination in a set?
//!                                     | yes: TPROXY, mark it                 no: it goes its way
//!                                     v
//!                                  rule 90: marked -> table -> this machine
//!                                     |
//!                                     v
//!                   sockets of this process at 127.0.0.1 and ::1 (IP_TRANSPARENT)
//!                     TCP: the local address of the connection is its destination
//!                     UDP: IP_RECVORIGDSTADDR has it; answers come from a socket that is bound to it
//! ```
//!
//! # What is set up
//!
//! Everything bears the name or a number of its [`Instance`], and nothing else is touched.
//!
//! | Where | What | For |
//! |---|---|---|
//! | nftables | the table `inet portcullis_<instance>`, with a set for each protocol, kind of IP, and for rules with and without sources | what is intercepted |
//! | rules 90 | marked packets, to a table that leads to `lo` | delivery to this machine |
//! | rules 40000 | packets that no other rule has found a route for, to a table with the networks of the rules | programs are refused at once where there is no route, before nftables sees anything |
//! | rules 91 | packets of this machine and of admitted interfaces, to a table with [`LocalNetworks`] | addresses that no interface has |
//!
//! # Guarantees
//!
//! - Others are intercepted only if they come in at an [interface that is named](InterceptorOptions::lan_interfaces):
//!   no neighbour reaches services by making this machine its gateway.
//! - A change is one transaction: it counts as a whole or not at all. It costs as much as it is large, not as much
//!   as there are rules: a few hundredths of a second with 20 000 of them, which are loaded in about a second.
//! - TCP connections that are open stay as they are, direct or intercepted: a connection is judged by its first
//!   packet, and the kernel remembers it (`ct mark`).
//! - Addresses of the machine itself, broadcasts and multicasts are never intercepted, so that a service for a wide
//!   network locks nobody out.
//! - What servers of this machine, or beside it, answer to clients is not intercepted, whatever address these have.
//! - What the tunneler itself sends is not intercepted if its sockets are [exempt].
//! - Answers of servers to [foreign source addresses](connect_from) are found by the connection that they belong to
//!   (`ct mark`). Other traffic of these addresses goes its way, so that no client can take an address away.
//! - All of it is removed at the end. What a killed process has left is removed when the instance starts again, and
//!   until then it refuses connections to what was intercepted.
//! - What another program removes, as `nft flush ruleset` does, is set up again, after ten seconds at most.
//! - Memory is bounded: queues are the kernel's, which drops what nobody takes; connections wait there, too, until
//!   somebody [accepts](InterceptedConnections::accept) them, and SYN cookies stand in for what it has no room for.
//!
//! # What it takes
//!
//! - `CAP_NET_ADMIN`, however the process has it: as root, by systemd (`AmbientCapabilities`) or as a capability of
//!   the program's file. The programs below inherit it from the thread that runs them, and from no other one.
//! - The programs `nft` and `ip` (ADR 0029 says why) in `/usr/sbin`, `/usr/bin`, `/sbin` or `/bin`: they get rights
//!   that whoever starts this process need not have, so that they are not looked for where `PATH` says.
//! - A kernel with `nf_tables` and its modules tproxy, fib, ct, and nat if a port below 1024 is
//!   [redirected](Redirect). It has to be Linux 5.6 or later, for ranges in sets of several columns.
//! - Firewalls have to let in what is intercepted, although its destination is not this machine: by
//!   [the mark](Instance::intercepted_mark).
//!
//! Without IPv6, IPv4 alone is intercepted.
//!
//! # Limits
//!
//! - Datagrams of IPv6 that this machine itself sends are intercepted up to 65 488 bytes, which is what the loopback
//!   interface carries in one packet. All others may be as long as can be.
//! - Connections that a firewall keeps from connection tracking (`notrack`) are lost once they are intercepted.
//! - UDP cannot be answered from a port that another program has at all addresses of this machine.
//! - Resolvers of the machine are not told of the name server: `/etc/resolv.conf`, or `resolvectl dns` and
//!   `resolvectl domain` where systemd-resolved is in charge, are for its administrator, who knows which other
//!   resolvers there are.
//!
//! # Order of the modules
//!
//! Imports go one way, from later modules to earlier ones: `instance`, `options`, `redirect`, `resolver`,
//! `error`; `capability`, `program`, `keeper`; `ruleset`, `routing`, `local_networks`; `transparent`, `turns`,
//! `connections`, `replies`, `datagrams`; `interceptor`; `name_service`.

#![cfg(target_os = "linux")]

mod capability;
mod connections;
mod datagrams;
mod error;
mod instance;
mod interceptor;
mod keeper;
mod local_networks;
mod name_service;
mod options;
mod program;
mod redirect;
mod replies;
mod resolver;
mod routing;
mod ruleset;
mod transparent;
mod turns;

pub use connections::{InterceptedConnection, InterceptedConnections};
pub use datagrams::{InterceptedDatagram, InterceptedDatagrams};
pub use error::InterceptError;
pub use instance::{Instance, InstanceError};
pub use interceptor::{Intercepted, Interceptor};
pub use local_networks::LocalNetworks;
pub use name_service::{Input, NameSockets};
pub use options::InterceptorOptions;
pub use redirect::Redirect;
pub use resolver::{Resolver, ResolverError};
pub use transparent::{bind_datagrams, connect_from, exempt, is_address_of_this_machine};
