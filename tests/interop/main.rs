//! The real controller and the real router, driven by clients that know nothing of them.
//!
//! Tests that need a program which the machine lacks say so and pass, unless
//! `PORTCULLIS_REQUIRE_TOOLS` is `1`. `PORTCULLIS_KILL_ROUNDS` sets the rounds of the kill loops,
//! `PORTCULLIS_TEST_WHEEL=1` fetches the Python package of the C SDK where no Python has it,
//! `PORTCULLIS_TEST_ZITI=FILE` enables the tests that use OpenZiti's own programs, and
//! `PORTCULLIS_TEST_GO_SDK=FILE` those that use `overlay/go_sdk.go`. `PORTCULLIS_TEST_PYTHON` names a
//! Python that has `PyJWT`, `websockets` and `prometheus_client`, where the one on the path has not. `PORTCULLIS_TEST_OPENID_CLIENT` names a
//! folder with the npm package `openid-client`. `PORTCULLIS_SCHEMATHESIS_SECONDS` enables the runs of
//! requests that are made up from the descriptions, and says how long each takes.

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
mod events;
mod fabric_network;
mod fabric_top;
mod foreign_pki;
mod generated_network;
mod golden;
mod hardening;
mod kill;
mod log_volume;
mod long_lists;
mod management_channel;
mod memory;
mod metrics;
mod mfa;
mod mfa_compatibility;
mod mfa_deviations;
mod mfa_kills;
mod mfa_secrets;
mod mfa_throttle;
mod mixed_network;
mod oidc_kills;
mod openapi;
mod openid;
mod operation;
mod otlp;
mod our_network;
mod overlay;
mod password_throttle;
mod py_jwt;
mod quickstart_router;
mod relying_party;
mod renewal;
mod rerouting;
mod restart;
mod revocation_kills;
mod router_health;
mod router_profiles;
mod routers;
mod schemathesis;
mod secrets;
mod stuck_log;
mod systemd;
mod third_party;
mod trust;
mod tunnel;
mod tunnel_program;
mod unread_answers;
mod web_socket;
mod ziti_cli;
mod ziti_fabric;
mod ziti_network;
mod ziti_questions;
mod ziti_router;
mod ziti_services;

use std::path::{Path, PathBuf};

/// A file beside this one.
fn own(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("interop")
        .join(name)
}
