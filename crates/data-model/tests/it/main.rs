//! The model as routers see it.

#![cfg(test)]

mod order;
mod receiver;
mod session_sync;
mod simulation;
mod support;
