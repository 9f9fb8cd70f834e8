package dev.varve.layout;

import dev.varve.model.GroupKey;
import dev.varve.model.TagFilter;
import dev.varve.model.TimeRange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One part of a row key: what it carries, and how that is encoded. Pure and immutable. The bytes of
 * the parts stand one behind the other with nothing between; a part knows where it ends.
 */
public interface KeyPart {
  /** Such as {@code metric}, {@code tag host}, {@code bucket 1d}. */
  String label();

  Role role();

  /** Appends the bytes of the part. */
  void encode(KeyInput input, KeyBytes out);

  /**
   * Reads the part.
   *
   * @param from where it starts
   * @param to where the row key ends
   * @return where the next part starts
   * @throws DamagedCellException if the bytes are none that {@link #encode} writes
   */
  int decode(byte[] row, int from, int to, KeyOutput out);

  /**
   * Finds where the part ends, checked like {@link #decode} as far as the bytes alone tell, without
   * allocating: this runs once a row.
   *
   * @return where the next part starts
   * @throws DamagedCellException if the bytes are none that {@link #encode} writes
   */
  int skip(byte[] row, int from, int to);

  /**
   * Conditions on labels that hold for the keys which have the same bytes in this part as a given
   * one; they may hold for others too. Null where nothing can be said, as of a hash.
   */
  default @Nullable List<TagFilter> shared(GroupKey key) {
    return null;
  }

  /** The part as people read it, given exactly its bytes. */
  String show(byte[] row, int from, int to);

  /** What a part depends on. */
  enum Role {
    /** The same in every row. */
    LITERAL(false),
    METRIC(true),
    /** One tag, or all. */
    TAGS(true),
    RESOURCE(true),
    /** Computed from other parts. */
    SALT(false),
    /** The stretch of time that the row covers, or the very instant. */
    TIME(false),
    SEQUENCE(false),
    KIND(false),
    FIELD(false);

    private final boolean ofKey;

    Role(boolean ofKey) {
      this.ofKey = ofKey;
    }

    /** Whether it is determined by the {@link dev.varve.model.GroupKey}. */
    public boolean ofKey() {
      return ofKey;
    }
  }

  /** A part that carries time. */
  interface Time extends KeyPart {
    /**
     * The start of the stretch that a row with this sample covers; the instant itself where rows
     * are single instants.
     */
    long floor(long time);

    /**
     * The start of the stretch, or the instant, that the part at {@code from} says; without
     * allocating.
     */
    long timeAt(byte[] row, int from, int to);

    /**
     * Where the stretch of a row ends, which is where the next one starts; {@link Long#MAX_VALUE}
     * where there is none. Only of an original that does not round down stretches may overlap.
     */
    long next(long bucket);

    /**
     * The lowest {@link #floor} of any sample from {@code time} on: the floor, but for originals
     * that do not round down.
     */
    default long lowestFrom(long time) {
      return floor(time);
    }

    /** Whether later times have smaller bytes; within an era where there are {@link #eras()}. */
    boolean descending();

    /**
     * The stretches of time within each of which rows stand in the order of time, the earliest
     * first, together all of time. Only an original that cuts the upper bits off a time has more
     * than one: rows of different eras stand among each other.
     */
    default List<TimeRange> eras() {
      return List.of(TimeRange.ALL);
    }

    /** Whether each row is a single instant. */
    boolean instant();
  }

  /** A part that spreads rows over a number of prefixes. */
  interface Salt extends KeyPart {
    /** How many different values there are, counted from 0. */
    int buckets();

    /** Appends one of the values. */
    void encodeBucket(int bucket, KeyBytes out);

    /** What the salt is computed of. */
    Of of();

    enum Of {
      /** The key alone: one series, one salt. */
      KEY,
      /** The key and the bucket of the first time part. */
      KEY_AND_BUCKET,
      /** The instant or something else that no query knows: all values must be read. */
      SAMPLE
    }
  }
}
