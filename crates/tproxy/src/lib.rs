//! A transparent proxy of Linux.
