//! Types of configurations through their public interface.
#![expect(clippy::too_many_lines, reason = "tables of cases are long")]

// `cfg(test)` marks the helpers as test code for the lints.
#[cfg(test)]
mod built_in;
#[cfg(test)]
mod generated;
#[cfg(test)]
mod golden;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod refusals;
#[cfg(test)]
mod support;
