//! The real controller, driven by clients that know nothing of it.
