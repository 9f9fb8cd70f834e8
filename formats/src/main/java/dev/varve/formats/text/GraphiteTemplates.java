package dev.varve.formats.text;

import dev.varve.model.GroupKey;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Maps the steps of a Graphite path to metric, tags and field, by rules in the form of Telegraf and
 * InfluxDB: {@code [filter ]template[ tag=value,...]}.
 *
 * <p>A template names each step of a path: {@code measurement} for the metric, {@code field} for
 * the field, nothing for a step that is left out, any other word for a tag. {@code measurement*}
 * and {@code field*} take all remaining steps. Steps of one name are joined by dots. A filter is
 * the beginning of a path, in which {@code *} matches any step; the most specific matching filter
 * applies. If none matches, the whole path is the metric. Immutable.
 */
public final class GraphiteTemplates {
  /** No templates: the whole path is the metric. */
  public static final GraphiteTemplates NONE = new GraphiteTemplates(List.of());

  private static final String METRIC = "measurement";
  private static final String FIELD = "field";

  private final List<Template> templates;

  /** The series of paths. */
  private final KeyCache<Series> known = KeyCache.shared();

  /** The series of paths whose field is a part of the metric. */
  private final KeyCache<Series> joined = KeyCache.shared();

  private GraphiteTemplates(List<Template> templates) {
    this.templates = templates;
  }

  /**
   * @param filter steps of a path, of which {@code *} is any; none for all paths
   * @param steps the name of each step of a path
   */
  private record Template(List<String> filter, List<String> steps, Map<String, String> tags) {
    boolean matches(String[] path) {
      if (path.length < filter.size()) {
        return false;
      }
      for (int i = 0; i < filter.size(); i++) {
        if (!filter.get(i).equals("*") && !filter.get(i).equals(path[i])) {
          return false;
        }
      }
      return true;
    }

    boolean isMoreSpecificThan(Template other) {
      for (int i = 0; i < Math.min(filter.size(), other.filter.size()); i++) {
        boolean any = filter.get(i).equals("*");
        if (any != other.filter.get(i).equals("*")) {
          return !any;
        }
      }
      return filter.size() > other.filter.size();
    }
  }

  /**
   * Returns the cache of series.
   *
   * @param asOne whether the field is a part of the metric
   */
  KeyCache<Series> known(boolean asOne) {
    return asOne ? joined : known;
  }

  /**
   * Parses rules.
   *
   * @throws IllegalArgumentException if one is invalid; names the first such rule
   */
  public static GraphiteTemplates of(List<String> rules) {
    List<Template> templates = new ArrayList<>();
    for (String rule : rules) {
      templates.add(template(rule));
    }
    return new GraphiteTemplates(List.copyOf(templates));
  }

  private static Template template(String rule) {
    List<String> words = List.of(rule.strip().split("\\s+", -1));
    boolean tagged = words.size() > 1 && words.getLast().contains("=");
    int bare = words.size() - (tagged ? 1 : 0);
    if (words.getFirst().isEmpty() || bare < 1 || bare > 2) {
      throw wrong(rule, "expected [filter ]template[ tag=value,...]");
    }
    List<String> steps = List.of(words.get(bare - 1).split("\\.", -1));
    for (int i = 0; i < steps.size(); i++) {
      boolean greedy = steps.get(i).endsWith("*");
      if (greedy && !steps.get(i).equals(METRIC + "*") && !steps.get(i).equals(FIELD + "*")) {
        throw wrong(rule, "only measurement* and field* take several steps");
      }
      if (greedy && i < steps.size() - 1) {
        throw wrong(rule, "nothing can follow " + steps.get(i));
      }
    }
    return new Template(
        bare == 2 ? List.of(words.getFirst().split("\\.", -1)) : List.of(),
        steps,
        tagged ? tags(rule, words.getLast()) : Map.of());
  }

  private static Map<String, String> tags(String rule, String pairs) {
    Map<String, String> tags = new TreeMap<>();
    for (String pair : pairs.split(",", -1)) {
      int equals = pair.indexOf('=');
      if (equals < 1 || equals == pair.length() - 1) {
        throw wrong(rule, "'" + pair + "' is not tag=value");
      }
      tags.put(pair.substring(0, equals), pair.substring(equals + 1));
    }
    return tags;
  }

  private static IllegalArgumentException wrong(String rule, String message) {
    return new IllegalArgumentException("template '" + rule + "': " + message);
  }

  /** Returns the series of a path without tags. */
  public Series series(String path) {
    String[] steps = path.split("\\.", -1);
    Template best = null;
    for (Template template : templates) {
      if (template.matches(steps) && (best == null || template.isMoreSpecificThan(best))) {
        best = template;
      }
    }
    return best == null
        ? GroupKey.of(path, Tags.EMPTY).field(Series.DEFAULT_FIELD)
        : apply(best, path, steps);
  }

  private static Series apply(Template template, String path, String[] steps) {
    Map<String, String> parts = new TreeMap<>();
    for (int i = 0; i < steps.length; i++) {
      String meaning = meaning(template.steps(), i);
      if (meaning != null && !steps[i].isEmpty()) {
        parts.merge(meaning, steps[i], (before, step) -> before + "." + step);
      }
    }
    String metric = parts.remove(METRIC);
    String field = parts.remove(FIELD);
    Map<String, String> tags = new TreeMap<>(template.tags());
    tags.putAll(parts);
    return GroupKey.of(metric == null ? path : metric, Tags.of(tags))
        .field(field == null ? Series.DEFAULT_FIELD : field);
  }

  /** Returns the name of a step; null if the step is left out. */
  private static @Nullable String meaning(List<String> template, int step) {
    String last = template.getLast();
    if (step >= template.size() - 1 && last.endsWith("*")) {
      return last.substring(0, last.length() - 1);
    }
    if (step >= template.size() || template.get(step).isEmpty()) {
      return null;
    }
    return template.get(step);
  }
}
