package dev.varve.rules.template;

import dev.varve.formats.number.GoNumber;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Values in templates: texts, integers ({@code Long}), {@code Double}s, booleans, maps of labels,
 * samples and lists of them, and null for no value.
 */
final class Values {
  private Values() {}

  /** Returns Go's name of the type. */
  static String type(@Nullable Object value) {
    return switch (value) {
      case null -> "<nil>";
      case String text -> "string";
      case Long whole -> "int";
      case Double real -> "float64";
      case Boolean truth -> "bool";
      case ArgumentMap arguments -> "map[string]interface {}";
      case Map<?, ?> map -> "map[string]string";
      case Template.Sample sample -> "*template.sample";
      case List<?> list -> "template.queryResult";
      case Template.Data data ->
          "struct { Labels map[string]string; ExternalLabels map[string]string; ExternalURL string; Value interface {} }";
      default -> throw new IllegalStateException("no value of a template: " + value.getClass());
    };
  }

  /** The result of {@code args}. */
  record ArgumentMap(Map<String, Object> values) {}

  static boolean truth(@Nullable Object value) {
    return switch (value) {
      case null -> false;
      case String text -> !text.isEmpty();
      case Long whole -> whole != 0;
      case Double real -> real != 0;
      case Boolean truth -> truth;
      case ArgumentMap arguments -> !arguments.values().isEmpty();
      case Map<?, ?> map -> !map.isEmpty();
      case List<?> list -> !list.isEmpty();
      default -> true;
    };
  }

  /** Formats as {@code %v} does. */
  static String text(@Nullable Object value) {
    return switch (value) {
      case null -> "<no value>";
      case String text -> text;
      case Double real -> GoNumber.text(real);
      case ArgumentMap arguments -> text(arguments.values());
      case Map<?, ?> map -> {
        StringBuilder text = new StringBuilder("map[");
        new TreeMap<Object, Object>(map)
            .forEach((name, inner) ->
                text.append(text.length() == 4 ? "" : " ")
                    .append(name)
                    .append(':')
                    .append(text(inner)));
        yield text.append(']').toString();
      }
      case Template.Sample sample -> "{" + text(sample.labels()) + " " + text(sample.value()) + "}";
      case List<?> list -> {
        // Unlike this, Go shows the addresses of the samples.
        yield "[" + String.join(" ", list.stream().map(Values::text).toList()) + "]";
      }
      case Template.Data data ->
          "{%s %s %s %s}"
              .formatted(
                  text(data.labels()),
                  text(data.externalLabels()),
                  data.externalUrl(),
                  text(data.value()));
      default -> value.toString();
    };
  }
}
