package dev.varve.layout.declared;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.KeyOutput;
import dev.varve.layout.KeyPart;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import java.util.Set;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * All tags, or all resource identifiers, that have no part of their own.
 *
 * <pre>
 * TagSet := (name Ended, value Ended)* 00 00    // OrderedText; names rising, each once
 * </pre>
 *
 * Nothing stands before the first name, so that keys whose first tags agree are neighbours.
 */
final class TagSetPart implements KeyPart {
  private static final int LAST = 0x00;

  private final Role role;
  private final String label;
  private final Set<String> elsewhere;

  private TagSetPart(Role role, String label, Set<String> elsewhere) {
    this.role = role;
    this.label = label;
    this.elsewhere = Set.copyOf(elsewhere);
  }

  static TagSetPart tags(Set<String> elsewhere) {
    return new TagSetPart(Role.TAGS, "tags", elsewhere);
  }

  static TagSetPart resource(Set<String> elsewhere) {
    return new TagSetPart(Role.RESOURCE, "resource", elsewhere);
  }

  @Override
  public String label() {
    return label;
  }

  @Override
  public Role role() {
    return role;
  }

  @Override
  public void encode(KeyInput input, KeyBytes out) {
    GroupKey key = input.binding().key();
    Tags tags = role == Role.TAGS ? key.tags() : key.resource();
    for (int i = 0; i < tags.size(); i++) {
      if (!elsewhere.contains(tags.name(i))) {
        OrderedText.appendEnded(tags.name(i), out);
        OrderedText.appendEnded(tags.value(i), out);
      }
    }
    out.u8(0).u8(LAST);
  }

  @Override
  public int decode(byte[] row, int from, int to, KeyOutput out) {
    int at = from;
    String before = null;
    while (!isLast(row, at, to)) {
      int nameEnd = end(row, at, to);
      int valueEnd = end(row, nameEnd + 2, to);
      String name = OrderedText.read(row, at, nameEnd);
      checkOrder(before, name, at);
      put(name, OrderedText.read(row, nameEnd + 2, valueEnd), out);
      before = name;
      at = valueEnd + 2;
    }
    return at + 2;
  }

  private void checkOrder(@Nullable String before, String name, int at) {
    if (before != null && before.compareTo(name) >= 0) {
      throw new DamagedCellException(
          "row key, byte %d: %s: '%s' stands behind '%s'".formatted(at, label, name, before));
    }
    if (elsewhere.contains(name)) {
      throw new DamagedCellException(
          "row key, byte %d: %s: '%s' has a part of its own".formatted(at, label, name));
    }
  }

  private void put(String name, String value, KeyOutput out) {
    if (role == Role.TAGS) {
      out.tag(name, value);
    } else {
      out.resource(name, value);
    }
  }

  private static boolean isLast(byte[] row, int at, int to) {
    return to - at >= 2 && row[at] == 0 && row[at + 1] == LAST;
  }

  private int end(byte[] row, int from, int to) {
    int end = OrderedText.endOfText(row, from, to);
    if (end < 0) {
      throw new DamagedCellException(
          "row key, byte %d: %s: no text that ends with 00 01".formatted(from, label));
    }
    return end;
  }

  @Override
  public int skip(byte[] row, int from, int to) {
    int at = from;
    while (!isLast(row, at, to)) {
      int nameEnd = end(row, at, to);
      at = end(row, nameEnd + 2, to) + 2;
    }
    return at + 2;
  }

  @Override
  public String show(byte[] row, int from, int to) {
    StringJoiner shown = new StringJoiner(",");
    int at = from;
    while (!isLast(row, at, to)) {
      int nameEnd = end(row, at, to);
      int valueEnd = end(row, nameEnd + 2, to);
      shown.add(
          OrderedText.read(row, at, nameEnd) + "=" + OrderedText.read(row, nameEnd + 2, valueEnd));
      at = valueEnd + 2;
    }
    return shown.length() == 0 ? "(none)" : shown.toString();
  }

  @Override
  public String toString() {
    return label;
  }
}
