package dev.varve.store.rocksdb.wal;

import dev.varve.store.rocksdb.wal.LogReader.Bad;
import dev.varve.store.rocksdb.wal.LogReader.Entry;
import dev.varve.store.rocksdb.wal.LogReader.Whole;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The information about logs and table files in RocksDB's MANIFEST.
 *
 * @param name the name of the MANIFEST; empty if there is none
 * @param firstLog the number of the first log that RocksDB reads again; older ones are already in
 *     table files. 0 if unknown
 * @param flushedLog all logs before this one were synced before a flush was recorded here; 0 if
 *     there are none
 * @param lastSequence upper bound of the sequence numbers before the first log; -1 if unknown
 * @param files the table files in use, by number
 * @param flaw the first bad place; null if everything is readable
 */
public record Manifest(
    String name,
    long firstLog,
    long flushedLog,
    long lastSequence,
    NavigableMap<Long, TableFile> files,
    @Nullable Flaw flaw) {
  /**
   * A bad place.
   *
   * @param isTail whether the only problem is a truncated last edit, as a crash leaves it
   */
  record Flaw(long offset, String reason, boolean isTail) {}

  /** Returns whether the whole file is readable. */
  public boolean whole() {
    return flaw == null;
  }

  /**
   * A table file.
   *
   * @param family the number of its column family
   * @param smallest its first key, without the version
   * @param end a key greater than all its keys, without the version
   */
  public record TableFile(long number, long family, long size, byte[] smallest, byte[] end) {
    /** Returns its name in the directory. */
    public String name() {
      return "%06d.sst".formatted(number);
    }
  }

  private static final int COMPARATOR = 1;
  private static final int LOG_NUMBER = 2;
  private static final int NEXT_FILE = 3;
  private static final int LAST_SEQUENCE = 4;
  private static final int COMPACT_CURSOR = 5;
  private static final int DELETED_FILE = 6;
  private static final int PREVIOUS_LOG = 9;
  private static final int MIN_LOG_TO_KEEP = 10;
  private static final int NEW_FILE = 7;
  private static final int NEW_FILE_2 = 100;
  private static final int NEW_FILE_3 = 102;
  private static final int NEW_FILE_4 = 103;
  private static final int FAMILY = 200;
  private static final int FAMILY_ADD = 201;
  private static final int FAMILY_DROP = 202;
  private static final int MAX_FAMILY = 203;
  private static final int IN_ATOMIC_GROUP = 300;

  /** The version of a last key that is the exclusive end of a range delete. */
  private static final long END_OF_RANGE = (((1L << 56) - 1) << 8) | 15;

  /** Tags with this bit are followed by their length. */
  private static final int IGNORABLE = 1 << 13;

  private static final int FILE_FIELDS_END = 1;
  private static final int FILE_FIELD_MIN_LOG = 3;

  /** State collected from the edits of a MANIFEST. */
  private static final class Reading {
    private final Map<Long, Long> logOfFamily = new HashMap<>();
    private final NavigableMap<Long, TableFile> files = new TreeMap<>();
    private long minLog;
    private long lastSequence = -1;
  }

  /**
   * Reads the MANIFEST that CURRENT names.
   *
   * @return what is known; RocksDB itself rejects a MANIFEST that it cannot read
   */
  public static Manifest of(Path directory) throws IOException {
    String name;
    try {
      name = String.valueOf(file(directory).getFileName());
    } catch (NoSuchFileException e) {
      return unknown("", "it is missing");
    }
    return of(directory, name);
  }

  private static Manifest unknown(String name, String reason) {
    return new Manifest(name, 0, 0, -1, new TreeMap<>(), new Flaw(0, reason, false));
  }

  /** Returns the information that remains valid if this MANIFEST cannot be trusted. */
  Manifest damaged(String reason) {
    return new Manifest(name, 0, 0, lastSequence, files, new Flaw(0, reason, false));
  }

  /** Reads the MANIFEST of a given name, whether or not CURRENT names it. */
  public static Manifest of(Path directory, String name) throws IOException {
    if (!name.matches("MANIFEST-\\d+") || !Files.exists(directory.resolve(name))) {
      return unknown(name, "it is missing");
    }
    Flaw flaw = null;
    Reading reading = new Reading();
    try (LogReader reader = new LogReader(directory.resolve(name), 0, Integer.MAX_VALUE)) {
      for (Entry entry = reader.next(); entry != null; entry = reader.next()) {
        switch (entry) {
          case Bad bad ->
              flaw = flaw == null ? new Flaw(bad.offset(), bad.reason(), bad.isShort()) : flaw;
          case Whole record -> {
            if (flaw == null) {
              read(ByteBuffer.wrap(record.payload()), reading);
            } else {
              flaw = new Flaw(flaw.offset(), flaw.reason(), false);
            }
          }
        }
      }
    } catch (BufferUnderflowException | IllegalArgumentException e) {
      return unknown(name, "an edit of it cannot be understood");
    }
    if (flaw == null && reading.logOfFamily.isEmpty()) {
      flaw = new Flaw(0, "it is empty", false);
    }
    long lowest = reading.logOfFamily.values().stream().mapToLong(Long::longValue).min().orElse(0);
    long highest = reading.logOfFamily.values().stream().mapToLong(Long::longValue).max().orElse(0);
    return new Manifest(
        name, Math.max(reading.minLog, lowest), highest, reading.lastSequence, reading.files, flaw);
  }

  /** Returns the file that CURRENT names. */
  static Path file(Path directory) throws IOException {
    String current = Files.readString(directory.resolve("CURRENT"), StandardCharsets.ISO_8859_1);
    String name = current.strip();
    return directory.resolve(name.matches("MANIFEST-\\d+") ? name : "MANIFEST-");
  }

  private static void read(ByteBuffer edit, Reading reading) {
    long family = 0;
    @Nullable Long log = null;
    boolean added = false;
    boolean dropped = false;
    List<Long> removed = new ArrayList<>();
    List<TableFile> newFiles = new ArrayList<>();
    while (edit.hasRemaining()) {
      int tag = (int) varint(edit);
      switch (tag) {
        case COMPARATOR -> skip(edit);
        case LOG_NUMBER -> log = varint(edit);
        case NEXT_FILE, PREVIOUS_LOG, MAX_FAMILY, IN_ATOMIC_GROUP -> varint(edit);
        case LAST_SEQUENCE -> reading.lastSequence = Math.max(reading.lastSequence, varint(edit));
        case MIN_LOG_TO_KEEP -> reading.minLog = Math.max(reading.minLog, varint(edit));
        case COMPACT_CURSOR -> {
          varint(edit);
          skip(edit);
        }
        case DELETED_FILE -> {
          varint(edit); // level
          removed.add(varint(edit));
        }
        case NEW_FILE, NEW_FILE_2, NEW_FILE_3, NEW_FILE_4 ->
            newFiles.add(newFile(tag, edit, reading));
        case FAMILY -> family = varint(edit);
        case FAMILY_ADD -> {
          skip(edit);
          added = true;
        }
        case FAMILY_DROP -> dropped = true;
        default -> {
          if ((tag & IGNORABLE) == 0) {
            throw new IllegalArgumentException("unknown tag " + tag);
          }
          skip(edit);
        }
      }
    }
    // One edit may remove a file and add it again, when the file moves to another level.
    removed.forEach(reading.files::remove);
    for (TableFile file : newFiles) {
      reading.files.put(
          file.number(),
          new TableFile(file.number(), family, file.size(), file.smallest(), file.end()));
    }
    if (dropped) {
      reading.logOfFamily.remove(family);
    } else if (log != null || added) {
      reading.logOfFamily.merge(family, log == null ? 0 : log, Math::max);
    }
  }

  private static TableFile newFile(int tag, ByteBuffer edit, Reading reading) {
    varint(edit); // level
    long number = varint(edit);
    if (tag == NEW_FILE_3) {
      varint(edit); // path
    }
    long size = varint(edit);
    byte[] first = bytes(edit);
    byte[] last = bytes(edit);
    byte[] end = userKey(last);
    if ((long) LogForm.LONG_LE.get(last, end.length) != END_OF_RANGE) {
      // The smallest key after the last one.
      end = Arrays.copyOf(end, end.length + 1);
    }
    TableFile file = new TableFile(number, -1, size, userKey(first), end);
    if (tag != NEW_FILE) {
      varint(edit); // smallest sequence number
      varint(edit); // largest sequence number
    }
    if (tag != NEW_FILE_4) {
      return file;
    }
    for (long field = varint(edit); field != FILE_FIELDS_END; field = varint(edit)) {
      byte[] value = bytes(edit);
      if (field == FILE_FIELD_MIN_LOG && value.length == Long.BYTES) {
        reading.minLog = Math.max(reading.minLog, (long) LogForm.LONG_LE.get(value, 0));
      }
    }
    return file;
  }

  /** Returns a key without its version, which is its last eight bytes. */
  private static byte[] userKey(byte[] key) {
    if (key.length < Long.BYTES) {
      throw new IllegalArgumentException("a key of %d bytes".formatted(key.length));
    }
    return Arrays.copyOf(key, key.length - Long.BYTES);
  }

  private static void skip(ByteBuffer edit) {
    bytes(edit);
  }

  private static byte[] bytes(ByteBuffer edit) {
    long length = varint(edit);
    if (length < 0 || length > edit.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] bytes = new byte[(int) length];
    edit.get(bytes);
    return bytes;
  }

  private static long varint(ByteBuffer edit) {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      byte part = edit.get();
      value |= (part & 0x7fL) << shift;
      if (part >= 0) {
        return value;
      }
    }
    throw new IllegalArgumentException("a number of more than 64 bits");
  }
}
