package dev.varve.store.rocksdb;

import dev.varve.store.StoreException;
import dev.varve.store.rocksdb.wal.LogFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/**
 * A copy of the list of tables, in file {@value #NAME}. Cells carry only the numbers of tables, and
 * the list that names them fills one block of one file, so it is kept a second time.
 */
final class TableList {
  /*
   * One line per key of the default column family: key and value in hexadecimal digits, separated
   * by a space. The last line is "crc32c", a space, and the checksum of the preceding lines.
   */
  static final String NAME = "varve-tables";
  private static final String CHECKSUM = "crc32c ";
  private static final HexFormat HEX = HexFormat.of();

  private TableList() {}

  /** Writes the copy durably, unless it is already up to date. */
  static void write(Database database) {
    Path file = database.directory().resolve(NAME);
    StringBuilder text = new StringBuilder();
    try {
      entries(database)
          .forEach((key, value) -> text.append(key).append(' ').append(value).append('\n'));
      String body = text.toString();
      byte[] bytes = (body + CHECKSUM + checksum(body) + "\n").getBytes(StandardCharsets.US_ASCII);
      if (Files.exists(file) && Arrays.equals(bytes, Files.readAllBytes(file))) {
        return;
      }
      Path draft = database.directory().resolve(NAME + ".new");
      try (FileChannel channel =
          FileChannel.open(
              draft,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE)) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
          channel.write(buffer);
        }
        channel.force(true);
      }
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
      LogFiles.sync(database.directory());
    } catch (IOException | RocksDBException e) {
      throw new StoreException(
          "the list of tables cannot be copied to %s: %s".formatted(file, e), e);
    }
  }

  private static SortedMap<String, String> entries(Database database) throws RocksDBException {
    SortedMap<String, String> entries = new TreeMap<>();
    try (RocksIterator iterator = database.catalog()) {
      for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
        if (!Database.isProbe(iterator.key())) {
          entries.put(HEX.formatHex(iterator.key()), HEX.formatHex(iterator.value()));
        }
      }
      iterator.status();
    }
    return entries;
  }

  /**
   * Adds the tables that are in the copy but not in a database. Does nothing if the copy is missing
   * or its checksum does not match: then the database alone names the tables.
   *
   * @param directory the directory of the copy
   */
  static void restore(Path directory, Database database) throws IOException, RocksDBException {
    String text;
    try {
      text = Files.readString(directory.resolve(NAME), StandardCharsets.ISO_8859_1);
    } catch (NoSuchFileException e) {
      return;
    }
    int end = text.lastIndexOf(CHECKSUM);
    if (end < 0
        || !text.substring(end).strip().equals(CHECKSUM + checksum(text.substring(0, end)))) {
      return;
    }
    SortedMap<String, String> known = entries(database);
    WriteRecords records = new WriteRecords(1 << 10);
    for (String line : text.substring(0, end).lines().toList()) {
      int blank = line.indexOf(' ');
      if (blank > 0 && !known.containsKey(line.substring(0, blank))) {
        byte[] key = HEX.parseHex(line.substring(0, blank));
        byte[] value = HEX.parseHex(line.substring(blank + 1));
        GrowingBytes bytes = new GrowingBytes(key.length);
        bytes.add(key, 0, key.length);
        records.put(database.catalogFamily(), bytes, value.length).add(value, 0, value.length);
      }
    }
    if (!records.isEmpty()) {
      database.write(records);
      database.sync();
    }
  }

  private static String checksum(String body) {
    CRC32C crc = new CRC32C();
    crc.update(body.getBytes(StandardCharsets.ISO_8859_1));
    return "%08x".formatted(crc.getValue());
  }
}
