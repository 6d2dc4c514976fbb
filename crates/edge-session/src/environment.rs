//! What controllers are told of the machine.

use portcullis_domain::client_info::EnvInfo;

/// Lengths that controllers accept, in characters.
const TEXT: usize = 255;
const NAME: usize = 253;

/// The machine that this program runs on.
pub(crate) fn env_info() -> EnvInfo {
    let system = rustix::system::uname();
    let text = |text: &std::ffi::CStr, limit| text.to_string_lossy().chars().take(limit).collect();
    EnvInfo {
        arch: text(system.machine(), TEXT),
        domain: String::new(),
        hostname: text(system.nodename(), NAME),
        os: text(system.sysname(), TEXT),
        os_release: text(system.release(), TEXT),
        os_version: text(system.version(), TEXT),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_has_a_system_and_a_name() {
        let info = env_info();
        assert!(!info.os.is_empty() && !info.os_release.is_empty() && !info.arch.is_empty());
    }
}
