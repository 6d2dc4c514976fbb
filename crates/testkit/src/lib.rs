//! Test support: a manual clock, seeded entropy, and a whole in-process controller with its routes
//! but without a socket.
//!
//! Only `[dev-dependencies]` use this crate.

mod audit_check;
mod clock;
mod counting_engine;
mod entropy;
mod faulty_disk;
mod faulty_store;
mod harness;
mod live_network;
mod memory_store;
mod network;
mod openapi_check;
mod prompt_engine;
pub mod published;
mod reply;
mod served_controller;
pub mod tls_client;
mod totp_code;
mod version_one;

pub use audit_check::{AuditTrail, EntitySnapshot};
pub use clock::ManualClock;
pub use entropy::{NoEntropy, SeededEntropy};
pub use faulty_disk::{DiskCall, FaultyDisk};
pub use faulty_store::{FaultInjector, StoreFault};
pub use harness::{
    ADMIN, Harness, HarnessOptions, OnThisComputer, PASSWORD, Remains, Request, SavedStore,
};
pub use live_network::{FakeNetwork, Removal};
pub use memory_store::memory_store;
pub use network::{SHARED_HOST, TestNetwork, client_key_and_csr};
pub use reply::Reply;
pub use served_controller::ServedController;
pub use totp_code::totp_code;
pub use version_one::version_one;
