//! The endpoints file, in both directions.

use portcullis_router::control::EndpointsFile;
use portcullis_wire::control::address::{Controller, Endpoint};

fn endpoint(address: &str, groups: &[&str]) -> Endpoint {
    Endpoint {
        address: address.to_owned(),
        groups: groups.iter().map(|group| (*group).to_owned()).collect(),
    }
}

#[test]
fn file_that_openziti_has_written_is_read() {
    let text = b"controllers:
- endpoints:
  - address: tls:127.0.0.1:15200
    groups: []
  - address: tls:ctrl.example.test:6262
    groups: [a, b]
  id: instance-1
- id: \"\"
- 5
endpoints:
- tls:127.0.0.1:15200
- tls:ctrl.example.test:6262
";
    let file = EndpointsFile::parse(text).unwrap();
    assert_eq!(
        file.controllers,
        [Controller {
            id: "instance-1".to_owned(),
            endpoints: vec![
                endpoint("tls:127.0.0.1:15200", &[]),
                endpoint("tls:ctrl.example.test:6262", &["a", "b"]),
            ],
        }]
    );
    assert_eq!(
        file.endpoints,
        ["tls:127.0.0.1:15200", "tls:ctrl.example.test:6262"]
    );
}

#[test]
fn old_file_has_only_addresses_and_nonsense_is_refused() {
    let old = EndpointsFile::parse(b"endpoints: [tls:a.test:1, 7]\n").unwrap();
    assert_eq!(old.endpoints, ["tls:a.test:1"]);
    assert!(old.controllers.is_empty());
    let not_a_map = EndpointsFile::parse(b"[tls:a.test:1]").unwrap_err();
    assert_eq!(
        not_a_map.to_string(),
        "it is not a map with `endpoints` and `controllers`"
    );
    assert!(EndpointsFile::parse(b"endpoints: [").is_err());
}

#[test]
fn what_is_written_is_read_again_whatever_is_in_it() {
    let file = EndpointsFile::new(vec![
        Controller {
            id: "a: \"b\"\n- c".to_owned(),
            endpoints: vec![
                endpoint("tls:[::1]:1", &["x y", "#"]),
                endpoint("tls:a.test:2", &[]),
            ],
        },
        Controller {
            id: "017".to_owned(),
            endpoints: vec![endpoint("tls:b.test:3", &[])],
        },
    ]);
    assert_eq!(
        file.endpoints,
        ["tls:[::1]:1", "tls:a.test:2", "tls:b.test:3"]
    );
    assert_eq!(
        EndpointsFile::parse(file.to_text().as_bytes()).unwrap(),
        file
    );
}
