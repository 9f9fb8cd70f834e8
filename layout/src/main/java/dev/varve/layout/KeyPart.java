package dev.varve.layout;

import dev.varve.model.GroupKey;
import dev.varve.model.TagFilter;
import dev.varve.model.TimeRange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One part of a row key: its content and its encoding. Pure and immutable. The bytes of the parts
 * are concatenated without separators; each part recognises its own end.
 */
public interface KeyPart {
  /** Returns a name such as {@code metric}, {@code tag host}, {@code bucket 1d}. */
  String label();

  Role role();

  /** Appends the bytes of the part. */
  void encode(KeyInput input, KeyBytes out);

  /**
   * Decodes the part.
   *
   * @param from where it starts
   * @param to where the row key ends
   * @return where the next part starts
   * @throws DamagedCellException if {@link #encode} cannot have written the bytes
   */
  int decode(byte[] row, int from, int to, KeyOutput out);

  /**
   * Finds the end of the part, with the checks of {@link #decode} as far as they need the bytes
   * alone, and without allocating, because it runs for every row.
   *
   * @return where the next part starts
   * @throws DamagedCellException if {@link #encode} cannot have written the bytes
   */
  int skip(byte[] row, int from, int to);

  /**
   * Returns label conditions satisfied by all keys that share this part's bytes with the given key;
   * other keys may satisfy them, too. Null if nothing is known, as for a hash.
   */
  default @Nullable List<TagFilter> shared(GroupKey key) {
    return null;
  }

  /** Formats exactly the bytes of the part for people. */
  String show(byte[] row, int from, int to);

  /** The information that determines the bytes of a part. */
  enum Role {
    /** Constant in every row. */
    LITERAL(false),
    METRIC(true),
    /** One tag, or all tags. */
    TAGS(true),
    RESOURCE(true),
    /** Computed from other parts. */
    SALT(false),
    /** The time range that the row covers, or its exact instant. */
    TIME(false),
    SEQUENCE(false),
    KIND(false),
    FIELD(false);

    private final boolean ofKey;

    Role(boolean ofKey) {
      this.ofKey = ofKey;
    }

    /** Returns whether the {@link dev.varve.model.GroupKey} determines the bytes of the part. */
    public boolean ofKey() {
      return ofKey;
    }
  }

  /** A part that carries time. */
  interface Time extends KeyPart {
    /**
     * Returns the start of the time range that a row with this sample covers; the time itself if
     * each row is a single instant.
     */
    long floor(long time);

    /**
     * Decodes the start of the time range, or the instant, from the part at {@code from}, without
     * allocating.
     */
    long timeAt(byte[] row, int from, int to);

    /**
     * Returns where the time range of a row ends and the next one starts; {@link Long#MAX_VALUE} if
     * there is none. Ranges overlap only in formats that do not round down.
     */
    long next(long bucket);

    /**
     * Returns the lowest {@link #floor} of any sample at or after {@code time}. This is the floor
     * itself, except in formats that do not round down.
     */
    default long lowestFrom(long time) {
      return floor(time);
    }

    /** Returns whether later times sort first, within each of the {@link #eras()}. */
    boolean descending();

    /**
     * Returns the eras, earliest first: time ranges that together cover all time, within each of
     * which rows are in time order. There is more than one only in formats that truncate the upper
     * bits of a time, so that rows of different eras interleave.
     */
    default List<TimeRange> eras() {
      return List.of(TimeRange.ALL);
    }

    /** Returns whether each row is a single instant. */
    boolean instant();
  }

  /** A part that spreads rows over a number of prefixes. */
  interface Salt extends KeyPart {
    /** Returns the number of different values, counted from 0. */
    int buckets();

    /** Appends one of the values. */
    void encodeBucket(int bucket, KeyBytes out);

    /** Returns the inputs from which the salt is computed. */
    Of of();

    enum Of {
      /** The key alone: each series has one salt. */
      KEY,
      /** The key and the bucket of the first time part. */
      KEY_AND_BUCKET,
      /** The instant, or something else that queries cannot know: all values must be read. */
      SAMPLE
    }
  }
}
