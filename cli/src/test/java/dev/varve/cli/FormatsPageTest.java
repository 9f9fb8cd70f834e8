package dev.varve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page on upgrading lists every format that the sources know, and none but these. */
class FormatsPageTest {
  private static final Path ROOT = Path.of("..");
  private static final Path PAGE = ROOT.resolve("docs/upgrade.md");

  /** A constant that is a format: its name and value. */
  private static final Pattern CONSTANT =
      Pattern.compile("static final (?:int|long|String) (?:VERSION|FORMAT|TITLE) = ([^;]+);");

  /** The formats by their sources, which name them in the page's first column. */
  private static final Map<String, String> FORMATS =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("store/rocksdb/TableCatalog", "RocksDB store"),
              Map.entry("store/rocksdb/wal/StateFile", "state of a RocksDB store"),
              Map.entry("store/rocksdb/wal/GroupMark", "mark of a batch in RocksDB's log"),
              Map.entry("store/bigtable/TableEntry", "table of the Bigtable store"),
              Map.entry("engine/home/IdentityTable", "home"),
              Map.entry("engine/home/HomeExport", "home in a backup"),
              Map.entry("engine/catalog/SeriesIdentity", "key of a series"),
              Map.entry("engine/usage/QueryCode", "logged query"),
              Map.entry("engine/usage/CardinalityDay", "cardinality of a day"),
              Map.entry("engine/blocks/JournalEntry", "entry of the journal"),
              Map.entry("layout/block/BlockHead", "block"),
              Map.entry("layout/declared/PackedCodec", "packed fields of declared layouts"),
              Map.entry("layout/declared/ValueCodec", "values of declared layouts"),
              Map.entry("layout/declared/KeyHash", "hashes in keys of declared layouts"),
              Map.entry("engine/backup/BackupFolder", "directory of backups"),
              Map.entry("engine/backup/Manifest", "list of files of a backup"),
              Map.entry("cli/ExportFile", "state of an export"),
              Map.entry("cli/imports/ImportState", "state of an import"),
              Map.entry("cli/migrate/Checkpoint", "checkpoint of a migration"),
              Map.entry("formats/parquet/ParquetExport", "export in Parquet")));

  /** Formats that are others'. */
  private static final List<String> FOREIGN =
      List.of("formats/parquet/Footer", "store/rocksdb/SstIndex", "server/influx/Influx");

  @Test
  void listsEveryFormat() throws IOException {
    Map<String, String> known = new TreeMap<>();
    inSources()
        .forEach((source, format) -> {
          assertThat(FORMATS).as("format %s of %s", format, source).containsKey(source);
          known.put(String.valueOf(FORMATS.get(source)), format);
        });
    assertThat(known).hasSize(FORMATS.size());
    assertThat(onPage()).containsExactlyInAnyOrderEntriesOf(known);
  }

  /** Returns the formats of the sources, by the ends of their paths. */
  private static Map<String, String> inSources() throws IOException {
    Map<String, String> found = new TreeMap<>();
    try (Stream<Path> modules = Files.list(ROOT);
        Stream<Path> stores = Files.list(ROOT.resolve("stores"))) {
      for (Path module : Stream.concat(modules, stores).toList()) {
        Path sources = module.resolve("src/main/java/dev/varve");
        if (!Files.isDirectory(sources)) {
          continue;
        }
        try (Stream<Path> files = Files.walk(sources)) {
          for (Path file : files.filter(one -> one.toString().endsWith(".java")).toList()) {
            Matcher constant = CONSTANT.matcher(Files.readString(file));
            String name = sources.relativize(file).toString().replace(".java", "");
            if (constant.find() && !FOREIGN.contains(name)) {
              found.put(name, constant.group(1).replace("\\n\"", "").replace("\"", ""));
            }
          }
        }
      }
    }
    return found;
  }

  private static Map<String, String> onPage() throws IOException {
    String page = Files.readString(PAGE);
    int from = page.indexOf("### Formats\n");
    int to = page.indexOf("\n## ", from);
    assertThat(from).isPositive();
    Map<String, String> found = new TreeMap<>();
    List<String> rows = new ArrayList<>(page.substring(from, to).lines().toList());
    rows.removeIf(row -> !row.matches("\\| [^|]+ \\| `[^|`]+` \\| [^|]+ \\|"));
    for (String row : rows) {
      String[] columns = row.split(" *\\| *", -1);
      String format = columns[2].replace("`", "");
      found.put(columns[1], format.matches("0\\d") ? format.substring(1) : format);
    }
    return found;
  }
}
