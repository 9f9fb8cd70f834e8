package dev.varve.server.opentsdb.query;

import dev.varve.engine.Dataset;
import dev.varve.engine.NameTable;
import dev.varve.model.Bytes;
import dev.varve.model.Kind;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import dev.varve.query.running.QueryUse;
import dev.varve.server.dialect.CatalogQuestion;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The UIDs of the names of a dataset, and the TSUIDs of its series: those of its tables if its
 * layout keeps some, and {@link Tsuid made up} from the names elsewhere. For one request.
 */
public final class UidNames {
  private static final HexFormat HEX = HexFormat.of().withUpperCase();

  /** The dataset whose series are looked for. */
  private final Dataset dataset;

  /** Returns the tags of such a series. */
  private final Function<Series, Map<String, String>> tags;

  private final QueryUse use;
  private final @Nullable NameTable table;

  public UidNames(Dataset dataset, QueryUse use) {
    this(dataset, dataset, Series::labels, use);
  }

  private UidNames(
      Dataset named, Dataset dataset, Function<Series, Map<String, String>> tags, QueryUse use) {
    this.dataset = dataset;
    this.tags = tags;
    this.use = use;
    this.table = named.originals().names();
  }

  /** Returns the UIDs of the names of a source, and its series. */
  static UidNames of(Source source, QueryUse use) {
    return new UidNames(source.names(), source.dataset(), source::tags, use);
  }

  /** Returns whether UIDs are stored, and not made up. */
  public boolean areStored() {
    return table != null;
  }

  /** Returns the part of a series that names of a kind denote. */
  public static NameTable.Part part(Tsuid.Kind kind) {
    return switch (kind) {
      case METRIC -> NameTable.Part.METRIC;
      case TAGK -> NameTable.Part.TAG_NAME;
      case TAGV -> NameTable.Part.TAG_VALUE;
    };
  }

  private int digits(Tsuid.Kind kind) {
    return table == null ? Tsuid.DIGITS : 2 * table.width(part(kind));
  }

  /** Returns the UID of a name, as hexadecimal digits; null if it has none. */
  public @Nullable String uid(Tsuid.Kind kind, String name) {
    return table == null
        ? Tsuid.uid(kind, name)
        : table.number(part(kind), name).map(UidNames::hex).orElse(null);
  }

  /**
   * Assigns a UID to a name.
   *
   * @throws dev.varve.engine.error.QueryRefusedException if the name cannot have one, or none is
   *     left
   * @throws dev.varve.engine.error.WriteFailedException if the table cannot be written
   */
  public String assign(Tsuid.Kind kind, String name) {
    return table == null ? Tsuid.uid(kind, name) : hex(table.assign(part(kind), name));
  }

  private static String hex(Bytes uid) {
    return HEX.formatHex(uid.toArray());
  }

  /**
   * Returns the TSUID of a stored series: the UIDs of the metric and of the tags, in their order.
   */
  public String tsuid(String metric, Map<String, String> tags) {
    if (table == null) {
      return Tsuid.of(metric, tags);
    }
    SortedMap<String, String> pairs = new TreeMap<>();
    tags.forEach((name, value) ->
        pairs.put(required(Tsuid.Kind.TAGK, name), required(Tsuid.Kind.TAGV, value)));
    StringBuilder tsuid = new StringBuilder(required(Tsuid.Kind.METRIC, metric));
    pairs.forEach((name, value) -> tsuid.append(name).append(value));
    return tsuid.toString();
  }

  private String required(Tsuid.Kind kind, String name) {
    String uid = uid(kind, name);
    if (uid == null) {
      throw new OpenTsdbError(
          500,
          "No such name for '%s': '%s', although a series has it".formatted(kind.table(), name));
    }
    return uid;
  }

  /** Returns the name with a UID, if there is one. */
  public Optional<String> name(Tsuid.Kind kind, String uid) {
    String wanted = uid.toUpperCase(Locale.ROOT);
    if (table == null) {
      return names(kind).filter(name -> Tsuid.uid(kind, name).equals(wanted)).findAny();
    }
    return wanted.matches("([0-9A-F]{2})+")
        ? table.name(part(kind), Bytes.of(HEX.parseHex(wanted)))
        : Optional.empty();
  }

