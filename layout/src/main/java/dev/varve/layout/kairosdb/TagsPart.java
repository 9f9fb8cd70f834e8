package dev.varve.layout.kairosdb;

import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.KeyOutput;
import dev.varve.layout.KeyPart;
import java.util.StringJoiner;

/** All tags, encoded as a {@link TagString} up to the end of the row key. */
final class TagsPart implements KeyPart {
  @Override
  public String label() {
    return "tags";
  }

  @Override
  public Role role() {
    return Role.TAGS;
  }

  @Override
  public void encode(KeyInput input, KeyBytes out) {
    out.raw(((KairosDbBinding) input.binding()).tagsInKey());
  }

  @Override
  public int decode(byte[] row, int from, int to, KeyOutput out) {
    TagString.read(row, from, to, out::tag);
    return to;
  }

  @Override
  public int skip(byte[] row, int from, int to) {
    TagString.check(row, from, to);
    return to;
  }

  @Override
  public String show(byte[] row, int from, int to) {
    StringJoiner tags = new StringJoiner(", ");
    TagString.read(row, from, to, (name, value) -> tags.add(name + "=" + value));
    return tags.toString();
  }
}
