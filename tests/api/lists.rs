//! Lists: pages, orders, filters, and what they show.

mod faults;
mod filters;
mod following;
mod kinds;
mod pages;
mod random;
mod related;
mod role_filters;
mod service_sessions;
mod shapes;
mod under_change;
