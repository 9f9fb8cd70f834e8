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
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What RocksDB's MANIFEST says of the logs and the table files.
 *
 * @param name of the MANIFEST that counts; empty where there is none
 * @param firstLog the first log that RocksDB reads again; older ones are in tables already. 0 where
 *     that is unknown
 * @param flushedLog all logs before this one were synced before a flush was noted here; 0 where
 *     there are none
 * @param lastSequence a number that no edit before the first log goes beyond; -1 where it is
 *     unknown
 * @param tables the sizes of the table files in use, in bytes, by their numbers
 * @param flaw the first bad place; null where all of it can be read
 */
record Manifest(
    String name,
    long firstLog,
    long flushedLog,
    long lastSequence,
    SortedMap<Long, Long> tables,
    @Nullable Flaw flaw) {
  /**
   * A bad place.
   *
   * @param isTail whether nothing readable follows, as where a crash cut an edit short
   */
  record Flaw(long offset, String reason, boolean isTail) {}

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

  /** Tags with this bit are followed by their length. */
  private static final int IGNORABLE = 1 << 13;

  private static final int FILE_FIELDS_END = 1;
  private static final int FILE_FIELD_MIN_LOG = 3;

  /** What is gathered over the edits of a MANIFEST. */
  private static final class Reading {
    private final Map<Long, Long> logOfFamily = new HashMap<>();
    private final SortedMap<Long, Long> tables = new TreeMap<>();
    private long minLog;
    private long lastSequence = -1;
  }

  /**
   * Reads what CURRENT names.
   *
   * @return what is known
   */
  static Manifest of(Path directory) throws IOException {
    String name;
    try {
      name = Files.readString(directory.resolve("CURRENT"), StandardCharsets.ISO_8859_1).strip();
    } catch (NoSuchFileException e) {
      return unknown("", null);
    }
    if (!name.matches("MANIFEST-\\d+") || !Files.exists(directory.resolve(name))) {
      return unknown(name, null);
    }
    Flaw flaw = null;
    Reading reading = new Reading();
    try (LogReader reader = new LogReader(directory.resolve(name), 0, Integer.MAX_VALUE)) {
      for (Entry entry = reader.next(); entry != null; entry = reader.next()) {
        switch (entry) {
          case Bad bad -> flaw = flaw == null ? new Flaw(bad.offset(), bad.reason(), true) : flaw;
          case Whole whole -> {
            if (flaw == null) {
              read(ByteBuffer.wrap(whole.payload()), reading);
            } else {
              flaw = new Flaw(flaw.offset(), flaw.reason(), false);
            }
          }
        }
      }
    } catch (BufferUnderflowException | IllegalArgumentException e) {
      return unknown(name, new Flaw(0, "an edit of it cannot be understood", false));
    }
    long lowest = reading.logOfFamily.values().stream().mapToLong(Long::longValue).min().orElse(0);
    long highest = reading.logOfFamily.values().stream().mapToLong(Long::longValue).max().orElse(0);
    return new Manifest(
        name,
        Math.max(reading.minLog, lowest),
        highest,
        reading.lastSequence,
        reading.tables,
        flaw);
  }

  private static Manifest unknown(String name, @Nullable Flaw flaw) {
    return new Manifest(name, 0, 0, -1, new TreeMap<>(), flaw);
  }

  private static void read(ByteBuffer edit, Reading reading) {
    long family = 0;
    @Nullable Long log = null;
    boolean added = false;
    boolean dropped = false;
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
          reading.tables.remove(varint(edit));
        }
        case NEW_FILE, NEW_FILE_2, NEW_FILE_3, NEW_FILE_4 -> newFile(tag, edit, reading);
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
    if (dropped) {
      reading.logOfFamily.remove(family);
    } else if (log != null || added) {
      reading.logOfFamily.merge(family, log == null ? 0 : log, Math::max);
    }
  }

  private static void newFile(int tag, ByteBuffer edit, Reading reading) {
    varint(edit); // level
    long number = varint(edit);
    if (tag == NEW_FILE_3) {
      varint(edit); // path
    }
    reading.tables.put(number, varint(edit));
    skip(edit); // smallest key
    skip(edit); // largest key
    if (tag != NEW_FILE) {
      varint(edit); // smallest sequence number
      varint(edit); // largest sequence number
    }
    if (tag != NEW_FILE_4) {
      return;
    }
    for (long field = varint(edit); field != FILE_FIELDS_END; field = varint(edit)) {
      byte[] value = bytes(edit);
      if (field == FILE_FIELD_MIN_LOG && value.length == Long.BYTES) {
        reading.minLog = Math.max(reading.minLog, (long) LogForm.LONG_LE.get(value, 0));
      }
    }
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
