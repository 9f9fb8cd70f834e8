package dev.varve.server.ingest;

import dev.varve.engine.write.SeriesHandle;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Remembers keys by the bytes of their labels or tags as they were sent, so that a known series is
 * found without decoding any. Thread-safe; lookups take no lock, and the monitor guards what
 * generations hold and count.
 *
 * <p>A hit compares all bytes. The hash is seeded, so clients cannot choose labels that collide.
 * Series live in two generations: when the recent one has half of the memory, the older one is
 * dropped, and what is found in it moves to the recent one. Senders repeat their series in one
 * order, so each series also remembers the one that followed it: most lookups hash nothing. Only a
 * series of the recent generation is found that way, so no chain of followers outlives the
 * generations that count it.
 */
public final class KnownKeys {
  /** Memory of a remembered series in addition to its bytes and its key, in bytes. */
  private static final int OVERHEAD_BYTES = 300;

  /** Maximum number of fields of a key with remembered handles. */
  private static final int FIELDS_MAX = 64;

  /** Memory of a field with its handle in addition to its name, in bytes. */
  private static final int FIELD_BYTES = 120;

  private static final int BUCKETS_MIN = 1 << 10;

  private static final SecureRandom RANDOM = new SecureRandom();

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final byte[][] NO_NAMES = {};
  private static final SeriesHandle[] NO_HANDLES = {};

  private final long seed = RANDOM.nextLong();
  private final long secret = RANDOM.nextLong();
  private final long bytesMax;
  private volatile Generation recent = new Generation();
  private volatile Generation older = new Generation();

  /**
   * Creates an empty table.
   *
   * @param bytes memory that remembered series may take
   */
  public KnownKeys(long bytes) {
    this.bytesMax = bytes;
  }

  /** A remembered key of a dataset. */
  public static final class Known {
    private final byte[] labels;
    private final Object dataset;

    /** The key as it was sent; null once there is a handle, which takes its place. */
    private volatile @Nullable GroupKey key;

    private volatile Fields fields = Fields.NONE;

    /** The latest generation that the series was added to; null at first. */
    private volatile @Nullable Generation in;

    /** Bytes that the generation counts for the series. */
    private long counted;

    /**
     * The key that followed the last time, which usually follows again. Threads overwrite each
     * other.
     */
    private @Nullable Known next;

    private Known(byte[] labels, Object dataset, GroupKey key) {
      this.labels = labels;
      this.dataset = dataset;
      this.key = key;
    }

    /** Returns the key as it was sent; null if it has to be decoded again. */
    public @Nullable GroupKey key() {
      return key;
    }

    /**
     * Returns the handle by which samples of a field are written; null if there is none.
     *
     * @param door the handle must come from this door, since the rules of others may differ
     * @param place where the field is expected among those of the key
     * @param bytes contain the name of the field
     */
    public @Nullable SeriesHandle handle(
        Door door, int place, byte[] bytes, int from, int to, Kind kind) {
      Fields now = fields;
      if (now.door != door) {
        return null;
      }
      int count = now.names.length;
      for (int i = 0; i < count; i++) {
        int at = place + i < count ? place + i : (place + i) % count;
        SeriesHandle handle = now.handles[at];
        byte[] name = now.names[at];
        if (handle.kind() == kind && Arrays.equals(name, 0, name.length, bytes, from, to)) {
          return handle;
        }
      }
      return null;
    }

    private boolean add(Door door, byte[] name, SeriesHandle handle) {
      Fields now = fields;
      if (!door.equals(now.door)) {
        now = new Fields(door, NO_NAMES, NO_HANDLES, now.alternates || now.door != null);
      }
      if (now.names.length == FIELDS_MAX) {
        return false;
      }
      byte[][] names = Arrays.copyOf(now.names, now.names.length + 1);
      SeriesHandle[] handles = Arrays.copyOf(now.handles, names.length);
      names[names.length - 1] = name;
      handles[names.length - 1] = handle;
      fields = new Fields(door, names, handles, now.alternates);
      return !now.alternates;
    }

    /** Forgets all handles. */
    public void forget() {
      fields = Fields.NONE;
    }

    /** Returns the number of bytes of the labels as they were sent; at least 1. */
    public int length() {
      return labels.length;
    }

    private boolean is(Object of, byte[] message, int from, int to) {
      return dataset.equals(of) && Arrays.equals(labels, 0, labels.length, message, from, to);
    }

    private long bytes() {
      GroupKey held = key;
      return OVERHEAD_BYTES
          + labels.length
          + (held == null ? 0 : held.byteCount())
          + fields.bytes();
    }
  }

  /** Fields of a key with their handles; never changed. */
  private static final class Fields {
    private static final Fields NONE = new Fields(null, NO_NAMES, NO_HANDLES, false);

    private final @Nullable Door door;
    private final byte[][] names;
    private final SeriesHandle[] handles;

    /** Whether several doors send the key, each of which drops the handles of the others. */
    private final boolean alternates;

    private Fields(
        @Nullable Door door, byte[][] names, SeriesHandle[] handles, boolean alternates) {
      this.door = door;
      this.names = names;
      this.handles = handles;
      this.alternates = alternates;
    }

    private long bytes() {
      long bytes = (long) FIELD_BYTES * names.length;
      for (byte[] name : names) {
        bytes += name.length;
      }
      return bytes;
    }
  }

  /** An element of the list of a bucket. */
  private record Node(long hash, Known known, @Nullable Node next) {}

  /** A hash table. Readers see a list of nodes that never changes. */
  private static final class Generation {
    private volatile AtomicReferenceArray<@Nullable Node> buckets =
        new AtomicReferenceArray<>(BUCKETS_MIN);
    private int count;
    private long bytes;

