package dev.varve.layout.declared;

import java.util.List;
import java.util.Locale;

/** One part of a row key, as declared. */
public sealed interface KeyElement {
  /**
   * Returns the name by which other parts refer to this one: {@code metric}, {@code tag host},
   * {@code bucket}.
   */
  String name();

  /** Returns one canonical line with everything that affects the part's bytes. */
  String text();

  /** The information that determines the bytes of a part. */
  enum Role {
    /** The series. */
    SERIES,
    /** The time of the sample. */
    TIME,
    /** The order of acceptance. */
    SEQUENCE,
    /** Other parts of the key. */
    COMPUTED,
    /** Nothing: all rows have the same bytes. */
    CONSTANT
  }

  default Role role() {
    return switch (this) {
      case Metric _, Tag _, AllTags _, Resource _, AllResource _ -> Role.SERIES;
      case Bucket _, Time _ -> Role.TIME;
      case Sequence _ -> Role.SEQUENCE;
      case Salt _, Hash _ -> Role.COMPUTED;
      case Literal _ -> Role.CONSTANT;
    };
  }

  record Metric(TextForm form) implements KeyElement {
    @Override
    public String name() {
      return "metric";
    }

    @Override
    public String text() {
      return name() + form.suffix();
    }
  }

  /** The value of one tag. Its name is not stored. */
  record Tag(String tag, TextForm form) implements KeyElement {
    @Override
    public String name() {
      return "tag " + tag;
    }

    @Override
    public String text() {
      return name() + form.suffix();
    }
  }

  /** All tags without a part of their own, names and values, sorted by name. */
  record AllTags() implements KeyElement {
    @Override
    public String name() {
      return "tags";
    }

    @Override
    public String text() {
      return name();
    }
  }

  /** The value of one resource identifier. Its name is not stored. */
  record Resource(String identifier, TextForm form) implements KeyElement {
    @Override
    public String name() {
      return "resource " + identifier;
    }

    @Override
    public String text() {
      return name() + form.suffix();
    }
  }

  /** All resource identifiers without a part of their own, names and values, sorted by name. */
  record AllResource() implements KeyElement {
    @Override
    public String name() {
      return "resource";
    }

    @Override
    public String text() {
      return name();
    }
  }

  /** A constant: a non-empty text in UTF-8. */
  record Literal(String bytes) implements KeyElement {
    @Override
    public String name() {
      return "literal";
    }

    @Override
    public String text() {
      return "literal '" + bytes + "'";
    }
  }

  /**
   * The time range that the row covers.
   *
   * @param descending whether later rows come first
   */
  record Bucket(BucketWidth width, Label label, boolean descending) implements KeyElement {
    @Override
    public String name() {
      return "bucket";
    }

    @Override
    public String text() {
      return "bucket "
          + width.text()
          + (label == Label.START ? "" : " label " + label.text())
          + (descending ? " descending" : "");
    }
  }

  /** The encoding of a bucket. */
  enum Label {
    /** Its first instant, in eight bytes. */
    START,
    /**
     * Its name in ISO 8601: {@code 2015-03-01}, {@code 2015-W10}, {@code 2015-03}, {@code 2015}.
     */
    TEXT,
    /** A number that recurs every year, such as that of the week; always rejected. */
    NUMBER;

    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * The instant of the sample: each row holds a single sample time.
   *
   * @param descending whether later rows come first
   */
  record Time(boolean descending) implements KeyElement {
    @Override
    public String name() {
      return "time";
    }

    @Override
    public String text() {
      return "time" + (descending ? " descending" : "");
    }
  }

  /** The acceptance stamp: each sample, or slot of samples, is a row of its own. */
  record Sequence() implements KeyElement {
    @Override
    public String name() {
      return "sequence";
    }

    @Override
    public String text() {
      return name();
    }
  }

  /**
   * A number computed from later parts, which spreads neighbouring keys over {@code buckets}
   * prefixes.
   *
   * @param buckets 2 to 65,536
   * @param of names of later parts; empty for all that the key of a series determines
   */
  record Salt(int buckets, List<String> of) implements KeyElement {
    public Salt {
      of = List.copyOf(of);
    }

    @Override
    public String name() {
      return "salt";
    }

    @Override
    public String text() {
      return "salt " + buckets + (of.isEmpty() ? "" : " of " + String.join(" and ", of));
    }
  }

  /**
   * The leading bytes of a hash of later parts. It spreads all keys permanently, and rows can only
   * be found one series at a time.
   *
   * @param bytes 1 to 8
   * @param of names of later parts that the key of a series determines; empty for all of them
   */
  record Hash(int bytes, List<String> of) implements KeyElement {
    public Hash {
      of = List.copyOf(of);
    }

    @Override
    public String name() {
      return "hash";
    }

    @Override
    public String text() {
      return "hash " + bytes + (of.isEmpty() ? "" : " of " + String.join(" and ", of));
    }
  }
}
