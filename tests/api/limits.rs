//! Limits of what one caller can store or send.

mod bounds;
mod quota;
mod tags;
