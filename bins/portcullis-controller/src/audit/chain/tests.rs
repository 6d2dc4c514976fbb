use super::*;
fn lines(events: u64) -> Vec<String> {
    let mut chain = HashChain::default();
    let begin = r#"{"timestamp":"2026-01-01T00:00:00Z","operation":"audit.begin"}"#;
    let mut lines = vec![append(&mut chain, begin, None)];
    for seq in 1..=events {
        let event =
            format!("{{\"seq\":{seq},\"operation\":\"identity.create\",\"entity\":\"e{seq}\"}}");
        lines.push(append(&mut chain, &event, Some(seq)));
    }
    lines
}

fn append(chain: &mut HashChain, text: &str, seq: Option<u64>) -> String {
    chain.append(&AuditEvent {
        seq,
        text: text.to_owned(),
    })
}

fn verify_lines(lines: &[String]) -> Result<VerifiedAuditChain, AuditChainError> {
    let text = lines.join("\n") + "\n";
    verify_chain(text.as_bytes())
}

#[test]
fn chain_that_nobody_touched_holds() {
    let checked = verify_lines(&lines(5)).unwrap();
    assert_eq!((checked.chain.last_seq, checked.chain.lines), (5, 6));
    assert!(!checked.is_torn);
    for line in lines(5) {
        serde_json::from_str::<serde_json::Value>(&line).unwrap();
    }
}

#[test]
fn any_line_that_is_changed_removed_added_or_moved_shows() {
    let whole = lines(6);
    for at in 0..whole.len() {
        let mut edited = whole.clone();
        edited[at] = edited[at].replace('e', "E").replace("2026", "2027");
        assert!(verify_lines(&edited).is_err(), "line {at} edited");
        let mut removed = whole.clone();
        removed.remove(at);
        // What is missing at the end shows in the next start: the store knows more.
        assert_eq!(
            verify_lines(&removed).is_err(),
            at + 1 < whole.len(),
            "line {at} removed"
        );
        let mut doubled = whole.clone();
        doubled.insert(at, whole[at].clone());
        assert!(verify_lines(&doubled).is_err(), "line {at} added");
        if at > 0 {
            let mut moved = whole.clone();
            moved.swap(at - 1, at);
            assert!(verify_lines(&moved).is_err(), "line {at} moved");
        }
    }
    assert!(matches!(
        verify_lines(&whole[2..]),
        Err(AuditChainError::MissingBeginning)
    ));
}

#[test]
fn missing_numbers_show_unless_the_trail_says_so() {
    let event = |seq: u64| format!("{{\"seq\":{seq},\"operation\":\"o\"}}");
    let begin = r#"{"timestamp":"t","operation":"audit.begin"}"#;
    let mut chain = HashChain::default();
    let mut lines = vec![
        append(&mut chain, begin, None),
        append(&mut chain, &event(2), Some(2)),
    ];
    assert!(matches!(
        verify_lines(&lines),
        Err(AuditChainError::UnexpectedNumber {
            line: 2,
            found: 2,
            expected: 1
        })
    ));
    let mut chain = HashChain::default();
    let missing = r#"{"operation":"audit.missing","first":1,"last":1}"#;
    lines = vec![
        append(&mut chain, begin, None),
        append(&mut chain, missing, None),
        append(&mut chain, &event(2), Some(2)),
    ];
    let checked = verify_lines(&lines).unwrap();
    assert_eq!(checked.chain, chain, "it is read as it was written");
    assert_eq!(checked.chain.last_seq, 2);
    let (line, first, last) = (2, 1, 1);
    assert_eq!(checked.notes, [ChainNote::Missing { line, first, last }]);
}

#[test]
fn torn_last_line_is_told_apart_from_damage() {
    let mut text = lines(2).join("\n") + "\n";
    let length = text.len() as u64;
    text.push_str("{\"seq\":3,\"opera");
    let checked = verify_chain(text.as_bytes()).unwrap();
    assert!(checked.is_torn);
    assert_eq!(checked.length, length);
}
