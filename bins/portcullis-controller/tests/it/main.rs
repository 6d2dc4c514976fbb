//! The program as its users meet it, and the library as tests of others do.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests may fail loudly"
)]

mod admin;
mod audit;
mod backup;
mod certificates;
mod config_check;
mod config_generate;
mod config_keys;
mod core_dumps;
mod damage;
mod doctor;
mod failures;
mod fingerprint;
mod help;
mod in_process;
mod init;
mod loss;
mod metrics;
mod moving;
mod ownership;
mod privileges;
mod quickstart;
mod randomness;
mod service;
mod support;
