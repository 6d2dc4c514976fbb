//! Routers that link over sockets of this machine, with certificates of their own network.

mod controller;
mod faults;
mod life;
mod older;
mod openziti;
mod payloads;
mod refusals;
mod vectors;
mod world;
