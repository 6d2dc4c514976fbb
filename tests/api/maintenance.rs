//! What operators do and see: copies, checks, health, rescue, old stores, failures.

mod database;
mod database_checks;
mod failures;
mod golden_store;
mod health;
mod rescue;
