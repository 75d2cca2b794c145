//! Documents in columns.

use std::fs::File;
use std::sync::Arc;

use ::parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use ::parquet::schema::parser::parse_message_type;

use super::copies::copied_of;
use super::*;

type Rows<'a> = SerializedRowGroupWriter<'a, File>;

/// Writes a table of one row group.
fn write(path: &Path, schema: &str, columns: impl FnOnce(&mut Rows<'_>)) {
    let schema = Arc::new(parse_message_type(&format!("message table {{ {schema} }}")).unwrap());
    let file = File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::default()).unwrap();
    let mut rows = writer.next_row_group().unwrap();
    columns(&mut rows);
    rows.close().unwrap();
    writer.close().unwrap();
}

/// Writes the values of an optional column.
fn column<T: DataType>(rows: &mut Rows<'_>, values: &[Option<T::T>]) {
    let mut column = rows.next_column().unwrap().unwrap();
    let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    let values: Vec<T::T> = values.iter().flatten().cloned().collect();
    column.typed::<T>().write_batch(&values, Some(&levels), None).unwrap();
    column.close().unwrap();
}

fn texts(rows: &mut Rows<'_>, values: &[Option<&str>]) {
    let values: Vec<_> = values.iter().map(|value| value.map(ByteArray::from)).collect();
    column::<ByteArrayType>(rows, &values);
}

#[test]
fn rows_are_documents() {
    let work = Work::new();
    let schema = "optional int64 id; optional binary text (utf8); optional double date;";
    write(&work.path("a.parquet"), schema, |rows| {
        column::<Int64Type>(rows, &[Some(7), None, Some(9)]);
        texts(rows, &[Some("x"), Some("y"), None]);
        column::<DoubleType>(rows, &[Some(0.5), Some(1.0), None]);
    });
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
    let words: Vec<String> = (0..5000).map(|number| format!("word {number}")).collect();
    let values: Vec<Option<&str>> = words.iter().map(|word| Some(&**word)).collect();
    let schema =
        "optional binary other (utf8); optional group meta { optional binary body (utf8); }";
    write(&work.path("a.parquet"), schema, |rows| {
        texts(rows, &values);
        let mut column = rows.next_column().unwrap().unwrap();
        let bytes: Vec<_> = words.iter().map(|word| ByteArray::from(&**word)).collect();
        let levels = vec![2; bytes.len()];
        column.typed::<ByteArrayType>().write_batch(&bytes, Some(&levels), None).unwrap();
        column.close().unwrap();
    });
    for field in ["other", "meta.body"] {
        let read = work.texts(&with_text_field(field, work.inputs(&["a.parquet"])));
        assert!(read.iter().map(|(_, text)| text).eq(&words), "{field}");
    }
}

#[test]
fn what_is_wrong_with_a_table_is_named() {
    let work = Work::new();
    write(&work.path("numbers.parquet"), "optional int64 text;", |rows| {
        column::<Int64Type>(rows, &[Some(1)]);
    });
    write(&work.path("other.parquet"), "optional binary body (utf8);", |rows| {
        texts(rows, &[Some("x")]);
    });
    work.write("damaged.parquet", b"PAR1 and no more");
    work.write("good.txt", "x");
    let skips = read_silently(&work.inputs(&[""])).skipped.first;
    let skips: Vec<String> = skips.iter().map(|skip| work.relative(skip)).collect();
    assert!(skips[0].starts_with("damaged.parquet: cannot read: "), "{skips:?}");
    assert!(skips[1].ends_with("expected text in the column 'text', found '1'"), "{skips:?}");
    let missing = "expected the field 'text' (--text_field), found 'body'";
    assert_eq!(skips[2], format!("other.parquet: {missing}"));
}

#[test]
fn damaged_tables_are_skipped_wherever_they_are_damaged() {
    let work = Work::new();
    let path = work.path("in/a.parquet");
    std::fs::create_dir(work.path("in")).unwrap();
    work.write("in/good.txt", "x");
    write(&path, "optional binary text (utf8);", |rows| {
        texts(rows, &[Some("one"), None, Some("two")]);
    });
    let whole = std::fs::read(&path).unwrap();
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x41;
        std::fs::write(&path, damaged).unwrap();
        let read = read_silently(&work.inputs(&["in"]));
        assert!((1..=4).contains(&read.ids.len()), "{at}");
    }
}
