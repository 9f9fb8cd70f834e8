package dev.varve.layout.heroic;

import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.KeyOutput;
import dev.varve.layout.KeyPart;
import dev.varve.model.GroupKey;
import dev.varve.model.TagFilter;
import dev.varve.model.Tags;
import java.util.ArrayList;
import java.util.List;

/**
 * All tags, in the order of their names.
 *
 * <pre>
 * varint count, { name, value }     texts sized twice
 * </pre>
 */
record TagsPart() implements KeyPart {
  static void write(Tags tags, KeyBytes out) {
    NamedTexts.write(tags, true, out);
  }

  @Override
  public String label() {
    return "tags";
  }

  @Override
  public Role role() {
    return Role.TAGS;
  }

  @Override
  public List<TagFilter> shared(GroupKey key) {
    List<TagFilter> shared = new ArrayList<>();
    key.tags().forEach((name, value) -> shared.add(new TagFilter.Equal(name, value)));
    return shared;
  }

  @Override
  public void encode(KeyInput input, KeyBytes out) {
    out.raw(((HeroicBinding) input.binding()).tags());
  }

  @Override
  public int decode(byte[] row, int from, int to, KeyOutput out) {
    int end = skip(row, from, to);
    NamedTexts.read(row, from, end, true, out::tag);
    return end;
  }

  @Override
  public int skip(byte[] row, int from, int to) {
    return NamedTexts.end(row, from, to, true);
  }

  @Override
  public String show(byte[] row, int from, int to) {
    return NamedTexts.show(row, from, to, true);
  }
}
