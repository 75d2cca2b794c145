//! Truncated or damaged gzip files as any input of any executable.

use super::{STAGES, Stage, refuses_each, undisturbed};
use crate::common::gzip;

/// Bytes of a gzip header with time and system only: damage there is harmless.
const HEADER: usize = 10;
/// Length of the trailing checksum and length.
const TRAILER: usize = 8;

/// Every input of every stage, compressed.
fn for_each_compressed_input(mut check: impl FnMut(&Stage, &str, Vec<u8>)) {
    for stage in &STAGES {
        for (name, _) in stage.inputs {
            check(stage, name, gzip(&undisturbed()[*name]));
        }
    }
}

#[test]
fn a_sound_gzip_file_is_read_whatever_its_name() {
    for_each_compressed_input(|stage, name, content| {
        let work = stage.before();
        work.write(name, &content);
        work.ok(stage.line);
        work.write(name, &undisturbed()[name]);
        stage.assert_complete(&work, name);
    });
}

#[test]
fn a_gzip_file_in_several_members_is_read_to_its_end() {
    for_each_compressed_input(|stage, name, _| {
        let (first, second) = undisturbed()[name].split_at(undisturbed()[name].len() / 2);
        let work = stage.before();
        work.write(name, [gzip(first), gzip(second)].concat());
        work.ok(stage.line);
        work.write(name, &undisturbed()[name]);
        stage.assert_complete(&work, name);
    });
}

#[test]
fn a_gzip_file_cut_anywhere_is_refused() {
    for_each_compressed_input(|stage, name, content| {
        let end = content.len();
        let cuts =
            [3, HEADER, HEADER + 1, end / 4, end / 2, end - TRAILER, end - TRAILER / 2, end - 1];
        let cut: Vec<_> = cuts.iter().map(|at| content[..*at].to_vec()).collect();
        refuses_each(stage, name, &cut, &[name]);
    });
}

#[test]
fn a_gzip_file_whose_last_member_is_cut_is_refused() {
    for_each_compressed_input(|stage, name, _| {
        let (first, second) = undisturbed()[name].split_at(undisturbed()[name].len() / 2);
        let (first, second) = (gzip(first), gzip(second));
        let cuts = [1, 3, HEADER, second.len() / 2, second.len() - 1];
        let cut: Vec<_> = cuts.iter().map(|at| [&first, &second[..*at]].concat()).collect();
        refuses_each(stage, name, &cut, &[name]);
    });
}

/// Returns the content with one bit of one byte changed.
fn flipped(content: &[u8], at: usize) -> Vec<u8> {
    let mut content = content.to_vec();
    content[at] ^= 0x10;
    content
}

/// Content before the checksum may be invalid itself, and the message about that.
#[test]
fn a_gzip_file_with_a_flipped_bit_is_refused() {
    for_each_compressed_input(|stage, name, content| {
        let end = content.len();
        // The last byte before the checksum may have unused bits.
        let places = [HEADER, HEADER + 1, end / 3, end / 2, end - TRAILER - 2];
        let damaged: Vec<_> = places.iter().map(|at| flipped(&content, *at)).collect();
        refuses_each(stage, name, &damaged, &[]);
    });
}

#[test]
fn a_gzip_file_with_a_wrong_checksum_is_refused_by_its_name() {
    for_each_compressed_input(|stage, name, content| {
        let end = content.len();
        let damaged = [end - TRAILER, end - 5, end - 4, end - 1].map(|at| flipped(&content, at));
        refuses_each(stage, name, &damaged, &[name]);
    });
}

#[test]
fn a_gzip_file_with_something_else_behind_it_is_refused() {
    for_each_compressed_input(|stage, name, content| {
        let followed = [content, b"something else\n".to_vec()].concat();
        refuses_each(stage, name, &[followed], &[name]);
    });
}
