//! The real controller, driven by clients that know nothing of it.
//!
//! Tests that need a program which the machine lacks say so and pass, unless
//! `PORTCULLIS_REQUIRE_TOOLS` is `1`. `PORTCULLIS_KILL_ROUNDS` sets the rounds of the kill loop, and
//! `PORTCULLIS_TEST_WHEEL=1` enables the tests that fetch the Python package of the C SDK, and
//! `PORTCULLIS_TEST_ZITI=FILE` those that use OpenZiti's own command-line client.

mod audit;
mod c_sdk;
mod certificates;
mod enrollment;
mod foreign_pki;
mod golden;
mod hardening;
mod kill;
mod long_lists;
mod renewal;
mod restart;
mod secrets;
mod trust;
mod tunnel;
mod ziti_cli;
