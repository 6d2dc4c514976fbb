//! TOTP as the second factor.

mod administration;
mod bad_input;
mod codes;
mod compatibility;
mod damage;
mod enrollment;
mod partial;
mod places;
mod races;
mod recovery;
mod sessions;
mod states;
mod throttle;
mod waiting;
