//! The routes of a controller in the process: every operation, its successes and its refusals.

mod bodies;
mod enrollment;
mod first_identity;
mod matrix;
mod order;
mod paths;
mod races;
mod sessions;
mod support;
mod validation;
