//! Version information of this build.

/// Version of the release.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Abbreviated commit. This variable and the next may be set for a release build; by default they are those
/// of the commit, so that builds are reproducible. Without a commit they are unknown.
pub const REVISION: &str = match option_env!("PORTCULLIS_REVISION") {
    Some(revision) => revision,
    None => "unknown",
};

/// Time of the commit.
pub const BUILD_DATE: &str = match option_env!("PORTCULLIS_BUILD_DATE") {
    Some(date) => date,
    None => "unknown",
};

/// The compiler.
pub const RUNTIME: &str = concat!("rust ", env!("CARGO_PKG_RUST_VERSION"));
