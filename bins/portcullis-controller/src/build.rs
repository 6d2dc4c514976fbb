//! Facts about this build, for `version` and for clients that ask.

use portcullis_http::Build;

/// Version of the program.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What is told to clients. Who builds a release may set the two variables; otherwise they are those
/// of the commit, so that the same source gives the same program. Source that is no commit says
/// nothing of its time.
pub(crate) const BUILD: Build = Build {
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
