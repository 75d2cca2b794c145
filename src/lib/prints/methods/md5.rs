//! `md5`: the MD5 of the whole text, reduced to its words.

use md5::{Digest, Md5};

use super::MethodEntry;
use crate::prints::counting::Scratch;
use crate::prints::{Agreement, PrintMethod};
use crate::text::TextWords;

pub(super) const MD5: MethodEntry = MethodEntry {
    name: "md5",
    about: "MD5 of all words",
    flags: &[],
    min_word_len: 1,
    create: |_| Ok(Box::new(WholeText)),
};

struct WholeText;

impl PrintMethod for WholeText {
    fn append(&self, words: TextWords<'_>, _: &mut Scratch, print: &mut Vec<u64>) {
        let digest: [u8; 16] = Md5::digest(words.text().as_bytes()).into();
        print.extend(digest.as_chunks().0.iter().map(|bytes| u64::from_be_bytes(*bytes)));
    }

    fn agreement(&self) -> Agreement {
        Agreement::Equal
    }
}
