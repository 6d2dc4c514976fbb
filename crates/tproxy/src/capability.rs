//! The capability that interception takes.

use rustix::io;
use rustix::thread::{
    CapabilitySet, capabilities, configure_capability_in_ambient_set, set_capabilities,
};

/// Whether this thread has `CAP_NET_ADMIN`.
pub(crate) fn is_present() -> bool {
    capabilities(None).is_ok_and(|sets| sets.effective.contains(CapabilitySet::NET_ADMIN))
}

/// Lets programs that this thread starts have `CAP_NET_ADMIN`, too. Without it they have none, unless the user is
/// root, or whoever started this process has seen to it.
pub(crate) fn pass_on() -> io::Result<()> {
    let mut sets = capabilities(None)?;
    sets.inheritable |= CapabilitySet::NET_ADMIN;
    set_capabilities(None, sets)?;
    configure_capability_in_ambient_set(CapabilitySet::NET_ADMIN, true)
}
