//! Messages to the service manager that started the process, such as systemd.

use std::env;
use std::ffi::OsStr;
use std::io;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// Variable with the address of the service manager, if it wants to be told.
const ADDRESS: &str = "NOTIFY_SOCKET";

/// The message that clients are served.
const READY: &[u8] = b"READY=1";

/// Tells the service manager that clients are served, if there is one that wants to know.
pub fn notify_ready() {
    let Some(address) = env::var_os(ADDRESS).filter(|address| !address.is_empty()) else {
        return;
    };
    if let Err(error) = send(READY, &address) {
        tracing::warn!(%error, "the service manager that {ADDRESS} names cannot be told of the start");
    }
}

/// Sends a message to the socket with this path, or with an abstract name after `@`.
fn send(message: &[u8], address: &OsStr) -> io::Result<()> {
    let address = match address.as_bytes().strip_prefix(b"@") {
        Some(name) => SocketAddr::from_abstract_name(name)?,
        None => SocketAddr::from_pathname(address)?,
    };
    UnixDatagram::unbound()?
        .send_to_addr(message, &address)
        .map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_abstract_names_are_reached() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let name = format!("portcullis-test-{}", std::process::id());
        let named = SocketAddr::from_abstract_name(&name).unwrap();
        for (socket, address) in [
            (UnixDatagram::bind(&path), path.clone().into_os_string()),
            (UnixDatagram::bind_addr(&named), format!("@{name}").into()),
        ] {
            let socket = socket.unwrap();
            send(READY, &address).unwrap();
            let mut message = [0; 32];
            let length = socket.recv(&mut message).unwrap();
            assert_eq!(&message[..length], READY);
        }
        assert!(send(READY, folder.path().join("missing").as_os_str()).is_err());
    }
}
