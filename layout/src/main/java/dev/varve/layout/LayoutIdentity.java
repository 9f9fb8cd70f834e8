package dev.varve.layout;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * Identifies a layout: it contains every parameter that affects the bytes written.
 *
 * @param name such as {@code heroic}
 * @param parameters names and values in the layout's canonical text, including codec versions
 *     ({@code codec.row} = {@code 1})
 */
public record LayoutIdentity(String name, Map<String, String> parameters) {
  public LayoutIdentity {
    parameters = Collections.unmodifiableMap(new TreeMap<>(parameters));
  }

  /** Returns one line: {@code name{parameter=value, ...}}. */
  @Override
  public String toString() {
    return name + parameters;
  }
}
