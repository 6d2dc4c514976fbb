//! Giving up what the controller does not need: it serves on ports and files that its user owns.

use rustix::process::geteuid;
use rustix::thread::set_no_new_privs;
use std::io;

/// Keeps this process, and whatever it may be made to start, from gaining rights by set-user-id
/// programs or file capabilities (prctl(2), `PR_SET_NO_NEW_PRIVS`).
///
/// It holds for the calling thread and for those that it starts later: call it before there are others.
pub(crate) fn forbid_new() -> io::Result<()> {
    Ok(set_no_new_privs(true)?)
}

/// Warns when the controller serves with the rights of root.
pub(crate) fn warn_about_root() {
    if geteuid().is_root() {
        tracing::warn!(
            "the controller runs as root, which it never needs: whoever takes it over owns the \
             machine. Run it as a user of its own, as the systemd unit in docs/systemd does",
        );
    }
}
