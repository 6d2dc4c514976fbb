//! The routes of a controller in the process: every operation, its successes and its refusals.

mod bodies;
mod first_identity;
mod matrix;
mod order;
mod paths;
mod sessions;
mod support;
mod validation;
