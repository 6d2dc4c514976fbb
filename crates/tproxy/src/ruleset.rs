//! The table of nftables, as scripts for `nft`.

mod sets;

use crate::instance::Instance;
use crate::redirect::Redirect;
use portcullis_domain::ip_network::IpNetwork;
use portcullis_tunnel_config::Protocol;
use portcullis_tunneler::InterceptRule;
use sets::{Ports, Set};
use std::collections::BTreeSet;
use std::fmt::{self, Write as _};
use std::net::{IpAddr, SocketAddr};

pub(crate) use sets::Cidr;

/// What the table is made of, besides the rules.
#[derive(Debug, Clone)]
pub(crate) struct Ruleset {
    pub(crate) instance: Instance,
    pub(crate) lan_interfaces: Vec<String>,
    pub(crate) exempt: Vec<IpNetwork>,
    /// Where intercepted connections and datagrams go; one port for each family and protocol.
    pub(crate) listeners: Vec<(Protocol, SocketAddr)>,
    pub(crate) redirects: Vec<Redirect>,
}

/// Priorities of chains as numbers, which all versions of `nft` understand at all hooks.
const MANGLE: i32 = -150;
const DESTINATION_NAT: i32 = -100;

/// Begins a connection.
const IS_SYN: &str = "tcp flags & (fin|syn|rst|ack) == syn";

/// Addresses of this machine, and those of many: nobody is locked out by a service for a wide network.
const IS_FOREIGN: &str = "fib daddr type != { local, broadcast, anycast, multicast }";

impl Ruleset {
    pub(crate) fn has_family_of(&self, address: IpAddr) -> bool {
        let mut listeners = self.listeners.iter();
        listeners.any(|(_, listener)| listener.is_ipv4() == address.is_ipv4())
    }

    /// Replaces the table, if there is one.
    pub(crate) fn replacement(&self, rules: &BTreeSet<InterceptRule>) -> String {
        let mut script = self.removal();
        let table = self.instance.table();
        push(&mut script, format_args!("add table inet {table}\n"));
        for set in self.sets() {
            let kind = set.kind();
            push(
                &mut script,
                format_args!("add set inet {table} {set} {{ type {kind}; flags interval; }}\n"),
            );
        }
        self.prerouting(&mut script);
        self.output(&mut script);
        for redirect in &self.redirects {
            script.push_str(&self.redirection(redirect));
        }
        self.push_elements(&mut script, "add", rules);
        script
    }

    /// Removes the table, if there is one.
    pub(crate) fn removal(&self) -> String {
        let table = self.instance.table();
        // A table can be deleted only if it is there, and be added also if it is.
        format!("add table inet {table}\ndelete table inet {table}\n")
    }

    /// Changes the rules alone.
    pub(crate) fn change(
        &self,
        removed: &BTreeSet<InterceptRule>,
        added: &BTreeSet<InterceptRule>,
    ) -> String {
        let mut script = String::new();
        self.push_elements(&mut script, "delete", removed);
        self.push_elements(&mut script, "add", added);
        script
    }

    /// Fails unless the table is there. It changes nothing.
    pub(crate) fn probe(&self) -> String {
        format!("add chain inet {} output\n", self.instance.table())
    }

    /// Leads a port to another one.
    pub(crate) fn redirection(&self, redirect: &Redirect) -> String {
        let table = self.instance.table();
        let own = self.instance.own_mark();
        let family = family(redirect.from.ip());
        let (address, port) = (redirect.from.ip(), redirect.from.port());
        let to = redirect.to;
        // Whoever may be intercepted may ask, and nobody else.
        let mut hooks = vec![("output", String::new())];
        if !self.lan_interfaces.is_empty() {
            hooks.push(("prerouting", format!("iifname {} ", self.interfaces())));
        }
        let mut script = String::new();
        for (hook, from) in hooks {
            push(
                &mut script,
                format_args!(
                    "add chain inet {table} nat_{hook} \
                     {{ type nat hook {hook} priority {DESTINATION_NAT}; policy accept; }}\n\
                     add rule inet {table} nat_{hook} {from}meta mark != {own} {family} daddr {address} \
                     meta l4proto {{ tcp, udp }} th dport {port} dnat {family} to {to}\n"
                ),
            );
        }
        script
    }

    /// Has a destination never be intercepted, whatever rules say.
    pub(crate) fn exemption(&self, network: IpNetwork) -> String {
        let table = self.instance.table();
        let rule = exempt(network);
        ["prerouting", "output"]
            .map(|hook| format!("insert rule inet {table} {hook} {rule}\n"))
            .concat()
    }

    /// What comes in, from other machines or from this one.
    fn prerouting(&self, script: &mut String) {
        let mark = self.instance.intercepted_mark();
        let [own, foreign] = self.own_marks();
        let mut rules = vec![
            format!("meta mark {{ {own}, {foreign} }} return"),
            // With ICMP, which says what is too large or not there.
            format!("{} meta mark set {mark} accept", answers_to(foreign)),
            "meta l4proto != { tcp, udp } return".to_owned(),
            // What this machine sends to itself, and has not been intercepted on its way out.
            format!("iifname \"lo\" meta mark != {mark} return"),
            // A neighbour that makes this machine its gateway is no user of it.
            format!("iifname != {} return", self.interfaces()),
            format!("{} return", is_answer(own)),
        ];
        self.push_exempt(&mut rules);
        for (protocol, listener) in &self.listeners {
            let (family, version) = (family(listener.ip()), version(listener.ip()));
            let hand_over = format!("tproxy {family} to {listener} meta mark set {mark} accept");
            let remember = remember(*protocol, mark);
            for set in Set::all_of(*protocol, listener.ip()) {
                let is_listed = set.is_listed();
                let begins = begins(*protocol);
                rules.push(format!(
                    "{begins} {is_listed} {IS_FOREIGN} {remember}{hand_over}"
                ));
            }
            if *protocol == Protocol::Tcp {
                rules.push(format!("meta nfproto {version} {IS_SYN} return"));
                rules.push(format!(
                    "meta nfproto {version} {} {hand_over}",
                    is_remembered(mark)
                ));
            }
        }
        self.push_chain(script, "prerouting", "filter", &rules);
    }

