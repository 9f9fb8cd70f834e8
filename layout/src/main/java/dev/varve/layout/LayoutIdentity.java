package dev.varve.layout;

import java.util.Map;
import java.util.TreeMap;

/**
 * What makes two layouts the same: every parameter that changes a byte stands here.
 *
 * @param name such as {@code heroic}
 * @param parameters names and values in the layout's own canonical text, codec versions among them
 *     ({@code codec.row} = {@code 1})
 */
public record LayoutIdentity(String name, Map<String, String> parameters) {
  public LayoutIdentity {
    parameters = java.util.Collections.unmodifiableMap(new TreeMap<>(parameters));
  }

  /** One line: {@code name{parameter=value, ...}}. */
  @Override
  public String toString() {
    return name + parameters;
  }
}
