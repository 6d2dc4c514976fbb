//! What the machine does on its own: disk, engine, hashing.

mod commits;
mod disk;
mod hashes;

pub(super) use commits::Commits;
pub(super) use disk::syncs;
pub(super) use hashes::hashes;
