//! A router whose tunneler has sockets of the loopback, and a controller in memory.

mod circuits;
mod controller;
mod terminators;
mod world;
