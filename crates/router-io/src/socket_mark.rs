//! What keeps this router's own connections from its own interception.

use std::io;
use std::os::fd::AsFd;

/// How the sockets are marked that this router itself connects to others. If its tunneler intercepts traffic, it
/// leaves them alone: they would come back to the router otherwise, where a service stands for their destination.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SocketMark(Option<u32>);

impl SocketMark {
    #[cfg(target_os = "linux")]
    pub(crate) const fn new(mark: u32) -> Self {
        Self(Some(mark))
    }

    /// Marks a socket, which takes `CAP_NET_ADMIN` where traffic is intercepted.
    pub(crate) fn put_on(self, socket: &impl AsFd) -> io::Result<()> {
        match self.0 {
            Some(mark) => exempt(socket, mark),
            None => Ok(()),
        }
    }
}

#[cfg(target_os = "linux")]
fn exempt(socket: &impl AsFd, mark: u32) -> io::Result<()> {
    portcullis_tproxy::exempt(socket, mark)
}

/// Without interception there are no marks.
#[cfg(not(target_os = "linux"))]
fn exempt(_socket: &impl AsFd, _mark: u32) -> io::Result<()> {
    Ok(())
}
