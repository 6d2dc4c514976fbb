//! The routes of a controller in the process: every operation, its successes and its refusals.
#![expect(clippy::too_many_lines, reason = "tables of cases are long")]

mod access;
mod audit;
mod authenticators;
mod cas;
mod enrollment;
mod entities;
mod identities;
mod limits;
mod lists;
mod live;
mod maintenance;
mod mfa;
mod oidc;
mod posture;
mod routers;
mod sessions;
mod signers;
mod support;
mod wire;
