//! Checks of addresses on this machine: names that lead nowhere, and listeners that cannot be opened.
//!
//! All of them are warnings, for a file may be checked on another machine or by another user than the
//! controller's.

use portcullis_controller_config::{AddressReference, ExternalReferences};
use portcullis_yaml::syntax::HostPort;
use portcullis_yaml::{Diagnostic, Severity};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};
use tokio::net::TcpSocket;

/// A name has no address.
const UNRESOLVABLE_NAME: &str = "unresolvable-name";
/// Another program listens there.
const ADDRESS_IN_USE: &str = "address-in-use";
/// The address is none of this machine.
const FOREIGN_ADDRESS: &str = "foreign-address";
/// The user may not listen there.
const FORBIDDEN_PORT: &str = "forbidden-port";

/// How long all names together may take.
const RESOLVE_TIMEOUT: Duration = Duration::from_secs(3);

/// Checks all addresses. A controller that `may_be_running` on the file holds its ports.
pub(super) fn check(references: &ExternalReferences, may_be_running: bool) -> Vec<Diagnostic> {
    let points = || references.bind_points.iter();
    let interfaces: Vec<_> = points()
        .filter_map(|point| point.interface.as_ref())
        .chain(router_listener(references))
        .collect();
    let advertised = points().flat_map(|point| &point.advertised);
    let all: Vec<_> = interfaces
        .iter()
        .copied()
        .chain(advertised)
        .chain(&references.router_address)
        .collect();
    let resolved = resolve_all(all.iter().map(|it| &it.address));
    let mut found: Vec<_> = (all.iter())
        .filter(|it| resolved.get(&it.address) == Some(&None))
        .map(|it| unresolvable(it))
        .collect();
    if !may_be_running {
        let opened = interfaces.iter().filter_map(|interface| {
            let address = (*resolved.get(&interface.address)?)?;
            check_listener(interface, address)
        });
        found.extend(opened);
    }
    found
}

/// The port for routers, unless it is that of a bind point.
fn router_listener(references: &ExternalReferences) -> Option<&AddressReference> {
    let listener = references.router_listener.as_ref()?;
    let mut interfaces = (references.bind_points.iter()).filter_map(|it| it.interface.as_ref());
    let is_shared = interfaces.any(|interface| interface.address == listener.address);
    (!is_shared && !listener.address.host.is_empty()).then_some(listener)
}

/// Resolves all addresses at once. Those that take too long are left out: nothing is known of them.
fn resolve_all<'a>(
    addresses: impl Iterator<Item = &'a HostPort>,
) -> BTreeMap<HostPort, Option<SocketAddr>> {
    let mut resolved = BTreeMap::new();
    let (sender, answers) = mpsc::channel();
    for address in addresses {
        if let Ok(ip) = address.host.parse::<IpAddr>() {
            resolved.insert(address.clone(), Some(SocketAddr::new(ip, address.port)));
            continue;
        }
        let (sender, address) = (sender.clone(), address.clone());
        // The thread is abandoned if it takes too long.
        thread::spawn(move || {
            let found = (address.host.as_str(), address.port).to_socket_addrs();
            let first = found.ok().and_then(|mut all| all.next());
            // Nobody may be waiting any more.
            let _ = sender.send((address, first));
        });
    }
    drop(sender);
    let deadline = Instant::now() + RESOLVE_TIMEOUT;
    while let Ok(answer) = answers.recv_timeout(deadline.saturating_duration_since(Instant::now()))
    {
        resolved.insert(answer.0, answer.1);
    }
    resolved
}

fn unresolvable(at: &AddressReference) -> Diagnostic {
    let message = format!("this machine finds no address for `{}`", at.address.host);
    let help = "correct the name, or ignore this if those who use it can resolve it";
    warning(at, UNRESOLVABLE_NAME, message, help)
}

/// Binds the address without listening, so that no client notices.
fn check_listener(at: &AddressReference, address: SocketAddr) -> Option<Diagnostic> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4(),
        SocketAddr::V6(_) => TcpSocket::new_v6(),
    };
    let socket = socket.ok()?;
    socket.set_reuseaddr(true).ok()?;
    let error = socket.bind(address).err()?;
    let (code, message, help) = match error.kind() {
        ErrorKind::AddrInUse => (
            ADDRESS_IN_USE,
            format!("another program listens at `{}`", at.address),
            "end that program, or choose another port",
        ),
        ErrorKind::AddrNotAvailable => (
            FOREIGN_ADDRESS,
            format!("`{}` is no address of this machine", at.address.host),
            "write an address of this machine, or `0.0.0.0` for all of them",
        ),
        ErrorKind::PermissionDenied => (
            FORBIDDEN_PORT,
            format!("this user may not listen on port {}", at.address.port),
            "choose a port from 1024 on, or give the controller CAP_NET_BIND_SERVICE",
        ),
        _ => return None,
    };
    Some(warning(at, code, message, help))
}

fn warning(at: &AddressReference, code: &'static str, message: String, help: &str) -> Diagnostic {
    let mut found = Diagnostic::new(Severity::Warning, code, at.path.clone(), at.place, message);
    found.help(help);
    found
}
