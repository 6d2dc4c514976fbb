//! Posture checks, and what clients report about their machines.

mod checks;
mod reports;
