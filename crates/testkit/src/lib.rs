//! What tests stand on: a clock that is set by hand, entropy from a seed, and a whole controller
//! in the process, with its routes but without a socket.
//!
//! Only `[dev-dependencies]` point here.

mod audited;
mod clock;
mod counted;
mod described;
mod entropy;
mod faulty_disk;
mod faulty_store;
mod harness;
mod network;
pub mod published;
mod reply;
mod version_one;

pub use audited::{AuditTrail, World};
pub use clock::ManualClock;
pub use entropy::{NoEntropy, SeededEntropy};
pub use faulty_disk::{DiskCall, FaultyDisk};
pub use faulty_store::{Fault, Faults};
pub use harness::{ADMIN, Harness, HarnessOptions, PASSWORD, Request, SavedStore};
pub use network::{SHARED_HOST, TestNetwork, client_key};
pub use reply::Reply;
pub use version_one::version_one;
