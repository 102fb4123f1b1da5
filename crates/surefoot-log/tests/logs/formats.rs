//! One table, in every format: the same rows.

use std::io::Write;

use surefoot_learn::Recording;
use surefoot_log::table::{Cell, TableRow, Value};
use surefoot_log::{Log, Meaning, Table};

use crate::warehouse::{Folder, MAP, Warehouse, open};

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn zstd(text: &str) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(text.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest)
}

fn digests(log: &Log) -> Vec<String> {
    (0..log.traces()).map(|trace| log.digest(trace).unwrap()).collect()
}

#[test]
fn compressed_delimited_and_in_memory_are_the_same() {
    let warehouse = Warehouse::simulate(7, 3, 25);
    let (csv, json) = (warehouse.csv(','), warehouse.json_lines());
    let spaced = csv.replace(',', ", ").replace('\n', "\r\n");
    let both = [zstd(&csv[..100]), zstd(&csv[100..])].concat();
    let members = [gzip(&json[..100]), gzip(&json[100..])].concat();
    let folder = Folder::new(&[
        ("static.json", warehouse.statics.as_bytes()),
        ("log.csv", csv.as_bytes()),
        ("bom.csv", format!("\u{feff}{csv}").as_bytes()),
        ("spaced.csv", spaced.as_bytes()),
        ("log.tsv", warehouse.csv('\t').as_bytes()),
        ("semicolons.csv", warehouse.csv(';').as_bytes()),
        ("noname", json.as_bytes()),
        ("log.csv.gz", &gzip(&csv)),
        ("log.jsonl.gz", &members),
        ("log.csv.zst", &zstd(&csv)),
        ("frames.zst", &both),
    ]);
    let wanted = digests(&open(&folder, MAP, &["log.csv"]).unwrap());
    for name in [
        "bom.csv",
        "spaced.csv",
        "log.tsv",
        "semicolons.csv",
        "noname",
        "log.csv.gz",
        "log.jsonl.gz",
        "log.csv.zst",
        "frames.zst",
    ] {
        assert_eq!(digests(&open(&folder, MAP, &[name]).unwrap()), wanted, "{name}");
    }
    let meaning = || Meaning::read(&surefoot_base::pddl::Source::new("map", MAP)).unwrap();
    let piped = Table::read("standard input", &mut json.as_bytes(), None).unwrap();
    assert_eq!(digests(&Log::open(meaning(), folder.root(), vec![piped]).unwrap()), wanted);
    let cells = warehouse.rows.iter().flatten().map(|cell| match cell.as_str() {
        "" => Value::Missing,
        number if number.parse::<f64>().is_ok() => Value::Number(number.into()),
        text => Value::Text(text.into()),
    });
    let frame = Table::in_memory("frame", &warehouse.columns, cells.collect()).unwrap();
    assert_eq!(digests(&Log::open(meaning(), folder.root(), vec![frame]).unwrap()), wanted);
}

#[test]
fn cells_keep_what_was_written() {
    let text = "{\"a\": 7585.099999999999, \"b\": {\"c\": [1e-3, null], \"d\": true}, \
                \"e\": \"é \\\"x\\\"\", \"f\": NaN, \"g\": \"NaN\"}\n";
    let table = Table::read("t", &mut text.as_bytes(), None).unwrap();
    let mut rows = table.rows().unwrap();
    let mut row = TableRow::default();
    assert!(rows.next(&mut row).unwrap());
    let cell = |name: &str| row.cell(rows.columns().find(name).unwrap());
    assert_eq!(cell("a"), Cell::Number("7585.099999999999"));
    assert_eq!(cell("b.c[0]"), Cell::Number("1e-3"));
    assert_eq!(cell("b.d"), Cell::Flag(true));
    assert_eq!(cell("e"), Cell::Text("é \"x\""));
    assert_eq!([cell("b.c[1]"), cell("f"), cell("g")], [Cell::Missing; 3]);
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_is_read_as_csv_is() {
    use std::sync::Arc;

    use parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    const MAP: &str =
        "action = \"do\"\n[after]\nbattery = \"(battery ?robot)\"\n[actions]\nwork = [\"robot\"]\n";
    let folder = Folder::new(&[(
        "log.csv",
        b"do,robot,battery\nwork,r1,41.800000000000004\nwork,r2,\nwork,r1,-1e-3\n",
    )]);
    let schema = "message log \
                  { required binary do (UTF8); required binary robot (UTF8); \
                   optional double battery; }";
    let file = std::fs::File::create(folder.path("log.parquet")).unwrap();
    let mut writer = SerializedFileWriter::new(
        file,
        Arc::new(parse_message_type(schema).unwrap()),
        Arc::default(),
    )
    .unwrap();
    let mut group = writer.next_row_group().unwrap();
    let words = |words: [&str; 3]| words.map(|word| ByteArray::from(word)).to_vec();
    for number in 0..3 {
        let mut column = group.next_column().unwrap().unwrap();
        match number {
            0 => column.typed::<ByteArrayType>().write_batch(&words(["work"; 3]), None, None),
            1 => {
                column.typed::<ByteArrayType>().write_batch(&words(["r1", "r2", "r1"]), None, None)
            }
            _ => column.typed::<DoubleType>().write_batch(
                &[41.800000000000004, -1e-3],
                Some(&[1, 0, 1]),
                None,
            ),
        }
        .unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
    let [one, other] = ["log.csv", "log.parquet"].map(|name| {
        let mut text = Vec::new();
        open(&folder, MAP, &[name]).unwrap().write(0, &mut text).unwrap();
        String::from_utf8(text).unwrap()
    });
    assert_eq!(one, other);
    let gzipped = gzip("not Parquet");
    assert!(Table::read("p", &mut [b"PAR1", &gzipped[..]].concat().as_slice(), None).is_err());
}
