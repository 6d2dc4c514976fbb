//! Public behavior of the crate.

mod properties;
mod real_files;
