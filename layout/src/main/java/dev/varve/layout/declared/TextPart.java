package dev.varve.layout.declared;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.KeyOutput;
import dev.varve.layout.KeyPart;
import dev.varve.layout.RefusedException;
import dev.varve.model.GroupKey;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The metric, or the value of one tag or one resource identifier.
 *
 * <pre>
 * escaped:      Ended // OrderedText; preserves order
 *             | 00 00                    // there is no such tag
 * fixed width:  byte{width}              // UTF-8, padded with 00
 * </pre>
 *
 * A missing tag can be represented only if the key also holds free tags ({@code optional}), and not
 * with a fixed width.
 */
final class TextPart implements KeyPart {
  private static final int ABSENT = 0x00;

  private final Role role;
  private final String label;
  private final @Nullable String name;
  private final TextForm form;
  private final boolean optional;

  private TextPart(
      Role role, String label, @Nullable String name, TextForm form, boolean optional) {
    this.role = role;
    this.label = label;
    this.name = name;
    this.form = form;
    this.optional = optional && form.width() == 0;
  }

  static TextPart metric(KeyElement.Metric element) {
    return new TextPart(Role.METRIC, element.name(), null, element.form(), false);
  }

  static TextPart tag(KeyElement.Tag element, boolean optional) {
    return new TextPart(Role.TAGS, element.name(), element.tag(), element.form(), optional);
  }

  static TextPart resource(KeyElement.Resource element, boolean optional) {
    return new TextPart(
        Role.RESOURCE, element.name(), element.identifier(), element.form(), optional);
  }

  @Override
  public String label() {
    return label;
  }

  @Override
  public Role role() {
    return role;
  }

  /** Returns whether a key without the tag has a row. */
  boolean optional() {
    return optional;
  }

  private @Nullable String valueIn(GroupKey key) {
    if (name == null) {
      return key.metric();
    }
    return role == Role.TAGS ? key.tags().get(name) : key.resource().get(name);
  }

  @Override
  public List<TagFilter> shared(GroupKey key) {
    String value = valueIn(key);
    String label =
        name == null ? Series.NAME_LABEL : role == Role.TAGS ? name : key.resourceLabel(name);
    return value == null ? List.of() : List.of(new TagFilter.Equal(label, value));
  }

  @Override
  public void encode(KeyInput input, KeyBytes out) {
    String value = valueIn(input.binding().key());
    if (value == null) {
      if (!optional) {
        throw new RefusedException(
            "declared.missing",
            "%s has no %s, which this layout requires".formatted(input.binding().key(), label));
      }
      out.u8(0).u8(ABSENT);
      return;
    }
    String text = form.transform().apply(value);
    if (form.width() == 0) {
      OrderedText.appendEnded(text, out);
    } else {
      appendFixed(text, out);
    }
  }

  private void appendFixed(String text, KeyBytes out) {
    int start = out.length();
    Utf8.append(text, out);
    int length = out.length() - start;
    if (length > form.width() || text.indexOf(0) >= 0) {
      out.truncate(start);
      throw new RefusedException(
          "declared.width",
          "%s '%s' %s"
              .formatted(
                  label,
                  text,
                  length > form.width()
                      ? "takes %d bytes, but the layout allows %d".formatted(length, form.width())
                      : "contains NUL, which a fixed-width text cannot"));
    }
    for (int i = length; i < form.width(); i++) {
      out.u8(0);
    }
  }

  @Override
  public int decode(byte[] row, int from, int to, KeyOutput out) {
    int next = skip(row, from, to);
    if (!isAbsent(row, from, next)) {
      put(form.transform().undo(text(row, from, next)), out);
    }
    return next;
  }

  private void put(String value, KeyOutput out) {
    if (name == null) {
      out.metric(value);
    } else if (role == Role.TAGS) {
      out.tag(name, value);
    } else {
      out.resource(name, value);
    }
  }

  private boolean isAbsent(byte[] row, int from, int next) {
    return optional && next == from + 2 && row[from] == 0 && row[from + 1] == ABSENT;
  }

  /** Returns the stored text between two bounds found by {@link #skip}. */
  private String text(byte[] row, int from, int next) {
    if (form.width() == 0) {
      return OrderedText.read(row, from, next - 2);
    }
    return new String(row, from, lengthOfFixed(row, from), StandardCharsets.UTF_8);
  }

  private int lengthOfFixed(byte[] row, int from) {
    int length = form.width();
    while (length > 0 && row[from + length - 1] == 0) {
      length--;
    }
    return length;
  }

  @Override
  public int skip(byte[] row, int from, int to) {
    int next = form.width() > 0 ? skipFixed(row, from, to) : skipEscaped(row, from, to);
    int end = form.width() > 0 ? from + lengthOfFixed(row, from) : next - 2;
    if (!isAbsent(row, from, next) && !form.transform().makes(row, from, end)) {
      throw new DamagedCellException(
          "row key, byte %d: %s is not a text of %s"
              .formatted(from, label, form.transform().text()));
    }
    return next;
  }

  private int skipEscaped(byte[] row, int from, int to) {
    if (optional && to - from >= 2 && row[from] == 0 && row[from + 1] == ABSENT) {
      return from + 2;
    }
    int end = OrderedText.endOfText(row, from, to);
    if (end < 0) {
      throw new DamagedCellException(
          "row key, byte %d: %s is not a text terminated by 00 01".formatted(from, label));
    }
    return end + 2;
  }

  private int skipFixed(byte[] row, int from, int to) {
    if (to - from < form.width()) {
      throw new DamagedCellException(
          "row key, byte %d: %s takes %d bytes, %d are left"
              .formatted(from, label, form.width(), to - from));
    }
    int length = lengthOfFixed(row, from);
    for (int i = 0; i < length; i++) {
      if (row[from + i] == 0) {
        throw new DamagedCellException(
            "row key, byte %d: %s contains 00 before its end".formatted(from + i, label));
      }
    }
    if (!Utf8.valid(row, from, from + length)) {
      throw new DamagedCellException("row key, byte %d: %s is not UTF-8".formatted(from, label));
    }
    return from + form.width();
  }

  @Override
  public String show(byte[] row, int from, int to) {
    return isAbsent(row, from, to) ? "(none)" : form.transform().undo(text(row, from, to));
  }

  @Override
  public String toString() {
    return label;
  }
}
