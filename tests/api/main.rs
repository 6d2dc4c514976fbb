//! The routes of a controller in the process: every operation, its successes and its refusals.

mod answers;
mod bodies;
mod enrollment;
mod failures;
mod first_identity;
mod lists;
mod matrix;
mod order;
mod paths;
mod races;
mod sessions;
mod support;
mod validation;
