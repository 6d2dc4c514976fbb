//! Facts about this build, for `version` and for clients that ask.

use portcullis_http::Build;

/// Version of the program.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What is told to clients. Who builds a release sets the two variables; they are not read from
/// the machine, so that the same source gives the same program.
pub(crate) const BUILD: Build = Build {
    version: VERSION,
    build_date: match option_env!("PORTCULLIS_BUILD_DATE") {
        Some(date) => date,
        None => "1970-01-01T00:00:00Z",
    },
    revision: match option_env!("PORTCULLIS_REVISION") {
        Some(revision) => revision,
        None => "development",
    },
    runtime: concat!("rust ", env!("CARGO_PKG_RUST_VERSION")),
};
