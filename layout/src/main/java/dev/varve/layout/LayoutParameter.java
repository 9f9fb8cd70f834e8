package dev.varve.layout;

import org.jspecify.annotations.Nullable;

/**
 * A parameter that can be set when a layout is opened.
 *
 * @param name such as {@code bucket}
 * @param defaultValue the value if none is given; null if the parameter is mandatory
 * @param about its effect, in one line
 */
public record LayoutParameter(String name, @Nullable String defaultValue, String about) {
  public LayoutParameter withDefault(String value) {
    return new LayoutParameter(name, value, about);
  }
}
