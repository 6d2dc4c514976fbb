//! The routes of a controller in the process: every operation, its successes and its refusals.

mod first_identity;
mod support;
mod validation;
