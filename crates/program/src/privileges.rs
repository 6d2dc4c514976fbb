//! Restriction of privileges that the programs do not need.

use rustix::process::geteuid;
use rustix::thread::set_no_new_privs;
use std::io;

/// Prevents this process and its children from gaining privileges by set-user-id programs or file
/// capabilities (prctl(2), `PR_SET_NO_NEW_PRIVS`).
///
/// It applies to the calling thread and the threads that it starts later, so it must be called before
/// other threads exist.
pub fn forbid_new() -> io::Result<()> {
    Ok(set_no_new_privs(true)?)
}

/// Warns if the program, such as `controller`, runs as root.
pub fn warn_about_root(program: &str) {
    if geteuid().is_root() {
        tracing::warn!(
            "the {program} runs as root, which it never needs: whoever takes it over owns the \
             machine. Run it as a user of its own, as the systemd unit in docs/systemd does",
        );
    }
}
