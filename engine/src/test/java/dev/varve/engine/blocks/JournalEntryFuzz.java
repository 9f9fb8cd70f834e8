package dev.varve.engine.blocks;

import dev.varve.engine.blocks.JournalEntry.DamagedEntryException;
import dev.varve.model.Kind;
import dev.varve.store.LaterFormatException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Fuzzes entries of the journal. The checksum is made right, so that it hides nothing. An entry is
 * decoded, and then encoded and decoded again, or damaged; the rest of a damaged one is read.
 */
public final class JournalEntryFuzz {
  private JournalEntryFuzz() {}

  /** Runs one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) {
    CRC32C crc = new CRC32C();
    crc.update(input);
    byte[] bytes =
        ByteBuffer.allocate(input.length + 4).put(input).putInt((int) crc.getValue()).array();
    ColumnBatch batch = new ColumnBatch();
    try {
      JournalEntry.decode(bytes, 0, bytes.length, batch);
    } catch (DamagedEntryException e) {
      JournalEntry.decodeReadable(bytes, 0, bytes.length, batch);
      Journal.samples(batch);
      return;
    } catch (LaterFormatException e) {
      return;
    }
    JournalEntry entry = new JournalEntry();
    entry.encode(batch);
    ColumnBatch again = new ColumnBatch();
    try {
      JournalEntry.decode(entry.bytes(), 0, entry.length(), again);
    } catch (DamagedEntryException e) {
      throw new AssertionError("an encoded entry is damaged", e);
    }
    compare(batch, again);
  }

  private static void compare(ColumnBatch one, ColumnBatch other) {
    boolean same =
        one.columns() == other.columns()
            && one.size() == other.size()
            && Arrays.equals(one.times(), 0, one.size(), other.times(), 0, other.size());
    for (int column = 0; same && column < one.columns(); column++) {
      same =
          one.series(column) == other.series(column)
              && one.kind(column) == other.kind(column)
              && one.end(column) == other.end(column);
      for (int i = one.start(column); same && i < one.end(column); i++) {
        same =
            one.kind(column) == Kind.STRING
                ? Arrays.equals(one.text(one.values()[i]), other.text(other.values()[i]))
                : one.values()[i] == other.values()[i];
      }
    }
    if (!same) {
      throw new AssertionError("an entry differs after it was encoded again");
    }
  }
}
