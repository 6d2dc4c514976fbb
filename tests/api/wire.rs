//! Requests and answers of any operation: paths, bodies, headers, errors, descriptions.

mod answers;
mod bodies;
mod descriptions;
mod deviations;
pub(crate) mod opaque_errors;
mod operations;
mod order;
mod paths;
