//! find_near_dups and create_bows on texts of many languages: near-copies are found, and the same word is the same term however it is
//! written. The texts are articles of the Universal Declaration of Human Rights, and sentences of the tests.

use crate::common::Work;

const CHINESE: &str = "人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心,并应以兄弟关系的精神相对待。\
    人人有资格享有本宣言所载的一切权利和自由,不分种族、肤色、性别、语言、宗教、政治或其他见解、国籍或社会出身、财产、出生或其他身分等任何区别。";
const JAPANESE: &str = "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。\
    人間は、理性と良心とを授けられており、互いに同胞の精神をもって行動しなければならない。すべて人は、生命、自由及び身体の安全に対する権利を有する。";
const KOREAN: &str = "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. \
    인간은 천부적으로 이성과 양심을 부여받았으며 서로 형제애의 정신으로 행동하여야 한다. 모든 사람은 생명과 신체의 자유와 안전에 대한 권리를 가진다.";
const THAI: &str = "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ ต่างมีเหตุผลและมโนธรรม \
    และควรปฏิบัติต่อกันด้วยเจตนารมณ์แห่งภราดรภาพ บุคคลมีสิทธิในการดำเนินชีวิต ในเสรีธรรม และในความมั่นคงแห่งร่างกาย";
const HINDI: &str = "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है। \
    उन्हें बुद्धि और अन्तरात्मा की देन प्राप्त है और परस्पर उन्हें भाईचारे के भाव से बर्ताव करना चाहिए।";

/// Returns the cosine of two texts, with flags of find_near_dups; 0 if it is below 0.01.
#[track_caller]
fn cosine(left: &str, right: &str, flags: &str) -> f64 {
    let work = Work::new();
    work.write("docs/a", left);
    work.write("docs/b", right);
    let line =
        format!("find_near_dups docs --format text --threshold 0.01 --out pairs.tsv {flags}");
    work.ok(&line);
    let pairs = work.read("pairs.tsv");
    let Some(pair) = pairs.lines().nth(1) else { return 0.0 };
    pair.split('\t').next().unwrap().parse().unwrap()
}

/// Returns a text with every `distance`-th character replaced by another of the text.
fn edited(text: &str, distance: usize) -> String {
    let characters: Vec<char> = text.chars().collect();
    let replaced = |(at, character): (usize, &char)| match at % distance == distance / 2 {
        true => characters[(at * 7 + 3) % characters.len()],
        false => *character,
    };
    characters.iter().enumerate().map(replaced).collect()
}

#[test]
fn near_copies_in_scripts_without_spaces_are_found() {
    for text in [CHINESE, JAPANESE, KOREAN, THAI] {
        let near = cosine(text, &edited(text, 100), "");
        assert!((0.9..1.0).contains(&near), "{near}: {text}");
        let unfolded = cosine(text, &edited(text, 100), "--no_fold");
        assert!((0.9..1.0).contains(&unfolded), "{unfolded}: {text}");
    }
}

#[test]
fn other_texts_of_the_same_script_are_no_near_copies() {
    let half = |text: &str, second: bool| -> String {
        let middle = text.chars().count() / 2;
        match second {
            true => text.chars().skip(middle).collect(),
            false => text.chars().take(middle).collect(),
        }
    };
    for text in [CHINESE, JAPANESE, KOREAN, THAI, HINDI] {
        let other = cosine(&half(text, false), &half(text, true), "");
        assert!(other < 0.6, "{other}: {text}");
    }
}

#[test]
fn spaces_in_korean_and_thai_matter_little() {
    for text in [KOREAN, THAI] {
        let joined = text.replace(' ', "");
        assert!(cosine(text, &joined, "") > 0.8, "{}", cosine(text, &joined, ""));
    }
    let marked = "ជំរាប\u{200b}សួរ\u{200b}អ្នក\u{200b}ទាំង\u{200b}អស់\u{200b}គ្នា";
    assert_eq!(cosine(marked, &marked.replace('\u{200b}', ""), "--no_fold"), 1.0);
}

#[test]
fn latin_words_do_not_outweigh_the_text_around_them() {
    let with_words = |text: &str, words: &str| format!("{text} {words}");
    let (one, other) = ("Linux Debian Firefox", "Windows Mozilla Internet");
    assert!(cosine(&with_words(CHINESE, one), &with_words(CHINESE, other), "") > 0.9);
}

