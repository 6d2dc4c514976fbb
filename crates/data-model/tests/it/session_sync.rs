//! Full states of legacy sessions.

use portcullis_data_model::session_sync::{CHUNK, SyncIds, full_state};
use portcullis_wire::control::session::ApiSession;

#[test]
fn only_the_last_message_says_so_whatever_the_number_of_sessions() {
    for (sessions, messages) in [(0, 1), (1, 1), (99, 1), (100, 1), (101, 2), (200, 2)] {
        let all: Vec<_> = (0..sessions)
            .map(|number| ApiSession {
                id: number.to_string(),
                ..ApiSession::default()
            })
            .collect();
        let state = full_state("7", &all);
        assert_eq!(state.len(), messages, "{sessions}");
        for (sequence, message) in state.iter().enumerate() {
            assert!(message.sessions.is_full_state);
            assert!(message.sessions.sessions.len() <= CHUNK);
            assert_eq!(message.sync_type, "instant");
            let is_last = sequence + 1 == messages;
            let expected = format!(r#"{{"id":"7","isLast":{is_last},"sequence":{sequence}}}"#);
            assert_eq!(message.sync_state, expected);
        }
        let sent = state
            .into_iter()
            .flat_map(|message| message.sessions.sessions);
        assert_eq!(sent.collect::<Vec<_>>(), all);
    }
}

#[test]
fn ids_grow_as_text_even_when_the_clock_goes_back() {
    let mut ids = SyncIds::default();
    let all: Vec<_> = [9, 10, 10, 5, 99, 100, 1]
        .map(|millis| ids.next(millis))
        .into();
    assert!(
        all.is_sorted_by(|earlier, later| earlier < later),
        "{all:?}"
    );
}
