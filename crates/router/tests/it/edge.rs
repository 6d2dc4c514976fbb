//! The edge: connections of SDKs.

mod admission;
mod behaviour;
mod both_ends;
mod connections;
mod defects;
mod ends;
mod fuzz;
mod hosting;
mod judge;
mod offers;
mod presence;
mod refusals;
mod services;
mod simulation;
mod traces;
mod vectors;
mod world;