/// The terms of a text: `create_bows --words`, sorted.
#[track_caller]
fn terms(text: &str, flags: &str) -> Vec<String> {
    let work = Work::new();
    work.collection(&[("a", text)]);
    work.ok(&format!(
        "create_bows --doc_list doc_list --words --save_nums --bow_paths p --bow_dir d {flags}"
    ));
    let list = work.read("p");
    let bow = work.read(list.lines().last().unwrap());
    let line = bow.lines().last().unwrap();
    let mut terms: Vec<String> =
        line.split(' ').skip(1).map(|item| item.rsplit_once(':').unwrap().0.to_string()).collect();
    terms.sort();
    terms
}

#[test]
fn marks_stay_inside_words() {
    assert_eq!(terms("हिन्दी", ""), ["हिन्दी"]);
    assert_eq!(terms("ก็", ""), ["ก็"]);
    assert_eq!(terms("x\u{304} y", ""), ["x\u{304}", "y"]);
    assert_eq!(terms("中文字 abc", ""), ["abc", "中文", "文字"]);
    let near = HINDI.replace("भाईचारे", "मित्रता");
    assert!(cosine(HINDI, &near, "") > 0.9, "{}", cosine(HINDI, &near, ""));
}

#[test]
fn the_same_word_is_the_same_word() {
    // Left, right, and whether both are the same without folding too.
    for (left, right, is_same) in [
        // Arabic with and without vowel marks; tatweel; Hebrew points.
        ("كَتَبَ الوَلَدُ الدَّرْسَ", "كتب الولد الدرس", false),
        ("كتـــاب جديد", "كتاب جديد", false),
        ("שָׁלוֹם עוֹלָם", "שלום עולם", false),
        // Persian with and without the zero width non-joiner; soft hyphens; word joiners; variation selectors.
        ("نمی\u{200c}خواهم بروم", "نمیخواهم بروم", true),
        ("Donau\u{ad}dampf\u{ad}schiff", "Donaudampfschiff", true),
        ("well\u{2060}known", "wellknown", true),
        ("葛\u{e0100}城市", "葛城市", true),
        // Full width, half width, ligatures.
        ("ＬＩＮＵＸ　２０２４", "Linux 2024", false),
        ("ﾊﾟｿｺﾝ", "パソコン", false),
        ("ﬁnal oﬃce", "final office", false),
        // Case.
        ("Große Straße", "GROSSE STRASSE", false),
        ("ΟΔΥΣΣΕΥΣ", "οδυσσευς", true),
        ("İstanbul", "istanbul", false),
        ("IŞIK", "ışık", false),
        // Composed and decomposed.
        ("café naïve", "cafe\u{301} nai\u{308}ve", true),
        (
            "한글 한국어",
            "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af} \u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}\u{110b}\u{1165}",
            true,
        ),
        ("가ガぎ", "\u{1100}\u{1161}カ\u{3099}き\u{3099}", true),
        ("क\u{93c}लम", "\u{958}लम", true),
    ] {
        assert_eq!(cosine(left, right, ""), 1.0, "{left} {right}");
        assert_eq!(cosine(left, right, "--no_fold") == 1.0, is_same, "{left} {right}");
        assert_eq!(terms(left, "") == terms(right, ""), is_same, "{left} {right}");
        assert_eq!(terms(left, "--fold"), terms(right, "--fold"), "{left} {right}");
    }
}

#[test]
fn words_that_differ_stay_different() {
    for (left, right) in
        [("résumé", "resume"), ("हिन्दी", "हिन्द"), ("كتب", "كتاب"), ("中", "文"), ("x™", "xtm")]
    {
        assert_eq!(cosine(left, right, ""), 0.0, "{left} {right}");
    }
}

#[test]
fn an_index_with_other_folding_is_refused() {
    let work = Work::new();
    work.write("docs/a", "Straße");
    work.ok("find_near_dups docs --save_index index");
    let told = work.fails("find_near_dups docs --index index --out pairs.tsv --no_fold");
    assert!(told.contains("index.json: expected fold false, found true"), "{told}");
}

#[test]
fn folding_needs_words_and_is_recorded() {
    let work = Work::new();
    work.collection(&[("a", "Straße")]);
    let line = "create_bows --doc_list doc_list --bow_paths p --bow_dir d";
    let told = work.refuses(&format!("{line} --fold"));
    assert!(told.contains("--words"), "{told}");
    let told = work.refuses(&format!("{line} --words=whitespace --fold"));
    assert!(told.contains("--fold needs --words=letters"), "{told}");
    work.ok(&format!("{line} --words --fold"));
    assert!(work.read("p.manifest.json").contains("\"fold\": true"));
}
