package dev.varve.layout;

import dev.varve.model.Spelling;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The parameters that somebody gives a layout, as texts by name. What a layout does not know is
 * refused with the nearest name that it knows, and so is a value out of bounds, under the rule
 * {@code LAYOUT.parameter}.
 */
public final class Parameters {
  private final String layout;
  private final Map<String, String> given;

  private Parameters(String layout, Map<String, String> given) {
    this.layout = layout;
    this.given = given;
  }

  /**
   * Takes the parameters that were given, once their names are known to be right.
   *
   * @param layout the name of the layout, such as {@code kairosdb}
   * @param known every name that the layout takes
   * @throws RefusedException if one of the names is unknown
   */
  public static Parameters of(String layout, Map<String, String> given, List<String> known) {
    Parameters parameters = new Parameters(layout, new HashMap<>(given));
    for (String name : given.keySet()) {
      if (!known.contains(name)) {
        throw parameters.refused(
            known.isEmpty()
                ? "layout %s has no parameters, and so no '%s'".formatted(layout, name)
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
   * A whole number from {@code min} to {@code max}.
   *
   * @throws RefusedException if it is none
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
      // Said below, in words that name the parameter.
    }
    throw refused(
        "layout %s: %s is '%s', and should be a whole number from %d to %d"
            .formatted(layout, name, text, min, max));
  }

  /**
   * One of the constants of an enum, by its name in either case.
   *
   * @throws RefusedException if it is none
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

  /** A refusal under the rule of parameters. */
  public RefusedException refused(String message) {
    return new RefusedException(layout + ".parameter", message);
  }
}
