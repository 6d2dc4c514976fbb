//! Public behavior of the crate.

mod accepted;
#[cfg(test)]
mod effective;
#[cfg(test)]
mod events;
mod generated;
mod mistakes;
mod named;
mod reference;
#[cfg(test)]
mod rows;

/// A file that says everything it must, and nothing more.
const SMALLEST: &str = "\
v: 3
db: ctrl.db
identity: {cert: a.pem, key: a.key, ca: cas.pem}
ctrl:
  listener: tls:0.0.0.0:6262
edge:
  api:
    address: ctrl.example:1280
  enrollment:
    signingCert: {cert: s.pem, key: s.key}
    edgeIdentity: {}
    edgeRouter: {}
web:
  - name: all
    bindPoints:
      - {interface: '0.0.0.0:1280', address: 'ctrl.example:1280'}
    apis:
      - binding: edge-client
";

/// An environment without variables.
fn no_variables(_: &str) -> Option<String> {
    None
}
