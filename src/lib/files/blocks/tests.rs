use super::*;
use crate::files::content::Content;
use proptest::prelude::*;
use std::io::Write;

/// Returns the lines of a block with their numbers, or the error after them.
fn lines_of(block: &Block) -> (Vec<(u64, String)>, Option<String>) {
    let (mut lines, mut found) = (block.lines(Path::new("f")), Vec::new());
    loop {
        match lines.next_line() {
            Ok(Some(line)) => found.push((line.number, line.text.to_string())),
            Ok(None) => return (found, None),
            Err(error) => return (found, Some(error.to_string())),
        }
    }
}

fn file_of(content: &[u8]) -> (tempfile::NamedTempFile, DataFile) {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(content).unwrap();
    let data = DataFile::unverified(file.path().into());
    (file, data)
}

/// The file is what the first block says, or an error: never a mixture.
#[test]
fn a_file_that_changes_its_size_while_it_is_read_is_an_error() {
    let text: String = (0..300_000).map(|n| format!("line {n}\n")).collect();
    for size in [0, 10, text.len() as u64 / 2, text.len() as u64 + 1] {
        let (file, data) = file_of(text.as_bytes());
        let (mut reader, mut block) = (BlockReader::open(&data).unwrap(), Block::default());
        reader.read(&mut block, 1000).unwrap();
        let first = lines_of(&block);
        assert!(first.0.len() > 50 && first.1.is_none() && !block.is_last);
        file.as_file().set_len(size).unwrap();
        let mut error = None;
        while !block.is_last {
            reader.read(&mut block, 1000).unwrap();
            error = lines_of(&block).1;
        }
        let expected = "expected a file that does not change while it is read, found another size";
        assert!(error.is_some_and(|error| error.ends_with(expected)), "{size}");
    }
}

#[test]
fn a_size_that_the_system_states_is_no_promise() {
    // The kernel states a size of 0.
    let data = DataFile::unverified("/proc/self/status".into());
    if data.path.exists() {
        assert!(Content::open(&data).unwrap().digest().bytes > 0);
        let (mut reader, mut block) = (BlockReader::open(&data).unwrap(), Block::default());
        reader.read(&mut block, 1 << 16).unwrap();
        assert!(block.is_last && lines_of(&block).0.len() > 5);
    }
}

proptest! {
    #[test]
    fn blocks_concatenate_to_the_lines_of_the_file(
        text in "([a-c]{0,30}\n){0,30}", end in "[a-c]{0,20}", wanted in 1usize..60, is_compressed: bool,
    ) {
        let text = text + &end;
        let stored = if is_compressed { zstd::encode_all(text.as_bytes(), 1).unwrap() } else { text.clone().into() };
        let (_file, data) = file_of(&stored);
        let (mut reader, mut block) = (BlockReader::open(&data).unwrap(), Block::default());
        let (mut found, mut error) = (Vec::new(), None);
        while !block.is_last {
            reader.read(&mut block, wanted).unwrap();
            prop_assert!(error.is_none());
            let (lines, wrong) = lines_of(&block);
            found.extend(lines);
            error = wrong;
        }
        let whole = &text[..text.len() - end.len()];
        let expected: Vec<_> = (1..).zip(whole.lines()).map(|(n, line)| (n, line.to_string())).collect();
        prop_assert_eq!(found, expected);
        prop_assert_eq!(error.is_some(), !end.is_empty());
    }
}
