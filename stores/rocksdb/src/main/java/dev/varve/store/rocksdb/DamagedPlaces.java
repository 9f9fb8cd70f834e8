package dev.varve.store.rocksdb;

import dev.varve.store.RowSpan;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.rocksdb.LiveFileMetaData;

/** Finds the rows that a damaged part of a table file contained. */
final class DamagedPlaces {
  private static final Pattern FILE = Pattern.compile("(\\d{6,})\\.sst");
  private static final Pattern OFFSET = Pattern.compile("\\.sst offset (\\d+)");
  private static final Pattern SIZE = Pattern.compile("(?:size|expected) (\\d+)");

  private final Path directory;
  private final Database database;
  private final TableCatalog catalog;

  DamagedPlaces(Path directory, Database database, TableCatalog catalog) {
    this.directory = directory;
    this.database = database;
    this.catalog = catalog;
  }

  /**
   * A place that RocksDB reports as damaged.
   *
   * @param offset offset of the block; -1 if the whole file is meant
   * @param bytes size of the block or the file
   * @param rows the rows that it contained, as far as they can be determined
   */
  record Place(Path file, long offset, long bytes, List<RowSpan> rows, String what) {}

  /**
   * Finds the place that a message of RocksDB refers to; null if the message names no table file.
   */
  @Nullable Place find(@Nullable String message) {
    if (message == null) {
      return null;
    }
    Matcher name = FILE.matcher(message);
    if (!name.find()) {
      return null;
    }
    Path file = directory.resolve(name.group());
    LiveFileMetaData live = live(name.group());
    long offset = number(OFFSET, message);
    SstIndex.Block block = offset < 0 ? null : block(file, offset);
    if (block == null) {
      return new Place(
          file,
          offset,
          offset < 0 && live != null ? live.size() : Math.max(0, number(SIZE, message)),
          live == null ? List.of() : rows(live, live.smallestKey(), live.largestKey()),
          what(live));
    }
    return new Place(
        file,
        offset,
        block.size(),
        live == null ? List.of() : rows(live, after(block, live), block.last()),
        what(live));
  }

  private static byte[] after(SstIndex.Block block, LiveFileMetaData live) {
    byte[] after = block.after();
    return after == null ? live.smallestKey() : after;
  }

  private static String what(@Nullable LiveFileMetaData live) {
    return live == null
        ? "a file that is no longer in use"
        : Database.isOfCells(live.columnFamilyName())
            ? "cells, level %d".formatted(live.level())
            : "the list of tables";
  }

  private @Nullable LiveFileMetaData live(String name) {
    return database.tableFiles().stream()
        .filter(file -> file.fileName().endsWith("/" + name))
        .findFirst()
        .orElse(null);
  }

  private static SstIndex.@Nullable Block block(Path file, long offset) {
    try {
      return SstIndex.read(file).at(offset);
    } catch (IOException e) {
      return null;
    }
  }

  private static long number(Pattern pattern, String message) {
    Matcher matcher = pattern.matcher(message);
    return matcher.find() ? Long.parseLong(matcher.group(1)) : -1;
  }

  private List<RowSpan> rows(LiveFileMetaData live, byte[] from, byte[] to) {
    return Database.isOfCells(live.columnFamilyName()) ? catalog.rows(from, to) : List.of();
  }
}
