package dev.varve.layout.declared;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.KeyOutput;
import dev.varve.layout.KeyPart;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.TagFilter;
import dev.varve.model.Tags;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.StringJoiner;

/**
 * All tags, or all resource identifiers, without a part of their own.
 *
 * <pre>
 * TagSet := (name Ended, value Ended)* 00 00    // OrderedText; names ascending, each once
 * </pre>
 *
 * Nothing precedes the first name, so that keys with the same first tags are neighbours.
 */
final class TagSetPart implements KeyPart {
  private static final int LAST = 0x00;

  private final Role role;
  private final String label;
  private final Set<String> elsewhere;

  /** The names in {@link #elsewhere} as encoded in a row. */
  private final List<Bytes> elsewhereBytes;

  private TagSetPart(Role role, String label, Set<String> elsewhere) {
    this.role = role;
    this.label = label;
    this.elsewhere = Set.copyOf(elsewhere);
    this.elsewhereBytes = elsewhere.stream().map(TagSetPart::escaped).toList();
  }

  private static Bytes escaped(String name) {
    KeyBytes out = new KeyBytes();
    OrderedText.append(name, out);
    return out.toBytes();
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
  public List<TagFilter> shared(GroupKey key) {
    List<TagFilter> shared = new ArrayList<>();
    Tags tags = role == Role.TAGS ? key.tags() : key.resource();
    tags.forEach((name, value) -> {
      if (!elsewhere.contains(name)) {
        String label = role == Role.TAGS ? name : key.resourceLabel(name);
        shared.add(new TagFilter.Equal(label, value));
      }
    });
    return shared;
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
    int next = skip(row, from, to);
    for (int at = from; at < next - 2; ) {
      int nameEnd = OrderedText.endOf(row, at, to);
      int valueEnd = OrderedText.endOf(row, nameEnd + 2, to);
      put(OrderedText.read(row, at, nameEnd), OrderedText.read(row, nameEnd + 2, valueEnd), out);
      at = valueEnd + 2;
    }
    return next;
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
          "row key, byte %d: %s: not a text terminated by 00 01".formatted(from, label));
    }
    return end;
  }

  @Override
  public int skip(byte[] row, int from, int to) {
    int at = from;
    int before = -1;
    int beforeEnd = -1;
    while (!isLast(row, at, to)) {
      int nameEnd = end(row, at, to);
      if (before >= 0 && OrderedText.compare(row, before, beforeEnd, at, nameEnd) >= 0) {
        throw damaged(at, nameEnd, row, "is out of order");
      }
      for (int i = 0; i < elsewhereBytes.size(); i++) {
        if (elsewhereBytes.get(i).contentEquals(row, at, nameEnd - at)) {
          throw damaged(at, nameEnd, row, "has a part of its own");
        }
      }
      before = at;
      beforeEnd = nameEnd;
      at = end(row, nameEnd + 2, to) + 2;
    }
    return at + 2;
  }

  private DamagedCellException damaged(int at, int nameEnd, byte[] row, String reason) {
    return new DamagedCellException(
        "row key, byte %d: %s: '%s' %s"
            .formatted(at, label, OrderedText.read(row, at, nameEnd), reason));
  }

  @Override
  public String show(byte[] row, int from, int to) {
    StringJoiner shown = new StringJoiner(",");
    for (int at = from; at < to - 2; ) {
      int nameEnd = OrderedText.endOf(row, at, to);
      int valueEnd = OrderedText.endOf(row, nameEnd + 2, to);
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
