//! Tests of the crate as others use it.

mod openziti;
mod recorded;
mod specification;
