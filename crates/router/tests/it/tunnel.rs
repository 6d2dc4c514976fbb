//! The router's own tunneler.

mod services;
mod settings;
mod terminators;