    @Nullable Known find(long hash, Object dataset, byte[] message, int from, int to) {
      AtomicReferenceArray<@Nullable Node> in = buckets;
      Node node = in.get((int) hash & (in.length() - 1));
      for (; node != null; node = node.next()) {
        if (node.hash() == hash && node.known().is(dataset, message, from, to)) {
          return node.known();
        }
      }
      return null;
    }

    /** Adds a series. Called by one thread at a time. */
    void add(long hash, Known known) {
      if (count == buckets.length()) {
        grow();
      }
      int at = (int) hash & (buckets.length() - 1);
      buckets.set(at, new Node(hash, known, buckets.get(at)));
      count++;
      // What followed may be in an older generation only.
      known.next = null;
      known.counted = 0;
      known.in = this;
      recount(known);
    }

    /** Counts a series of this generation again, since it has changed. */
    void recount(Known known) {
      long now = known.bytes();
      bytes += now - known.counted;
      known.counted = now;
    }

    private void grow() {
      AtomicReferenceArray<@Nullable Node> before = buckets;
      AtomicReferenceArray<@Nullable Node> grown = new AtomicReferenceArray<>(2 * before.length());
      for (int i = 0; i < before.length(); i++) {
        for (Node node = before.get(i); node != null; node = node.next()) {
          int at = (int) node.hash() & (grown.length() - 1);
          grown.setPlain(at, new Node(node.hash(), node.known(), grown.getPlain(at)));
        }
      }
      buckets = grown;
    }
  }

  /**
   * Returns the series whose labels were sent as some bytes; null if it is unknown.
   *
   * @param dataset the dataset of the series
   */
  public @Nullable Known find(Object dataset, byte[] message, int from, int to) {
    return find(null, dataset, message, from, to);
  }

  /**
   * Like {@link #find(Object, byte[], int, int)}, for a series that follows another in a message.
   *
   * @param before the series before it; null if there is none
   */
  public @Nullable Known find(
      @Nullable Known before, Object dataset, byte[] message, int from, int to) {
    if (before == null) {
      return lookUp(dataset, message, from, to);
    }
    Known next = next(before);
    if (next != null && next.is(dataset, message, from, to)) {
      return next;
    }
    Known found = lookUp(dataset, message, from, to);
    if (found != null) {
      before.next = found;
    }
    return found;
  }

  /**
   * Returns the series that followed another the last time, if the bytes begin with its labels;
   * null otherwise. The caller has to know where labels end: more of them may follow.
   *
   * @param before null if there is no other
   */
  public @Nullable Known follower(
      @Nullable Known before, Object dataset, byte[] message, int from, int to) {
    Known next = before == null ? null : next(before);
    return next != null
            && next.labels.length <= to - from
            && next.is(dataset, message, from, from + next.labels.length)
        ? next
        : null;
  }

  /** Returns the series that followed another; null if it is not in the recent generation. */
  private @Nullable Known next(Known before) {
    Known next = before.next;
    if (next == null || next.in == recent) {
      return next;
    }
    before.next = null;
    return null;
  }

  private @Nullable Known lookUp(Object dataset, byte[] message, int from, int to) {
    long hash = hash(message, from, to);
    Known known = recent.find(hash, dataset, message, from, to);
    if (known == null) {
      known = older.find(hash, dataset, message, from, to);
      if (known != null) {
        add(hash, known);
      }
    }
    return known;
  }

  /** Remembers a series, or its key again, and returns it. */
  public Known remember(Object dataset, byte[] message, int from, int to, GroupKey key) {
    Known known = find(dataset, message, from, to);
    if (known == null) {
      known = new Known(Arrays.copyOfRange(message, from, to), dataset, key);
      add(hash(message, from, to), known);
    } else if (known.key == null) {
      known.key = key;
      recount(known);
    }
    return known;
  }

  private synchronized void add(long hash, Known known) {
    if (recent.bytes > bytesMax / 2) {
      older = recent;
      recent = new Generation();
    }
    if (recent.find(hash, known.dataset, known.labels, 0, known.labels.length) == null) {
      recent.add(hash, known);
    }
  }

  /**
   * Remembers a handle of a field of a key. The key itself is not held any more: many series then
   * fit into the table.
   *
   * @return whether the handle is kept; false if the key has too many fields, or if other doors
   *     send it too and drop the handle again
   */
  public boolean add(Known known, Door door, byte[] name, SeriesHandle handle) {
    boolean kept = known.add(door, name, handle);
    known.key = null;
    recount(known);
    return kept;
  }

  private synchronized void recount(Known known) {
    Generation in = known.in;
    if (in != null) {
      in.recount(known);
    }
  }

  /** Hashes 16 bytes at a time by folded products, as wyhash does. */
  private long hash(byte[] message, int from, int to) {
    long hash = seed ^ (to - from);
    int at = from;
    for (; to - at >= 16; at += 16) {
      hash = fold((long) LONG.get(message, at) ^ secret, (long) LONG.get(message, at + 8) ^ hash);
    }
    long first = 0;
    long second = 0;
    for (int i = at; i < to; i++) {
      if (i < at + 8) {
        first = (first << 8) | (message[i] & 0xff);
      } else {
        second = (second << 8) | (message[i] & 0xff);
      }
    }
    hash = fold(first ^ secret, second ^ hash);
    return hash ^ (hash >>> 32);
  }

  private static long fold(long a, long b) {
    return (a * b) ^ Math.unsignedMultiplyHigh(a, b);
  }
}
