use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

type Terms = BTreeMap<String, (u64, u32)>;

fn terms(table: &CountTable) -> Terms {
    let all = table.terms().into_iter().map(|found| {
        let term = table.term(&found, &mut [0; 16]).to_string();
        assert_eq!(found.head, Key::of(&term).head().swap_bytes());
        (term, (found.occurrences, found.documents))
    });
    let all: Terms = all.collect();
    assert_eq!(table.used, all.len());
    all
}

fn table(words: &[(String, u64)], map: &mut Terms) -> CountTable {
    let mut table = CountTable::default();
    for ((word, count), document) in words.iter().zip(1..) {
        let key = Key::of(word);
        table.prefetch(&key);
        table.add(&key, word, *count, document).unwrap();
        assert_eq!(table.add(&key, word, *count, document), Err(Uncountable::Twice));
        let sum = map.entry(word.clone()).or_default();
        *sum = (sum.0 + count, sum.1 + 1);
    }
    table
}

#[test]
fn entries_are_half_a_cache_line() {
    assert_eq!(size_of::<Entry>(), 32);
}

proptest! {
    #[test]
    fn counts_are_those_of_a_map(
        words in prop::collection::vec(("[a-c\0]{0,4}|[ab]{15,18}", prop_oneof![1u64..5, 1u64..1 << 33]), 0..300),
        cut in 0usize..300,
    ) {
        let (left, right) = words.split_at(cut.min(words.len()));
        let mut map = Terms::new();
        let left = table(left, &mut map);
        prop_assert_eq!(&terms(&left), &map);
        let right = table(right, &mut map);
        prop_assert_eq!(&terms(&left.merged(right).unwrap()), &map);
    }

    #[test]
    fn numbers_are_those_of_the_first_occurrence(words in prop::collection::vec("[a-c\0]{0,4}|[ab]{15,18}", 0..300)) {
        let (mut table, mut all) = (CountTable::default(), CountTable::default());
        let mut numbers: Vec<&str> = Vec::new();
        for word in &words {
            let found = table.add_numbered(&Key::of(word), word, 2).unwrap() as usize - 1;
            if found == numbers.len() {
                numbers.push(word);
            }
            prop_assert_eq!(numbers[found], word);
        }
        all.add_term(Term { text: "z", occurrences: 1, documents: 1 }).unwrap();
        all.absorb(&table).unwrap();
        let mut ranked = all.terms();
        ranked.sort_by_key(|found| all.term(found, &mut [0; 16]).to_string());
        prop_assert!(all.rank(&ranked, 0).is_empty());
        let mut sorted = numbers.clone();
        sorted.sort_unstable();
        let expected: Vec<u32> = numbers.iter().map(|word| sorted.binary_search(word).unwrap() as u32).collect();
        prop_assert_eq!(&all.marks_by_number(&table), &expected);
        let mut ranked = table.terms();
        ranked.sort_by_key(|found| table.term(found, &mut [0; 16]).to_string());
        prop_assert_eq!(table.rank(&ranked, numbers.len()), expected);
        prop_assert_eq!((all.mark("z"), all.mark("y")), (Some(sorted.len() as u32), None));
    }
}
