use std::io::{Cursor, Read};

use super::*;
use crate::executable::values::ByteSize;
use proptest::prelude::*;

/// Documents with their line numbers and positions, the sizes of the chunks, and the unreadable input.
type ReadLines = (Vec<(u64, u64, Vec<u8>)>, Vec<usize>, Vec<SkippedInput>);

fn read(reader: Reader, keeps_blank: bool) -> ReadLines {
    read_with(reader, keeps_blank, &InputArgs::default())
}

fn read_with(reader: Reader, keeps_blank: bool, args: &InputArgs) -> ReadLines {
    let mut lines = LineReader::new(Path::new("f"), reader, keeps_blank, args);
    let (mut block, mut all, mut sizes) = (LineBlock::default(), Vec::new(), Vec::new());
    let mut skips = Vec::new();
    loop {
        lines.read(&mut block);
        if block.is_empty() {
            match lines.skip() {
                Some(skip) => skips.push(skip),
                None => return (all, sizes, skips),
            }
        }
        for chunk in block.chunks() {
            let before = all.len();
            all.extend(chunk.lines().map(|(number, at, line)| (number, at, line.to_vec())));
            assert_eq!(before + chunk.documents, all.len());
            sizes.push(chunk.bytes.len());
        }
    }
}

fn check(content: &[u8], keeps_blank: bool) {
    let mut lines: Vec<&[u8]> = content.split(|byte| *byte == b'\n').collect();
    if lines.last().is_some_and(|last| last.is_empty()) {
        lines.pop();
    }
    let mut position = 0;
    let starts = lines.iter().map(|line| (position, position += line.len() as u64 + 1).0);
    let starts: Vec<u64> = starts.collect();
    let expected: Vec<(u64, u64, Vec<u8>)> = (1..)
        .zip(starts.iter().zip(&lines))
        .map(|(number, (start, line))| (number, *start, line.to_vec()))
        .filter(|(_, _, line)| is_document(line, keeps_blank))
        .collect();
    let (all, sizes, skips) = read(Box::new(Cursor::new(content.to_vec())), keeps_blank);
    assert!(all == expected && skips.is_empty());
    assert!(sizes.iter().rev().skip(1).all(|size| *size >= CHUNK_BYTES), "{sizes:?}");
    let trickle = Trickle(Cursor::new(content.to_vec()));
    let (again, same_sizes, _) = read(Box::new(trickle), keeps_blank);
    assert!(again == expected && same_sizes == sizes);
}

/// Gives few bytes at a time.
struct Trickle(Cursor<Vec<u8>>);

impl Read for Trickle {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = buffer.len().min(1 + buffer.len() / 3);
        self.0.read(&mut buffer[..count])
    }
}

#[test]
fn lines_longer_than_a_block_and_blank_ones_are_read() {
    let (word, blank) = (vec![b'x'; BLOCK_BYTES * 3], vec![b'\n'; BLOCK_BYTES * 2]);
    let long = [word, b"\ny\n".to_vec(), blank, b"z".to_vec()];
    for keeps_blank in [true, false] {
        check(&long.concat(), keeps_blank);
    }
    check(&b"ab cd\n".repeat(1 << 20), false);
}

/// Returns arguments with a limit on records.
fn limited(max: u64) -> InputArgs {
    InputArgs { max_record: ByteSize(max), ..InputArgs::default() }
}

#[test]
fn blank_lines_without_end_need_no_memory() {
    let blank = std::io::repeat(b'\n').take(1 << 30);
    let (args, mut block) = (limited(100), LineBlock::default());
    let reader = Box::new(blank.chain(&b"x\n"[..]));
    let mut lines = LineReader::new(Path::new("f"), reader, false, &args);
    lines.read(&mut block);
    let chunks: Vec<_> = block.chunks().flat_map(|chunk| chunk.lines()).collect();
    assert_eq!(chunks, [((1 << 30) + 1, 1 << 30, &b"x"[..])]);
    assert!(block.buffer.memory.len() <= 2 * BLOCK_BYTES && lines.rest.is_empty());
}

#[test]
fn a_source_is_given_up_at_an_endless_line() {
    let reader = Box::new(Cursor::new(b"a\nb\n").chain(std::io::repeat(0)));
    let (all, _, skips) = read_with(reader, false, &limited(1 << 20));
    assert_eq!(all.len(), 2);
    let expected =
        "f:3: expected a record of at most 1048576 bytes (--max_record), found more than 67108864";
    assert_eq!((skips.len(), &*skips[0].to_string()), (1, expected));
    assert!(!skips[0].is_record);
}

#[test]
fn memory_stays_near_the_limit() {
    let max = 3 << 20;
    let line = [vec![b'x'; max + 1], b"\n".to_vec()].concat();
    let content = [&line[1..], &line[..], &line.repeat(20)[..]].concat();
    let args = limited(max as u64);
    let mut lines = LineReader::new(Path::new("f"), Box::new(Cursor::new(content)), false, &args);
    let (mut block, mut skipped) = (LineBlock::default(), 0);
    loop {
        lines.read(&mut block);
        assert!(block.buffer.memory.len() <= max + 2 * CHUNK_BYTES);
        assert!(lines.rest.capacity() <= 2 * max + BLOCK_BYTES);
        match block.is_empty() {
            true if lines.skip().is_none() => break,
            true => skipped += 1,
            false => (),
        }
    }
    assert_eq!(skipped, 21);
    assert_eq!(block.emptied().buffer.memory.len(), 0);
}

proptest! {
    #[test]
    fn lines_are_those_of_the_source(
        content in "([a-c \r\t]{0,5}\n){0,40}[a-c ]{0,3}", times in 1usize..2000, keeps_blank: bool,
    ) {
        check(content.repeat(times).as_bytes(), keeps_blank);
    }

    #[test]
    fn long_lines_are_skipped_and_all_others_read(
        lines in prop::collection::vec((0usize..12, prop::sample::select(vec![1usize, 40_000])), 0..40),
        max in 1usize..12, unit in prop::sample::select(vec![1usize, 40_000]), keeps_blank: bool, ends: bool,
    ) {
        let (max, mut content, mut expected, mut long) = (max * unit, Vec::new(), Vec::new(), Vec::new());
        let count = lines.len();
        for (number, (length, unit)) in (1..).zip(lines) {
            let line = vec![b'x'; length * unit];
            let is_last = number == count as u64;
            let is_there = !line.is_empty() || !is_last || ends;
            if line.len() > max { long.push(number) } else if is_there && is_document(&line, keeps_blank) { expected.push((number, content.len() as u64, line.clone())) }
            content.extend_from_slice(&line);
            if !is_last || ends { content.push(b'\n') }
        }
        // A line is given up only if it is much longer.
        prop_assume!(max * 64 >= 12 * 40_000);
        let args = limited(max as u64);
        let (all, sizes, skips) = read_with(Box::new(Cursor::new(content.clone())), keeps_blank, &args);
        prop_assert!(all == expected);
        prop_assert!(skips.iter().all(|skip| skip.is_record));
        prop_assert_eq!(skips.iter().filter_map(|skip| skip.line).collect::<Vec<_>>(), long);
        let (again, same_sizes, same) = read_with(Box::new(Trickle(Cursor::new(content))), keeps_blank, &args);
        prop_assert!(again == expected && same_sizes == sizes && same == skips);
    }
}
