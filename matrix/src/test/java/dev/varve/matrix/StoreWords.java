package dev.varve.matrix;

import dev.varve.model.Resolution;
import dev.varve.store.Capabilities;
import dev.varve.store.FamilySpec;
import dev.varve.store.Partitioning;
import dev.varve.store.SizeLimits;
import dev.varve.store.Store;
import dev.varve.store.TableSpec;
import dev.varve.store.TimeUse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Keeps a store's description of itself in a file for the documentation page. */
final class StoreWords {
  private static final Path FOLDER = Path.of("target", "matrix");

  /** A table of samples with times in the unit of most layouts. */
  private static final TableSpec TABLE =
      new TableSpec(
          "words",
          List.of(new FamilySpec("d", TimeUse.DATA, FamilySpec.ALL_VERSIONS)),
          Resolution.MICROSECONDS,
          Partitioning.NONE);

  private StoreWords() {}

  static void write(String kind, Store store) {
    String lines =
        of(store.capabilities(TABLE)).entrySet().stream()
            .map(entry -> entry.getKey() + "\t" + entry.getValue() + "\n")
            .collect(Collectors.joining());
    try {
      Files.createDirectories(FOLDER);
      Files.writeString(file(kind), lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads what this build's tests on a store have written, in the order of the page. */
  static Map<String, String> read(String kind) throws IOException {
    Map<String, String> words = new LinkedHashMap<>();
    for (String line : Files.readAllLines(file(kind))) {
      String[] parts = line.split("\t", -1);
      words.put(parts[0], parts[1]);
    }
    return words;
  }

  private static Path file(String kind) {
    return FOLDER.resolve(kind + "-words.tsv");
  }

  private static Map<String, String> of(Capabilities says) {
    SizeLimits limits = says.limits();
    Map<String, String> words = new LinkedHashMap<>();
    words.put("row key", size(limits.rowKey()));
    words.put("qualifier", size(limits.qualifier()));
    words.put("value, soft limit", size(limits.softValue()));
    words.put("value, hard limit", size(limits.hardValue()));
    words.put("row or partition, soft limit", size(limits.softRow()));
    words.put("row or partition, hard limit", size(limits.hardRow()));
    words.put("families of a table, soft limit", count(limits.families()));
    words.put("edits of a mutation", count(limits.editsPerRow()));
    words.put("bytes of a mutation", size(limits.mutationBytes()));
    words.put("cell times in microseconds", times(says.cellTimes()));
    words.put(
        "a delete hides later puts with older times",
        says.deletes() == Capabilities.Deletes.MASK_OLDER ? "yes" : "no");
    words.put(
        "rows are in order",
        says.order() == Capabilities.RowOrder.TABLE ? "in a table" : "in a partition");
    return words;
  }

  private static String times(Capabilities.@Nullable CellTimes times) {
    if (times == null) {
      return "none";
    }
    String from = times.min() == Long.MIN_VALUE ? "any" : "from " + times.min();
    return times.granularity() == 1 ? from : from + ", by " + times.granularity();
  }

  /** KB and MB are powers of two. */
  private static String size(long bytes) {
    if (bytes >= Integer.MAX_VALUE && bytes % (1 << 30) != 0) {
      return "-";
    }
    for (String unit : List.of("GB", "MB", "KB")) {
      long one = 1L << (unit.equals("GB") ? 30 : unit.equals("MB") ? 20 : 10);
      if (bytes % one == 0) {
        return count(bytes / one) + " " + unit;
      }
    }
    return count(bytes) + " bytes";
  }

  private static String count(long number) {
    return number == Integer.MAX_VALUE ? "-" : String.format(Locale.ROOT, "%,d", number);
  }
}