  private Stream<String> names(Tsuid.Kind kind) {
    Selector all = new Selector(List.of());
    return switch (kind) {
      case METRIC -> dataset.catalog().metrics("", use);
      case TAGK -> dataset.catalog().labelNames(all, null, use).stream();
      case TAGV ->
          dataset.catalog().labelNames(all, null, use).stream()
              .filter(name -> !name.equals(Series.NAME_LABEL))
              .flatMap(name ->
                  dataset.catalog().labelValues(name, all, null, Integer.MAX_VALUE, use).stream());
    };
  }

  /**
   * Checks that a text may be a TSUID.
   *
   * @throws OpenTsdbError 400 with OpenTSDB's message
   */
  public void require(String text) {
    if (!text.matches("[0-9A-Fa-f]*")) {
      String even = text.length() % 2 == 0 ? text : "0" + text;
      throw OpenTsdbError.amid("contains illegal character for hexBinary: " + even);
    }
    int least = digits(Tsuid.Kind.METRIC) + digits(Tsuid.Kind.TAGK) + digits(Tsuid.Kind.TAGV);
    if (text.length() < least) {
      throw OpenTsdbError.amid(
          "TSUID must not be null and must have a metric and at least one tag pair");
    }
  }

  /**
   * Returns the series with TSUIDs, each once.
   *
   * @throws OpenTsdbError 400 if a TSUID is unknown, 500 if the text is not a TSUID
   */
  Set<Series> all(List<String> tsuids) {
    Set<Series> found = new LinkedHashSet<>();
    tsuids.forEach(tsuid -> found.add(series(tsuid)));
    return found;
  }

  /**
   * Returns the series with a TSUID.
   *
   * @throws OpenTsdbError 400 if it is unknown, 500 if the text is not a TSUID
   */
  public Series series(String text) {
    String tsuid = text.strip().toUpperCase(Locale.ROOT);
    int digits = digits(Tsuid.Kind.METRIC);
    if (tsuid.length() < digits) {
      // What Java says in OpenTSDB when it cuts a UID off; by default it has three bytes.
      throw new OpenTsdbError(
          500, "begin 0, end %d, length %d".formatted(table == null ? 6 : digits, tsuid.length()));
    }
    String metric = named(Tsuid.Kind.METRIC, tsuid.substring(0, digits));
    List<TagFilter> filters = table == null ? List.of() : filters(tsuid.substring(digits));
    Selector selector = Selector.metric(metric, filters.toArray(TagFilter[]::new));
    try (Stream<Series> found =
        new CatalogQuestion(use).series(dataset, List.of(selector), null, Kind.ALL, 0)) {
      return found
          .filter(series -> tsuid(metric, tags.apply(series)).equals(tsuid))
          .findFirst()
          .orElseThrow(() -> OpenTsdbError.amid("No series has the TSUID " + tsuid));
    }
  }

  /** A UID of a TSUID, and the name that it denotes. */
  public record Part(Tsuid.Kind kind, String uid, String name) {}

  /**
   * Returns the UIDs of a TSUID: the metric, then names and values of tags in turn.
   *
   * @throws OpenTsdbError 404 if one of them is unknown, 400 if the text is no TSUID
   */
  public List<Part> parts(String tsuid) {
    require(tsuid);
    List<Part> parts = new ArrayList<>();
    Tsuid.Kind kind = Tsuid.Kind.METRIC;
    for (int at = 0; at + digits(kind) <= tsuid.length(); ) {
      String uid = tsuid.substring(at, at + digits(kind));
      String name =
          name(kind, uid)
              .orElseThrow(() -> new OpenTsdbError(404, "Unable to find one or more UIDs"));
      parts.add(new Part(kind, uid, name));
      at += digits(kind);
      kind = kind == Tsuid.Kind.TAGK ? Tsuid.Kind.TAGV : Tsuid.Kind.TAGK;
    }
    return parts;
  }

  private String named(Tsuid.Kind kind, String uid) {
    return name(kind, uid)
        .orElseThrow(() ->
            OpenTsdbError.amid("No such unique ID for '%s': %s".formatted(kind.table(), uid)));
  }

  /** Returns the tags of a stored TSUID as filters; bytes that make no pair are left out. */
  private List<TagFilter> filters(String pairs) {
    int name = digits(Tsuid.Kind.TAGK);
    int pair = name + digits(Tsuid.Kind.TAGV);
    List<TagFilter> filters = new ArrayList<>();
    for (int at = 0; at + pair <= pairs.length(); at += pair) {
      filters.add(
          new TagFilter.Equal(
              named(Tsuid.Kind.TAGK, pairs.substring(at, at + name)),
              named(Tsuid.Kind.TAGV, pairs.substring(at + name, at + pair))));
    }
    return filters;
  }
}
