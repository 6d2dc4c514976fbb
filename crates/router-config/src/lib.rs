//! The router's configuration file.

pub mod table;
