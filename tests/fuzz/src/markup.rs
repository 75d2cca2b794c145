//! Stripping of HTML.

use nearsig::fuzzing::strip;
use nearsig::text::{Analyzer, AnalyzerOptions, Token};

/// Strips a page, plainly and with positions.
///
/// Text without markup is unchanged; the result is bounded; tokens of the page are those of its text, at ascending ranges of the page on
/// character boundaries.
pub fn check(data: &[u8]) {
    let page = String::from_utf8_lossy(data);
    let text = strip(&page);
    assert_eq!(text, strip(&page), "stripping twice differs");
    assert!(text.len() <= page.len() + page.matches('<').count());
    if !page.contains(['<', '&']) {
        assert_eq!(text, page);
    }
    for fold in [false, true] {
        check_tokens(&page, &text, AnalyzerOptions { fold, ..AnalyzerOptions::letters(1) });
    }
}

fn check_tokens(page: &str, text: &str, options: AnalyzerOptions) {
    let (mut of_page, mut of_text) = (Vec::new(), Vec::new());
    Analyzer::for_html(options).for_each_token(page, |token| of_page.push(owned(token)));
    Analyzer::new(options).for_each_token(text, |token| of_text.push(owned(token)));
    let terms = |tokens: &[Token]| -> Vec<String> {
        tokens.iter().map(|token| token.term.to_string()).collect()
    };
    assert_eq!(terms(&of_page), terms(&of_text));
    let mut end = 0;
    for Token { term, range } in &of_page {
        assert!(page.get(range.clone()).is_some_and(|text| !text.is_empty()), "{term}: {range:?}");
        assert!(range.start >= end, "{term}: {range:?} begins before {end}");
        end = range.start;
    }
}

fn owned(token: Token<'_>) -> Token<'static> {
    Token { term: token.term.into_owned().into(), range: token.range }
}
