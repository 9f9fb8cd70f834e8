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
 * What an OpenTSDB keeps in its configuration and what its tables do not tell. Every value belongs
 * to one instance of the layout, so that tables of different widths live in one process.
 *
 * @param metricWidth bytes of a metric's UID, 1 to 8 ({@code tsd.storage.uid.width.metric})
 * @param tagkWidth bytes of a tag name's UID, 1 to 8 ({@code tsd.storage.uid.width.tagk})
 * @param tagvWidth bytes of a tag value's UID, 1 to 8 ({@code tsd.storage.uid.width.tagv})
 * @param saltWidth bytes of the salt, 0 to 8, 0 for none ({@code tsd.storage.salt.width})
 * @param saltBuckets how many salts there are, 1 to what the salt's bytes can tell apart ({@code
 *     tsd.storage.salt.buckets})
 * @param maxTags how many tags a series has at most ({@code tsd.storage.max_tags})
 * @param time how times are written
 * @param floats how doubles are written
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

  /** So many pairs of the widest UIDs fit into a row key of HBase, and are more than anyone has. */
  private static final int MAX_TAGS_BOUND = 1000;

  /** Which qualifier a time gets. Both are read, whatever is written. */
  public enum TimeForm {
    /** Two bytes for a whole second, four for any other millisecond. */
    AUTO,
    /** Two bytes; a time that is no whole second is refused. */
    SECONDS,
    /** Four bytes, as for a client of the original that sends milliseconds. */
    MILLISECONDS
  }

  /** On how many bytes a double stands. Both are read, whatever is written. */
  public enum FloatForm {
    /** Eight, as the original's HTTP API writes since 2.4. */
    EIGHT("8"),
    /** Four where that loses nothing, else eight, as its telnet and its import write since 2.4. */
    FOUR("4");

    private final String text;

    FloatForm(String text) {
      this.text = text;
    }
  }

  /** What {@link #of} takes. */
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
   * Reads parameters; those that are missing have their defaults.
   *
   * @throws RefusedException if one is unknown or out of its bounds
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
