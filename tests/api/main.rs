//! The routes of a controller in the process: every operation, its successes and its refusals.
#![expect(clippy::too_many_lines, reason = "tables of cases are long")]

mod answers;
mod auth_policies;
mod authority;
mod bodies;
mod bounds;
mod deviations;
mod enrollment;
mod escalation;
mod failures;
mod filters;
mod first_identity;
mod following;
mod hold;
mod list_faults;
mod list_shapes;
mod lists;
mod lists_support;
mod lists_under_change;
mod lives;
mod lockout;
mod logins;
mod matrix;
mod naive;
mod order;
mod paths;
mod races;
mod random_lists;
mod rank;
mod redemption;
mod role_attributes;
mod role_filters;
mod sessions;
mod support;
mod validation;
