//! Stop words by language.

use super::options::StopLanguage;

/// Words that Stopwords ISO lacks: it has 73 of Ukrainian. Lines that begin with # name the source and its license.
const UKRAINIAN: &str = include_str!("stop_words_uk.txt");

/// The words of Stopwords ISO, which the build script writes.
macro_rules! listed {
    ($code:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/stop_words_", $code, ".txt"))
    };
}

/// Returns the stop words of a language; some are several words, such as `don't`.
pub(super) fn stop_words(language: StopLanguage) -> impl Iterator<Item = &'static str> {
    let (listed, more) = match language {
        StopLanguage::En => (listed!("en"), ""),
        StopLanguage::Cs => (listed!("cs"), ""),
        StopLanguage::Sk => (listed!("sk"), ""),
        StopLanguage::Ru => (listed!("ru"), ""),
        StopLanguage::Uk => (listed!("uk"), UKRAINIAN),
    };
    listed.lines().chain(more.lines().filter(|line| !line.starts_with('#')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_hundreds_of_words() {
        for (language, word) in
            StopLanguage::ALL.into_iter().zip(["the", "protože", "pretože", "который", "якого"])
        {
            let words: Vec<&str> = stop_words(language).collect();
            assert!(words.len() > 400, "{language:?}: {}", words.len());
            assert!(words.contains(&word), "{word}");
        }
    }
}
