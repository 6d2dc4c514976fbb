//! The SDK, as programs use it that depend on nothing else.

#[cfg(test)]
mod public_api;
