//! Documents in columns.

use std::fs::File;
use std::sync::Arc;

use ::parquet::arrow::ArrowWriter;
use arrow_array::{ArrayRef, Float64Array, Int64Array, LargeStringArray, RecordBatch, StringArray};

use super::copies::copied_of;
use super::*;

fn write(path: &Path, columns: Vec<(&str, ArrayRef)>) {
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, column)| (name, column, true)),
    )
    .unwrap();
    let mut writer =
        ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

fn texts_of(texts: &[Option<&str>]) -> ArrayRef {
    Arc::new(StringArray::from(texts.to_vec()))
}

#[test]
fn rows_are_documents() {
    let work = Work::new();
    let path = work.path("a.parquet");
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![Some(7), None, Some(9)]));
    let dates: ArrayRef = Arc::new(Float64Array::from(vec![Some(0.5), Some(1.0), None]));
    let columns =
        vec![("id", ids), ("text", texts_of(&[Some("x"), Some("y"), None])), ("date", dates)];
    write(&path, columns);
    let inputs = Inputs { sort_field: Some("date".into()), ..work.inputs(&["a.parquet"]) };
    assert_eq!(work.texts(&inputs), expected(&[("7", "x"), ("a.parquet:2", "y")]));
    let read = read_silently(&inputs);
    assert_eq!(read.sort_keys, ["0.5", "1"].map(|key| Some(SortKey::of_text(key))));
    assert_eq!((read.skipped.records, read.skipped.first[0].line), (1, Some(3)));
    assert_eq!(read.places.get(1).line, Some(2));
    let Documents { places, text_hashes, .. } = &read;
    let copied = copied_of(&work, &inputs, places, text_hashes, |d| d == 0, "out.jsonl");
    assert_eq!(copied.unwrap(), 1);
    assert_eq!(work.read("out.jsonl"), "{\"id\":\"7\",\"text\":\"x\"}\n");
    assert_eq!(survey(&inputs, &mut |_| ()).unwrap().documents, 3);
}

#[test]
fn many_rows_are_read_in_order_and_other_columns_do_not_matter() {
    let work = Work::new();
    let path = work.path("a.parquet");
    let words: Vec<String> = (0..5000).map(|number| format!("word {number}")).collect();
    let body: ArrayRef = Arc::new(LargeStringArray::from_iter_values(&words));
    write(&path, vec![("other", Arc::clone(&body)), ("body", body)]);
    let read = work.texts(&with_text_field("body", work.inputs(&["a.parquet"])));
    assert!(read.iter().map(|(_, text)| text).eq(&words));
}

#[test]
fn what_is_wrong_with_a_table_is_named() {
    let work = Work::new();
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    write(&work.path("numbers.parquet"), vec![("text", numbers)]);
    write(&work.path("other.parquet"), vec![("body", texts_of(&[Some("x")]))]);
    work.write("damaged.parquet", b"PAR1 and no more");
    work.write("good.txt", "x");
    let skips = read_silently(&work.inputs(&[""])).skipped.first;
    let skips: Vec<String> = skips.iter().map(|skip| work.relative(skip)).collect();
    assert!(skips[0].starts_with("damaged.parquet: cannot read: "), "{skips:?}");
    assert!(skips[1].ends_with("the column 'text' holds Int64, not text"), "{skips:?}");
    assert_eq!(skips[2], "other.parquet: cannot read: no column 'text'");
}
