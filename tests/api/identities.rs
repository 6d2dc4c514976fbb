//! Identities: what is refused about them, and what they are told of themselves.

mod own;
mod usernames;
mod validation;
