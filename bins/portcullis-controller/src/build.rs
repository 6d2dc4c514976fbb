//! Version information of this build, for clients.

use portcullis_http::BuildInfo;
use portcullis_program::build;

pub(crate) const BUILD: BuildInfo = BuildInfo {
    version: build::VERSION,
    build_date: build::BUILD_DATE,
    revision: build::REVISION,
    runtime: build::RUNTIME,
};
