//! The real controller, driven by clients that know nothing of it.
//!
//! Tests that need a program which the machine lacks say so and pass, unless
//! `PORTCULLIS_REQUIRE_TOOLS` is `1`. `PORTCULLIS_KILL_ROUNDS` sets the rounds of the kill loops,
//! `PORTCULLIS_TEST_WHEEL=1` enables the tests that fetch the Python package of the C SDK, and
//! `PORTCULLIS_TEST_ZITI=FILE` those that use OpenZiti's own command-line client. `PORTCULLIS_TEST_PYTHON`
//! names a Python that has `PyJWT`, where the one on the path has not. `PORTCULLIS_TEST_OPENID_CLIENT` names a folder
//! with the npm package `openid-client`. `PORTCULLIS_SCHEMATHESIS_SECONDS` enables
//! the runs of requests that are made up from the descriptions, and says how long each takes.

mod audit;
mod audit_chain;
mod browser;
mod c_sdk;
mod certificates;
mod cli_login;
mod console;
mod control_channel;
mod copies;
mod enrollment;
mod foreign_pki;
mod generated_network;
mod golden;
mod hardening;
mod kill;
mod log_volume;
mod long_lists;
mod memory;
mod mfa;
mod mfa_compatibility;
mod mfa_deviations;
mod mfa_kills;
mod mfa_secrets;
mod mfa_throttle;
mod oidc_kills;
mod openapi;
mod openid;
mod password_throttle;
mod py_jwt;
mod relying_party;
mod renewal;
mod restart;
mod revocation_kills;
mod routers;
mod schemathesis;
mod secrets;
mod stuck_log;
mod systemd;
mod third_party;
mod trust;
mod tunnel;
mod unread_answers;
mod ziti_cli;
mod ziti_fabric;
mod ziti_network;
mod ziti_router;
mod ziti_services;

use std::path::{Path, PathBuf};
use std::process::Command;
use support::{command, run};

/// A file beside this one.
fn own(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("interop")
        .join(name)
}

/// A Python that has these modules: the one that `PORTCULLIS_TEST_PYTHON` names, or the first on the path.
fn python_with(modules: &str) -> Option<String> {
    let named = std::env::var("PORTCULLIS_TEST_PYTHON").ok();
    let candidates = named.into_iter().chain(["python3".to_owned()]);
    candidates
        .filter(|program| {
            command::find_in_path(program).is_some() || std::fs::exists(program).unwrap_or(false)
        })
        .find(|program| {
            let mut probe = Command::new(program);
            run(probe.args(["-c", &format!("import {modules}")]))
                .status
                .success()
        })
}
