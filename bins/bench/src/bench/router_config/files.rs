//! Files without mistakes.

use std::fmt::Write as _;

const BEGINNING: &str = "\
v: 3
identity:
  cert: r.cert
  server_cert: r.chain.cert
  key: r.key
  ca: r.cas
ctrl:
  endpoint: tls:ctrl.example.test:6262
link:
  dialers:
    - binding: transport
edge:
  csr:
    sans:
      dns: [r.example.test]
dialers:
  - binding: transport
listeners:
";

/// Lines of one listener.
const LISTENER: usize = 8;

/// A file with one listener.
pub(super) fn small(number: usize) -> String {
    let mut file = BEGINNING.to_owned();
    listener(&mut file, 1_024 + number);
    file
}

/// A file with at least so many lines.
pub(super) fn with_lines(lines: usize) -> String {
    let mut file = BEGINNING.to_owned();
    let missing = lines.saturating_sub(BEGINNING.lines().count());
    for number in 0..missing.div_ceil(LISTENER) {
        listener(&mut file, 1_024 + number);
    }
    file
}

fn listener(file: &mut String, port: usize) {
    // Writing into a string cannot fail.
    let _ = write!(
        file,
        "  - binding: edge
    address: tls:0.0.0.0:{port}
    options:
      advertise: r.example.test:{port}
      connectTimeout: 5s
      getSessionTimeout: 1m
      lookupApiSessionTimeout: 5s
      mtu: 1400
"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_as_long_as_asked() {
        for lines in [100, 5_000] {
            let count = with_lines(lines).lines().count();
            assert!((lines..lines + LISTENER).contains(&count), "{count}");
        }
        assert_eq!(
            small(1).lines().count(),
            BEGINNING.lines().count() + LISTENER
        );
    }
}
