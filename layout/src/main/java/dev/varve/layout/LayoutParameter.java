package dev.varve.layout;

import org.jspecify.annotations.Nullable;

/**
 * Something about a layout that can be chosen when it is opened.
 *
 * @param name as it is given, such as {@code bucket}
 * @param defaultValue what holds where nothing is given; null where it must be given
 * @param about what it does, in one line
 */
public record LayoutParameter(String name, @Nullable String defaultValue, String about) {
  public LayoutParameter withDefault(String value) {
    return new LayoutParameter(name, value, about);
  }
}
