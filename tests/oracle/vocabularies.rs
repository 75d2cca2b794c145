//! Vocabularies, their reduction and vectors, by a full pass per term.

/// A term, its collection frequency and its document frequency.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    pub text: String,
    pub occurrences: u64,
    pub documents: u64,
}

/// A document's terms with their counts.
pub type Bag = Vec<(String, u64)>;
/// A document's components that are not 0, by ascending index.
pub type Vector = Vec<(usize, f32)>;

/// Returns the terms of a collection: by descending document frequency, ties in byte order.
pub fn vocabulary(bags: &[Bag]) -> Vec<Term> {
    let mut terms: Vec<&String> = bags.iter().flatten().map(|(term, _)| term).collect();
    terms.sort_by(|left, right| left.as_bytes().cmp(right.as_bytes()));
    terms.dedup();
    let mut vocabulary: Vec<Term> = terms.into_iter().map(|term| counted(term, bags)).collect();
    // A stable sort keeps ties in byte order.
    vocabulary.sort_by_key(|term| std::cmp::Reverse(term.documents));
    vocabulary
}

fn counted(text: &str, bags: &[Bag]) -> Term {
    let counts: Vec<u64> = bags.iter().map(|bag| count_in(bag, text)).collect();
    Term {
        text: text.to_string(),
        occurrences: counts.iter().sum(),
        documents: counts.iter().filter(|count| **count > 0).count() as u64,
    }
}

fn count_in(bag: &Bag, text: &str) -> u64 {
    bag.iter().filter(|(term, _)| term == text).map(|(_, count)| count).sum()
}

/// Returns a VOC file.
pub fn voc_text(vocabulary: &[Term], documents: usize) -> String {
    let header = format!("VELIKOST_SLOVNIKU {}\nVELIKOST_KOLEKCE {documents}\n", vocabulary.len());
    let line = |term: &Term| format!("{} {} {}\n", term.text, term.occurrences, term.documents);
    header + &vocabulary.iter().map(line).collect::<String>()
}

/// ln(N / DC). Ties between terms depend on its last bit, so the portable logarithm is used.
fn idf(term: &Term, documents: usize) -> f64 {
    libm::log(documents as f64 / term.documents as f64)
}

/// The three criteria of reduce_voc, named as its flags.
pub const MEASURES: [&str; 3] = ["tf", "df", "tf_idf"];

fn measured(term: &Term, measure: &str, documents: usize) -> f64 {
    match measure {
        "tf" => term.occurrences as f64,
        "df" => term.documents as f64,
        _ => term.occurrences as f64 * idf(term, documents),
    }
}

/// Returns the terms from `least` to `most`, both included.
pub fn within(voc: &[Term], measure: &str, documents: usize, least: f64, most: f64) -> Vec<Term> {
    let value = |term: &Term| measured(term, measure, documents);
    voc.iter().filter(|term| value(term) >= least && value(term) <= most).cloned().collect()
}

/// Of the terms from `least` on, those that fewer than `count` others precede: others with a higher value, or with the same
/// value and earlier in the vocabulary.
pub fn best(voc: &[Term], measure: &str, documents: usize, least: f64, count: usize) -> Vec<Term> {
    let values: Vec<f64> = voc.iter().map(|term| measured(term, measure, documents)).collect();
    let passes = |at: usize| values[at] >= least;
    let precedes = |other: usize, at: usize| {
        values[other] > values[at] || (values[other] == values[at] && other < at)
    };
    let rank =
        |at: usize| (0..voc.len()).filter(|other| passes(*other) && precedes(*other, at)).count();
    let kept = (0..voc.len()).filter(|at| passes(*at) && rank(*at) < count);
    kept.map(|at| voc[at].clone()).collect()
}

/// Returns a document's vector.
pub fn vector(bag: &Bag, vocabulary: &[Term], documents: usize, tf_only: bool) -> Vector {
    let component = |term: &Term| {
        let count = count_in(bag, &term.text);
        if tf_only { count as f32 } else { (count as f64 * idf(term, documents)) as f32 }
    };
    let all = vocabulary.iter().map(component).enumerate();
    all.filter(|(_, value)| *value != 0.0).collect()
}

/// Returns a line of a VEC file.
pub fn vec_line(name: &str, vector: &Vector) -> String {
    let items: String = vector.iter().map(|(index, value)| format!(" {index}:{value}")).collect();
    format!("{name}:{}{items}\n", vector.len())
}
