//! Who may do what.

mod following;
mod network;
