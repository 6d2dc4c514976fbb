//! The real command line against the real controller.
