//! Public behaviour of the crate.

mod properties;
mod real_files;
