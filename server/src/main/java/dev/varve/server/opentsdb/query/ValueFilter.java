package dev.varve.server.opentsdb.query;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.varve.model.TagFilter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A filter on the values of a tag.
 *
 * @param type the name of its kind in requests
 * @param filter the text between the parentheses
 * @param ignoresCase whether case does not matter, which the type need not say
 * @param groupBy whether results are grouped by the tag
 */
public record ValueFilter(
    String type, String tagk, String filter, boolean ignoresCase, boolean groupBy) {
  /** The type of filters that name values, with regard to case. */
  private static final String LITERAL = "literal_or";

  /** The types of filters that name values, with regard to case and without. */
  static final Set<String> LITERALS = Set.of(LITERAL, "iliteral_or");

  /** The type of a filter, which decides the values that it accepts. */
  enum Type {
    LITERAL_OR,
    ILITERAL_OR,
    NOT_LITERAL_OR,
    NOT_ILITERAL_OR,
    WILDCARD,
    IWILDCARD,
    REGEXP;

    private static @Nullable Type of(String name) {
      for (Type type : values()) {
        if (type.name().toLowerCase(Locale.ROOT).equals(name)) {
          return type;
        }
      }
      return null;
    }
  }

  /**
   * Creates a filter as a posted request describes it.
   *
   * @throws IllegalArgumentException with OpenTSDB's message if it is invalid
   */
  public static ValueFilter of(
      @Nullable String type, @Nullable String tagk, @Nullable String filter, boolean groupBy) {
    if (type == null || type.isEmpty()) {
      throw new IllegalArgumentException("The filter type cannot be null or empty");
    }
    if (tagk == null || tagk.isEmpty()) {
      throw new IllegalArgumentException("The tagk cannot be null or empty");
    }
    Type known = Type.of(type);
    if (known == null) {
      throw new IllegalArgumentException("Could not find a tag value filter of the type: " + type);
    }
    if (filter == null || filter.isEmpty()) {
      throw new IllegalArgumentException("Filter cannot be null or empty");
    }
    boolean ignoresCase = type.startsWith("i") || type.startsWith("not_i");
    switch (known) {
      case LITERAL_OR, ILITERAL_OR, NOT_LITERAL_OR, NOT_ILITERAL_OR -> {
        if (filter.equals("|")) {
          throw new IllegalArgumentException("Filter must contain more than just a pipe");
        }
      }
      case WILDCARD, IWILDCARD -> {
        if (!filter.contains("*")) {
          throw new IllegalArgumentException("Filter must contain an asterisk");
        }
      }
      case REGEXP -> requirePattern(filter);
    }
    return new ValueFilter(type, tagk, filter, ignoresCase, groupBy);
  }

  private static void requirePattern(String pattern) {
    try {
      Pattern.compile(pattern);
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException(
          "%s: '%s'".formatted(e.getDescription(), e.getPattern()), e);
    }
  }

  /**
   * Creates a filter from the value in {@code tag=value}: {@code *}, a value with asterisks whose
   * case does not matter, alternatives with bars, or {@code type(filter)}.
   *
   * @throws IllegalArgumentException with OpenTSDB's message if it is invalid
   */
  public static ValueFilter ofTag(String tagk, String value, boolean groupBy) {
    if (tagk.isEmpty()) {
      throw new IllegalArgumentException("Tagk cannot be null or empty");
    }
    if (value.isEmpty()) {
      throw new IllegalArgumentException("Filter cannot be null or empty");
    }
    int open = value.indexOf('(');
    if (open >= 0) {
      if (!value.endsWith(")")) {
        throw new IllegalArgumentException("Filter must end with a ')': " + value);
      }
      String type = value.substring(0, open).toLowerCase(Locale.ROOT);
      return of(type, tagk, value.substring(open + 1, value.length() - 1), groupBy);
    }
    if (value.contains("*")) {
      return new ValueFilter("wildcard", tagk, value, true, groupBy);
    }
    return of(LITERAL, tagk, value, groupBy);
  }

  /**
   * Adds a filter to a list, unless an equal one is there, which then groups.
   *
   * @param filters changed
   */
  static void addGrouping(List<ValueFilter> filters, ValueFilter filter) {
    for (int i = 0; i < filters.size(); i++) {
      ValueFilter there = filters.get(i);
      if (there.withGroupBy(true).equals(filter)) {
        filters.set(i, filter);
        return;
      }
    }
    filters.add(filter);
  }

  private ValueFilter withGroupBy(boolean other) {
    return new ValueFilter(type, tagk, filter, ignoresCase, other);
  }

  /** Returns the values that must exist; empty if any value may be missing. */
  Set<String> literals() {
    return type.equals(LITERAL) ? alternatives() : Set.of();
  }

  private Set<String> alternatives() {
    return new LinkedHashSet<>(Arrays.asList(filter.split("\\|")));
  }

  /** Returns the conditions that a series must meet. A series without the tag never does. */
  List<TagFilter> conditions() {
    Type known = Type.of(type);
    if (known == null) {
      throw new IllegalStateException("unknown type " + type);
    }
    return switch (known) {
      case LITERAL_OR -> List.of(new TagFilter.In(tagk, alternatives()));
      case ILITERAL_OR -> List.of(new TagFilter.Regex(tagk, anyOf()));
      case NOT_LITERAL_OR, NOT_ILITERAL_OR ->
          List.of(new TagFilter.Has(tagk), new TagFilter.NotRegex(tagk, anyOf()));
      case WILDCARD, IWILDCARD -> List.of(glob());
      case REGEXP ->
          List.of(new TagFilter.Has(tagk), new TagFilter.Regex(tagk, ".*(?:" + filter + ").*"));
    };
  }

  private String anyOf() {
    return caseFlag()
        + alternatives().stream().map(Pattern::quote).collect(Collectors.joining("|", "(?:", ")"));
  }

  private String caseFlag() {
    return ignoresCase ? "(?i)" : "";
  }

  private TagFilter glob() {
    if (filter.chars().allMatch(c -> c == '*')) {
      return new TagFilter.Has(tagk);
    }
    String pattern =
        Arrays.stream(filter.split("\\*+", -1))
            .map(Pattern::quote)
            .collect(Collectors.joining(".*"));
    return new TagFilter.Regex(tagk, caseFlag() + pattern);
  }

  /** Returns OpenTSDB's description of the filter, which it shows in errors. */
  @Override
  public String toString() {
    return "filter_name=%s, tagk=%s, group_by=%s, tagk_bytes=null, config=%s"
        .formatted(type, tagk, groupBy, config());
  }

  private String config() {
    return switch (type) {
      case "regexp" -> "{pattern=" + filter + "}";
      case "wildcard", "iwildcard" ->
          "{components=%s, case=%s}".formatted(components(), ignoresCase);
      default -> "{literals=%s, case=%s}".formatted(new HashSet<>(shown()), ignoresCase);
    };
  }

  private List<String> shown() {
    List<String> shown = new ArrayList<>(alternatives());
    return ignoresCase ? shown.stream().map(s -> s.toLowerCase(Locale.ROOT)).toList() : shown;
  }

  private List<String> components() {
    String text = ignoresCase ? filter.toLowerCase(Locale.ROOT) : filter;
    String inner = text.replaceAll("^\\*+(?=.)|(?<=.)\\*+$", "");
    return inner.equals("*") ? List.of("*") : Arrays.asList(inner.split("\\*", -1));
  }

  /** Returns a map of tags from the filters that group, as OpenTSDB shows it. */
  static Map<String, String> shownTags(List<ValueFilter> filters) {
    Map<String, String> tags = new TreeMap<>();
    filters.stream()
        .filter(ValueFilter::groupBy)
        .forEach(one -> tags.put(one.tagk(), "%s(%s)".formatted(one.type(), one.filter())));
    return tags;
  }
}
