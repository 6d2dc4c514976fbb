//! File descriptors.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the limit of open descriptors to the hard limit and returns it; `None` for no limit.
///
/// The usual soft limit of 1024 exists for programs that use `select`, which ours do not.
pub fn raise_limit() -> Option<u64> {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::warn!(%error, "the limit of open descriptors cannot be raised");
    }
    self::limit()
}

/// The limit of open descriptors; `None` for no limit.
pub fn limit() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_is_raised_to_what_is_allowed() {
        let raised = raise_limit();
        assert_eq!(raised, getrlimit(Resource::Nofile).maximum);
    }
}
