//! Version information of this build.

use portcullis_http::BuildInfo;

pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Version information for clients. The two variables may be set for a release build; by default they
/// are those of the commit, so that builds are reproducible. Without a commit they are unknown.
pub(crate) const BUILD: BuildInfo = BuildInfo {
    version: VERSION,
    build_date: match option_env!("PORTCULLIS_BUILD_DATE") {
        Some(date) => date,
        None => "unknown",
    },
    revision: match option_env!("PORTCULLIS_REVISION") {
        Some(revision) => revision,
        None => "unknown",
    },
    runtime: concat!("rust ", env!("CARGO_PKG_RUST_VERSION")),
};
