use super::*;
use crate::tests::intercept;

type Names = InterceptedNames<u32>;

fn host(name: &str) -> HostName {
    HostName::new(name).unwrap()
}

fn address(names: &mut Names, name: &str) -> Option<String> {
    let resolved = names.resolve(&host(name)).unwrap();
    resolved.map(|found| found.address.to_string())
}

fn released(names: Vec<ReleasedName>) -> Vec<String> {
    names
        .into_iter()
        .map(|released| released.name.to_string())
        .collect()
}

#[test]
fn a_name_keeps_its_address_while_a_service_intercepts_it() {
    let mut names = Names::new(NameAddresses::default());
    names.insert(1, &intercept(&["wiki.corp", "*.it.corp", "10.0.0.0/8"]));
    names.insert(2, &intercept(&["*.corp"]));
    assert_eq!(address(&mut names, "wiki.org"), None);
    assert_eq!(
        address(&mut names, "Wiki.Corp."),
        Some("100.64.0.2".to_owned())
    );
    assert_eq!(
        address(&mut names, "a.it.corp"),
        Some("100.64.0.3".to_owned())
    );
    assert_eq!(
        names
            .resolve(&host("wiki.corp"))
            .map(|found| found.map(|found| found.is_new)),
        Ok(Some(false))
    );
    assert_eq!(
        released(names.remove(&1)),
        Vec::<String>::new(),
        "the other one has both"
    );
    assert_eq!(
        address(&mut names, "wiki.corp"),
        Some("100.64.0.2".to_owned())
    );

    let only_domain = names.insert(2, &intercept(&["*.it.corp"]));
    assert_eq!(released(only_domain), ["wiki.corp"]);
    assert_eq!(address(&mut names, "wiki.corp"), None);
    assert_eq!(
        names.addresses().name_of("100.64.0.2".parse().unwrap()),
        None
    );
    assert_eq!(released(names.remove(&2)), ["a.it.corp"]);
    assert_eq!(released(names.remove(&2)), Vec::<String>::new());
    assert!(names.is_empty());
}

#[test]
fn names_of_a_domain_are_those_within_it() {
    let mut names = Names::new(NameAddresses::default());
    let others = ["bcorp", "a-corp", "corp.x", "corpa", "a.corp-b", "x.corq"];
    names.insert(1, &intercept(&others));
    names.insert(2, &intercept(&["*.corp"]));
    let within = ["corp", "a.corp", "a.b.corp", "zz.corp", "-.corp"];
    for name in others.iter().chain(&within) {
        assert!(address(&mut names, name).is_some());
    }
    let mut expected = within.to_vec();
    expected.sort_unstable();
    assert_eq!(released(names.remove(&2)), expected);
    assert_eq!(names.len(), others.len());
}

#[test]
fn there_is_a_limit_to_names() {
    let mut names = Names::with_max_names(NameAddresses::default(), 2);
    names.insert(1, &intercept(&["*.corp"]));
    address(&mut names, "a.corp");
    address(&mut names, "b.corp");
    let error = names.resolve(&host("c.corp")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "2 names have addresses, and there may be no more"
    );
    assert_eq!(address(&mut names, "a.corp"), Some("100.64.0.2".to_owned()));
    names.insert(2, &intercept(&["c.corp"]));
    assert!(address(&mut names, "c.corp").is_some(), "it is named");
}

/// Services with many names, of which one changes: only its own names are looked at.
#[test]
fn many_services_change_one_by_one() {
    let mut names = Names::new(NameAddresses::default());
    let own = |service: u32| [format!("s{service}.corp"), format!("*.d{service}.corp")];
    let insert = |names: &mut Names, service: u32| {
        let [name, domain] = own(service);
        names.insert(service, &intercept(&[&name, &domain]))
    };
    for service in 0..2_000 {
        insert(&mut names, service);
        assert!(address(&mut names, &format!("s{service}.corp")).is_some());
        assert!(address(&mut names, &format!("x.d{service}.corp")).is_some());
    }
    for service in 0..2_000 {
        let gone = released(names.remove(&service));
        assert_eq!(
            gone,
            [format!("s{service}.corp"), format!("x.d{service}.corp")]
        );
        assert_eq!(insert(&mut names, service), []);
    }
    assert!(names.is_empty());
}
