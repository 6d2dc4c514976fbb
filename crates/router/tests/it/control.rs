//! Which controllers there are, and when things are told to them.

mod endpoints_file;
mod greeting;
mod known;
mod timing;
