use super::*;
use crate::tests::intercept;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::time::Duration;

type Names = InterceptedNames<u32>;

fn names() -> Names {
    Names::new(NameAddresses::default(), NameLimits::default())
}

fn at(seconds: u64) -> Moment {
    Moment::ZERO + Duration::from_secs(seconds)
}

fn limited(range: &str, max_names: usize) -> Names {
    let limits = NameLimits {
        max_names,
        idle_time: Duration::from_secs(100),
    };
    Names::new(NameAddresses::new(range.parse().unwrap()), limits)
}

fn host(name: &str) -> HostName {
    HostName::new(name).unwrap()
}

fn address(names: &mut Names, name: &str) -> Option<String> {
    let resolved = names.resolve(&host(name), at(0)).unwrap();
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
    let mut names = names();
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
            .resolve(&host("wiki.corp"), at(0))
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
    let mut names = names();
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
    let mut names = limited("100.64.0.0/10", 2);
    names.insert(1, &intercept(&["*.corp"]));
    address(&mut names, "a.corp");
    address(&mut names, "b.corp");
    let error = names.resolve(&host("c.corp"), at(0)).unwrap_err();
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
    let mut names = names();
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

#[test]
fn idle_names_make_room_for_others() {
    let mut names = limited("100.64.0.0/10", 5);
    names.insert(1, &intercept(&["*.corp"]));
    for (name, remembered_until) in [("a", 30), ("b", 10), ("c", 20), ("d", 40)] {
        let name = host(&format!("{name}.corp"));
        names.resolve(&name, at(remembered_until)).unwrap();
    }
    let nobody = |_| false;
    assert_eq!(released(names.release_idle(at(109), nobody)), [""; 0]);
    assert_eq!(released(names.release_idle(at(110), nobody)), ["b.corp"]);
    assert_eq!(
        released(names.release_idle(at(500), nobody)),
        [""; 0],
        "there is room"
    );

    assert!(names.resolve(&host("e.corp"), at(500)).is_ok());
    let of_c = names
        .resolve(&host("c.corp"), at(0))
        .unwrap()
        .unwrap()
        .address;
    names.touch(of_c, at(450));
    let of_a = names
        .resolve(&host("a.corp"), at(0))
        .unwrap()
        .unwrap()
        .address;
    assert_eq!(
        released(names.release_idle(at(500), |address| address == of_a)),
        ["d.corp"],
        "the others have been used"
    );
    assert!(names.resolve(&host("f.corp"), at(500)).is_ok());
    assert_eq!(released(names.release_idle(at(549), nobody)), [""; 0]);
    assert_eq!(released(names.release_idle(at(550), nobody)), ["c.corp"]);
}

#[derive(Debug, Clone)]
enum Use {
    /// A query for a name.
    Resolve(usize),
    /// A connection to a name that begins or ends.
    Connect(usize),
    Release,
    Pass(u64),
}

fn uses() -> impl Strategy<Value = Vec<Use>> {
    let one = prop_oneof![
        4 => (0..12_usize).prop_map(Use::Resolve),
        2 => (0..12_usize).prop_map(Use::Connect),
        2 => Just(Use::Release),
        2 => (1..80_u64).prop_map(Use::Pass),
    ];
    prop::collection::vec(one, 0..60)
}

proptest! {
    #[test]
    fn only_names_that_nobody_uses_lose_their_address(
        range in prop::sample::select(vec!["100.64.0.0/10", "192.0.2.0/29"]),
        uses in uses(),
    ) {
        const TTL: u64 = 60;
        let mut names = limited(range, 8);
        names.insert(1, &intercept(&["*.corp"]));
        let (mut now, mut connected) = (0, BTreeSet::new());
        // The address of each name, and until when it may not be taken.
        let mut kept: BTreeMap<HostName, (IpAddr, u64)> = BTreeMap::new();
        for step in uses {
            match step {
                Use::Resolve(number) => {
                    let name = host(&format!("n{number}.corp"));
                    let Ok(found) = names.resolve(&name, at(now + TTL)) else {
                        prop_assert!(names.is_short());
                        continue;
                    };
                    let address = found.unwrap().address;
                    let (before, until) = kept.entry(name).or_insert((address, 0));
                    prop_assert_eq!(*before, address);
                    *until = (*until).max(now + TTL + 100);
                },
                Use::Connect(number) => {
                    let known = kept.get_mut(&host(&format!("n{number}.corp")));
                    let Some((address, until)) = known else { continue };
                    if !connected.remove(address) {
                        connected.insert(*address);
                    }
                    names.touch(*address, at(now));
                    *until = (*until).max(now + 100);
                },
                Use::Release => {
                    let was_short = names.is_short();
                    let gone = names.release_idle(at(now), |address| connected.contains(&address));
                    prop_assert!(was_short || gone.is_empty());
                    for ReleasedName { name, address } in gone {
                        let (before, until) = kept.remove(&name).unwrap();
                        prop_assert_eq!(before, address);
                        prop_assert!(until <= now && !connected.contains(&address));
                    }
                    let may_go = |(address, until): &(IpAddr, u64)| *until <= now && !connected.contains(address);
                    prop_assert!(!names.is_short() || !kept.values().any(may_go));
                },
                Use::Pass(seconds) => now += seconds,
            }
            prop_assert_eq!(names.len(), kept.len());
        }
    }
}
