package dev.varve.layout.opentsdb;

import dev.varve.layout.LayoutIdentity;
import dev.varve.layout.LayoutParameter;
import dev.varve.layout.Parameters;
import dev.varve.layout.RefusedException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The settings of an OpenTSDB server that determine the format of its tables. They belong to one
 * instance of the layout, so one process can use tables of different widths.
 *
 * @param metricWidth bytes of a metric's UID, 1 to 8 ({@code tsd.storage.uid.width.metric})
 * @param tagkWidth bytes of a tag name's UID, 1 to 8 ({@code tsd.storage.uid.width.tagk})
 * @param tagvWidth bytes of a tag value's UID, 1 to 8 ({@code tsd.storage.uid.width.tagv})
 * @param saltWidth bytes of the salt, 0 to 8; 0 for no salt ({@code tsd.storage.salt.width})
 * @param saltBuckets number of different salts, at least 1 and at most what the salt's bytes can
 *     hold ({@code tsd.storage.salt.buckets})
 * @param maxTags maximum number of tags of a series ({@code tsd.storage.max_tags})
 * @param time the form in which times are written
 * @param floats the length in which doubles are written
 */
public record OpenTsdbParameters(
    int metricWidth,
    int tagkWidth,
    int tagvWidth,
    int saltWidth,
    int saltBuckets,
    int maxTags,
    TimeForm time,
    FloatForm floats) {
  public static final OpenTsdbParameters DEFAULTS =
      new OpenTsdbParameters(3, 3, 3, 0, 20, 8, TimeForm.AUTO, FloatForm.EIGHT);

  /** Upper bound of {@code maxTags}; a row key of HBase has room for that many pairs of UIDs. */
  private static final int MAX_TAGS_BOUND = 1000;

  /** The form of times in qualifiers. Reading accepts both forms. */
  public enum TimeForm {
    /** Two bytes for whole seconds, four bytes (milliseconds) otherwise. */
    AUTO,
    /** Two bytes; a time that is not a whole second is refused. */
    SECONDS,
    /** Four bytes, as for a client of the original that sends milliseconds. */
    MILLISECONDS
  }

  /** The length of doubles. Reading accepts both lengths. */
  public enum FloatForm {
    /** Eight bytes, as the original's HTTP API writes since 2.4. */
    EIGHT("8"),
    /**
     * Four bytes if that is exact, else eight, as the original's telnet API and import write since
     * 2.4.
     */
    FOUR("4");

    private final String text;

    FloatForm(String text) {
      this.text = text;
    }
  }

  /** The parameters of {@link #of}. */
  public static final List<LayoutParameter> LIST =
      List.of(
          parameter("metricWidth", DEFAULTS.metricWidth, "bytes of a metric's UID, 1 to 8"),
          parameter("tagkWidth", DEFAULTS.tagkWidth, "bytes of a tag name's UID, 1 to 8"),
          parameter("tagvWidth", DEFAULTS.tagvWidth, "bytes of a tag value's UID, 1 to 8"),
          parameter("saltWidth", DEFAULTS.saltWidth, "bytes of the salt, 0 to 8, 0 for none"),
          parameter("saltBuckets", DEFAULTS.saltBuckets, "how many salts there are"),
          parameter("maxTags", DEFAULTS.maxTags, "tags of a series, 1 to 1000"),
          parameter("time", "auto", "how times are written: auto, seconds, milliseconds"),
          parameter("float", DEFAULTS.floats.text, "bytes of a double: 8, or 4 if that is exact"));

  /**
   * Parses parameters; missing ones have their defaults.
   *
   * @throws RefusedException if a parameter is unknown or out of range
   */
  public static OpenTsdbParameters of(Map<String, String> given) {
    Parameters texts =
        Parameters.of(
            OpenTsdbLayout.NAME, given, LIST.stream().map(LayoutParameter::name).toList());
    int saltWidth = (int) texts.number("saltWidth", DEFAULTS.saltWidth, 0, 8);
    return new OpenTsdbParameters(
        (int) texts.number("metricWidth", DEFAULTS.metricWidth, 1, 8),
        (int) texts.number("tagkWidth", DEFAULTS.tagkWidth, 1, 8),
        (int) texts.number("tagvWidth", DEFAULTS.tagvWidth, 1, 8),
        saltWidth,
        (int) texts.number("saltBuckets", DEFAULTS.saltBuckets, 1, bucketsMax(saltWidth)),
        (int) texts.number("maxTags", DEFAULTS.maxTags, 1, MAX_TAGS_BOUND),
        texts.choice("time", DEFAULTS.time),
        floats(texts));
  }

  private static LayoutParameter parameter(String name, Object otherwise, String about) {
    return new LayoutParameter(name, otherwise.toString(), about);
  }

  private static long bucketsMax(int saltWidth) {
    return saltWidth > 0 && saltWidth < 4 ? 1L << (8 * saltWidth) : Integer.MAX_VALUE;
  }

  private static FloatForm floats(Parameters texts) {
    String text = texts.text("float", DEFAULTS.floats.text);
    for (FloatForm form : FloatForm.values()) {
      if (form.text.equals(text)) {
        return form;
      }
    }
    throw texts.refused("layout opentsdb: float is '" + text + "', and should be 8 or 4");
  }

  LayoutIdentity identity() {
    Map<String, String> texts = new TreeMap<>();
    texts.put("metricWidth", Integer.toString(metricWidth));
    texts.put("tagkWidth", Integer.toString(tagkWidth));
    texts.put("tagvWidth", Integer.toString(tagvWidth));
    texts.put("saltWidth", Integer.toString(saltWidth));
    if (saltWidth > 0) {
      texts.put("saltBuckets", Integer.toString(saltBuckets));
    }
    if (maxTags != DEFAULTS.maxTags) {
      texts.put("maxTags", Integer.toString(maxTags));
    }
    texts.put("time", time.name().toLowerCase(Locale.ROOT));
    texts.put("float", floats.text);
    texts.put("codec.row", "1");
    texts.put("codec.cell", "1");
    return new LayoutIdentity(OpenTsdbLayout.NAME, texts);
  }
}
