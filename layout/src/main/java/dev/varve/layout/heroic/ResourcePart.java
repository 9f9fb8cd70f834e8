package dev.varve.layout.heroic;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.KeyOutput;
import dev.varve.layout.KeyPart;
import dev.varve.model.Tags;

/**
 * The resource identifiers at the end of the key; empty if a series has none.
 *
 * <pre>
 * 01               number of suffix entries; there is only one kind
 * 00               the kind: RESOURCE
 * varint length    of the rest
 * varint count, { name, value }     texts sized once, in the order of the names
 * </pre>
 */
record ResourcePart() implements KeyPart {
  private static final int ENTRIES = 1;
  private static final int KIND = 0;
  private static final int HEAD_BYTES = 2;

  static void write(Tags resource, KeyBytes out) {
    if (resource.isEmpty()) {
      return;
    }
    KeyBytes payload = new KeyBytes();
    NamedTexts.write(resource, false, payload);
    out.u8(ENTRIES).u8(KIND);
    Varint.write(payload.length(), out);
    out.raw(payload.array(), 0, payload.length());
  }

  @Override
  public String label() {
    return "resource";
  }

  @Override
  public Role role() {
    return Role.RESOURCE;
  }

  @Override
  public void encode(KeyInput input, KeyBytes out) {
    out.raw(((HeroicBinding) input.binding()).resource());
  }

  @Override
  public int decode(byte[] row, int from, int to, KeyOutput out) {
    int end = skip(row, from, to);
    if (end > from) {
      NamedTexts.read(row, payload(row, from, end), end, false, out::resource);
    }
    return end;
  }

  @Override
  public int skip(byte[] row, int from, int to) {
    if (from == to) {
      return to;
    }
    if (to - from <= HEAD_BYTES || row[from] != ENTRIES || row[from + 1] != KIND) {
      throw new DamagedCellException(
          "row key: one entry of resource identifiers (01 00) is expected at byte " + from);
    }
    int payload = payload(row, from, to);
    int length = Varint.value(row, from + HEAD_BYTES, payload);
    if (length > to - payload) {
      throw new DamagedCellException(
          "row key: the resource identifiers at byte %d have %d bytes, %d are left"
              .formatted(from, length, to - payload));
    }
    if (length == 0 || row[payload] == 0) {
      throw new DamagedCellException(
          "row key: no resource identifier at byte %d, where a series without any has no bytes"
              .formatted(from));
    }
    int end = NamedTexts.end(row, payload, payload + length, false);
    if (end != payload + length) {
      throw new DamagedCellException(
          "row key: the resource identifiers at byte %d end %d bytes early"
              .formatted(from, payload + length - end));
    }
    return end;
  }

  /** Returns the index of the first byte after the length. */
  private static int payload(byte[] row, int from, int to) {
    return Varint.end(row, from + HEAD_BYTES, to);
  }

  @Override
  public String show(byte[] row, int from, int to) {
    return from == to ? "" : NamedTexts.show(row, payload(row, from, to), to, false);
  }
}
