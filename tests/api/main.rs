//! The routes of a controller in the process: every operation, its successes and its refusals.

mod bodies;
mod first_identity;
mod order;
mod support;
mod validation;
