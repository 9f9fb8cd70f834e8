package dev.varve.store.rocksdb;

import dev.varve.store.rocksdb.SstFile.Entry;
import dev.varve.store.rocksdb.SstIndex.Block;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Merges all sound blocks of the table files of one column family, whatever their levels, and emits
 * every key that is not deleted, with its newest value.
 */
final class SstMerge {
  private static final Comparator<Entry> ORDER =
      Comparator.comparing(Entry::key, Arrays::compareUnsigned)
          .thenComparing(Entry::sequence, Comparator.reverseOrder())
          .thenComparing(Entry::type, Comparator.reverseOrder());

  private final List<SstFile> files;
  private final Consumer<LostKeys> lost;
  private long lastSequence;

  /** Receives the cells in key order. */
  interface Sink {
    void put(byte[] key, byte[] value) throws IOException;
  }

  /**
   * Creates a merge.
   *
   * @param lost called with each block that cannot be read
   */
  SstMerge(List<SstFile> files, Consumer<LostKeys> lost) {
    this.files = List.copyOf(files);
    this.lost = lost;
  }

  /** Returns the highest sequence number read. */
  long lastSequence() {
    return lastSequence;
  }

  /**
   * Reads all files.
   *
   * @throws IOException if the sink fails, or an entry has a type that Varve never writes
   */
  void run(Sink sink) throws IOException {
    RangeDeletes deletes = new RangeDeletes(rangeDeletes());
    PriorityQueue<Source> sources = new PriorityQueue<>(Comparator.comparing(Source::first, ORDER));
    for (SstFile file : files) {
      Source source = new Source(file);
      if (source.next()) {
        sources.add(source);
      }
    }
    byte @Nullable [] last = null;
    for (Source source = sources.poll(); source != null; source = sources.poll()) {
      Entry entry = source.first();
      lastSequence = Math.max(lastSequence, entry.sequence());
      if (last == null || !Arrays.equals(last, entry.key())) {
        last = entry.key();
        if (stands(entry, deletes)) {
          sink.put(entry.key(), entry.value());
        }
      }
      if (source.next()) {
        sources.add(source);
      }
    }
  }

  private static boolean stands(Entry entry, RangeDeletes deletes) throws IOException {
    return switch (entry.type()) {
      case Entry.PUT -> deletes.newest(entry.key()) <= entry.sequence();
      case Entry.DELETE, Entry.SINGLE_DELETE -> false;
      default ->
          throw new IOException(
              "an entry of type %d, which Varve never writes".formatted(entry.type()));
    };
  }

  private List<Entry> rangeDeletes() {
    List<Entry> all = new ArrayList<>();
    for (SstFile file : files) {
      try {
        all.addAll(file.rangeDeletes());
      } catch (IOException e) {
        lost.accept(
            new LostKeys(
                file.path(),
                -1,
                0,
                file.family(),
                null,
                null,
                "its range deletes cannot be read: " + e.getMessage()));
      }
    }
    all.forEach(delete -> lastSequence = Math.max(lastSequence, delete.sequence()));
    return all;
  }

  /** The entries of one file. */
  private final class Source {
    private final SstFile file;
    private final Iterator<Block> blocks;
    private Iterator<Entry> entries = List.<Entry>of().iterator();
    private @Nullable Entry first;

    private Source(SstFile file) {
      this.file = file;
      this.blocks = file.blocks().iterator();
    }

    private Entry first() {
      if (first == null) {
        throw new IllegalStateException("nothing was read yet");
      }
      return first;
    }

    private boolean next() {
      while (!entries.hasNext()) {
        if (!blocks.hasNext()) {
          return false;
        }
        Block block = blocks.next();
        try {
          entries = file.read(block).iterator();
        } catch (IOException e) {
          lost.accept(lost(file, block, e));
        }
      }
      first = entries.next();
      return true;
    }
  }

  /** Returns the keys that a damaged block held. */
  static LostKeys lost(SstFile file, Block block, IOException e) {
    return new LostKeys(
        file.path(),
        block.offset(),
        block.size(),
        file.family(),
        block.after(),
        block.last(),
        String.valueOf(e.getMessage()));
  }

  /** Range deletes, queried with ascending keys. */
  private static final class RangeDeletes {
    private final List<Entry> all;
    private final List<Entry> open = new ArrayList<>();
    private int next;

    private RangeDeletes(List<Entry> all) {
      this.all = new ArrayList<>(all);
      this.all.sort(Comparator.comparing(Entry::key, Arrays::compareUnsigned));
    }

    /**
     * Returns the highest sequence number of the range deletes that cover a key; -1 if there is
     * none.
     */
    private long newest(byte[] key) {
      while (next < all.size() && Arrays.compareUnsigned(all.get(next).key(), key) <= 0) {
        open.add(all.get(next++));
      }
      open.removeIf(delete -> Arrays.compareUnsigned(delete.value(), key) <= 0);
      return open.stream().mapToLong(Entry::sequence).max().orElse(-1);
    }
  }
}
