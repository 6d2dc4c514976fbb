//! SDKs over sockets, with a controller in memory.

mod both_ends;
mod circuits;
mod controller;
mod figures;
mod groups;
mod inspections;
mod logins;
mod network;
mod posture;
mod rights;
mod sdk;
mod web_sockets;
mod world;
