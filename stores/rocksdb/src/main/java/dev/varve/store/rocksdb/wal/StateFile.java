package dev.varve.store.rocksdb.wal;

import dev.varve.store.LaterFormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file {@value #NAME} in the directory of a database. It records what must exist when the
 * database is opened the next time. It reveals a missing log, and a log that is too short after a
 * clean stop.
 */
public final class StateFile {
  /*
   * varve-state 1
   * running log NUMBER [after SEQUENCE] [synced SEQUENCE] | stopped CURRENT
   * file NAME LENGTH                    for the MANIFEST; after a stop, also for each log and table
   *                                     file in use
   * manifest crc32c HEX                 after a stop, of the MANIFEST
   * crc32c HEX                          of all lines before
   */
  private static final Logger LOG = LoggerFactory.getLogger(StateFile.class);
  private static final String NAME = "varve-state";
  private static final String TITLE = "varve-state 1\n";
  private static final Pattern RUNNING =
      Pattern.compile("running log (\\d{1,18})(?: after (\\d{1,18}))?(?: synced (\\d{1,18}))?\n");
  private static final Pattern STOPPED = Pattern.compile("stopped (\\S+)");
  private static final Pattern FILE = Pattern.compile("file (\\S+) (\\d{1,18})");
  private static final Pattern MANIFEST = Pattern.compile("manifest crc32c ([0-9a-f]{8})");
  private static final Pattern CHECKSUM = Pattern.compile("crc32c ([0-9a-f]{8})\n");

  private StateFile() {}

  /** The state that the last run left. */
  sealed interface State permits Running, Stopped {}

  /**
   * A run that did not stop cleanly.
   *
   * @param log the newest known log
   * @param sequence the last sequence number before that log; -1 if unknown
   * @param synced a sequence number through which everything was synced; -1 if none is known
   * @param lengths length of the MANIFEST, by its name: it may have grown since, and never shrinks
   */
  record Running(long log, long sequence, long synced, Map<String, Long> lengths)
      implements State {}

  /**
   * A clean stop.
   *
   * @param manifest the name in CURRENT; a different name now means that another program has used
   *     the database
   * @param lengths lengths of files, by name
   */
  record Stopped(String manifest, Map<String, Long> lengths, String manifestChecksum)
      implements State {
    /** Returns the table files that were in use; empty if an older version wrote the state. */
    SortedMap<Long, Long> tables() {
      SortedMap<Long, Long> tables = new TreeMap<>();
      lengths.forEach((name, length) -> {
        if (name.matches("\\d{1,18}\\.sst")) {
          tables.put(Long.parseLong(name.substring(0, name.length() - 4)), length);
        }
      });
      return tables;
    }
  }

  /**
   * Reads the state; null if there is none, or the file is damaged.
   *
   * @throws LaterFormatException if a later version wrote it
   */
  static @Nullable State read(Path directory) throws IOException {
    String text;
    try {
      text = Files.readString(directory.resolve(NAME), StandardCharsets.ISO_8859_1);
    } catch (NoSuchFileException e) {
      return null;
    }
    int end = text.lastIndexOf("crc32c ");
    Matcher checksum = CHECKSUM.matcher(end < 0 ? "" : text.substring(end));
    String body = end < 0 ? "" : text.substring(0, end);
    boolean whole = checksum.matches() && checksum.group(1).equals(checksum(body));
    if (whole && body.startsWith(NAME + " ") && !body.startsWith(TITLE)) {
      throw new LaterFormatException(
          String.valueOf(directory.resolve(NAME)),
          body.lines().findFirst().orElse(""),
          TITLE.strip());
    }
    State state = whole ? parse(body) : null;
    if (state == null) {
      LOG.warn(
          "{} is damaged: the logs are checked as after a crash, and a missing log would not be noticed",
          directory.resolve(NAME));
    }
    return state;
  }

  private static @Nullable State parse(String body) {
    if (!body.startsWith(TITLE)) {
      return null;
    }
    Map<String, Long> lengths = new TreeMap<>();
    Matcher file = FILE.matcher(body);
    while (file.find()) {
      lengths.put(file.group(1), Long.parseLong(file.group(2)));
    }
    Matcher running = RUNNING.matcher(body);
    if (running.find()) {
      return new Running(
          Long.parseLong(running.group(1)),
          sequence(running.group(2)),
          sequence(running.group(3)),
          lengths);
    }
    Matcher stopped = STOPPED.matcher(body);
    if (!stopped.find()) {
      return null;
    }
    Matcher manifest = MANIFEST.matcher(body);
    return new Stopped(stopped.group(1), lengths, manifest.find() ? manifest.group(1) : "");
  }

  private static long sequence(@Nullable String text) {
    return text == null ? -1 : Long.parseLong(text);
  }

  /**
   * Records durably that the database is open.
   *
   * @param log the newest log
   * @param sequence the last sequence number before it; -1 if unknown
   * @param synced a sequence number through which everything is synced; -1 if none is known
   */
  public static void running(Path directory, long log, long sequence, long synced)
      throws IOException {
    String after = sequence < 0 ? "" : " after " + sequence;
    String through = synced < 0 ? "" : " synced " + synced;
    StringBuilder body = new StringBuilder(TITLE);
    body.append("running log ").append(log).append(after).append(through).append('\n');
    Path manifest = Manifest.file(directory);
    try (FileChannel channel = FileChannel.open(manifest, StandardOpenOption.READ)) {
      long length = channel.size();
      // RocksDB may still be syncing it: what is recorded here must survive a power failure.
      channel.force(true);
      body.append("file ").append(manifest.getFileName()).append(' ').append(length).append('\n');
    }
    write(directory, body.toString());
  }

  /**
   * Records durably that the database has been closed cleanly: everything is synced, and its files
   * no longer change.
   *
   * @param tables the names of the table files in use
   */
  public static void stopped(Path directory, Collection<String> tables) throws IOException {
    Manifest manifest = Manifest.of(directory);
    StringBuilder body = new StringBuilder(TITLE);
    body.append("stopped ").append(manifest.name()).append('\n');
    for (Path log : LogFiles.of(directory).values()) {
      addFile(body, log);
    }
    for (String table : tables) {
      addFile(body, directory.resolve(table));
    }
    addFile(body, directory.resolve(manifest.name()));
    body.append("manifest crc32c ");
    body.append(checksum(Files.readAllBytes(directory.resolve(manifest.name())))).append('\n');
    write(directory, body.toString());
  }

  private static void addFile(StringBuilder body, Path file) throws IOException {
    body.append("file ").append(file.getFileName()).append(' ').append(Files.size(file));
    body.append('\n');
  }

  private static void write(Path directory, String body) throws IOException {
    Path file = directory.resolve(NAME);
    Path draft = directory.resolve(NAME + ".new");
    byte[] bytes = (body + "crc32c " + checksum(body) + "\n").getBytes(StandardCharsets.ISO_8859_1);
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
    LogFiles.sync(directory);
  }

  private static String checksum(String body) {
    return checksum(body.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Returns a CRC-32C in hexadecimal digits. */
  static String checksum(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return "%08x".formatted(crc.getValue());
  }
}
