//! Control sessions with controllers that do as a test says, over sockets.

mod controller;
mod online;
mod renewal;
mod roster;
mod trouble;
mod world;
