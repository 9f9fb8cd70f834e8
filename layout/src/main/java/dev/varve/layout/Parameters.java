package dev.varve.layout;

import dev.varve.model.Spelling;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The parameters given to a layout, as texts by name. Unknown names and values out of range are
 * rejected under the rule {@code LAYOUT.parameter}; an unknown name with the nearest known one.
 */
public final class Parameters {
  private final String layout;
  private final Map<String, String> given;

  private Parameters(String layout, Map<String, String> given) {
    this.layout = layout;
    this.given = given;
  }

  /**
   * Creates parameters after checking their names.
   *
   * @param layout the name of the layout, such as {@code kairosdb}
   * @param known all names that the layout accepts
   * @throws RefusedException if a name is unknown
   */
  public static Parameters of(String layout, Map<String, String> given, List<String> known) {
    Parameters parameters = new Parameters(layout, new HashMap<>(given));
    for (String name : given.keySet()) {
      if (!known.contains(name)) {
        throw parameters.refused(
            known.isEmpty()
                ? "layout %s has no parameters, but '%s' was given".formatted(layout, name)
                : "layout %s has no parameter '%s' (did you mean %s?)"
                    .formatted(layout, name, Spelling.nearest(name, known)));
      }
    }
    return parameters;
  }

  public String text(String name, String otherwise) {
    return given.getOrDefault(name, otherwise);
  }

  /**
   * Returns a whole number from {@code min} to {@code max}.
   *
   * @throws RefusedException if the value is not such a number
   */
  public long number(String name, long otherwise, long min, long max) {
    String text = given.get(name);
    if (text == null) {
      return otherwise;
    }
    try {
      long number = Long.parseLong(text);
      if (number >= min && number <= max) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Reported below, with the parameter's name.
    }
    throw refused(
        "layout %s: %s is '%s', and should be a whole number from %d to %d"
            .formatted(layout, name, text, min, max));
  }

  /**
   * Returns a constant of an enum by its name, in any case.
   *
   * @throws RefusedException if there is no such constant
   */
  public <E extends Enum<E>> E choice(String name, E otherwise) {
    String text = given.get(name);
    if (text == null) {
      return otherwise;
    }
    E[] constants = otherwise.getDeclaringClass().getEnumConstants();
    for (E constant : constants) {
      if (constant.name().equalsIgnoreCase(text)) {
        return constant;
      }
    }
    throw refused(
        "layout %s: %s is '%s', and should be one of %s"
            .formatted(
                layout,
                name,
                text,
                Arrays.stream(constants)
                    .map(constant -> constant.name().toLowerCase(Locale.ROOT))
                    .collect(Collectors.joining(", "))));
  }

  /** Creates a rejection under the rule of parameters. */
  public RefusedException refused(String message) {
    return new RefusedException(layout + ".parameter", message);
  }
}
