//! A method, ready to print documents.

use std::sync::Arc;

use rayon::prelude::*;

use super::counting::Scratch;
use super::statistics::{CollectionStatistics, StatisticsCollector};
use super::{Agreement, Knowledge, METHODS, PrintMethod, PrintOptions, PrintTable};
use crate::bits::cpu::Cpu;
use crate::session::Session;
use crate::text::{AnalyzerOptions, WordFilters, WordScanner};

/// Texts that one thread prints at a time.
const TEXTS_PER_TASK: usize = 1024;

/// A fingerprint method with its parameters and the words it sees.
pub struct Printer {
    method: Box<dyn PrintMethod>,
    words: AnalyzerOptions,
    filters: Arc<WordFilters>,
}

/// Buffers that a thread reuses for all of its documents.
pub struct PrinterScratch {
    scanner: WordScanner,
    scratch: Scratch,
}

impl Printer {
    /// Creates the printer of a method.
    ///
    /// # Errors
    /// An unknown method, options that it does not have, or that contradict each other.
    pub fn new(name: &str, options: &PrintOptions) -> Result<Self, String> {
        let Some(entry) = METHODS.iter().find(|entry| entry.name == name) else {
            let names: Vec<&str> = METHODS.iter().map(|entry| entry.name).collect();
            return Err(format!("unknown method '{name}'; expected one of {}", names.join(", ")));
        };
        let is_foreign = |flag: &String| !entry.flags.contains(&flag.as_str());
        if let Some(flag) = options.names_set().into_iter().find(is_foreign) {
            return Err(format!("--{flag} has no effect on {name}"));
        }
        let words = AnalyzerOptions {
            fold: !options.no_fold,
            min_word_len: options.min_word_len.unwrap_or(entry.min_word_len),
            ..AnalyzerOptions::letters(1)
        };
        Ok(Printer { method: (entry.create)(options)?, words, filters: Arc::default() })
    }

    /// Returns how texts become words.
    pub fn words(&self) -> AnalyzerOptions {
        self.words
    }

    /// Applies filters to all words, compiled for [`Printer::words`].
    pub fn with_filters(self, filters: Arc<WordFilters>) -> Self {
        Printer { filters, ..self }
    }

    fn scanner(&self) -> WordScanner {
        WordScanner::new(self.words).with_filters(self.filters.clone())
    }

    /// Returns what the method must know of the collection.
    pub fn knowledge(&self) -> Knowledge {
        self.method.knowledge()
    }

    /// Returns a collector of what the method must know, for one thread.
    pub fn collector(&self) -> (StatisticsCollector, WordScanner) {
        (StatisticsCollector::new(self.knowledge()), self.scanner())
    }

    /// Adds a text to what the method must know.
    pub fn collect(
        &self,
        (collector, scanner): &mut (StatisticsCollector, WordScanner),
        text: &str,
    ) {
        collector.add(scanner.words(text));
    }

    /// Takes what the method must know.
    pub fn learn(&mut self, collection: CollectionStatistics) {
        self.method.learn(&Arc::new(collection));
    }

    /// Returns buffers for one thread, whose inner loops use these instructions.
    pub fn scratch(&self, cpu: Cpu) -> PrinterScratch {
        PrinterScratch { scanner: self.scanner(), scratch: Scratch::new(cpu) }
    }

    /// Appends the print of a text.
    pub fn append(&self, text: &str, scratch: &mut PrinterScratch, print: &mut Vec<u64>) {
        let PrinterScratch { scanner, scratch } = scratch;
        let words = match self.method.has_sentences() {
            true => scanner.sentences(text),
            false => scanner.words(text),
        };
        if !words.is_empty() {
            self.method.append(words, scratch, print);
        }
    }

    /// Learns what it must of some texts and returns their prints. Uses all threads of the session.
    pub fn print_all<T: AsRef<str> + Sync>(
        &mut self,
        texts: &[T],
        session: &Session,
    ) -> PrintTable {
        session.install(|| {
            if self.knowledge() != Knowledge::Nothing {
                let statistics = texts.par_chunks(TEXTS_PER_TASK).map(|texts| {
                    let mut collector = self.collector();
                    texts.iter().for_each(|text| self.collect(&mut collector, text.as_ref()));
                    collector.0.finish()
                });
                let all = statistics.reduce(CollectionStatistics::default, |mut all, other| {
                    all.merge(other);
                    all
                });
                self.learn(all);
            }
            let tables = texts.par_chunks(TEXTS_PER_TASK).map(|texts| {
                let (mut table, mut scratch) = (PrintTable::default(), self.scratch(session.cpu()));
                for text in texts {
                    table.push_with(|print| self.append(text.as_ref(), &mut scratch, print));
                }
                table
            });
            let mut all = PrintTable::default();
            tables.collect::<Vec<_>>().iter().for_each(|table| all.append(table));
            all
        })
    }

    /// Returns when two prints agree.
    pub fn agreement(&self) -> Agreement {
        self.method.agreement()
    }

    /// Describes what the method will do, if it chose something itself.
    pub fn notice(&self) -> Option<String> {
        self.method.notice()
    }
}