    /// What this machine sends: gets the mark by which it is routed back to this machine.
    fn output(&self, script: &mut String) {
        let mark = self.instance.intercepted_mark();
        let [own, foreign] = self.own_marks();
        let mut rules = vec![
            format!(
                "meta mark {own} meta l4proto udp ct direction original ct mark set {own} return"
            ),
            format!("meta mark {own} return"),
            format!("meta mark {foreign} ct mark set {foreign} return"),
            // The server may be on this machine.
            format!("{} meta mark set {mark} accept", answers_to(foreign)),
            "meta l4proto != { tcp, udp } return".to_owned(),
            format!("{} return", is_answer(own)),
        ];
        self.push_exempt(&mut rules);
        for (protocol, listener) in &self.listeners {
            let version = version(listener.ip());
            let remember = remember(*protocol, mark);
            for set in Set::all_of(*protocol, listener.ip()) {
                let is_listed = set.is_listed();
                let begins = begins(*protocol);
                rules.push(format!(
                    "{begins} {is_listed} {IS_FOREIGN} {remember}meta mark set {mark} accept"
                ));
            }
            if *protocol == Protocol::Tcp {
                rules.push(format!("meta nfproto {version} {IS_SYN} return"));
                rules.push(format!(
                    "meta nfproto {version} {} meta mark set {mark} accept",
                    is_remembered(mark)
                ));
            }
        }
        self.push_chain(script, "output", "route", &rules);
    }

    fn push_exempt(&self, rules: &mut Vec<String>) {
        rules.extend(self.exempt.iter().map(|network| exempt(*network)));
    }

    /// Marks of what is never intercepted.
    const fn own_marks(&self) -> [u32; 2] {
        [
            self.instance.own_mark(),
            self.instance.foreign_source_mark(),
        ]
    }

    /// Where packets may come from to be intercepted.
    fn interfaces(&self) -> String {
        let mut interfaces = String::from("{ \"lo\"");
        for interface in &self.lan_interfaces {
            push(&mut interfaces, format_args!(", \"{interface}\""));
        }
        interfaces + " }"
    }

    fn push_chain(&self, script: &mut String, hook: &str, kind: &str, rules: &[String]) {
        let table = self.instance.table();
        push(
            script,
            format_args!(
                "add chain inet {table} {hook} \
                 {{ type {kind} hook {hook} priority {MANGLE}; policy accept; }}\n"
            ),
        );
        for rule in rules {
            push(
                script,
                format_args!("add rule inet {table} {hook} {rule}\n"),
            );
        }
    }

    fn push_elements(&self, script: &mut String, verb: &str, rules: &BTreeSet<InterceptRule>) {
        let table = self.instance.table();
        for set in self.sets() {
            let of_set = |rule: &&InterceptRule| set == Set::of_rule(rule);
            let mut elements = rules.iter().filter(of_set).peekable();
            if elements.peek().is_none() {
                continue;
            }
            push(
                script,
                format_args!("{verb} element inet {table} {set} {{ "),
            );
            for rule in elements {
                if let Some(source) = rule.source {
                    push(script, format_args!("{} . ", Cidr(source)));
                }
                let (network, ports) = (Cidr(rule.network), Ports(rule.ports));
                push(script, format_args!("{network} . {ports}, "));
            }
            script.push_str("}\n");
        }
    }

    fn sets(&self) -> impl Iterator<Item = Set> {
        let listeners = self.listeners.iter();
        listeners.flat_map(|(protocol, listener)| Set::all_of(*protocol, listener.ip()))
    }
}

fn exempt(network: IpNetwork) -> String {
    let family = family(network.first());
    format!("{family} daddr {} return", Cidr(network))
}

/// Answers of servers to connections with this mark, and nothing else that goes to the same address.
fn answers_to(mark: u32) -> String {
    format!("ct mark {mark} ct direction reply")
}

/// Datagrams that servers of this machine, or beside it, send to clients in a network that is intercepted. What a
/// client sends is no answer, although the tunneler may have sent the first one that connection tracking knows of.
fn is_answer(own: u32) -> String {
    format!("meta l4proto udp ct direction reply ct mark != {own}")
}

/// Packets that a rule is asked for: the first one of a connection, all that have none.
fn begins(protocol: Protocol) -> String {
    match protocol {
        Protocol::Tcp => format!("meta l4proto tcp {IS_SYN}"),
        Protocol::Udp => "meta l4proto udp".to_owned(),
    }
}

/// Has all of a connection follow its first packet, whatever rules say then.
fn remember(protocol: Protocol, mark: u32) -> String {
    match protocol {
        Protocol::Tcp => format!("ct mark set {mark} "),
        Protocol::Udp => String::new(),
    }
}

fn is_remembered(mark: u32) -> String {
    format!("meta l4proto tcp ct mark {mark} ct direction original")
}

const fn family(address: IpAddr) -> &'static str {
    if address.is_ipv4() { "ip" } else { "ip6" }
}

const fn version(address: IpAddr) -> &'static str {
    if address.is_ipv4() { "ipv4" } else { "ipv6" }
}

fn push(script: &mut String, text: fmt::Arguments<'_>) {
    // Strings take everything.
    let _ = script.write_fmt(text);
}

#[cfg(test)]
mod tests;
